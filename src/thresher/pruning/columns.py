"""The columns of a shard as arrays: lists laid end to end, and which segment belongs to which."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.pages.plain import Ints
from thresher.scorers.base import BLOCK, Scorer, Scores

# No page has text of that many characters.
_PAGE_BITS = 32


def list_column(table: pa.Table, name: str) -> tuple[Ints, npt.NDArray[Any]]:
    """Return where each page's part of a column of lists begins, with the end of the last, and all its values in a row."""
    column = table[name].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0)
    return column.offsets.to_numpy().astype(np.int64), column.flatten().to_numpy(zero_copy_only=False)


def blocks_of_sentences(table: pa.Table) -> Ints:
    """Return for each sentence of a shard the number of its block among all of the shard, by the columns of ends."""
    # Ends that rise over the whole shard, so that one search finds every sentence's block.
    block_ends, sentence_ends = (_rising(table, name) for name in ("block_ends", "sentence_ends"))
    return np.searchsorted(block_ends, sentence_ends)


def weighted_scores(table: pa.Table, scorer: Scorer) -> tuple[Scores, Ints]:
    """Return the scores of a shard's segments, in order, and the words of each.

    Args:
        table: a shard with the columns `weighted_columns` names, of at least one page.
        scorer: whose scores.
    """
    scores: Scores = list_column(table, f"score:{scorer.canonical_name}")[1]
    words: Ints = list_column(table, "words")[1].astype(np.int64)
    if scorer.segment != BLOCK:
        return scores, words
    sums = np.bincount(blocks_of_sentences(table), weights=words, minlength=len(scores))
    return scores, sums.astype(np.int64)


def weighted_columns(scorer: Scorer) -> list[str]:
    """Return the columns that `weighted_scores` needs."""
    ends = ["block_ends", "sentence_ends"] if scorer.segment == BLOCK else []
    return ["words", *ends, f"score:{scorer.canonical_name}"]


def _rising(table: pa.Table, name: str) -> Ints:
    offsets, ends = list_column(table, name)
    rows = np.repeat(np.arange(len(table), dtype=np.int64) << _PAGE_BITS, np.diff(offsets))
    return ends + rows
