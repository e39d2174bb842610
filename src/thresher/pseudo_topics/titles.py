"""What many titles of a site begin or end with: the site's name and the like, which says nothing of a page."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.pseudo_topics.records import Candidates, best_of_each
from thresher.pseudo_topics.store import Numbers, Store, Truths
from thresher.pseudo_topics.texts import LEAST, MOST, is_error, is_unspaced, text_hash, units, weight

FEWEST_TITLES = 3
# What stands between the parts of a title.
_SEPARATORS = " -‐‑‒–—―|¦:·•»«›‹>/_~,;、｜：／－"


@dataclass(frozen=True)
class Furniture:
    """What more than half of a site's titles, and at least `FEWEST_TITLES`, begin and end with."""

    prefix: str
    suffix: str

    def cut(self, title: str) -> str:
        """Return a title without as much of the prefix and suffix as it has, and without separators where it was cut.

        >>> Furniture("Python: module ", "").cut("Python: package json")
        'package json'
        """
        end = len(title) - _boundary(title[::-1], _common(title[::-1], self.suffix[::-1]))
        rest = title[:end].rstrip(_SEPARATORS) if end < len(title) else title
        begin = _boundary(rest, _common(rest, self.prefix))
        return rest[begin:].lstrip(_SEPARATORS) if begin else rest


def furniture(titles: Collection[str]) -> Furniture:
    """Find what more than half of the titles of a site begin or end with, wherever that is not within a word.

    Titles that are the same count as one. Fewer than `FEWEST_TITLES` say nothing.
    """
    different = sorted(set(titles))
    return Furniture(_shared(different), _shared([title[::-1] for title in different])[::-1])


def _shared(titles: list[str]) -> str:
    """Return the longest text that enough of the titles begin with and that ends between two words."""
    need = max(len(titles) // 2 + 1, FEWEST_TITLES)
    shared: list[str] = []
    holders = titles
    while True:
        depth = len(shared)
        # The end of a title is a place like any other: a title that is nothing more holds it as well.
        heads = Counter(title[depth] for title in holders if len(title) > depth)
        head, count = heads.most_common(1)[0] if heads else ("", 0)
        if count < need:
            break
        shared.append(head)
        holders = [title for title in holders if len(title) > depth and title[depth] == head]
    text = "".join(shared)
    # Where titles go on differently; one of them tells whether that is within a word.
    return text[: max(_boundary(title, len(text)) for title in holders)] if text else ""


def _common(title: str, affix: str) -> int:
    """Return how many characters a title and an affix have in common at their beginning."""
    length = 0
    for one, other in zip(title, affix, strict=False):
        if one != other:
            break
        length += 1
    return length


def _boundary(text: str, place: int) -> int:
    """Return the last place up to `place` that is not within a word of `text`."""
    while 0 < place < len(text) and _in_word(text[place - 1], text[place]):
        place -= 1
    return place


def _in_word(before: str, after: str) -> bool:
    return all(_is_spaced_letter(character) for character in (before, after))


def _is_spaced_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not is_unspaced(character)


# How many titles of a site tell what its titles share, and of how many titles texts are held at a time.
_SITE_SAMPLE = 1000
_HELD = 200_000

(_LEFT, _NONE, _ERROR, _NOTHING_OWN, _SHORT, _LONG) = range(6)
_REASONS = {
    _NONE: "without title",
    _ERROR: "an error page",
    _NOTHING_OWN: "nothing but what the site's titles share",
    _SHORT: "too short",
    _LONG: "too long",
}
_SHARED, _ANOTHER = "shared by several pages", "of another copy of the page"


def find_titles(store: Store, stop_words: frozenset[str]) -> tuple[Candidates, dict[str, int]]:
    """Return the pages that their titles can find, and what became of all titles.

    A title that several pages have, but for case and punctuation, is dropped: as a rule it is a template's, and the item that
    it names can't be told. Documents with one address are one page.
    """
    hashes = np.zeros(len(store.good), dtype=np.uint64)
    states = np.full(len(store.good), _NONE, dtype=np.uint8)
    for chosen, known in _site_groups(store):
        for number, title in _titles(store, chosen):
            hashes[number], states[number] = _judge(title, known.get(int(store.sites[number])), stop_words)
    counts = {"all": int(store.good.sum())}
    counts |= {reason: int((store.good & (states == state)).sum()) for state, reason in _REASONS.items()}
    left = np.flatnonzero(store.good & (states == _LEFT))
    order = left[np.lexsort((store.keys[left], hashes[left]))]
    single = _of_one_page(hashes[order], store.keys[order])
    counts[_SHARED] = int((~single).sum())
    order = order[single]
    # Copies of a page may have different titles.
    rows = best_of_each(store.keys[order], hashes[order], np.zeros(len(order), dtype=np.int64))
    candidates = Candidates(store.keys[order[rows]], hashes[order[rows]])
    counts[_ANOTHER] = int(single.sum()) - len(rows)
    return candidates, counts


def title_queries(store: Store, candidates: Candidates, stop_words: frozenset[str]) -> dict[int, str]:
    """Return the queries of candidates by their keys: titles without what the titles of their sites share."""
    wanted = dict(zip(candidates.keys.tolist(), candidates.hashes.tolist(), strict=True))
    chosen = store.good & np.isin(store.keys, candidates.keys)
    sites = np.unique(store.sites[chosen])
    queries: dict[int, str] = {}
    for group, known in _site_groups(store, np.isin(store.sites, sites)):
        for number, title in _titles(store, group & chosen):
            key, own = int(store.keys[number]), known.get(int(store.sites[number]))
            if _judge(title, own, stop_words)[0] == wanted[key]:
                query = own.cut(title) if own else title
                queries[key] = min(queries.get(key, query), query)
    return queries


def _judge(title: str, own: Furniture | None, stop_words: frozenset[str]) -> tuple[int, int]:
    """Return the number of a title's text, and its state."""
    words = units(title)
    if not words:
        return 0, _NONE
    if is_error(words):
        return 0, _ERROR
    words = units(own.cut(title)) if own else words
    if not words:
        return 0, _NOTHING_OWN
    if is_error(words):
        return 0, _ERROR
    least, most = weight(words, stop_words)
    state = _SHORT if least < LEAST else _LONG if most > MOST else _LEFT
    return text_hash(words), state


def _site_groups(store: Store, among: Truths | None = None) -> Iterator[tuple[Truths, dict[int, Furniture]]]:
    """Give groups of sites: which documents are theirs, and what the titles of each site share.

    A group has so many sites that the sample of their titles fits in memory.

    Args:
        store: the documents.
        among: which of them count; all good ones if None. It must hold all the good documents of a site or none.
    """
    counted = store.good if among is None else store.good & among
    order = np.flatnonzero(counted)
    order = order[np.lexsort((store.keys[order], store.sites[order]))]
    _, starts, sizes = np.unique(store.sites[order], return_index=True, return_counts=True)
    # The place of a document among those of its site, by keys, which are as good as drawn by lot.
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    group = (np.cumsum(np.minimum(sizes, _SITE_SAMPLE)) - 1) // _HELD
    groups = np.repeat(group, sizes)
    for number in np.unique(group):
        own = groups == number
        chosen = _mask(order[own], len(store.good))
        samples: dict[int, list[str]] = {}
        for document, title in _titles(store, _mask(order[own & (rank < _SITE_SAMPLE)], len(store.good))):
            if title:
                samples.setdefault(int(store.sites[document]), []).append(title)
        yield chosen, {site: furniture(titles) for site, titles in samples.items()}


def _titles(store: Store, chosen: Truths) -> Iterator[tuple[int, str]]:
    for start, titles in store.column("title"):
        for row in np.flatnonzero(chosen[start : start + len(titles)]).tolist():
            yield start + row, titles[row]


def _of_one_page(hashes: Numbers, keys: Numbers) -> Truths:
    """Return which titles have one key; both are sorted, by hash and then by key."""
    _, starts, sizes = np.unique(hashes, return_index=True, return_counts=True)
    ends = starts + sizes - 1
    return np.repeat(keys[starts] == keys[ends], sizes) if len(hashes) else np.zeros(0, dtype=np.bool_)


def _mask(places: npt.NDArray[np.int64], size: int) -> Truths:
    mask = np.zeros(size, dtype=np.bool_)
    mask[places] = True
    return mask
