"""Scorers that learn from the collection itself: selection of the sentences, training, and its cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.errors import InputError
from thresher.base.files import remove_folder
from thresher.base.repeats import measure_times
from thresher.base.tables import Table
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Scorer, Scores, TrainingData
from thresher.cleaners.scorers.shallow_features import descriptive_blocks
from thresher.pages import Detail, Segments
from thresher.scores import store as stores
from thresher.scores.crash_log import CRASHED_PAGES

ScoreInto = Callable[[Path, Scorer], stores.ScoreReport]
"""Scores the collection by a scorer into a store."""


class Descriptive(Scorer):
    """Selects descriptive blocks: 1 for these, 0 for others. Not a cleaner, so not in the registry."""

    name = "descriptive"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    source = "see thresher.cleaners.scorers.shallow_features"
    detail = Detail.TAGS

    def score(self, segments: Segments) -> Scores:
        """Return 1 for descriptive blocks, else 0."""
        return descriptive_blocks(segments).astype(np.float32)


@dataclass
class _Selection:
    """The descriptive sentences of a collection, selected at the first request.

    Attributes:
        store: the folder of scores by `Descriptive`.
        score_into: scores the collection.
        report: the report on the selection; None before it.
        seconds: that the selection took; 0 before.
    """

    store: Path
    score_into: ScoreInto
    report: stores.ScoreReport | None = None
    seconds: float = 0.0

    def sentences(self) -> Iterator[list[str]]:
        if self.report is None:
            begin = time.perf_counter()
            self.report = self.score_into(self.store, Descriptive())
            self.seconds = time.perf_counter() - begin
        return descriptive_sentences(self.store)


class Learnt(NamedTuple):
    """Scorers that are ready for a collection, in their order, and the cost of training them."""

    scorers: tuple[Scorer, ...]
    cost: stores.ScoringCost


def learn(scorers: Sequence[Scorer], folder: Path, score_into: ScoreInto, language: str, workers: int) -> Learnt:
    """Train the scorers that learn from the collection; existing models are reused.

    The folder `models` of the score store keeps trained models.
    """
    if not any(scorer.learns for scorer in scorers):
        return Learnt(tuple(scorers), stores.NO_COST)
    record = folder / "models" / "learning.json"
    selection = _Selection(folder / "learning", score_into)
    trained: list[Scorer] = []
    seconds: dict[str, float] = {}
    with measure_times() as watch:
        for scorer in scorers:
            if not scorer.learns:
                trained.append(scorer)
                continue
            begin = time.perf_counter()
            selected_before = selection.seconds
            data = TrainingData(selection.sentences, language, workers)
            learnt = scorer.for_collection(data, record.parent)
            trained.append(learnt.with_input(scorer.input_text))
            if selection.report is not None:
                waited = selection.seconds - selected_before
                seconds[scorer.canonical_name] = time.perf_counter() - begin - waited
    if selection.report is not None:
        # Each scorer alone would need the shared selection and training: attribute the whole cost to each.
        alone = sum(selection.report.seconds.values()) + sum(seconds.values()) * workers
        times = selection.report.times + replace(watch.times, wall=sum(seconds.values()))
        stores.COST_FILE.write(record, stores.ScoringCost(dict.fromkeys(seconds, alone), times))
    _remove_selection(selection.store, folder)
    return Learnt(tuple(trained), _read_cost(record))


def _remove_selection(store: Path, folder: Path) -> None:
    """Remove the store of the selection; pages that crashed a worker need not be tried again in the pass."""
    if not store.is_dir():
        return
    if (store / CRASHED_PAGES).exists() and not (folder / CRASHED_PAGES).exists():
        (store / CRASHED_PAGES).replace(folder / CRASHED_PAGES)
    remove_folder(store)


def descriptive_sentences(folder: Path) -> Iterator[list[str]]:
    """Yield for each page of a store scored by `Descriptive` the sentences of its descriptive blocks, without their ends."""
    score = f"score:{Descriptive.name}"
    for path in stores.shards(folder):
        table = stores.read_shard(path, ["text", "block_ends", "sentence_ends", score])
        if len(table):
            yield from _descriptive_sentences(table, score)


def _descriptive_sentences(table: Table, score: str) -> Iterator[list[str]]:
    is_descriptive = table.lists(score).values[stores.blocks_of_sentences(table)] > 0
    offsets = table.lists("sentence_ends").offsets.tolist()
    for row, text in enumerate(table.texts("text").tolist()):
        chosen = is_descriptive[offsets[row] : offsets[row + 1]].tolist()
        sentences: list[str] = []
        begin = 0
        for end, is_chosen in zip(table.lists("sentence_ends")[row].tolist(), chosen, strict=True):
            if is_chosen:
                sentences.append(text[begin:end].rstrip(" \n"))
            begin = end
        yield sentences


def _read_cost(record: Path) -> stores.ScoringCost:
    try:
        return stores.COST_FILE.read(record)
    except InputError:
        return stores.NO_COST
