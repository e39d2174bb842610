"""Measure how well scores separate content from boilerplate at any cutoff: the area under the ROC curve over sentences.

usage: python scripts/papers/separation.py GOLD_FOLDER SCORER... -o OUT [--rough]

A sentence is content if at least half of its words align with its page's gold text. The area is the probability that a
random content sentence has a better score than a random boilerplate sentence; ties count half (Hanley and McNeil, The
meaning and use of the area under a receiver operating characteristic curve, Radiology 1982). 0.5 is chance, 1 is perfect. For
comparison, the script also measures numbers of words and text density. GOLD_FOLDER is as for `thresher cleaneval`. Scorers
that learn from a collection, such as perplexity(lm=self), learn from the descriptive text of these pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt
import pandas as pd
from lxml.etree import LxmlError

from paper_files import OUTPUT, errors_in_a_line, write_table
from thresher import (
    BLOCK,
    KEEP_LOW,
    GoldPage,
    Scorer,
    Segments,
    TrainingData,
    matching_blocks,
    parse_gold_page,
    parse_scorer,
    read_gold,
    scorer_class,
)
from thresher.base.files import temporary_folder
from thresher.base.progress import progress
from thresher.cleaners.scorers.shallow_features import descriptive_blocks

RESAMPLES, SEED = 1000, 20130101
YARDSTICKS = {"words of the sentence": "", "words of the block": "words", "text density of the block": "density"}

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Row = dict[str, Any]


class Labelled(NamedTuple):
    """The sentences of a page that have words: whether each is content, and its words; both of shape (sentences,)."""

    content: Bools
    words: Floats


def measure(gold: Sequence[GoldPage], scorers: dict[str, Scorer], rough: bool) -> tuple[list[Row], list[Labelled]]:
    """Return a row for each scorer and yardstick, and the labelled sentences of the pages."""
    pages: list[tuple[GoldPage, Segments]] = []
    for page in gold:
        try:
            pages.append((page, parse_gold_page(page)))
        except LxmlError as error:
            click.echo(f"failed: {page.stem}: {error}", err=True)
    labelled = []
    for page, segments in progress(pages, "labelling", len(pages), "pages"):
        words = segments.words_in_sentences
        content = (rough_labels if rough else aligned_labels)(segments.sentences, page.text)
        labelled.append(Labelled(content[words > 0], words[words > 0].astype(np.float64)))
    yardsticks = {name: scorer_class(scorer, name)() if scorer else None for name, scorer in YARDSTICKS.items()}
    with temporary_folder() as folder:
        data = TrainingData(lambda: (_descriptive(segments) for _, segments in pages), "en", 1)
        rows: list[Row] = []
        asked: dict[str, Scorer | None] = {**scorers, **yardsticks}
        for name, scorer in progress(asked.items(), "scoring", len(asked), "scorers"):
            if scorer is None:
                scores = [page.words for page in labelled]
            else:
                ready = scorer.for_collection(data, folder) if scorer.learns else scorer
                ready.prepare()
                scores = [goodness(ready, segments)[segments.words_in_sentences > 0] for _, segments in pages]
            row = separation(labelled, scores)
            if scorer is not None and scorer.keep == KEEP_LOW and row["best_cutoff"] is not None:
                row["best_cutoff"] = -row["best_cutoff"]
            rows.append({"scorer": name, **row})
    return rows, labelled


def aligned_labels(sentences: Sequence[str], gold: str) -> Bools:
    """Return whether each sentence has at least half of its words in blocks that match the gold text; False without words."""
    split = [sentence.split() for sentence in sentences]
    words = [word for sentence in split for word in sentence]
    before = np.zeros(len(words) + 1, dtype=np.int64)
    for match in matching_blocks(words, gold.split()):
        before[match.a + 1 : match.a + match.size + 1] = 1
    before = np.cumsum(before)
    counts = np.array([len(sentence) for sentence in split], dtype=np.int64)
    ends = np.cumsum(counts)
    content: Bools = (2 * (before[ends] - before[ends - counts]) >= counts) & (counts > 0)
    return content


def rough_labels(sentences: Sequence[str], gold: str) -> Bools:
    """Return whether each sentence occurs in the gold text, ignoring case and white space."""
    text = _normalised(gold)
    return np.array([bool(part) and part in text for part in map(_normalised, sentences)], dtype=np.bool_)


def goodness(scorer: Scorer, segments: Segments) -> Floats:
    """Return a score for each sentence, its own or its block's, that is higher for content.

    The scores of a scorer that keeps low scores are negated.
    """
    scores = scorer.score(segments).astype(np.float64)
    if scorer.segment == BLOCK:
        scores = scores[segments.block_of_sentence]
    return -scores if scorer.keep == KEEP_LOW else scores


def separation(
    pages: Sequence[Labelled], scores: Sequence[Floats], resamples: int = RESAMPLES, seed: int = SEED
) -> Row:
    """Measure how well scores, higher for content and never NaN, separate the sentences of pages.

    One area is over pairs of sentences, one over pairs of words, which have their sentences' scores. The 95 % intervals are
    percentiles over resampled pages, since the sentences of a page are not independent. The page mean is over pages with
    content and boilerplate. The best cutoff has the highest F1 of words in content sentences, all pages pooled.
    """
    count = len(pages)
    drawn = np.zeros((0, 0), dtype=np.int64)
    if count:
        drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
    row: Row = {}
    for name, weights in (
        ("sentences", [np.ones(len(page.words)) for page in pages]),
        ("words", [p.words for p in pages]),
    ):
        won, possible = _pairs(pages, scores, weights)
        sums, wholes = (((drawn @ matrix) * drawn).sum(axis=1) for matrix in (won, possible))
        areas = sums[wholes > 0] / wholes[wholes > 0]
        row[f"area_{name}"] = _ratio(won.sum(), possible.sum())
        row[f"{name}_low"], row[f"{name}_high"] = (
            np.quantile(areas, (0.025, 0.975)).tolist() if len(areas) else (math.nan, math.nan)
        )
    within = [area(own, page.content) for page, own in zip(pages, scores, strict=True)]
    defined = [value for value in within if not math.isnan(value)]
    row["area_page_mean"], row["pages_with_both"] = float(np.mean(defined)) if defined else math.nan, len(defined)
    return row | _best_cutoff(pages, scores)


def area(scores: Floats, content: Bools) -> float:
    """Return the share of correctly ordered pairs (Mann and Whitney's U); NaN without content or without boilerplate."""
    others = scores[~content]
    return _ratio(_below(scores[content], others, np.ones(len(others))).sum(), content.sum() * len(others))


def _best_cutoff(pages: Sequence[Labelled], scores: Sequence[Floats]) -> Row:
    joined = np.concatenate([*scores, np.empty(0)])
    words = np.concatenate([*(page.words for page in pages), np.empty(0)])
    right = words * np.concatenate([*(page.content for page in pages), np.empty(0, dtype=np.bool_)])
    if not right.sum():
        return {"best_f1_words": None, "best_cutoff": None}
    order = np.argsort(-joined, kind="stable")
    # A cutoff keeps all sentences of equal score.
    falling = joined[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    f1 = 2 * np.cumsum(right[order])[last] / (np.cumsum(words[order])[last] + right.sum())
    best = int(np.argmax(f1))
    return {"best_f1_words": float(f1[best]), "best_cutoff": float(falling[last[best]])}


def _pairs(pages: Sequence[Labelled], scores: Sequence[Floats], weights: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the weights of correctly ordered pairs and of all pairs; shape (pages, pages) each.

    A pair in cell (i, j) is a content sentence of page i and a boilerplate sentence of page j. Areas are ratios of sums over
    these matrices, also for bootstrap samples.
    """
    count = len(pages)
    won = np.zeros((count, count))
    content = [own[page.content] for page, own in zip(pages, scores, strict=True)]
    masses = [weight[page.content] for page, weight in zip(pages, weights, strict=True)]
    all_content, all_masses = np.concatenate([*content, np.empty(0)]), np.concatenate([*masses, np.empty(0)])
    page_of = np.repeat(np.arange(count), [len(values) for values in content])
    for column, (page, own, weight) in enumerate(zip(pages, scores, weights, strict=True)):
        below = _below(all_content, own[~page.content], weight[~page.content])
        won[:, column] = np.bincount(page_of, all_masses * below, count)
    others = [weight[~page.content].sum() for page, weight in zip(pages, weights, strict=True)]
    return won, np.outer([mass.sum() for mass in masses], others)


def _below(scores: Floats, others: Floats, weights: Floats) -> Floats:
    """Return for each score the weight of lower scores in `others`, plus half the weight of equal scores."""
    order = np.argsort(others, kind="stable")
    ranked, before = others[order], np.concatenate(([0.0], np.cumsum(weights[order])))
    sums: Floats = before[np.searchsorted(ranked, scores, "left")] + before[np.searchsorted(ranked, scores, "right")]
    return sums / 2


def _ratio(won: float, possible: float) -> float:
    return float(won / possible) if possible else math.nan


def _descriptive(segments: Segments) -> list[str]:
    return [*compress(segments.sentences, descriptive_blocks(segments)[segments.block_of_sentence].tolist())]


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold()


@click.command()
@click.argument("gold_folder", type=click.Path(path_type=Path))
@click.argument("scorers", nargs=-1, required=True)
@click.option(
    "--rough", is_flag=True, help="Count a sentence as content if its text occurs in the gold text, without alignment."
)
@OUTPUT
def main(gold_folder: Path, scorers: tuple[str, ...], rough: bool, output: Path) -> None:
    """Print how well SCORERS, such as perplexity(lm=books), separate content from boilerplate on a gold standard."""
    asked = [parse_scorer(name).checked().scorer for name in scorers]
    rows, labelled = measure(read_gold(gold_folder).pages, {scorer.canonical_name: scorer for scorer in asked}, rough)
    sentences, content = (
        sum(counts) for counts in zip(*((len(p.words), p.content.sum()) for p in labelled), strict=True)
    )
    caption = f"{len(labelled)} pages, {sentences:,} sentences with words, {content:,} of them content."
    write_table(output, "separation", caption, pd.DataFrame(rows))


if __name__ == "__main__":
    with errors_in_a_line():
        main()
