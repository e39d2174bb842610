"""Alignment of two word sequences by longest matching blocks: what Python's difflib finds, on long pages much sooner."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import NamedTuple

_RUNS = ((3, (0, 1, 2)), (8, (0, 3, 5)), (32, (0, 8, 16, 24)))
"""Lengths of the runs of words that are looked up, and where the shorter runs that make them up begin; only speed depends on
them."""

Level = tuple[int, list[int], dict[int, list[int]]]


class Match(NamedTuple):
    """`size` equal words: from `a` on in the first sequence, from `b` on in the second."""

    a: int
    b: int
    size: int


class _Range(NamedTuple):
    """A part of both sequences, and the level of the longest run that may still be found in it."""

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int
    level: int


def matching_blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Return the blocks that `difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()` has.

    The longest block that both sequences share is taken (of equals the first in `a`, of those the first in `b`), and then
    the same is done left and right of it (Ratcliff and Obershelp's pattern matching, as Python's difflib documents it).
    Blocks that touch in both sequences are one; difflib's last block, of size 0, is left out.

    A match of at least k words is a match of runs of k words, shorter by k - 1 and beginning at the same places. Few long
    runs come twice, where common words come by the thousand; so the longest match is looked for among long runs first, and
    where a part has none of those, none of its parts need be asked.
    """
    words: dict[Hashable, int] = {}
    left = [words.setdefault(word, len(words)) for word in a]
    right = [words.setdefault(word, len(words)) for word in b]
    levels = _levels(left, right)
    found: list[Match] = []
    waiting = [_Range(0, len(left), 0, len(right), 0)]
    while waiting:
        part = waiting.pop()
        if part.a_begin == part.a_end or part.b_begin == part.b_end:
            continue
        best = _longest(part, *levels[part.level])
        if best.size:
            found.append(best)
            after_a, after_b = best.a + best.size, best.b + best.size
            waiting.append(_Range(part.a_begin, best.a, part.b_begin, best.b, part.level))
            waiting.append(_Range(after_a, part.a_end, after_b, part.b_end, part.level))
        elif part.level + 1 < len(levels):
            waiting.append(part._replace(level=part.level + 1))
    return _joined(sorted(found))


def _levels(a: list[int], b: list[int]) -> list[Level]:
    """Return for each length of runs, falling to 1: it, the run that begins at each place of `a`, each run's places in `b`.

    Runs are numbered; a number below 0 is of a run that `b` has not.
    """
    levels = [(1, a, _places(b))]
    for length, offsets in _RUNS:
        numbers: dict[tuple[int, ...], int] = {}
        b = [numbers.setdefault(run, len(numbers)) for run in zip(*(b[offset:] for offset in offsets), strict=False)]
        a = [numbers.get(run, -1) for run in zip(*(a[offset:] for offset in offsets), strict=False)]
        levels.append((length, a, _places(b)))
    return levels[::-1]


def _places(runs: list[int]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, run in enumerate(runs):
        places.setdefault(run, []).append(place)
    return places


def _longest(part: _Range, length: int, runs: list[int], places: dict[int, list[int]]) -> Match:
    """Return the longest match of at least `length` words within the part; of size 0 if there is none."""
    best_a, best_b, best_size = part.a_begin, part.b_begin, 0
    b_begin, b_end = part.b_begin, part.b_end - length + 1
    sizes: dict[int, int] = {}
    for place in range(part.a_begin, part.a_end - length + 1):
        # By the place in b: how many runs in a row match up to there.
        grown: dict[int, int] = {}
        others = places.get(runs[place])
        if others:
            for at in range(bisect_left(others, b_begin), len(others)):
                other = others[at]
                if other >= b_end:
                    break
                size = grown[other] = sizes.get(other - 1, 0) + 1
                if size > best_size:
                    best_a, best_b, best_size = place - size + 1, other - size + 1, size
        sizes = grown
    return Match(best_a, best_b, best_size + length - 1 if best_size else 0)


def _joined(matches: list[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in matches:
        if joined and (joined[-1].a + joined[-1].size, joined[-1].b + joined[-1].size) == match[:2]:
            last = joined.pop()
            match = Match(last.a, last.b, last.size + match.size)
        joined.append(match)
    return joined
