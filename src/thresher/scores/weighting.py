"""Weighted text: a copy of a score store that repeats titles, headings and the texts of links to a page.

Lucene counts whole occurrences, so that weights are written as repeated text. A page's own blocks come first, in their order;
then come its title, its headings and the texts of links to it, as often as their weights ask for. Copies share the decision
that a cleaner takes on their block and have no words of their own: cutoffs, percentiles, quotas and floors apply to the
page itself. Text for people is cut from the page's own store.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from thresher.base.errors import StateError
from thresher.base.files import safe_name
from thresher.base.numbers import Ints
from thresher.base.processes import Backend
from thresher.base.tables import Column, Lists, Table, Texts
from thresher.cleaners.scorer import Declared, Parameter, Value
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores.sites import read_site_shard, site_path, write_sites
from thresher.scores.store import LINKS, ORIGINS, column_names, read_report, read_shard, shards, write_columns

_FOLDER = "weights"
_SAME_COLUMNS = ("id", "url", "status")
"""Columns that weights do not change."""
_SCORE = "score:"
_ANCHOR = -1
"""The block and the sentence that the text of a link copies."""


class Weights(Declared):
    """Counts each word of the title, of headings and of the texts of links to the page as several words, before a retrieval
    model sees them: tf = Σ weight · tf of the part, and so for lengths and collection statistics. All other text that the
    cleaner keeps counts once. A part that the cleaner drops counts nothing.
    """

    name = "weights"
    unit = "occurrences"
    source = (
        "Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004; Ogilvie, Callan: "
        "Combining Document Representations for Known-Item Search, SIGIR 2003; anchors: Craswell, Hawking, Robertson: "
        "Effective Site Finding Using Link Anchor Information, SIGIR 2001"
    )
    parameters = (
        Parameter(
            "title", int, 8, "how often the title counts, without its parts that repeat on the site", low=1, high=100
        ),
        Parameter("headings", int, 2, "how often each heading counts", low=1, high=100),
        Parameter("anchors", float, 1.0, "factor of the counts of texts of links to the page", low=0, high=100),
    )

    @property
    def named_values(self) -> dict[str, Value]:
        """The values in names; a whole number has no decimal point."""
        values: dict[str, Value] = {}
        for name, value in super().named_values.items():
            number = float(value)
            if number.is_integer():
                values[name] = int(number)
            else:
                values[name] = number
        return values

    def times(self, name: str) -> int:
        """Return a whole weight."""
        return int(self.values[name])

    @property
    def anchors(self) -> float:
        """The factor of the weights of links' texts."""
        return float(self.values["anchors"])


def weighted_store(store: Path, weights: Weights | None) -> Path:
    """Return the weighted store of a finished score store, the store itself without weights.

    It is in a folder of the store. Shards that are not there yet are written; their bytes depend on the store's alone.
    """
    if weights is None:
        return store
    folder = store / _FOLDER / safe_name(weights.canonical_name)
    for path in shards(store):
        weighted = folder / path.name
        if not weighted.exists():
            table = weighted_table(read_shard(path), _site_of(path, weights), weights)
            write_columns(weighted, table, read_report(path))
    return folder


def _site_of(path: Path, weights: Weights) -> Table:
    """Return the columns for `weighted_table` that are derived from a shard's whole site: own titles and anchors."""
    if weights.anchors and LINKS not in column_names(path):
        what = "the scores have no texts of links to the pages, which anchors count"
        raise StateError(what, "add --fresh to run or explore, or write anchors=0", str(path.parent))
    if not site_path(path).exists():
        write_sites(path.parent, Backend(workers=1))
    return read_site_shard(path)


def weighted_table(table: Table, site: Table, weights: Weights) -> Table:
    """Return the weighted shard of a shard: the columns that cutting and indexing read, and `ORIGINS`.

    Args:
        table: the table of the shard.
        site: the table of the site, for the same pages: `own_title`, the title without its repeated parts; if anchors weigh,
            `anchor_texts`, one a line, and `anchor_weights`.
        weights: the weights of parts of pages.
    """
    block_ends = table.lists("block_ends")
    sentence_ends = table.lists("sentence_ends")
    levels = table.lists("levels")
    own_titles = site.texts("own_title")
    pages: list[_WeightedPage] = []
    for row, text in enumerate(table.texts("text").tolist()):
        page = _WeightedPage(text, block_ends[row].tolist(), sentence_ends[row].tolist())
        # A page without text stays without, so that weights add no document.
        if text:
            page.repeat(levels[row].tolist(), weights, own_titles[row])
            if weights.anchors:
                page.add_anchors(weighted_anchors(site, row, weights.anchors))
        pages.append(page)
    blocks = _Copies([page.blocks for page in pages], block_ends.offsets)
    sentences = _Copies([page.sentences for page in pages], sentence_ends.offsets)
    columns: dict[str, Column] = {}
    for name in _SAME_COLUMNS:
        columns[name] = table.columns[name]
    columns["text"] = Texts.of([page.text for page in pages])
    columns["block_ends"] = Lists.of([page.ends(page.block_ends) for page in pages], np.int32)
    columns["sentence_ends"] = Lists.of([page.ends(page.sentence_ends) for page in pages], np.int32)
    columns["words"] = sentences.of_own_segments(table.lists("words"))
    columns["levels"] = blocks.of(levels, 0)
    columns[ORIGINS] = sentences.origins
    for name in table.columns:
        if name.startswith(_SCORE):
            scores = table.lists(name)
            segments = sentences
            if np.array_equal(scores.offsets, block_ends.offsets):
                segments = blocks
            columns[name] = segments.of(scores, np.nan)
    return Table(columns)


def weighted_anchors(site: Table, row: int, factor: float) -> list[str]:
    """Return the texts of links to a page, each as often as its weight times the factor says, rounded.

    Args:
        site: the table of a shard's site, as for `weighted_table`.
        row: the row of the page.
        factor: the factor of all weights, at least 0.
    """
    weights = site.lists("anchor_weights")[row].tolist()
    if not weights:
        return []
    anchors: list[str] = []
    for text, weight in zip(site.texts("anchor_texts")[row].split("\n"), weights, strict=True):
        anchors += [text] * int(factor * weight + 0.5)
    return anchors


class _WeightedPage:
    """The text of a page and, behind it, copies of its parts, each a block.

    Attributes:
        block_ends, sentence_ends: as in `thresher.pages.Segments`, but with a line feed behind the last block too.
        blocks, sentences: for each block and each sentence, the number in the page of its original, perhaps itself.
    """

    def __init__(self, text: str, block_ends: Sequence[int], sentence_ends: Sequence[int]) -> None:
        self._own_text = f"{text}\n"
        self._parts = [self._own_text]
        self._length = len(self._own_text)
        self.block_ends = _with_last(block_ends, self._length)
        self.sentence_ends = _with_last(sentence_ends, self._length)
        self.blocks = list(range(len(block_ends)))
        self.sentences = list(range(len(sentence_ends)))

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._parts)[:-1]

    def ends(self, ends: Sequence[int]) -> list[int]:
        """Return ends without the line feed behind the last block."""
        if not ends:
            return []
        return _with_last(ends, ends[-1] - 1)

    def repeat(self, levels: Sequence[int], weights: Weights, own_title: str) -> None:
        """Add the copies of title and headings; of the title only its own part."""
        for block, level in enumerate(levels):
            if level == TITLE_LEVEL:
                for _ in range(weights.times("title") - 1):
                    self._add_title(block, own_title)
            elif level:
                for _ in range(weights.times("headings") - 1):
                    self._add_copy(block)

    def add_anchors(self, texts: Iterable[str]) -> None:
        """Add the texts of links."""
        for text in texts:
            self._add(f"{text}\n", [len(text) + 1], _ANCHOR, [_ANCHOR])

    def _add_title(self, block: int, own_title: str) -> None:
        begin = self._begin(block)
        if f"{own_title}\n" == self._own_text[begin : self.block_ends[block]]:
            self._add_copy(block)
        elif own_title:
            # The own part shares the decision on the title's first sentence.
            first = bisect_right(self.sentence_ends, begin)
            self._add(f"{own_title}\n", [len(own_title) + 1], block, [first])

    def _begin(self, block: int) -> int:
        """Return the place at which a block begins."""
        if block == 0:
            return 0
        return self.block_ends[block - 1]

    def _add_copy(self, block: int) -> None:
        begin = self._begin(block)
        end = self.block_ends[block]
        first = bisect_right(self.sentence_ends, begin)
        after = bisect_right(self.sentence_ends, end)
        ends = [sentence_end - begin for sentence_end in self.sentence_ends[first:after]]
        self._add(self._own_text[begin:end], ends, block, range(first, after))

    def _add(self, text: str, sentence_ends: Iterable[int], block: int, sentences: Iterable[int]) -> None:
        """Add a block with its line feed; the ends of its sentences are within it."""
        self._parts.append(text)
        self.sentence_ends += [self._length + end for end in sentence_ends]
        self.sentences += sentences
        self._length += len(text)
        self.block_ends.append(self._length)
        self.blocks.append(block)


def _with_last(ends: Sequence[int], last: int) -> list[int]:
    """Return ends with another last one, if there are any."""
    with_last = list(ends)
    if with_last:
        with_last[-1] = last
    return with_last


class _Copies:
    """The blocks or sentences of a weighted shard, each a copy of a block or sentence in its shard.

    Args:
        origins: by page, the number of each copy's original in the page; `_ANCHOR` for texts of links.
        offsets: the place in the shard at which the originals of each page begin.
    """

    def __init__(self, origins: Sequence[Sequence[int]], offsets: Ints) -> None:
        self.origins = Lists.of(origins, np.int32)
        values = self.origins.values
        rows = self.origins.rows
        self._is_anchor = values == _ANCHOR
        self._places = np.where(self._is_anchor, 0, values + offsets[rows])
        self._is_own = values == np.arange(len(values)) - self.origins.offsets[rows]

    def of(self, column: Lists, of_anchors: float) -> Lists:
        """Return the values of a column, one per block or sentence of the shard, for each copy; anchors have a constant."""
        values = column.values
        if len(values):
            values = values[self._places]
        values[self._is_anchor] = of_anchors
        return Lists(values, self.origins.offsets)

    def of_own_segments(self, column: Lists) -> Lists:
        """Return the values of a column for the shard's own blocks or sentences, 0 for all others."""
        return Lists(self.of(column, 0).values * self._is_own.astype(column.values.dtype), self.origins.offsets)
