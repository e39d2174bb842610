"""The pages that a title or an anchor text identifies, and the random sample of them.

Links are numbers here. They are read from disk in partitions by text: memory is bounded, and all links with one text are in
one partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.pseudo_topics import extracting
from thresher.pseudo_topics.extracting import LEAST, MOST, Boilerplate
from thresher.pseudo_topics.link_tables import Numbers, Store, Truths

NAVIGATION_SHARE = 0.1
"""A text that links to its page from at least this share of the site's pages is navigation,"""
NAVIGATION_LEAST = 5
"""if there are at least this many such pages."""

_PARTITION_LINKS = 4_000_000
# From how many titles of a site its boilerplate is taken, and how many titles are in memory at a time.
_SITE_SAMPLE = 1000
_HELD = 200_000

TITLE = "title"
(_LEFT, _NONE, _ERROR, _NOTHING_OWN, _SHORT, _LONG) = range(6)
_REASONS = {
    _NONE: "without any",
    _ERROR: "an error page",
    _NOTHING_OWN: "nothing but what the site's titles share",
    _SHORT: "too short",
    _LONG: "too long",
}
_SHARED, _ANOTHER = "shared by several pages", "of another copy of the page"


@dataclass(frozen=True)
class Candidates:
    """Pages by their keys, each once, and the hash of the text that identifies each."""

    keys: Numbers
    hashes: Numbers

    def take(self, which: Truths) -> Candidates:
        """Return the candidates that a mask selects."""
        return Candidates(self.keys[which], self.hashes[which])


def best_of_each(keys: Numbers, hashes: Numbers, votes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each key the index of its text with the most votes; ties go to the smallest hash, in effect at random."""
    order = np.lexsort((hashes, -votes, keys))
    return order[np.unique(keys[order], return_index=True)[1]]


def sample(candidates: Candidates, most: int, seed: int) -> Candidates:
    """Draw at most `most` candidates at random; a page's random number depends on its key and the seed alone."""
    draws = np.array([extracting.hashed(f"{seed} {key}") for key in candidates.keys.tolist()], dtype=np.uint64)
    return candidates.take(_mask(np.lexsort((candidates.keys, draws))[:most], len(draws)))


def shares(sizes: list[int], most: int) -> list[int]:
    """Split `most` evenly over sources with `sizes` candidates; what one can't use goes to others, a remainder to the first.

    >>> shares([10, 1], 5), shares([10, 10], 5)
    ([4, 1], [3, 2])
    """
    split = [0] * len(sizes)
    left = min(most, sum(sizes))
    while left:
        for index, size in enumerate(sizes):
            if left and split[index] < size:
                split[index] += 1
                left -= 1
    return split


def find_texts(store: Store, column: str, stop_words: frozenset[str]) -> tuple[Candidates, dict[str, int]]:
    """Return the pages that their titles identify, or another text of theirs, and counts of all of these by outcome.

    A text that several pages have, up to case and punctuation, is dropped: as a rule it is a template's. Documents with one
    address are one page. `column` is that of the store.
    """
    hashes = np.zeros(len(store.good), dtype=np.uint64)
    states = np.full(len(store.good), _NONE, dtype=np.uint8)
    for chosen, known in _site_groups(store, column):
        for number, title in _texts(store, column, chosen):
            hashes[number], states[number] = _outcome(title, known.get(int(store.sites[number])), stop_words)
    counts = {"all": int(store.good.sum())}
    reasons = {**_REASONS, _NONE: f"without {column}"}
    counts |= {reason: int((store.good & (states == state)).sum()) for state, reason in reasons.items()}
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


def text_queries(store: Store, column: str, candidates: Candidates, stop_words: frozenset[str]) -> dict[int, str]:
    """Return the queries of candidates by key: texts of a column, titles without the boilerplate of their sites."""
    wanted = dict(zip(candidates.keys.tolist(), candidates.hashes.tolist(), strict=True))
    chosen = store.good & np.isin(store.keys, candidates.keys)
    sites = np.unique(store.sites[chosen])
    queries: dict[int, str] = {}
    for group, known in _site_groups(store, column, np.isin(store.sites, sites)):
        for number, title in _texts(store, column, group & chosen):
            key, own = int(store.keys[number]), known.get(int(store.sites[number]))
            if _outcome(title, own, stop_words)[0] == wanted[key]:
                query = own.cut(title) if own else title
                queries[key] = min(queries.get(key, query), query)
    return queries


def _outcome(title: str, own: Boilerplate | None, stop_words: frozenset[str]) -> tuple[int, int]:
    words = extracting.units(title)
    if not words:
        return 0, _NONE
    if extracting.is_error(words):
        return 0, _ERROR
    words = extracting.units(own.cut(title)) if own else words
    if not words:
        return 0, _NOTHING_OWN
    if extracting.is_error(words):
        return 0, _ERROR
    least, most = extracting.weight(words, stop_words)
    state = _SHORT if least < LEAST else _LONG if most > MOST else _LEFT
    return extracting.hashed(" ".join(words)), state


def _site_groups(
    store: Store, column: str, among: Truths | None = None
) -> Iterator[tuple[Truths, dict[int, Boilerplate]]]:
    """Yield groups of sites: a mask of their documents, and the boilerplate of each site's titles; other texts have none.

    A group is small enough for the sampled titles to fit in memory. `among` selects documents, all of a site or none; None
    selects all.
    """
    counted = store.good if among is None else store.good & among
    if column != TITLE:
        yield counted, {}
        return
    order = np.flatnonzero(counted)
    order = order[np.lexsort((store.keys[order], store.sites[order]))]
    _, starts, sizes = np.unique(store.sites[order], return_index=True, return_counts=True)
    # Keys are hashes: the first documents of a site by key are a random sample.
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    group = (np.cumsum(np.minimum(sizes, _SITE_SAMPLE)) - 1) // _HELD
    groups = np.repeat(group, sizes)
    for number in np.unique(group):
        own = groups == number
        chosen = _mask(order[own], len(store.good))
        samples: dict[int, list[str]] = {}
        for document, title in _texts(store, TITLE, _mask(order[own & (rank < _SITE_SAMPLE)], len(store.good))):
            if title:
                samples.setdefault(int(store.sites[document]), []).append(title)
        yield chosen, {site: extracting.title_boilerplate(titles) for site, titles in samples.items()}


def _texts(store: Store, column: str, chosen: Truths) -> Iterator[tuple[int, str]]:
    for start, texts in store.column(column):
        for row in np.flatnonzero(chosen[start : start + len(texts)]).tolist():
            yield start + row, texts[row]


def _of_one_page(hashes: Numbers, keys: Numbers) -> Truths:
    """Return which titles belong to a single key; both arrays are sorted by hash, then key."""
    _, starts, sizes = np.unique(hashes, return_index=True, return_counts=True)
    ends = starts + sizes - 1
    return np.repeat(keys[starts] == keys[ends], sizes) if len(hashes) else np.zeros(0, dtype=np.bool_)


def _mask(indices: npt.NDArray[np.int64], size: int) -> Truths:
    mask = np.zeros(size, dtype=np.bool_)
    mask[indices] = True
    return mask


def find_anchors(store: Store) -> tuple[Candidates, dict[str, int]]:
    """Return the pages that anchor texts identify, each by the text most pages use, and counts of all links by outcome."""
    keys, sites, sizes = _pages(store)
    counts = {"out of the collection": 0, "to several pages": 0, "navigation": 0}
    total = sum(len(targets) for _, _, targets in store.links())
    partitions = max(1, -(-total // _PARTITION_LINKS))
    best = (np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
    left = 0
    for number in range(partitions):
        pages, texts, targets = _partition(store, number, partitions)
        order = np.lexsort((targets, texts))
        texts, targets = texts[order], targets[order]
        starts = _starts(texts, targets)
        votes = np.diff(np.append(starts, len(texts)))
        pair_texts, pair_targets = texts[starts], targets[starts]
        inside, rows = _look_up(pair_targets, keys)
        # A text with several targets identifies none of them.
        _, targets_of_text = np.unique(pair_texts, return_counts=True)
        several = np.repeat(targets_of_text > 1, targets_of_text)
        from_site = store.sites[pages[order]] == np.repeat(sites[rows], votes)
        at_site = np.add.reduceat(from_site, starts) if len(starts) else votes
        least = np.maximum(NAVIGATION_LEAST, NAVIGATION_SHARE * sizes[rows])
        navigation = at_site >= least
        good = inside & ~several & ~navigation
        counts["out of the collection"] += int(votes[~inside].sum())
        counts["to several pages"] += int(votes[inside & several].sum())
        counts["navigation"] += int(votes[inside & ~several & navigation].sum())
        left += int(votes[good].sum())
        both = [*map(np.concatenate, zip(best, (pair_targets[good], pair_texts[good], votes[good]), strict=True))]
        kept = best_of_each(*both)
        best = (both[0][kept], both[1][kept], both[2][kept])
    used = int(best[2].sum())
    counts = {"all": sum(store.left_out.values()) + total, **store.left_out, **counts}
    return Candidates(best[0], best[1]), counts | {"with fewer votes than another text": left - used, "used": used}


def _pages(store: Store) -> tuple[Numbers, Numbers, npt.NDArray[np.int64]]:
    """Return the sorted distinct keys of good documents, with their sites and the numbers of keys of these."""
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
    """Return the start of each run of equal pairs of text and target; they are sorted."""
    new = np.ones(len(texts), dtype=np.bool_)
    new[1:] = (texts[1:] != texts[:-1]) | (targets[1:] != targets[:-1])
    return np.flatnonzero(new)


def _look_up(targets: Numbers, keys: Numbers) -> tuple[Truths, npt.NDArray[np.int64]]:
    """Return which targets are among the sorted keys, and their indices there (any index for the others)."""
    rows = np.minimum(np.searchsorted(keys, targets), max(len(keys) - 1, 0))
    return (keys[rows] == targets if len(keys) else np.zeros(len(targets), dtype=np.bool_)), rows
