"""The blocks of a gold standard with features and classes: what a study looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from thresher.cleaneval.comparing import page_id, score_gold
from thresher.cleaneval.gold import (
    BOILERPLATE,
    CLASSES,
    COMMENTS,
    FULL_TEXT,
    HEADLINE,
    RELATED,
    SUPPLEMENTAL,
    GoldPage,
    classed_texts,
)
from thresher.content_training.training_pages import classes_of_text
from thresher.errors import InputError
from thresher.files import atomic_path
from thresher.pages.parsing import TITLE_LEVEL
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import progress
from thresher.scoring.store import FAILED, list_column, read_shard, shards
from thresher.studying.stored_features import FEATURES, LOCAL, RULES, Floats, features_in, scores_in, study_scorers

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Problem:
    """What blocks are classified into.

    Attributes:
        name: for files and tables.
        classes: their names.
        of_class: for each of `CLASSES`, the class of this problem.
    """

    name: str
    classes: tuple[str, ...]
    of_class: tuple[int, ...]


TWO = Problem("two", ("boilerplate", "content"), tuple(int(kind not in (BOILERPLATE, RELATED)) for kind in range(6)))
"""Content or not. Links to other articles count as boilerplate, which the paper leaves open."""
_MERGED = {BOILERPLATE: 0, FULL_TEXT: 1, HEADLINE: 2, SUPPLEMENTAL: 3, COMMENTS: 1, RELATED: 0}
FOUR = Problem(
    "four", ("boilerplate", "full text", "headline", "supplemental"), tuple(_MERGED[kind] for kind in range(6))
)
"""As the paper has it (section 4.3.1): comments are full text."""


@dataclass(frozen=True)
class _PageOfBlocks:
    """A page's blocks without its title; empty arrays without text."""

    stem: str
    failed: bool
    texts: tuple[str, ...]
    classes: Ints
    features: Floats
    rules: Mask
    tokens: Ints


@dataclass(frozen=True)
class StudiedBlocks:
    """All blocks, by page and in order.

    Attributes:
        stems, page_types: of the pages that have blocks.
        page: the number of each block's page; shape (blocks,).
        texts: of the blocks.
        classes: indices into `CLASSES`; shape (blocks,).
        features: shape (blocks, features), in the order of `FEATURES`.
        rules: what the paper's classifiers keep, in the order of `RULES`; shape (blocks, rules).
        tokens: white-space tokens, with or without a letter or digit; shape (blocks,).
        without_blocks, failed: stems of pages without text but a title, and of those that cannot be parsed.
    """

    stems: tuple[str, ...]
    page_types: tuple[str, ...]
    page: Ints
    texts: tuple[str, ...]
    classes: Ints
    features: Floats
    rules: Mask
    tokens: Ints
    without_blocks: tuple[str, ...]
    failed: tuple[str, ...]

    def column(self, feature: str) -> Floats:
        """Return a feature; shape (blocks,)."""
        values: Floats = self.features[:, FEATURES.index(feature)]
        return values

    @cached_property
    def words(self) -> npt.NDArray[np.float64]:
        """The words of each block."""
        return self.column("words").astype(np.float64)

    def labels(self, problem: Problem) -> Ints:
        """Return the class of each block in a problem."""
        return np.array(problem.of_class)[self.classes]

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems that the gold's classes allow: two classes, and four if there are three of them at least."""
        return (TWO, FOUR) if len(np.unique(self.labels(FOUR))) > 2 else (TWO,)


def read_blocks(pages: Sequence[GoldPage], store: Path, workers: int, fresh: bool = False) -> StudiedBlocks:
    """Score the pages into the store, unless that is done, and return their blocks.

    Raises:
        InputError: if no page has a block, or all blocks are content, or none is.
        StateError, ThresherError: as `score_gold`.
    """
    score_gold(pages, [*study_scorers().values()], store, workers, fresh)
    gold = {page_id(page): page for page in pages}
    paths = shards(store)
    tasks = ((path, {name: gold[name] for name in read_shard(path, ["id"])["id"].to_pylist()}) for path in paths)
    found = run_tasks(Backend(workers=workers), _read_shard, tasks, "labelling blocks", str(store), ordered=True)
    read = [page for shard in progress(found, "labelling", len(paths), "shards") for page in shard]
    full = [page for page in read if page.texts]
    where = str(pages[0].path.parent)
    if not full:
        raise InputError("no page has a block of text", "give pages with text", where)
    types = {page.stem: page.page_type for page in pages}
    sizes = [len(page.texts) for page in full]
    number = np.repeat(np.arange(len(full)), sizes)
    blocks = StudiedBlocks(
        tuple(page.stem for page in full),
        tuple(types[page.stem] for page in full),
        number,
        tuple(text for page in full for text in page.texts),
        np.concatenate([page.classes for page in full]),
        _with_neighbours(np.concatenate([page.features for page in full], axis=1), _frequencies(full), number),
        np.concatenate([page.rules for page in full], axis=1).T,
        np.concatenate([page.tokens for page in full]),
        tuple(page.stem for page in read if not page.texts and not page.failed),
        tuple(page.stem for page in read if page.failed),
    )
    content = blocks.labels(TWO) > 0
    if content.all() or not content.any():
        what = "all blocks are content" if content.all() else "no block is content"
        raise InputError(f"by the gold {what}", "give gold that keeps some text of the pages and not all", where)
    return blocks


def _read_shard(path: Path, gold: Mapping[str, GoldPage]) -> list[_PageOfBlocks]:
    table = read_shard(path).combine_chunks()
    offsets, levels = list_column(table, "levels")
    pages = []
    columns = (table[key].to_pylist() for key in ("id", "status", "text"))
    for row, (name, status, text) in enumerate(zip(*columns, strict=True)):
        body = np.flatnonzero(levels[offsets[row] : offsets[row + 1]] != TITLE_LEVEL)
        every = text.split("\n")
        texts = [every[at] for at in body]
        features = features_in(table, row, every if text else [])
        features = features[:, body]
        # Without the title, positions are counted anew.
        features[LOCAL.index("index")] = np.arange(len(body))
        rules = np.array([scores_in(table, row, rule)[body] > 0 for rule in RULES])
        tokens = np.array([text.count(" ") + 1 for text in texts], dtype=np.int64)
        classes = classes_of_text(texts, classed_texts(gold[name]))
        pages.append(_PageOfBlocks(gold[name].stem, status == FAILED, tuple(texts), classes, features, rules, tokens))
    return pages


def _frequencies(pages: Sequence[_PageOfBlocks]) -> Floats:
    """Return for each block the number of pages that have one of the same text."""
    counts = Counter(text for page in pages for text in set(page.texts))
    return np.array([counts[text] for page in pages for text in page.texts], dtype=np.float32)


def _with_neighbours(own: Floats, frequencies: Floats, page: Ints) -> Floats:
    """Return all features, in the order of `FEATURES`; shape (blocks, features). Beyond a page's edge they are 0."""
    near = np.vstack((own[: len(LOCAL)], frequencies))
    same = page[1:] == page[:-1]
    previous, following = np.zeros_like(near), np.zeros_like(near)
    previous[:, 1:] = near[:, :-1] * same
    following[:, :-1] = near[:, 1:] * same
    return np.ascontiguousarray(np.vstack((own, frequencies, previous, following)).T)


def write_blocks(blocks: StudiedBlocks, path: Path) -> None:
    """Write one row per block: page, type, text, class, whether it is content, tokens, all features.

    Raises:
        ThresherError: if the file cannot be written.
    """
    stems, types = (pa.array(names, pa.string()) for names in (blocks.stems, blocks.page_types))
    number = pa.array(blocks.page, pa.int32())
    table = pa.table(
        {
            "page": pa.DictionaryArray.from_arrays(number, stems),
            "page_type": pa.DictionaryArray.from_arrays(number, types),
            "text": pa.array(blocks.texts, pa.large_string()),
            "class": pa.DictionaryArray.from_arrays(pa.array(blocks.classes, pa.int32()), pa.array(CLASSES)),
            "content": pa.array(blocks.labels(TWO) > 0),
            "tokens": pa.array(blocks.tokens),
            **{name: pa.array(values) for name, values in zip(FEATURES, blocks.features.T, strict=True)},
        }
    )
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
