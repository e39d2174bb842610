"""Counts of a site's texts: the number of pages that have each block's text, and each part of a title.

A site is a host; pages without an address are of one site, the collection. White space and case do not count. A title is no
block here: it counts by its parts, which are compared with the parts of other titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.hash_counts import HashCounts, Hashes, count_hashes, hash64
from thresher.base.numbers import Ints
from thresher.base.tables import Lists, Table
from thresher.cleaners.scorers.repeated import repeats
from thresher.pages.links import page_address
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores import store as stores

COLUMNS = ("status", "url", "text", "levels")
_ARRAYS = 6
"""The number of arrays of `ShardTexts`; a column of lists has an array of values and an array of offsets."""
_SEPARATOR = re.compile(r"(\s+(?:[-–—|·•»«›]|::)\s+|:\s+)")


class TitlePart(NamedTuple):
    """A part of a title, and the separator before it; empty before the first."""

    separator: str
    text: str


class BlockCounts(NamedTuple):
    """For each block of a shard the number of its site's pages that have its text, and the number of the site's pages."""

    pages: Ints
    site_pages: Ints


class ShardTexts(NamedTuple):
    """The hashes of a shard's texts, each of the text and its site, so that equal texts of two sites have different
    hashes.

    Attributes:
        sites: the hash of each page's site; shape (pages,).
        blocks: the hashes of each page's blocks; 0 for its title.
        parts: the hashes of the parts of each page's title, in their order.
        failed: the numbers of failed pages, which do not count.
    """

    sites: Hashes
    blocks: Lists
    parts: Lists
    failed: Ints

    def distinct(self) -> Hashes:
        """Return the hashes that each page adds to the counts, each hash once."""
        rows = np.concatenate([np.arange(len(self.sites)), self.blocks.rows, self.parts.rows])
        hashes = np.concatenate([self.sites, self.blocks.values, self.parts.values])
        order = np.lexsort((hashes, rows))
        rows = rows[order]
        hashes = hashes[order]
        is_repeated = np.zeros(len(rows), dtype=np.bool_)
        is_repeated[1:] = (rows[1:] == rows[:-1]) & (hashes[1:] == hashes[:-1])
        return hashes[~is_repeated & ~np.isin(rows, self.failed)]


class _Hashes(dict[str, int]):
    """The hashes of texts, by text and without regard to case; most texts of a site occur again."""

    def __missing__(self, text: str) -> int:
        self[text] = hash64(text.casefold())
        return self[text]


def count_texts(store: Path, folder: Path) -> HashCounts:
    """Count the texts of all pages of a store into the new folder `folder`, with the hashes of each shard beside."""
    return count_hashes(_distinct_texts(store, folder), folder)


def _distinct_texts(store: Path, folder: Path) -> Iterator[Hashes]:
    for path in stores.written_shards(store):
        texts = _shard_texts(stores.read_shard(path, COLUMNS))
        arrays = (
            texts.sites,
            texts.blocks.values,
            texts.blocks.offsets,
            texts.parts.values,
            texts.parts.offsets,
            texts.failed,
        )
        with (folder / path.name).open("wb") as file:
            for array in arrays:
                np.lib.format.write_array(file, array, allow_pickle=False)
        yield texts.distinct()


def read_shard_texts(folder: Path, shard: Path) -> ShardTexts:
    """Read the hashes of a shard's texts that `count_texts` wrote into `folder`."""
    with (folder / shard.name).open("rb") as file:
        arrays = [np.lib.format.read_array(file, allow_pickle=False) for _ in range(_ARRAYS)]
    sites, blocks, block_offsets, parts, part_offsets, failed = arrays
    return ShardTexts(sites, Lists(blocks, block_offsets), Lists(parts, part_offsets), failed)


def _shard_texts(table: Table) -> ShardTexts:
    """Return the hashes of a shard's texts, from the columns `COLUMNS`."""
    levels = table.lists("levels")
    statuses = table.texts("status").tolist()
    hashes = _Hashes()
    sites: list[int] = []
    blocks: list[list[int]] = []
    parts: list[list[int]] = []
    failed_rows: list[int] = []
    for row, (url, text) in enumerate(zip(table.texts("url").tolist(), table.texts("text").tolist(), strict=True)):
        if statuses[row] == stores.FAILED:
            failed_rows.append(row)
        site = site_of(url)
        lines: list[str] = []
        if text:
            lines = text.split("\n")
        # Blocks have no line feeds, so that neither a site, a block nor a part of a title has the text of another kind.
        block_hashes = [hashes[f"{site}\n{line}"] for line in lines]
        part_hashes: list[int] = []
        if _has_title(levels, row):
            block_hashes[0] = 0
            part_hashes = [hashes[f"{site}\n\n{part.text}"] for part in title_parts(lines[0])]
        sites.append(hashes[site])
        blocks.append(block_hashes)
        parts.append(part_hashes)
    return ShardTexts(
        np.array(sites, dtype=np.uint64),
        Lists.of(blocks, np.uint64),
        Lists.of(parts, np.uint64),
        np.array(failed_rows, dtype=np.int64),
    )


def site_of(url: str) -> str:
    """Return the site of a page: its host without `www.`; empty for a page without a web address.

    >>> site_of("https://www.Example.org/a"), site_of("")
    ('example.org', '')
    """
    address = page_address(url, None)
    if address is None:
        return ""
    return address.host.removeprefix("www.")


def block_counts(texts: ShardTexts, counts: HashCounts) -> BlockCounts:
    """Return the counts of a shard's blocks; a title has the counts of its part on the fewest pages."""
    pages = counts.of(texts.blocks.values)
    parts = counts.of(texts.parts.values)
    offsets = texts.parts.offsets.tolist()
    for row, title in enumerate(texts.blocks.offsets[:-1].tolist()):
        if offsets[row] < offsets[row + 1]:
            pages[title] = parts[offsets[row] : offsets[row + 1]].min()
    return BlockCounts(pages, counts.of(texts.sites)[texts.blocks.rows])


def own_titles(table: Table, texts: ShardTexts, counts: HashCounts) -> list[str]:
    """Return for each page of a shard its title without the parts that repeat on its site, from the columns `COLUMNS`.

    If all parts of a title repeat, the part on the fewest pages stays. Pages without a title have an empty title.
    """
    parts = counts.of(texts.parts.values)
    site_pages = counts.of(texts.sites)
    titles: list[str] = []
    for row, text in enumerate(table.texts("text").tolist()):
        pages = parts[texts.parts.offsets[row] : texts.parts.offsets[row + 1]]
        titles.append("")
        if len(pages):
            titles[-1] = _own_title(title_parts(text.partition("\n")[0]), pages, site_pages[row])
    return titles


def _own_title(parts: list[TitlePart], pages: Ints, site_pages: int) -> str:
    stays = ~repeats(pages, np.full(len(pages), site_pages))
    if not stays.any():
        return parts[int(pages.argmin())].text
    title = ""
    for part, part_stays in zip(parts, stays.tolist(), strict=True):
        if not part_stays:
            continue
        if title:
            title += part.separator
        title += part.text
    return title


def title_parts(title: str) -> list[TitlePart]:
    """Return the parts of a title between ` - `, ` | `, `: ` and the like, at least one.

    >>> [part.text for part in title_parts("Install: Linux - Guide | Example 2.1")]
    ['Install', 'Linux', 'Guide', 'Example 2.1']
    """
    pieces = _SEPARATOR.split(title)
    # Texts and the separators between them take turns; the first text has none before it.
    separators = [""]
    separators += pieces[1::2]
    parts: list[TitlePart] = []
    for separator, text in zip(separators, pieces[::2], strict=True):
        if text:
            parts.append(TitlePart(separator, text))
    return parts


def _has_title(levels: Lists, row: int) -> bool:
    first: list[int] = levels[row][:1].tolist()
    return first == [TITLE_LEVEL]
