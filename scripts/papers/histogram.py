"""The distribution of perplexities of a collection's sentences: percentiles with examples, shares above cutoffs, a histogram.

usage: python scripts/papers/histogram.py MODEL COLLECTION -o OUT

MODEL is `books` or a path, as in perplexity(lm=MODEL); COLLECTION is any input of `thresher clean`. A percentile by words is
the lowest perplexity that this share of all words does not exceed, like a cutoff such as p70. The cutoffs are from the
perplexity paper.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt
import pandas as pd

from paper_files import COLOURS, INK, OUTPUT, errors_in_a_line, write_plot, write_table
from thresher import (
    Backend,
    IdRule,
    InputError,
    ReadOptions,
    ScorePlan,
    Scores,
    open_collection,
    read_shard,
    score_collection,
    shards,
)
from thresher.base.files import temporary_folder
from thresher.base.numbers import Ints
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.scores.store import weighted_columns, weighted_scores

PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
DECILES = range(10, 100, 10)
BINS_PER_DECADE = 20
# The plot leaves out bins at each end that together have less than this share of the words.
_TAIL = 0.0005


class Sentences(NamedTuple):
    """All sentences of a collection: their perplexities, their numbers of words, and an example at each of `DECILES`."""

    scores: Scores
    words: Ints
    examples: dict[int, str]

    def at(self, percentile: int, weights: Ints) -> float:
        """Return the lowest perplexity that at least this percentage of the weight does not exceed."""
        order = np.argsort(self.scores, kind="stable")
        rank = math.ceil(Fraction(percentile * int(weights.sum()), 100))
        return float(str(self.scores[order][np.searchsorted(np.cumsum(weights[order]), rank)]))


def read_sentences(folder: Path, scorer: Perplexity) -> Sentences:
    """Return the sentences of a score store."""
    tables = [read_shard(path, weighted_columns(scorer)) for path in shards(folder)]
    parts = [
        (path, *weighted_scores(table, scorer))
        for path, table in zip(shards(folder), tables, strict=True)
        if len(table)
    ]
    sentences = Sentences(
        np.concatenate([scores for _, scores, _ in parts]), np.concatenate([words for *_, words in parts]), {}
    )
    if not sentences.words.any():
        raise InputError("no sentence has a word", "give pages with text", str(folder))
    for decile in DECILES:
        value = np.float32(sentences.at(decile, sentences.words))
        for path, scores, words in parts if math.isfinite(value) else ():
            same = np.flatnonzero((scores == value) & (words > 0))
            if len(same):
                sentences.examples[decile] = _sentence(path, int(same[0]))
                break
    return sentences


def _sentence(path: Path, position: int) -> str:
    table = read_shard(path, ["text", "sentence_ends"])
    offsets, ends = table.lists("sentence_ends").offsets, table.lists("sentence_ends").values
    row = int(np.searchsorted(offsets, position, side="right")) - 1
    begin = int(ends[position - 1]) if position > offsets[row] else 0
    text: str = table.texts("text")[row]
    return text[begin : int(ends[position])].strip()


def percentile_rows(sentences: Sentences, reference: Mapping[float, float]) -> pd.DataFrame:
    """Return the perplexities at percentiles. `reference` has percentiles of the model's reference text, or nothing."""
    ones = np.ones(len(sentences.scores), dtype=np.int64)
    rows = [
        {
            "percentile": at,
            "by_sentences": sentences.at(at, ones),
            "by_words": sentences.at(at, sentences.words),
            "reference_text": reference.get(at),
            "sentence": sentences.examples.get(at),
        }
        for at in PERCENTILES
    ]
    return pd.DataFrame(rows)


def removed_rows(sentences: Sentences, scorer: Perplexity) -> pd.DataFrame:
    """Return the shares of sentences and of words above the paper's cutoffs."""
    above = [sentences.scores > np.float32(cutoff) for cutoff in scorer.grid]
    of_words = [float(sentences.words[mask].sum() / sentences.words.sum()) for mask in above]
    of_sentences = [float(mask.mean()) for mask in above]
    return pd.DataFrame({"cutoff": map(int, scorer.grid), "of_sentences": of_sentences, "of_words": of_words})


def bins(sentences: Sentences) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the edges of logarithmic bins and the share of words in each, without the tails."""
    finite = np.isfinite(sentences.scores)
    # A perplexity below 1 is 1 with a rounding error.
    scores = np.maximum(sentences.scores[finite], 1)
    edges = 10.0 ** (np.arange(39 * BINS_PER_DECADE + 1) / BINS_PER_DECADE)
    counts = np.bincount(np.searchsorted(edges, scores, side="right") - 1, sentences.words[finite], len(edges) - 1)
    shares = counts / sentences.words.sum()
    reached = np.cumsum(shares)
    first, last = (int(np.searchsorted(reached, part * reached[-1])) for part in (_TAIL, 1 - _TAIL))
    return edges[first : last + 2], shares[first : last + 1]


def plot(sentences: Sentences, removed: pd.DataFrame) -> dict[str, Any]:
    """Return a plot of the share of words by perplexity on a logarithmic axis, with the median and the paper's cutoffs."""
    edges, shares = bins(sentences)
    bars = [
        {"low": low, "high": high, "share": 100 * share}
        for low, high, share in zip(edges[:-1].tolist(), edges[1:].tolist(), shares.tolist(), strict=True)
    ]
    lines = [
        {"at": at, "name": f"{at / 1000:g}K: {100 * share:.1f} %"}
        for at, share in zip(removed.cutoff.tolist(), removed.of_words, strict=True)
    ]
    scale = {
        "type": "log",
        "domainMin": min(edges[0], lines[0]["at"]),
        "domainMax": max(edges[-1], lines[-1]["at"]),
    }
    x = {
        "type": "quantitative",
        "scale": scale,
        "title": "perplexity of the sentence",
        "axis": {"format": "~s", "grid": False},
    }
    return {
        "width": 460,
        "height": 220,
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "rect", "color": COLOURS[0], "opacity": 0.75},
                "encoding": {
                    "x": {"field": "low", **x},
                    "x2": {"field": "high"},
                    "y": {
                        "field": "share",
                        "type": "quantitative",
                        "title": f"% of words, {BINS_PER_DECADE} bins a power of ten",
                    },
                    "y2": {"datum": 0},
                },
            },
            {
                "data": {"values": lines},
                "layer": [
                    {"mark": {"type": "rule", "color": COLOURS[1]}},
                    {
                        "mark": {"type": "text", "angle": 270, "align": "right", "dy": -4, "fontSize": 8, "y": 2},
                        "encoding": {"text": {"field": "name"}},
                    },
                ],
                "encoding": {"x": {"field": "at", **x}},
            },
            {
                "data": {"values": [{"at": sentences.at(50, sentences.words)}]},
                "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
                "encoding": {"x": {"field": "at", **x}},
            },
        ],
    }


@click.command()
@click.argument("model")
@click.argument("collection", type=click.Path(path_type=Path))
@OUTPUT
@click.option(
    "--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes [default: one per core]."
)
def main(model: str, collection: Path, output: Path, workers: int) -> None:
    """Show the perplexities of a COLLECTION's sentences under a MODEL, and the shares above the paper's cutoffs."""
    scorer = Perplexity(lm=model)
    scorer.check(model)
    # Accept any ids, since the tables do not show them.
    pages = open_collection(collection, ReadOptions(IdRule(escape=True)))
    with temporary_folder() as store:
        score_collection(ScorePlan(pages, (scorer,)), store, Backend(workers=workers))
        sentences = read_sentences(store, scorer)
    removed = removed_rows(sentences, scorer)
    wordless = int((~np.isfinite(sentences.scores)).sum())
    words = int(sentences.words.sum())
    counts = f"{len(sentences.scores):,} sentences with {words:,} words. {wordless:,} have no word for the model."
    write_table(output, "percentiles", counts, percentile_rows(sentences, scorer.reference_percentiles()))
    write_table(output, "removed", "Shares that the paper's cutoffs remove.", removed)
    write_plot(output / "histogram.svg", f"{collection.name}: {scorer.canonical_name}", plot(sentences, removed))


if __name__ == "__main__":
    with errors_in_a_line():
        main()
