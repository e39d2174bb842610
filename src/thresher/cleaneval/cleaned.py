"""What cleaners leave of the pages of a score store, block by block, with what each block is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher.cleaneval.labels import LabelledText
from thresher.pages.marked_text import HEADING, LIST_ITEM, PARAGRAPH
from thresher.pruning.columns import list_column
from thresher.pruning.cutting import cut_shard, shard_columns
from thresher.pruning.store import read_shard
from thresher.scorers.cleaners import Cleaner

Text = tuple[LabelledText, ...]


@dataclass(frozen=True)
class CleanedPage:
    """A page's id and its text by each cleaner, in their order; `problem` says why it has none."""

    id: str
    texts: tuple[Text, ...]
    problem: str = ""


def cleaned_pages(path: Path, cleaners: Sequence[Cleaner]) -> Iterator[CleanedPage]:
    """Give every page of a shard that was scored with labels, cleaned by every cleaner.

    Title and headings are `h`; of a list item the first block is `l`; all other blocks are `p`. A block of which some
    sentences are kept is one text. The cleaners are resolved.

    Raises:
        StateError: if the shard is damaged or lacks scores or labels.
    """
    table = read_shard(path, [*shard_columns(cleaners), "reason", "list_items"])
    kinds = np.where(list_column(table, "list_items")[1], LIST_ITEM, PARAGRAPH)
    kinds[list_column(table, "levels")[1] > 0] = HEADING
    texts: list[list[Text]] = [[()] * len(cleaners) for _ in range(len(table))]
    for place, cleaner in enumerate(cleaners):
        for row, document, blocks in cut_shard(table, cleaner):
            if document.text:
                labels = kinds[np.unique(blocks)].tolist()
                texts[row][place] = tuple(
                    LabelledText(label, text) for label, text in zip(labels, document.text.split("\n"), strict=True)
                )
    for document_id, reason, page in zip(table["id"].to_pylist(), table["reason"].to_pylist(), texts, strict=True):
        yield CleanedPage(document_id, tuple(page), reason)
