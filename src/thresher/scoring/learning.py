"""Scorers that must learn from the collection before they can score it.

What they learn from is picked by a scoring pass of its own into a store within the store: pages that end their worker, limits
and resuming are that pass's matter. Then the scorers learn, and the store of picked text is removed.
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
from thresher.pages import Segments
from thresher.passes.parts import POISON
from thresher.scorers.base import BLOCK, KEEP_HIGH, Lesson, Scorer, Scores
from thresher.scorers.descriptive import descriptive_blocks
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
    """Picks descriptive blocks: 1 for these, 0 for others. It is no cleaner, and has no name in the registry."""

    name = "descriptive"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    source = "see thresher.scorers.descriptive"
    uses_marks = True

    def score(self, segments: Segments) -> Scores:
        """Return 1 for each descriptive block, 0 for any other."""
        return descriptive_blocks(segments).astype(np.float32)


def learn(
    scorers: Sequence[Scorer], folder: Path, pick: Callable[[Path, Scorer], ScoreReport], language: str, workers: int
) -> tuple[tuple[Scorer, ...], Spent]:
    """Return scorers that can score the collection, and what it took them to learn; nothing is learnt twice.

    Args:
        scorers: in the order wanted.
        folder: the score store. What is learnt is kept in `models` within it.
        pick: scores the collection with the scorer it is given into the store it is given.
        language: whose abbreviations end no sentence.
        workers: how many processes.

    Raises:
        ThresherError: as `pick` and `Scorer.for_collection` do.
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

    taught: list[Scorer] = []
    spent: dict[str, float] = {}
    with measure_times() as watch:
        for scorer in scorers:
            begin, before = time.perf_counter(), len(picked)
            taught.append(
                scorer.for_collection(Lesson(sentences, language, workers), record.parent) if scorer.learns else scorer
            )
            if scorer.learns and picked:
                waited = picked[0][1] if not before else 0.0
                spent[scorer.canonical_name] = time.perf_counter() - begin - waited
    if picked:
        report, _ = picked[0]
        # Alone, each would have had the text picked and the model trained that they share.
        alone = sum(report.seconds.values()) + sum(spent.values()) * workers
        times = report.times + replace(watch.times, wall=sum(spent.values()))
        SPENT_FILE.write(record, Spent(dict.fromkeys(spent, alone), times))
    if store.is_dir():
        # What ended a worker once need not end another.
        if (store / POISON).exists() and not (folder / POISON).exists():
            (store / POISON).replace(folder / POISON)
        remove_folder(store)
    return tuple(taught), _read(record)


def descriptive_sentences(folder: Path) -> Iterator[list[str]]:
    """Give for each page of a store, scored by `Descriptive`, the sentences of its descriptive blocks, each without its end.

    Raises:
        StateError: if a shard is damaged.
    """
    score = f"score:{Descriptive.name}"
    for path in shards(folder):
        table = read_shard(path, ["text", "block_ends", "sentence_ends", score])
        if not len(table):
            continue
        chosen = list_column(table, score)[1][blocks_of_sentences(table)] > 0
        offsets, ends = list_column(table, "sentence_ends")
        texts = table["text"].to_pylist()
        for text, first, after in zip(texts, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            own = ends[first:after].tolist()
            parts = zip([0, *own[:-1]], own, chosen[first:after].tolist(), strict=False)
            yield [text[begin:end].rstrip(" \n") for begin, end, is_chosen in parts if is_chosen]


def _read(record: Path) -> Spent:
    try:
        return SPENT_FILE.read(record)
    except InputError:
        return NOTHING_SPENT
