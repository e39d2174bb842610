"""Training scorers on the collection before they score it.

A separate scoring pass selects the training text into a temporary store within the store; that pass handles crashing pages,
limits and resuming.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from thresher.costs import measure_times
from thresher.errors import InputError
from thresher.files import remove_folder
from thresher.pages import Detail, Segments
from thresher.passes.parts import POISON
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scorer, Scores, TrainingData
from thresher.scorers.shallow_features import descriptive_blocks
from thresher.scoring.store import (
    NOTHING_SPENT,
    SPENT_FILE,
    ScoreReport,
    Spent,
    blocks_of_sentences,
    list_column,
    read_shard,
    shards,
)


class Descriptive(Scorer):
    """Selects descriptive blocks: 1 for these, 0 for others. Not a cleaner, so not in the registry."""

    name = "descriptive"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    source = "see thresher.scorers.shallow_features"
    detail = Detail.TAGS

    def score(self, segments: Segments) -> Scores:
        """Return 1 for descriptive blocks, else 0."""
        return descriptive_blocks(segments).astype(np.float32)


def learn(
    scorers: Sequence[Scorer], folder: Path, pick: Callable[[Path, Scorer], ScoreReport], language: str, workers: int
) -> tuple[tuple[Scorer, ...], Spent]:
    """Return scorers ready for the collection, and the cost of training; existing models are reused.

    Args:
        scorers: any scorers; the order is kept.
        folder: the score store; its folder `models` keeps trained models.
        pick: scores the collection with the given scorer into the given store.
        language: of the sentence splitter's abbreviations.
        workers: the number of processes.
    """
    if not any(scorer.learns for scorer in scorers):
        return tuple(scorers), NOTHING_SPENT
    store, record = folder / "learning", folder / "models" / "learning.json"
    picked: list[tuple[ScoreReport, float]] = []

    def sentences() -> Iterator[list[str]]:
        if not picked:
            begin = time.perf_counter()
            report = pick(store, Descriptive())
            picked.append((report, time.perf_counter() - begin))
        return descriptive_sentences(store)

    trained: list[Scorer] = []
    spent: dict[str, float] = {}
    with measure_times() as watch:
        for scorer in scorers:
            begin, before = time.perf_counter(), len(picked)
            trained.append(
                scorer.for_collection(TrainingData(sentences, language, workers), record.parent)
                if scorer.learns
                else scorer
            )
            if scorer.learns and picked:
                waited = picked[0][1] if not before else 0.0
                spent[scorer.canonical_name] = time.perf_counter() - begin - waited
    if picked:
        report, _ = picked[0]
        # Each scorer alone would need the shared selection and training: attribute the whole cost to each.
        alone = sum(report.seconds.values()) + sum(spent.values()) * workers
        times = report.times + replace(watch.times, wall=sum(spent.values()))
        SPENT_FILE.write(record, Spent(dict.fromkeys(spent, alone), times))
    if store.is_dir():
        # Pages that crashed a worker need not be tried again.
        if (store / POISON).exists() and not (folder / POISON).exists():
            (store / POISON).replace(folder / POISON)
        remove_folder(store)
    return tuple(trained), _read(record)


def descriptive_sentences(folder: Path) -> Iterator[list[str]]:
    """Yield for each page of a store, scored by `Descriptive`, the sentences of its descriptive blocks, each without its end."""
    score = f"score:{Descriptive.name}"
    for path in shards(folder):
        table = read_shard(path, ["text", "block_ends", "sentence_ends", score])
        if not len(table):
            continue
        chosen = list_column(table, score)[1][blocks_of_sentences(table)] > 0
        offsets, ends = list_column(table, "sentence_ends")
        texts = table["text"].to_pylist()
        for text, first, after in zip(texts, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            page_ends = ends[first:after].tolist()
            parts = zip([0, *page_ends[:-1]], page_ends, chosen[first:after].tolist(), strict=False)
            yield [text[begin:end].rstrip(" \n") for begin, end, is_chosen in parts if is_chosen]


def _read(record: Path) -> Spent:
    try:
        return SPENT_FILE.read(record)
    except InputError:
        return NOTHING_SPENT
