"""The pages of a gold standard, cleaned by cleaners and by other packages' extractors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from lxml.etree import LxmlError

from thresher import Cleaner, GoldPage, LabelledText, parse_gold_page, read_shard, resolve_all, score_gold, shards
from thresher.base.files import temporary_folder
from thresher.cleaners.scorers.extractor import EXTRACTORS as EXTRACTED
from thresher.evaluation.cleaneval.comparing import page_id
from thresher.evaluation.cleaneval.results import ROWS, parse_cleaners
from thresher.pages.marked_text import PARAGRAPH, marked_segments
from thresher.scores.cutting import cut_shard, shard_columns
from thresher.scores.store import text_store

# scripts/, for the package content_training.
sys.path.append(str(Path(__file__).parents[1]))
from content_training.snippets import read_pages

Text = tuple[LabelledText, ...]

FILE = click.Path(path_type=Path)
GOLD = click.argument("gold_folder", type=FILE)
CLEANERS = click.option(
    "--cleaners",
    "-c",
    multiple=True,
    metavar="NAME",
    help="Cleaner, may be repeated [default: the rows of the papers' tables].",
)
EXTRACTORS = click.option("--extractors", is_flag=True, help="Add other packages (needs the extra `extractors`).")


class CleanedGold(NamedTuple):
    """The pages of a gold standard and, by cleaner, their texts in the order of pages. `none`, all text, is first.

    Blocks have labels, except in the text of `none`, which is not segmented. Pages that failed have no text.
    """

    pages: tuple[GoldPage, ...]
    by_cleaner: dict[str, list[Text]]


def clean_gold(folder: Path, names: Sequence[str], extractors: bool = False) -> CleanedGold:
    """Return the pages of a gold standard, cleaned by each cleaner."""
    gold, cleaners = read_pages(folder), parse_cleaners((*(names or ROWS), *EXTRACTED) if extractors else names)
    workers = os.cpu_count() or 1
    with temporary_folder() as store:
        scorers = [scorer for cleaner in cleaners for scorer in cleaner.scorers]
        score_gold(gold, scorers, store, workers)
        pages = {page_id(page): page for page in gold}
        resolved = resolve_all(store, cleaners)
        texts = {name: page for path in shards(store) for name, page in _shard(path, resolved, pages).items()}
    by_cleaner = {
        cleaner.name: [texts[page_id(page)][number] for page in gold] for number, cleaner in enumerate(cleaners)
    }
    return CleanedGold(gold, by_cleaner)


def _shard(path: Path, cleaners: Sequence[Cleaner], pages: dict[str, GoldPage]) -> dict[str, list[Text]]:
    """Return by id the texts of each page of a shard, in the order of cleaners."""
    ids = read_shard(path, ["id"]).texts("id").tolist()
    labels = np.array([label for name in ids for label in _labels(pages[name])])
    texts: dict[str, list[Text]] = {name: [()] * len(cleaners) for name in ids}
    for number, cleaner in enumerate(cleaners):
        table = read_shard(text_store(path.parent, cleaner.input_name) / path.name, shard_columns([cleaner]))
        for row, document, blocks in cut_shard(table, cleaner):
            if document.text and cleaner.input_name:
                texts[ids[row]][number] = tuple(LabelledText(PARAGRAPH, text) for text in document.text.split("\n"))
            elif document.text:
                lines = document.text.split("\n")
                own_labels = labels[np.unique(blocks)].tolist() if cleaner.cuts else [None] * len(lines)
                parts = zip(own_labels, lines, strict=True)
                texts[ids[row]][number] = tuple(LabelledText(label, text) for label, text in parts)
    return texts


def _labels(page: GoldPage) -> list[str]:
    try:
        return [segment.label for segment in marked_segments(parse_gold_page(page))]
    except LxmlError:
        return []
