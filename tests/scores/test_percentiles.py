"""Percentiles as cutoffs: against every word laid in a row, over several shards, and what they leave."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names
from troublesome import Listed, whole

from thresher.api import Extras, clean_collection, clean_html, clean_text
from thresher.base.errors import ConfigError, InputError, StateError
from thresher.cleaners.cleaner import Cleaner, parse_cleaner
from thresher.collections import Source
from thresher.pages import read_html
from thresher.scores.crash_log import PartTask
from thresher.scores.cutting import cleaned_documents, passes
from thresher.scores.parts import process_part
from thresher.scores.percentiles import (
    resolve_all,
    resolved,
    resolved_without_collection,
    weighted_percentiles,
)
from thresher.scores.removed import DROPPED, explained_pages
from thresher.scores.score_work import ScoreWork
from thresher.scores.store import NO_COST, SCORED, PageScores, ShardReport, shard_path, write_shard

PAGES = (
    b"<title>Oats</title><p>One two three. Four five.</p><div>six</div><p>-- --</p>",
    b"",
    b"<p>The barley stands in the field by the river.</p><p>Rye is sown in autumn and reaped in July.</p><p>Home</p>",
    b"<ul><li>Next<li>Last<li>xqzt vwpl</ul><p>It was the best of times, it was the worst of times.</p>",
)

single = st.floats(width=32, allow_nan=False)
percentiles = st.floats(0, 100, exclude_min=True, exclude_max=True) | st.sampled_from([10.0, 50.0, 70.0, 99.9])


def oracle(scores: Sequence[float], weights: Sequence[int], percentile: float) -> float:
    """Every unit of weight in a row, by score: the one that ends the first p %."""
    row = [score for score, weight in sorted(zip(scores, weights, strict=True)) for _ in range(weight)]
    return row[math.ceil(Fraction(repr(percentile)) * len(row) / 100) - 1]


@given(
    st.lists(st.tuples(single | st.sampled_from([0.0, -0.0, 1.0, math.inf]), st.integers(0, 9)), min_size=1),
    st.lists(percentiles, min_size=1, max_size=4),
    st.integers(1, 5),
)
def test_percentiles_are_those_of_all_weight_in_a_row(
    pairs: list[tuple[float, int]], wanted: list[float], size: int
) -> None:
    scores, weights = zip(*pairs, strict=True)

    def parts() -> list[tuple[np.ndarray, np.ndarray]]:
        return [
            (np.array(scores[at : at + size], np.float32), np.array(weights[at : at + size], np.int64))
            for at in range(0, len(scores), size)
        ]

    if not sum(weights):
        with pytest.raises(InputError) as caught:
            weighted_percentiles(parts, wanted)
        assert_names(caught.value, "a percentile of", "Fix: ", "as the cutoff")
        return
    result = weighted_percentiles(parts, wanted)
    # The shortest decimals of a float32 are within half of its last place, which is absolute for the smallest of them.
    expected = [oracle(scores, weights, percentile) for percentile in wanted]
    assert result == pytest.approx(expected, rel=1e-7, abs=2.0**-149)
    assert [np.float32(value) for value in result] == [np.float32(value) for value in expected]


def test_the_rank_is_exact() -> None:
    ten = (np.arange(10, dtype=np.float32), np.ones(10, np.int64))
    assert weighted_percentiles(lambda: [ten], [70.0, 70.1, 10.0, 9.9, 0.001, 99.999]) == [6, 7, 0, 0, 0, 9]


def store(folder: Path, *names: str, pages: Sequence[bytes] = PAGES) -> Path:
    """A score store of two shards, with a page that failed."""
    scorers = tuple(
        {cut.scorer.canonical_name: cut.scorer for name in names for cut in parse_cleaner(name).cuts}.values()
    )
    for scorer in scorers:
        scorer.prepare()
    sources = [Source(f"p{place}", "x", len(page), content=page) for place, page in enumerate(pages)]
    sources.insert(1, Source("bad", "x", 0, problem="broken"))
    for number, part in enumerate((sources[:3], sources[3:])):
        process_part(PartTask(replace(whole(part), number=number)), ScoreWork(Listed(()), folder, scorers=scorers))
    return folder


def in_a_row(name: str) -> tuple[list[float], list[int]]:
    """Scores and words of all segments, page by page, without a store."""
    (scorer,) = parse_cleaner(name).scorers
    scores: list[float] = []
    words: list[int] = []
    for page in PAGES:
        segments = read_html(page)
        scores += scorer.score(segments).tolist()
        words += (segments.words_in_sentences if name.startswith("perp") else segments.words_in_blocks).tolist()
    return scores, words


@pytest.mark.parametrize("scorer", ["words", "density", "perplexity(lm=books)"])
@pytest.mark.parametrize("percentile", [0.5, 10.0, 30.0, 50.0, 70.0, 95.5, 99.0])
def test_a_collections_percentile(tmp_path: Path, scorer: str, percentile: float) -> None:
    name = f"{scorer}@p{percentile:g}"
    result = resolved(store(tmp_path, name), parse_cleaner(name))
    scores, words = in_a_row(name)
    wanted = oracle(scores, words, percentile)
    assert np.float32(result.cuts[0].threshold) == np.float32(wanted)
    assert (result.name, list(result.resolved_cutoffs)) == (name, [name])
    assert resolved(tmp_path, result) == result
    # What the number means for the words that stay.
    total = sum(document.words for document in cleaned_documents(tmp_path, Cleaner()))
    left = sum(document.words for document in cleaned_documents(tmp_path, parse_cleaner(name)))
    share = percentile / 100 * total
    if scorer.startswith("perplexity"):
        assert left >= share
        assert left - sum(word for score, word in zip(scores, words, strict=True) if score == wanted) < share
    else:
        assert total - left < share
        assert total - left + sum(word for score, word in zip(scores, words, strict=True) if score == wanted) >= share


def test_many_cleaners_at_once_are_each_as_alone(tmp_path: Path) -> None:
    names = ["none", "words@p30", "words@p60+perplexity@p70", "words(headings=keep)@p30", "density@5", "perplexity@p20"]
    store(tmp_path, *names[1:])
    cleaners = [parse_cleaner(name) for name in names]
    together = resolve_all(tmp_path, cleaners)
    for cleaner, result in zip(cleaners, together, strict=True):
        alone = resolved(tmp_path, cleaner)
        assert (alone.name, alone.resolved_cutoffs) == (result.name, result.resolved_cutoffs)
        assert result.name == cleaner.name
    # A percentile is over all segments, whatever other cuts there are and whether headings are kept.
    assert together[1].cuts[0].threshold == together[3].cuts[0].threshold
    assert together[0].resolved_cutoffs == together[4].resolved_cutoffs == {}


def test_what_is_judged_is_what_is_cut(tmp_path: Path) -> None:
    cleaner = parse_cleaner("perplexity@p70+words@p20")
    store(tmp_path, cleaner.name)
    kept = [document.text.split() for document in cleaned_documents(tmp_path, cleaner)]
    pages = list(explained_pages(tmp_path, cleaner))
    assert [" ".join(segment.text for segment in page.segments if segment.is_kept).split() for page in pages] == kept
    verdicts = [verdict for page in pages for segment in page.segments for verdict in segment.verdicts]
    number = resolved(tmp_path, cleaner).cuts[1].threshold
    assert {verdict.outcome for verdict in verdicts if verdict.cut.scorer.name == "words" and verdict.score == 1} == {
        DROPPED
    }
    assert {verdict.cut.threshold for verdict in verdicts if verdict.cut.scorer.name == "words"} == {number}


@pytest.mark.parametrize(("percentile", "cutoff"), [(40.0, 7.0), (60.0, 8.0), (60.1, 8.0), (99.0, 8.0)])
def test_infinite_scores_come_last_and_are_never_the_cutoff(tmp_path: Path, percentile: float, cutoff: float) -> None:
    """Of five words two are in segments of infinite score: cut at the highest finite score, the rest is what stays."""
    segments = read_html(b"<p>one two</p><p>three</p><p>four</p><p>five</p>")
    scores = np.array([7, 8, math.inf, math.inf], np.float32)
    page = PageScores("a", SCORED, segments=segments, scores={"words": scores})
    report, times = ShardReport(1, 1, 0, 0, 5, 0, None, None, 0), NO_COST
    path = shard_path(tmp_path, whole(()))
    write_shard(path, [page], ["words"], report, times)
    assert resolved(tmp_path, parse_cleaner(f"words@p{percentile}")).cuts[0].threshold == cutoff
    page = replace(page, scores={"words": np.full(4, math.inf, np.float32)})
    write_shard(path, [page], ["words"], report, times)
    with pytest.raises(InputError) as caught:
        resolved(tmp_path, parse_cleaner("words@p50"))
    assert_names(caught.value, "words: ", "score by words", "Fix: ", "as the cutoff")


def test_a_collection_without_words_has_no_percentile(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        resolved(store(tmp_path, "words@p30", pages=[b"", b"<p>--</p>"]), parse_cleaner("words@p30"))
    assert_names(caught.value, "a percentile of", "Fix: ", "as the cutoff")


def test_a_store_without_the_scores_is_no_use(tmp_path: Path) -> None:
    with pytest.raises(StateError):
        resolved(store(tmp_path, "words@p30"), parse_cleaner("density@p30"))


def test_nothing_is_cut_by_a_percentile_that_has_no_number() -> None:
    (cut,) = parse_cleaner("words@p30").cuts
    with pytest.raises(ConfigError) as caught:
        passes(cut, np.zeros(1, np.float32))
    assert_names(caught.value, "words@p30: ", "p30", "Fix: ", "give a number")
    with pytest.raises(ConfigError, match="p30 is not a number"):
        resolved_without_collection(parse_cleaner("density@5+words@p30"))


def test_a_collection_is_cleaned_by_percentiles_and_a_page_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for place, page in enumerate(PAGES):
        (folder / f"{place}.html").write_bytes(page)
    counts = clean_collection(
        folder, "words@p30+perplexity@p70", tmp_path / "out.jsonl", extras=Extras(tmp_path / "removed.jsonl")
    )
    assert list(counts.cutoffs) == ["words@p30", "perplexity(lm=books)@p70"]
    for name, cutoff in counts.cutoffs.items():
        assert np.float32(cutoff) == np.float32(oracle(*in_a_row(name), float(name.rpartition("p")[2])))
    # The same numbers in place of the percentiles leave the same.
    numbers = "+".join(f"{name.rpartition('@')[0]}@{cutoff}" for name, cutoff in counts.cutoffs.items())
    again = clean_collection(folder, numbers, tmp_path / "again.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
    assert (counts.words, again.cutoffs) == (again.words, {})
    record = json.loads((tmp_path / "removed.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert {cut["cut"]: cut["cutoff"] for cut in record["segments"][0]["cuts"]} == counts.cutoffs
    for clean in (clean_html, clean_text):
        with pytest.raises(ConfigError, match=r"words@p30: .* not a number"):
            clean("<p>one two", "words@p30")
