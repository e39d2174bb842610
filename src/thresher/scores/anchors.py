"""Anchor texts: the texts of links to a page from other pages of the collection.

A link counts for the page at its address. If that page names another page of the collection as canonical, and the other page
names none but itself, the link counts for the other page. Two pages that name each other keep their links.
A page's links to itself do not count, nor do links without text. A text counts once a page that links by it.

The weight of a text for its target is log2(1 + pages that link by it) · log(T / t) / log(T), where T is the number of
pages that are linked to and t the number of these pages that the text names. The weight is 0, and the text left out, if
t is 3 or more and above 1 % of T ("next", "[docs]"). Anchors: Craswell, Hawking, Robertson, SIGIR 2001; Ogilvie,
Callan, SIGIR 2003. The formula is this project's.

Memory holds the addresses (some 32 bytes a page) and one of `_PARTITIONS` parts of the targets: links are counted within each
shard, and these counts are written to the files of the parts and added up there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.hash_counts import HashCounts, Hashes, count_hashes, hash64
from thresher.base.numbers import Ints
from thresher.base.tables import Table
from thresher.cleaners.scorers.repeated import repeats
from thresher.scores import store as stores

_PARTITIONS = 64
_NOWHERE = -1
"""The number of a page that is not in the collection."""
_TEXT_BITS = 32
_TEXT_MASK = (1 << _TEXT_BITS) - 1
_NO_NUMBERS = np.zeros(0, dtype=np.int64)
_ADDRESSES = ("address", "canonical")
_LINKS = ("targets", stores.LINKS, "unresolved")


@dataclass(frozen=True)
class LinkReport:
    """The links of a collection by their targets; equal links of a page count once.

    Attributes:
        inside: the number of links to other pages of the collection.
        own: the number of links to the page itself.
        outside: the number of links to web pages that are not in the collection.
        unresolved: the number of links to no web page, such as mail addresses.
        targets: the number of pages of the collection that other pages link to with a text.
    """

    inside: int
    own: int
    outside: int
    unresolved: int
    targets: int


class Anchors(NamedTuple):
    """The anchor texts of a page, the heaviest first, and their weights."""

    texts: Sequence[str]
    weights: npt.NDArray[np.float32]


NO_ANCHORS = Anchors((), np.zeros(0, dtype=np.float32))


class PageIndex(NamedTuple):
    """The pages of a collection by their addresses.

    Attributes:
        keys: the keys of addresses, ascending.
        pages: for each address the number of the page that links to the address count for.
        canonical: for each page the number of the page that links to it count for, itself or its canonical page.
    """

    keys: Hashes
    pages: Ints
    canonical: Ints

    def find(self, keys: Hashes) -> Ints:
        """Return the pages at addresses; `_NOWHERE` for addresses outside the collection."""
        if not len(self.keys):
            return np.full(len(keys), _NOWHERE)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.pages[places], _NOWHERE)


def index_pages(store: Path) -> PageIndex:
    """Index the pages of a store that has links. Among pages with one address the first counts; failed pages have no
    address.
    """
    addresses_of_shards: list[Hashes] = []
    canonical_of_shards: list[Hashes] = []
    for path in stores.shards(store):
        table = stores.read_shard(path, _ADDRESSES)
        addresses_of_shards.append(table.numbers("address"))
        canonical_of_shards.append(table.numbers("canonical"))
    addresses = np.concatenate(addresses_of_shards)
    canonical_addresses = np.concatenate(canonical_of_shards)
    numbers = np.arange(len(addresses))
    by_address = _by_key(addresses, numbers)
    first_page = by_address.find(addresses)
    canonical_page = by_address.find(canonical_addresses)
    # Among pages with one address, the first counts; a page without an address counts for itself.
    own_page = np.where(first_page != _NOWHERE, first_page, numbers)
    is_absent = canonical_page == _NOWHERE
    names_no_other = is_absent | (canonical_page == own_page)
    canonical = np.where(~is_absent & names_no_other[canonical_page], canonical_page, own_page)
    keys = np.concatenate([by_address.keys, canonical_addresses[is_absent]])
    pages = np.concatenate([canonical[by_address.pages], numbers[is_absent]])
    return _by_key(keys, pages)._replace(canonical=canonical)


def _by_key(keys: Hashes, pages: Ints) -> PageIndex:
    """Return an index of pages by keys, without the key 0; among equal keys the first counts."""
    distinct, first = np.unique(keys, return_index=True)
    stays = distinct != 0
    return PageIndex(distinct[stays], pages[first[stays]], pages)


class AnchorPart(NamedTuple):
    """Consecutive shards of a store, and the counts of the links to their pages.

    Attributes:
        shards: the files of the shards.
        begins: the number of each shard's first page, and of the page after the last.
        links: the file of the counts.
        targets: the folder of the counts of pages that each text names.
        all_targets: the number of pages of the collection that are linked to.
    """

    shards: Sequence[Path]
    begins: Sequence[int]
    links: Path
    targets: Path
    all_targets: int = 0


class CountedTexts(NamedTuple):
    """The texts of links to pages, each once a page, in the order of pages and texts.

    Attributes:
        targets: the number of the page that is linked to.
        texts: the place of the text in `names`.
        pages: the number of pages that link to it by the text.
        names: all texts.
    """

    targets: Ints
    texts: Ints
    pages: Ints
    names: list[str]

    def targets_of_texts(self, counts: HashCounts) -> Ints:
        """Return the number of pages that each text names, over the whole collection."""
        return counts.of(_hashes(self.names))[self.texts]


class GatheredLinks(NamedTuple):
    """The links of a collection: their counts by parts of the target pages, and the report on all links."""

    parts: list[AnchorPart]
    report: LinkReport


def gather_links(store: Path, folder: Path) -> GatheredLinks:
    """Gather the links of a store that has their columns, in the new folder `folder`."""
    folder.mkdir(parents=True)
    paths = stores.shards(store)
    index = index_pages(store)
    begins = [0]
    for path in paths:
        begins.append(begins[-1] + stores.read_report(path).documents)
    parts: list[AnchorPart] = []
    for number, shards in enumerate(np.array_split(np.arange(len(paths)), min(_PARTITIONS, len(paths)))):
        first = int(shards[0])
        after = int(shards[-1]) + 1
        part = AnchorPart(
            shards=paths[first:after],
            begins=begins[first : after + 1],
            links=folder / f"part-{number:02}",
            targets=folder / "targets",
        )
        parts.append(part)
    report = _count_links(paths, begins, index, parts)
    count_hashes(_texts_by_target(parts), folder / "targets")
    counted_parts = [part._replace(all_targets=report.targets) for part in parts]
    return GatheredLinks(counted_parts, report)


def _texts_by_target(parts: Sequence[AnchorPart]) -> Iterator[Hashes]:
    """Yield the hashes of the texts of links, each once for each page that it names."""
    for part in parts:
        counted = _read_counted(part.links)
        yield _hashes(counted.names)[counted.texts]


def _hashes(texts: Sequence[str]) -> Hashes:
    return np.array([hash64(text) for text in texts], dtype=np.uint64)


def _count_links(
    paths: Sequence[Path], begins: Sequence[int], index: PageIndex, parts: Sequence[AnchorPart]
) -> LinkReport:
    """Count the links of each shard by target and text into the files of the parts; return the report on all links."""
    leads: Counter[str] = Counter()
    is_target = np.zeros(begins[-1], dtype=np.bool_)
    with ExitStack() as stack:
        files: list[BinaryIO] = []
        first_pages: list[int] = []
        for part in parts:
            files.append(stack.enter_context(part.links.open("wb")))
            first_pages.append(part.begins[0])
        for begin, path in zip(begins, paths, strict=False):
            table = stores.read_shard(path, _LINKS)
            if not len(table):
                continue
            counted = _links_of_shard(table, begin, index, leads)
            is_target[counted.targets] = True
            edges = [0]
            edges += np.searchsorted(counted.targets, first_pages[1:]).tolist()
            edges.append(len(counted.targets))
            for file, (first, after) in zip(files, pairwise(edges), strict=True):
                if first < after:
                    _append(file, counted, slice(first, after))
    return LinkReport(leads["inside"], leads["own"], leads["outside"], leads["unresolved"], int(is_target.sum()))


class _Numbers(dict[str, int]):
    """The numbers of texts, from 0, in the order of the first requests."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def _links_of_shard(table: Table, begin: int, index: PageIndex, leads: Counter[str]) -> CountedTexts:
    """Count the links of a shard whose first page has the number `begin`; `leads` adds up links by kinds of target."""
    targets = table.lists("targets")
    sources = targets.rows + begin
    pages = index.find(targets.values)
    is_outside = pages == _NOWHERE
    is_own = (pages == sources) | (pages == index.canonical[sources])
    is_inside = ~is_outside & ~is_own
    leads["outside"] += int(is_outside.sum())
    leads["own"] += int(is_own.sum())
    leads["inside"] += int(is_inside.sum())
    leads["unresolved"] += int(table.numbers("unresolved").sum())
    numbers = _Numbers({"": 0})
    texts: list[int] = []
    for count, lines in zip(targets.lengths.tolist(), table.texts(stores.LINKS).tolist(), strict=True):
        if count:
            texts.extend(map(numbers.__getitem__, lines.split("\n")))
    numbers_of_texts = np.array(texts, dtype=np.int64)
    stays = is_inside & (numbers_of_texts > 0)
    pairs = (pages[stays] << _TEXT_BITS) | numbers_of_texts[stays]
    # A page may name one page by several addresses, and counts once.
    order = np.lexsort((pairs, sources[stays]))
    pairs = pairs[order]
    sources = sources[stays][order]
    is_repeated = np.zeros(len(pairs), dtype=np.bool_)
    is_repeated[1:] = (pairs[1:] == pairs[:-1]) & (sources[1:] == sources[:-1])
    pairs = pairs[~is_repeated]
    return _added_up(pairs, np.ones(len(pairs)), list(numbers))


def _added_up(pairs: Ints, pages: npt.NDArray[Any], names: list[str]) -> CountedTexts:
    """Add up the pages of equal pairs of a target, in the upper bits, and a text."""
    distinct, places = np.unique(pairs, return_inverse=True)
    # Sums of floats are exact up to 2^53.
    counts = np.bincount(places, weights=pages, minlength=len(distinct)).astype(np.int64)
    return CountedTexts(distinct >> _TEXT_BITS, distinct & _TEXT_MASK, counts, names)


def _append(file: BinaryIO, counted: CountedTexts, rows: slice) -> None:
    """Append some rows to the file of a part, with the texts that they name."""
    used, texts = np.unique(counted.texts[rows], return_inverse=True)
    names = "\n".join(counted.names[number] for number in used.tolist()).encode()
    for array in (counted.targets[rows], texts, counted.pages[rows], np.frombuffer(names, dtype=np.uint8)):
        np.lib.format.write_array(file, array, allow_pickle=False)


def _read_counted(path: Path) -> CountedTexts:
    """Read the file of a part, and add up the counts of its shards; texts are in the order of their characters."""
    numbers = _Numbers()
    targets = [_NO_NUMBERS]
    texts = [_NO_NUMBERS]
    pages = [_NO_NUMBERS]
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            # In the order of `_append`.
            targets.append(_read_array(file))
            places_in_names = _read_array(file)
            pages.append(_read_array(file))
            names = _read_array(file).tobytes().decode().split("\n")
            numbers_of_names = np.array([numbers[name] for name in names], dtype=np.int64)
            texts.append(numbers_of_names[places_in_names])
    all_names = sorted(numbers)
    place_of_number = np.empty(len(all_names), dtype=np.int64)
    numbers_in_order = [numbers[name] for name in all_names]
    place_of_number[numbers_in_order] = np.arange(len(all_names))
    pairs = (np.concatenate(targets) << _TEXT_BITS) | place_of_number[np.concatenate(texts)]
    return _added_up(pairs, np.concatenate(pages), all_names)


def _read_array(file: BinaryIO) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def anchors_of(part: AnchorPart) -> dict[int, Anchors]:
    """Return the anchors of the pages of a part by their numbers, without pages that have no anchors."""
    counted = _read_counted(part.links)
    targets_of_texts = counted.targets_of_texts(HashCounts(part.targets))
    weights = text_weights(counted.pages, targets_of_texts, part.all_targets)
    # By page, the heaviest first, then by text.
    order = np.lexsort((counted.texts, -weights, counted.targets))
    order = order[weights[order] > 0]
    targets = counted.targets[order]
    weights = weights[order]
    names = [counted.names[text] for text in counted.texts[order].tolist()]
    pages, begins = np.unique(targets, return_index=True)
    edges = begins.tolist()
    edges.append(len(targets))
    anchors: dict[int, Anchors] = {}
    for page, (first, after) in zip(pages.tolist(), pairwise(edges), strict=True):
        anchors[page] = Anchors(names[first:after], weights[first:after])
    return anchors


def text_weights(pages: Ints, targets: Ints, all_targets: int) -> npt.NDArray[np.float32]:
    """Return the weights of texts for their targets; 0 for texts that name too many pages.

    Args:
        pages: the number of pages that link to the target by the text.
        targets: the number of pages that the text names.
        all_targets: the number of pages that are linked to.
    """
    idf = np.ones(len(targets))
    if all_targets > 1:
        idf = np.log(all_targets / targets) / np.log(all_targets)
    weights = np.log2(1 + pages) * idf
    weights[repeats(targets, np.full(len(targets), all_targets))] = 0
    return weights.astype(np.float32)
