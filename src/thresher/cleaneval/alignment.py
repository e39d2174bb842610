"""Alignment of two word sequences by longest matching blocks: as Python's difflib, but much faster on long pages."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

_RUNS = ((3, (0, 1, 2)), (8, (0, 3, 5)), (32, (0, 8, 16, 24)))
"""Lengths of the indexed runs of words, each with the offsets of the shorter runs that compose it; they only affect speed."""

Positions = dict[int, list[int]]
Numbers = dict[tuple[int, ...], int]
Level = tuple[int, list[int], Positions]


class Match(NamedTuple):
    """`size` equal words, from position `a` of the first sequence and `b` of the second."""

    a: int
    b: int
    size: int


class _Range(NamedTuple):
    """A part of both sequences, and the level of the longest run that it may contain."""

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int
    level: int


def matching_blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Return the blocks of `difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()`.

    The longest common block is taken (ties: first in `a`, then first in `b`), and then recursively the longest left and right
    of it (Ratcliff and Obershelp's pattern matching, as Python's difflib documents it). Adjacent blocks are joined; difflib's
    last block, of size 0, is left out.

    A match of at least k words is a match of runs of k words, shorter by k - 1, at the same positions. Long runs rarely
    repeat, while common words occur by the thousand; so the longest match is looked up among long runs first, and parts of a
    part without any are not searched for them again.
    """
    levels = _levels(a, tuple(b))
    matches: list[Match] = []
    waiting = [_Range(0, len(a), 0, len(b), 0)]
    while waiting:
        part = waiting.pop()
        if part.a_begin == part.a_end or part.b_begin == part.b_end:
            continue
        best = _longest(part, *levels[part.level])
        if best.size:
            matches.append(best)
            after_a, after_b = best.a + best.size, best.b + best.size
            waiting.append(_Range(part.a_begin, best.a, part.b_begin, best.b, part.level))
            waiting.append(_Range(after_a, part.a_end, after_b, part.b_end, part.level))
        elif part.level + 1 < len(levels):
            waiting.append(part._replace(level=part.level + 1))
    return _joined(sorted(matches))


def _levels(a: Sequence[Hashable], b: tuple[Hashable, ...]) -> list[Level]:
    """Return for each run length, down to 1: the length, the run at each position of `a`, the positions of each run in `b`.

    Runs are numbered; -1 is a run that `b` does not have.
    """
    words, positions, longer = _index(b)
    runs = [words.get(word, -1) for word in a]
    levels = [(1, runs, positions)]
    for (length, offsets), (numbers, positions) in zip(_RUNS, longer, strict=True):
        runs = [numbers.get(run, -1) for run in zip(*(runs[offset:] for offset in offsets), strict=False)]
        levels.append((length, runs, positions))
    return levels[::-1]


@lru_cache(maxsize=4)
def _index(b: tuple[Hashable, ...]) -> tuple[dict[Hashable, int], Positions, list[tuple[Numbers, Positions]]]:
    """Return the number of each word, the positions of each number, and both for longer runs.

    Many cleaners are compared with one gold text, whose index is kept.
    """
    words: dict[Hashable, int] = {}
    runs = [words.setdefault(word, len(words)) for word in b]
    first = _positions(runs)
    longer = []
    for _, offsets in _RUNS:
        numbers: Numbers = {}
        runs = [
            numbers.setdefault(run, len(numbers)) for run in zip(*(runs[offset:] for offset in offsets), strict=False)
        ]
        longer.append((numbers, _positions(runs)))
    return words, first, longer


def _positions(runs: list[int]) -> Positions:
    positions: Positions = {}
    for position, run in enumerate(runs):
        positions.setdefault(run, []).append(position)
    return positions


def _longest(part: _Range, length: int, runs: list[int], positions: Positions) -> Match:
    """Return the longest match of at least `length` words within the part; of size 0 if there is none."""
    best_a, best_b, best_size = part.a_begin, part.b_begin, 0
    b_begin, b_end = part.b_begin, part.b_end - length + 1
    sizes: dict[int, int] = {}
    for position in range(part.a_begin, part.a_end - length + 1):
        # By position in b: how many consecutive runs match up to it.
        grown: dict[int, int] = {}
        others = positions.get(runs[position])
        if others:
            for at in range(bisect_left(others, b_begin), len(others)):
                other = others[at]
                if other >= b_end:
                    break
                size = grown[other] = sizes.get(other - 1, 0) + 1
                if size > best_size:
                    best_a, best_b, best_size = position - size + 1, other - size + 1, size
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
