"""Labels against difflib, areas against all pairs, and the rows of a small gold standard."""

from __future__ import annotations

import csv
import difflib
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names
from small_models import write_arpa

from separation import YARDSTICKS, Labelled, aligned_labels, area, main, rough_labels, separation

# Score, is it content, words: few scores, so that many are equal.
SENTENCE = st.tuples(st.sampled_from([-math.inf, -2.5, 0.0, 1.0, 1e30]), st.booleans(), st.integers(1, 9))
PAGES = st.lists(st.lists(SENTENCE, max_size=6), min_size=1, max_size=5)
Sentence = tuple[float, bool, int]


def labelled(page: list[Sentence]) -> Labelled:
    return Labelled(
        np.array([content for _, content, _ in page], dtype=np.bool_),
        np.array([words for *_, words in page], dtype=np.float64),
    )


def scores_of(page: list[Sentence]) -> np.ndarray:
    return np.array([score for score, *_ in page], dtype=np.float64)


def all_pairs(sentences: list[Sentence], by_words: bool) -> float:
    won = possible = 0.0
    for (good, is_content, ours), (bad, is_other, theirs) in product(sentences, sentences):
        if is_content and not is_other:
            weight = ours * theirs if by_words else 1
            possible += weight
            won += weight * (1.0 if good > bad else 0.5 if good == bad else 0.0)
    return won / possible if possible else math.nan


def all_cutoffs(sentences: list[Sentence]) -> float:
    """The best F1 of words."""
    result = []
    for cutoff, *_ in sentences:
        kept = sum(words for score, _, words in sentences if score >= cutoff)
        right = sum(words for score, content, words in sentences if score >= cutoff and content)
        result.append(2 * right / (kept + sum(words for _, content, words in sentences if content)))
    return max(result)


@given(st.lists(SENTENCE, max_size=12))
def test_area_is_the_share_of_pairs_in_order(page: list[Sentence]) -> None:
    labels, scores = labelled(page), scores_of(page)
    assert area(scores, labels.content) == pytest.approx(all_pairs(page, False), nan_ok=True)


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=6), st.lists(st.sampled_from("abcd"), max_size=12)
)
def test_sentences_are_content_if_half_of_their_words_are_aligned(sentences: list[list[str]], gold: list[str]) -> None:
    words = [word for sentence in sentences for word in sentence]
    matched = [False] * len(words)
    for match in difflib.SequenceMatcher(None, words, gold, autojunk=False).get_matching_blocks():
        matched[match.a : match.a + match.size] = [True] * match.size
    result = aligned_labels([" ".join(sentence) for sentence in sentences], "\n".join(gold))
    place = 0
    for sentence, is_content in zip(sentences, result.tolist(), strict=True):
        inside = sum(matched[place : place + len(sentence)])
        place += len(sentence)
        assert is_content == (bool(sentence) and inside >= len(sentence) / 2)


def test_rough_labels() -> None:
    gold = "Wheat is\n  threshed  HERE. At home."
    sentences = ["wheat  IS threshed", "Home", "Home page", "", "here. at"]
    assert rough_labels(sentences, gold).tolist() == [True, True, False, False, True]
    # An alignment knows that only one of the two is in the text.
    assert rough_labels(["Home", "At home."], gold).tolist() == [True, True]
    assert aligned_labels(["Home", "At home."], gold).tolist() == [False, True]


@given(PAGES)
def test_rows_are_those_of_all_pairs_and_all_cutoffs(pages: list[list[Sentence]]) -> None:
    row = separation([*map(labelled, pages)], [*map(scores_of, pages)], resamples=0)
    together = [sentence for page in pages for sentence in page]
    assert row["area_sentences"] == pytest.approx(all_pairs(together, False), nan_ok=True)
    assert row["area_words"] == pytest.approx(all_pairs(together, True), nan_ok=True)
    within = [value for page in pages if not math.isnan(value := all_pairs(page, False))]
    assert row["pages_with_both"] == len(within)
    assert row["area_page_mean"] == pytest.approx(sum(within) / len(within) if within else math.nan, nan_ok=True)
    if any(content for _, content, _ in together):
        assert row["best_f1_words"] == pytest.approx(all_cutoffs(together))
    else:
        assert row["best_cutoff"] is None


def test_intervals_are_percentiles_over_resampled_pages() -> None:
    random = np.random.default_rng(1)
    pages, scores = [], []
    for _ in range(8):
        content = random.random(6) < 0.5
        pages.append(Labelled(content, random.integers(1, 9, 6).astype(np.float64)))
        scores.append(np.round(random.normal(size=6) + content, 1))
    row = separation(pages, scores, resamples=200, seed=7)
    areas = []
    for times in np.random.default_rng(7).multinomial(8, np.full(8, 1 / 8), size=200).tolist():
        chosen = [place for place, count in enumerate(times) for _ in range(count)]
        columns = ((scores[place], pages[place].content, pages[place].words.tolist()) for place in chosen)
        areas.append(all_pairs([one for column in columns for one in zip(*column, strict=True)], False))
    bounds = [row["sentences_low"], row["sentences_high"]]
    assert bounds == pytest.approx(np.quantile(areas, (0.025, 0.975)).tolist())


def test_the_table_of_a_small_gold_standard(tmp_path: Path) -> None:
    sentences = [("Home", False), ("a a a b a a.", True), ("a b", False), ("b a a b c d", True), ("b", False)]
    for name in ("input", "gold"):
        (tmp_path / "set" / name).mkdir(parents=True)
    (tmp_path / "set" / "input" / "1.html").write_text("".join(f"<p>{text}" for text, _ in sentences))
    (tmp_path / "set" / "gold" / "1.txt").write_text("\n".join(text for text, content in sentences if content))
    model, out = write_arpa(tmp_path / "small.arpa"), tmp_path / "out"
    done = CliRunner().invoke(main, [str(tmp_path / "set"), f"perplexity(lm={model})", "words", "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert_names(done.stdout, "1 pages", "5 sentences", "2 of them content")
    with (out / "separation.csv").open() as file:
        rows = {row["scorer"]: row for row in csv.DictReader(file)}
    assert [*rows] == [f"perplexity(lm={model})", "words", *YARDSTICKS]
    # Both sentences of content are longer than the others; from 6 words on, all 12 words are right.
    found = rows["words"]
    assert (found["area_sentences"], found["best_f1_words"], found["best_cutoff"]) == ("1.0", "1.0", "6.0")
    assert float(rows[f"perplexity(lm={model})"]["best_cutoff"]) > 0
    # `a b` and `b` are boilerplate that occurs in the gold text.
    done = CliRunner().invoke(main, [str(tmp_path / "set"), "words", "--rough", "-o", str(out)])
    assert_names(done.stdout, "5 sentences", "4 of them content")
