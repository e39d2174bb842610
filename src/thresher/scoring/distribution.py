"""The distribution of a collection's perplexities: percentiles, shares above cutoffs, example sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.pages.plain import Ints
from thresher.scorers.base import Scores
from thresher.scorers.perplexity import Perplexity
from thresher.scoring.percentiles import score_parts, weighted_percentiles
from thresher.scoring.store import list_column, read_shard, shards, weighted_columns, weighted_scores

PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
DECILES = tuple(range(10, 100, 10))
BINS_PER_DECADE = 20
_DECADES = 39
"""Floats of 32 bits end before 10^39."""


@dataclass(frozen=True)
class Removed:
    """The shares of all sentences and of all their words above a cutoff, in [0, 1]."""

    cutoff: float
    sentences: float
    words: float


@dataclass(frozen=True)
class Distribution:
    """The perplexities of a collection's sentences.

    Attributes:
        sentences: their number.
        words: the number of their words.
        wordless: sentences of infinite perplexity, in which the model's tokeniser finds no word.
        by_sentences: at each of `PERCENTILES`, the lowest perplexity that this share of sentences does not exceed.
        by_words: the same, with sentences weighted by their words: the values of the cutoffs `p1` to `p99`.
        examples: at each of `DECILES`, by words, the first sentence of exactly that perplexity; none where it is infinite.
        removed: shares above the scorer's cutoffs.
        edges: of the histogram's bins, logarithmic, `BINS_PER_DECADE` a decade from the lowest perplexity to the highest
            finite one; shape (bins + 1,).
        shares: the share of all words in each bin; shape (bins,).
    """

    sentences: int
    words: int
    wordless: int
    by_sentences: Mapping[int, float]
    by_words: Mapping[int, float]
    examples: Mapping[int, str]
    removed: tuple[Removed, ...]
    edges: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]


def read_distribution(folder: Path, scorer: Perplexity) -> Distribution:
    """Read the distribution of perplexities from a score store, shard by shard.

    Raises:
        InputError: if no sentence has a word.
        StateError: if a shard is damaged or lacks the scores.
    """
    by_words = weighted_percentiles(lambda: score_parts(folder, scorer), PERCENTILES)
    by_sentences = weighted_percentiles(lambda: _evenly(score_parts(folder, scorer)), PERCENTILES)
    sentences = words = wordless = 0
    above = np.zeros((len(scorer.grid), 2), dtype=np.int64)
    bins = np.zeros(_DECADES * BINS_PER_DECADE, dtype=np.int64)
    edges = 10.0 ** (np.arange(len(bins) + 1) / BINS_PER_DECADE)
    for scores, weights in score_parts(folder, scorer):
        finite = np.isfinite(scores)
        sentences += len(scores)
        words += int(weights.sum())
        wordless += int(np.count_nonzero(~finite))
        for index, cutoff in enumerate(scorer.grid):
            dropped = scores > np.float32(cutoff)
            above[index] += np.count_nonzero(dropped), int(weights[dropped].sum())
        # A perplexity below 1 is 1 with a rounding error.
        in_bins = np.searchsorted(edges, np.maximum(scores[finite], 1), side="right") - 1
        bins += np.bincount(in_bins, weights=weights[finite], minlength=len(bins)).astype(np.int64)
    table = dict(zip(PERCENTILES, by_words, strict=True))
    first, last = (int(index) for index in np.flatnonzero(bins)[[0, -1]]) if bins.any() else (0, 0)
    return Distribution(
        sentences,
        words,
        wordless,
        dict(zip(PERCENTILES, by_sentences, strict=True)),
        table,
        _examples(folder, scorer, {decile: table[decile] for decile in DECILES}),
        tuple(
            Removed(float(cutoff), int(dropped) / sentences, int(lost) / words)
            for cutoff, (dropped, lost) in zip(scorer.grid, above, strict=True)
        ),
        edges[first : last + 2],
        bins[first : last + 1] / words,
    )


def _evenly(parts: Iterable[tuple[Scores, Ints]]) -> Iterator[tuple[Scores, Ints]]:
    for scores, _ in parts:
        yield scores, np.ones(len(scores), dtype=np.int64)


def _examples(folder: Path, scorer: Perplexity, wanted: Mapping[int, float]) -> dict[int, str]:
    """Return for each decile the first sentence with words of its perplexity; it always exists."""
    values = {decile: np.float32(value) for decile, value in wanted.items() if np.isfinite(value)}
    examples: dict[int, str] = {}
    for path in shards(folder):
        if len(examples) == len(values):
            break
        table = read_shard(path, weighted_columns(scorer)).combine_chunks()
        scores, words = (
            weighted_scores(table, scorer) if len(table) else (np.zeros(0, np.float32), np.zeros(0, np.int64))
        )
        positions = {
            decile: int(same[0])
            for decile, value in values.items()
            if decile not in examples and (same := np.flatnonzero((scores == value) & (words > 0))).size
        }
        if positions:
            examples |= _sentences(path, positions)
    return {decile: examples[decile] for decile in values}


def _sentences(path: Path, positions: Mapping[int, int]) -> dict[int, str]:
    table = read_shard(path, ["text", "sentence_ends"]).combine_chunks()
    offsets, ends = list_column(table, "sentence_ends")
    sentences = {}
    for decile, position in positions.items():
        row = int(np.searchsorted(offsets, position, side="right")) - 1
        begin = int(ends[position - 1]) if position > offsets[row] else 0
        sentences[decile] = table["text"][row].as_py()[begin : int(ends[position])].strip()
    return sentences
