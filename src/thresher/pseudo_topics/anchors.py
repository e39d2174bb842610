"""Topics from anchors: the page that a text leads to from other pages, and nowhere else.

Links are numbers here. They are taken from the disk in partitions by text, so that memory has a bound whatever their number,
and all the links of one text are in one partition.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.pseudo_topics.records import Candidates, best_of_each
from thresher.pseudo_topics.store import Numbers, Store, Truths

NAVIGATION_SHARE = 0.1
"""A text that leads to its page from more of the site's pages than this share is navigation,"""
NAVIGATION_LEAST = 5
"""if there are at least so many."""

_PARTITION_LINKS = 4_000_000


def find_anchors(store: Store) -> tuple[Candidates, dict[str, int]]:
    """Return the pages that anchors can find, each with the text that most pages use, and what became of all links."""
    keys, sites, sizes = _pages(store)
    counts = {"out of the collection": 0, "to several pages": 0, "navigation": 0}
    total = sum(len(targets) for _, _, targets in store.links())
    partitions = max(1, -(-total // _PARTITION_LINKS))
    found = (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
    left = 0
    for number in range(partitions):
        pages, texts, targets = _partition(store, number, partitions)
        order = np.lexsort((targets, texts))
        texts, targets = texts[order], targets[order]
        starts = _starts(texts, targets)
        votes = np.diff(np.append(starts, len(texts)))
        pair_texts, pair_targets = texts[starts], targets[starts]
        inside, places = _found(pair_targets, keys)
        several = _several(pair_texts)
        from_site = store.sites[pages[order]] == np.repeat(sites[places], votes)
        at_site = np.add.reduceat(from_site, starts) if len(starts) else votes
        bar = np.maximum(NAVIGATION_LEAST, NAVIGATION_SHARE * sizes[places])
        navigation = at_site >= bar
        good = inside & ~several & ~navigation
        counts["out of the collection"] += int(votes[~inside].sum())
        counts["to several pages"] += int(votes[inside & several].sum())
        counts["navigation"] += int(votes[inside & ~several & navigation].sum())
        left += int(votes[good].sum())
        both = [
            np.concatenate(pair)
            for pair in zip(found, (pair_targets[good], pair_texts[good], votes[good]), strict=True)
        ]
        best = best_of_each(*both)
        found = (both[0][best], both[1][best], both[2][best])
    used = int(found[2].sum())
    counts = {"all": sum(store.left_out.values()) + total, **store.left_out, **counts}
    return Candidates(found[0], found[1]), counts | {"with fewer votes than another text": left - used, "used": used}


def _pages(store: Store) -> tuple[Numbers, Numbers, npt.NDArray[np.int64]]:
    """Return the keys of good documents, sorted, each once, with their sites and how many such keys these have."""
    good = np.flatnonzero(store.good)
    keys, first = np.unique(store.keys[good], return_index=True)
    sites = store.sites[good[first]]
    _, which, sizes = np.unique(sites, return_inverse=True, return_counts=True)
    return keys, sites, sizes[which]


def _partition(store: Store, number: int, partitions: int) -> tuple[npt.NDArray[np.int64], Numbers, Numbers]:
    pages = [np.zeros(0, dtype=np.int64)]
    texts, targets = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.uint64)]
    for some_pages, some_texts, some_targets in store.links():
        own = some_texts % np.uint64(partitions) == number
        pages.append(some_pages[own])
        texts.append(some_texts[own])
        targets.append(some_targets[own])
    return np.concatenate(pages), np.concatenate(texts), np.concatenate(targets)


def _starts(texts: Numbers, targets: Numbers) -> npt.NDArray[np.int64]:
    """Return where each pair of text and target begins among sorted ones."""
    new = np.ones(len(texts), dtype=np.bool_)
    new[1:] = (texts[1:] != texts[:-1]) | (targets[1:] != targets[:-1])
    return np.flatnonzero(new)


def _found(targets: Numbers, keys: Numbers) -> tuple[Truths, npt.NDArray[np.int64]]:
    """Return which targets are among the sorted keys, and their places there (any place for the others)."""
    places = np.minimum(np.searchsorted(keys, targets), max(len(keys) - 1, 0))
    return (keys[places] == targets if len(keys) else np.zeros(len(targets), dtype=np.bool_)), places


def _several(texts: Numbers) -> Truths:
    """Return of sorted texts, each once a target, which have several."""
    _, sizes = np.unique(texts, return_counts=True)
    return np.repeat(sizes > 1, sizes)
