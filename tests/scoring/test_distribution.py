"""The distribution of perplexities: against all scores in a row, without a store."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from thresher.scoring.distribution import DECILES, PERCENTILES, read_distribution
from troublesome import Listed, whole

from thresher.collections import Source
from thresher.errors import InputError
from thresher.pages import read_html
from thresher.passes.parts import Task, do_part
from thresher.scorers.perplexity import Perplexity
from thresher.scoring.score_pass import ScoreWork

PAGES = (
    b"<title>Oats</title><p>The rest of the day was spent in the house. Four of them were there.</p><p>--</p>",
    b"",
    b"<p>The barley stands in the field by the river.</p><p>Rye is sown in the autumn. It is cut in July.</p><p>Home</p>",
    b"<p>It was the best of times, it was the worst of times.</p><ul><li>Next<li>Last<li>xqzt vwpl</ul><p>...</p>",
    b"<p>Home</p><p>The barley stands in the field by the river.</p>",
)


def store(folder: Path, pages: tuple[bytes, ...] = PAGES) -> Perplexity:
    scorer = Perplexity()
    scorer.prepare()
    sources = [Source(f"p{place}", "x", len(page), content=page) for place, page in enumerate(pages)]
    sources.append(Source("bad", "x", 0, problem="broken"))
    for number, part in enumerate((sources[:2], sources[2:])):
        do_part(Task(replace(whole(part), number=number)), ScoreWork(Listed(()), folder, scorers=(scorer,)))
    return scorer


def smallest(scores: list[float], percentile: int) -> float:
    return sorted(scores)[math.ceil(Fraction(percentile * len(scores), 100)) - 1]


def test_a_distribution_is_that_of_all_sentences(tmp_path: Path) -> None:
    scorer = store(tmp_path)
    result = read_distribution(tmp_path, scorer)
    sentences: list[tuple[str, float, int]] = []
    for page in PAGES:
        segments = read_html(page)
        scores, words = scorer.score(segments).tolist(), segments.words_in_sentences.tolist()
        sentences += [
            (text.strip(), score, count) for text, score, count in zip(segments.sentences, scores, words, strict=True)
        ]
    scores = [score for _, score, _ in sentences]
    in_words = [score for _, score, count in sentences for _ in range(count)]
    assert (result.sentences, result.words, result.wordless) == (len(sentences), len(in_words), 2)
    assert list(result.by_words) == list(result.by_sentences) == list(PERCENTILES)
    for percentile in PERCENTILES:
        assert np.float32(result.by_words[percentile]) == np.float32(smallest(in_words, percentile))
        assert np.float32(result.by_sentences[percentile]) == np.float32(smallest(scores, percentile))
    assert result.by_sentences[99] == math.inf
    assert list(result.examples) == list(DECILES)
    for decile, text in result.examples.items():
        standing = [text for text, score, _ in sentences if np.float32(score) == np.float32(result.by_words[decile])]
        assert text == standing[0]
    assert [item.cutoff for item in result.removed] == list(map(float, scorer.grid))
    for item in result.removed:
        assert item.sentences == sum(score > item.cutoff for score in scores) / len(scores)
        assert item.words == sum(score > item.cutoff for score in in_words) / len(in_words)
    counts, _ = np.histogram(in_words, result.edges)
    assert (counts / len(in_words)).tolist() == result.shares.tolist()
    assert result.shares.sum() == pytest.approx(1)
    assert result.shares[0] > 0 < result.shares[-1]
    assert np.diff(np.log10(result.edges)) == pytest.approx(np.full(len(result.shares), 1 / 20))


def test_a_collection_without_words_has_no_distribution(tmp_path: Path) -> None:
    scorer = store(tmp_path, (b"<p>--</p>", b""))
    with pytest.raises(InputError, match="the collection has no words to take a percentile of"):
        read_distribution(tmp_path, scorer)
