"""Quotas: of each page the best segments up to a share of its words, by the definition, one segment at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.api import Extras, clean_collection, clean_html, clean_text
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, SENTENCE, Scorer, Scores
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Links, Words
from thresher.pages import Segments
from thresher.scores.cutting import Layout, sentence_mask, shares_before
from thresher.scores.percentiles import resolved_without_collection


class Likelihood(Scorer):
    """A score of sentences whose high values are kept; the tests draw its scores."""

    name = "likelihood"
    segment = SENTENCE
    keep = KEEP_HIGH
    unit = "log10 of a probability"
    source = "an example"

    def score(self, segments: Segments) -> Scores:
        raise NotImplementedError


# High and low scores are kept, of blocks and of sentences.
SCORERS = (Words(), Links(), Likelihood(), Perplexity())


@dataclass(frozen=True)
class Segment:
    """A block or sentence: its sentences' numbers on the page, words before this cut, score."""

    sentences: tuple[int, ...]
    words: int
    score: float
    heading: bool


@dataclass(frozen=True)
class DrawnBlock:
    """A block: whether it is a heading, its scores by block scorers, and words and scores of its sentences."""

    heading: bool
    scores: tuple[float, float]
    sentences: tuple[tuple[int, float, float], ...]


numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, math.inf, -math.inf, math.nan]) | st.floats(0, 5, width=32)
pages = st.lists(
    st.builds(
        DrawnBlock,
        st.booleans(),
        st.tuples(numbers, numbers),
        st.lists(st.tuples(st.integers(0, 4), numbers, numbers), min_size=1, max_size=3).map(tuple),
    ),
    max_size=5,
)
quotas = st.integers(1, 1000).map(lambda tenths: tenths / 10) | st.sampled_from([25.0, 50.0, 100.0])
cuts = st.builds(
    lambda scorer, quota, headings, floor: Cut(scorer, quota, headings, floor=floor, quota=True),
    st.sampled_from(SCORERS),
    quotas,
    st.sampled_from(["score", "keep", "drop"]),
    st.just(0) | st.integers(0, 20),
)


def segments(cut: Cut, page: Sequence[DrawnBlock], left: Sequence[bool]) -> list[Segment]:
    result: list[Segment] = []
    first = 0
    for block in page:
        after = first + len(block.sentences)
        words = [words * left[number] for number, (words, _, _) in enumerate(block.sentences, first)]
        if cut.scorer.segment == BLOCK:
            score = block.scores[0 if cut.scorer.name == "words" else 1]
            result.append(Segment(tuple(range(first, after)), sum(words), score, block.heading))
        else:
            for number, (_, likelihood, perplexity) in enumerate(block.sentences):
                score = likelihood if cut.scorer.name == "likelihood" else perplexity
                result.append(Segment((first + number,), words[number], score, block.heading))
        first = after
    return result


def kept_by_definition(cut: Cut, page: Sequence[DrawnBlock], left: Sequence[bool]) -> list[bool]:
    """The best segments, one by one, until the quota of the page's words is reached; then, until the floor is."""
    waiting = segments(cut, page, left)
    if cut.headings == "drop":
        waiting = [one for one in waiting if not one.heading]
    assert cut.cutoff is not None
    words = sum(one.words for one in waiting)
    worst = -math.inf if cut.scorer.keep == KEEP_HIGH else math.inf

    def badness(one: Segment) -> tuple[bool, bool, float]:
        score = -one.score if cut.scorer.keep == KEEP_HIGH else one.score
        return (
            not (cut.headings == "keep" and one.heading),
            math.isnan(score),
            0 if math.isnan(score) else score,
        )

    kept: set[int] = set()
    taken = 0
    for one in sorted(waiting, key=badness):
        below = not words or cut.cutoff == 100 or taken < Fraction(str(cut.cutoff)) / 100 * words
        can_be_kept = not math.isnan(one.score) and one.score != worst
        if (below and can_be_kept) or (cut.headings == "keep" and one.heading) or taken < cut.floor:
            kept |= set(one.sentences)
        taken += one.words
    return [number in kept for number in range(len(left))]


def laid_out(drawn: Sequence[Sequence[DrawnBlock]]) -> tuple[Layout, dict[str, Scores]]:
    blocks = [block for page in drawn for block in page]
    sentences = [sentence for block in blocks for sentence in block.sentences]
    layout = Layout(
        np.repeat(np.arange(len(blocks)), [len(block.sentences) for block in blocks]),
        np.array([words for words, _, _ in sentences], dtype=np.int32),
        np.array([block.heading for block in blocks], dtype=np.bool_),
        np.cumsum([0, *map(len, drawn)]),
    )
    columns = {
        "words": [block.scores[0] for block in blocks],
        Links().canonical_name: [block.scores[1] for block in blocks],
        Likelihood().canonical_name: [likelihood for _, likelihood, _ in sentences],
        Perplexity().canonical_name: [perplexity for _, _, perplexity in sentences],
    }
    return layout, {name: np.array(values, dtype=np.float32) for name, values in columns.items()}


@given(st.lists(pages, max_size=4), st.lists(cuts, min_size=1, max_size=3))
def test_several_pages_and_cuts_are_kept_as_the_definition_says(
    drawn: list[list[DrawnBlock]], chain: list[Cut]
) -> None:
    layout, scores = laid_out(drawn)
    expected: list[bool] = []
    for page in drawn:
        left = [True] * sum(len(block.sentences) for block in page)
        for cut in chain:
            stays = kept_by_definition(cut, page, left)
            left = [before and now for before, now in zip(left, stays, strict=True)]
        expected += left
    assert sentence_mask(Cleaner(tuple(chain)), scores, layout).tolist() == expected


def page_of(drawn: list[DrawnBlock], cut: Cut) -> tuple[Layout, dict[str, Scores], Ints]:
    layout, scores = laid_out([drawn])
    dropped = layout.headings[layout.blocks] & (cut.headings == "drop")
    return layout, scores, np.where(dropped, 0, layout.words)


@given(pages, cuts, quotas)
def test_at_least_the_quota_is_kept_and_larger_quotas_keep_more(
    drawn: list[DrawnBlock], cut: Cut, other: float
) -> None:
    layout, scores, words = page_of(drawn, cut)
    kept = sentence_mask(Cleaner((cut,)), scores, layout)
    assert cut.cutoff is not None
    of_segments = scores[cut.scorer.canonical_name]
    bad = -of_segments if cut.scorer.keep == KEEP_HIGH else of_segments
    can_be_kept = bad < np.inf
    if cut.scorer.segment == BLOCK:
        can_be_kept = can_be_kept[layout.blocks]
    # As many words as can be kept, if they are fewer.
    assert words[kept].sum() >= min(cut.cutoff / 100 * words.sum(), words[can_be_kept].sum()) - 1e-9
    wider = sentence_mask(Cleaner((replace(cut, cutoff=max(cut.cutoff, other)),)), scores, layout)
    assert (wider >= kept).all()
    whole = sentence_mask(Cleaner((replace(cut, cutoff=100.0, headings="score"),)), scores, layout)
    assert whole[can_be_kept].all()
    if not cut.floor:
        assert not whole[~can_be_kept].any()


@pytest.mark.parametrize("size", [3, 7, 10, 1000, 12_345])
def test_shares_are_exact(size: int) -> None:
    """One word a block, all alike: the quota is met by the fewest words, none more by rounding."""
    places = np.arange(size)
    layout = Layout(places, np.ones(size, np.int32), np.zeros(size, np.bool_), np.array([0, size]))
    for tenths in (1, 3, 7, 123, 290, 300, 333, 500, 667, 700, 999, 1000):
        (cut,) = parse_cleaner(f"words@doc{tenths / 10}").cuts
        kept = sentence_mask(Cleaner((cut,)), {"words": np.zeros(size, np.float32)}, layout)
        assert int(kept.sum()) == math.ceil(Fraction(tenths * size, 1000))
        assert kept[: int(kept.sum())].all()


def test_shares_of_words_before() -> None:
    (cut,) = parse_cleaner("words@doc50").cuts
    layout = Layout(
        np.array([0, 0, 1, 2, 3, 4]),
        np.array([1, 2, 5, 0, 0, 0]),
        np.zeros(5, np.bool_),
        np.array([0, 3, 3, 5]),
    )
    scores = np.array([3, 5, 1, math.nan, 0], np.float32)
    shares = shares_before(cut, scores, layout, np.ones(6, np.bool_)).tolist()
    # Blocks of 3, 5 and no words; no block; two blocks without words.
    assert shares == [62.5, 62.5, 0, pytest.approx(100), math.inf, 0]
    assert shares[3] < 100


HTML = (
    "<title>Oats</title><ul><li>Home page<li>About us</ul><p>One two three. Four five.</p>"
    "<h2>Rye</h2><p>six seven eight</p><p>-- --</p>"
)
WHOLE = "Oats\nHome page\nAbout us\nOne two three. Four five.\nRye\nsix seven eight\n-- --"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        # Fourteen words: 1, 2, 2, 5, 1, 3, 0.
        ("words@doc1", "One two three. Four five."),
        ("words@doc35.7", "One two three. Four five."),
        ("words@doc35.8", "One two three. Four five.\nsix seven eight"),
        ("words@doc58", "Home page\nOne two three. Four five.\nsix seven eight"),
        ("words@doc99", "Oats\nHome page\nAbout us\nOne two three. Four five.\nRye\nsix seven eight"),
        ("words@doc100", WHOLE),
        ("links@doc20", "Oats\nHome page"),
        ("words(headings=keep)@doc1", "Oats\nRye"),
        ("words(headings=keep)@doc15", "Oats\nOne two three. Four five.\nRye"),
        # Twelve words without headings.
        ("words(headings=drop)@doc41", "One two three. Four five."),
        ("words(headings=drop)@doc42", "One two three. Four five.\nsix seven eight"),
        ("words(headings=drop)@doc100", "Home page\nAbout us\nOne two three. Four five.\nsix seven eight\n-- --"),
        ("words(floor=6)@doc1", "One two three. Four five.\nsix seven eight"),
        # Half of the eight words that the first part leaves.
        ("words@3+words@doc50", "One two three. Four five."),
        ("words@3+links@doc65", "One two three. Four five.\nsix seven eight"),
        ("words@doc60+words@3", "One two three. Four five.\nsix seven eight"),
    ],
)
def test_quotas_by_hand(name: str, kept: str) -> None:
    assert clean_html(HTML, name) == kept


@pytest.mark.parametrize("name", ["words@doc50", "density(headings=keep)@doc50", "perplexity@doc50", "links@doc1"])
def test_pages_without_words_stay_and_empty_ones_are_none(name: str) -> None:
    cleaner = parse_cleaner(name)
    assert resolved_without_collection(cleaner) == cleaner
    assert clean_html("", name) == ""
    expected = "" if name.startswith("perplexity") else "-- --\n***"
    assert clean_html("<p>-- --</p><p>***</p>", name) == expected


def test_words_are_what_stands_between_spaces_in_any_script() -> None:
    text = "文件的路径 返回列表\n路径\n返回 的 列表 文件"
    assert clean_text(text, "words@doc50") == "返回 的 列表 文件"
    assert clean_text(text, "words@doc60") == "文件的路径 返回列表\n返回 的 列表 文件"


def test_a_collection_is_cleaned_as_its_pages_are(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    texts = {"a": HTML, "b": "", "c": "<p>One two. Three four five six.</p><h1>Seven</h1>", "d": "<p>--</p>"}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    name = "words(headings=keep)@doc60+perplexity@doc70"
    counts = clean_collection(folder, name, tmp_path / "out.jsonl", extras=Extras(tmp_path / "removed.jsonl"))
    assert counts.cutoffs == {}
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["contents"] for line in lines] == [clean_html(text, name) for text in texts.values()]
    judged = [json.loads(line) for line in (tmp_path / "removed.jsonl").read_text(encoding="utf-8").splitlines()]
    kept = [" ".join(one["text"] for one in page["segments"] if one["kept"]).split() for page in judged]
    assert kept == [line["contents"].split() for line in lines]
    assert {(cut["cut"], cut["cutoff"]) for page in judged for one in page["segments"] for cut in one["cuts"]} == {
        ("words(headings=keep)@doc60", 60.0),
        ("perplexity(lm=books)@doc70", 70.0),
    }
