"""Resolving percentile cutoffs by the scores of a collection or a model's card: see `thresher.cleaners.relative_cutoffs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.defaults import REFERENCE
from thresher.base.errors import InputError
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import Cleaner, Cut
from thresher.cleaners.relative_cutoffs import reference_cutoff
from thresher.cleaners.scorer import Scorer, Scores
from thresher.scores import store as stores

Parts = Callable[[], Iterable[stores.WeightedScores]]
"""Returns an iterator over chunks of scores and their weights; may be called repeatedly."""

_HALF_BITS = 16
_HALF = 2**_HALF_BITS
_SIGN = np.uint32(2**31)


def resolved(folder: Path, cleaner: Cleaner) -> Cleaner:
    """Return the cleaner with all percentile cutoffs resolved to numbers by the score store `folder`; names do not change.

    Percentiles of the collection are over all pages that did not fail, before any other cut of the cleaner.
    """
    return resolve_all(folder, [cleaner])[0]


def resolve_all(folder: Path, cleaners: Sequence[Cleaner]) -> tuple[Cleaner, ...]:
    """Return cleaners as `resolved` does; the scores of each scorer are read only twice for all of them."""
    scorers: dict[str, Scorer] = {}
    percentiles: dict[str, set[float]] = {}
    for cleaner in cleaners:
        for cut in cleaner.cuts:
            if cut.percentile is not None and cut.cutoff is None and cut.percentile.kind != REFERENCE:
                name = cut.scorer.canonical_name
                scorers.setdefault(name, cut.scorer)
                percentiles.setdefault(name, set()).add(cut.percentile.value)
    cutoffs: dict[str, dict[float, float]] = {}
    for name, values in percentiles.items():
        cutoffs[name] = _cutoffs(folder, scorers[name], sorted(values))
    resolved_cleaners: list[Cleaner] = []
    for cleaner in cleaners:
        cuts = [_resolved(cut, cutoffs) for cut in cleaner.cuts]
        resolved_cleaners.append(Cleaner(tuple(cuts)))
    return tuple(resolved_cleaners)


def _cutoffs(folder: Path, scorer: Scorer, percentiles: Sequence[float]) -> dict[float, float]:
    """Return the finite cutoff of each percentile of a scorer's scores in a store."""
    cutoffs = weighted_percentiles(partial(score_parts, folder, scorer), percentiles)
    if not all(isfinite(cutoff) for cutoff in cutoffs):
        finite = _finite_range(score_parts(folder, scorer), scorer.canonical_name)
        cutoffs = np.clip(cutoffs, finite.lowest, finite.highest).tolist()
    return dict(zip(percentiles, cutoffs, strict=True))


def resolved_without_collection(cleaner: Cleaner) -> Cleaner:
    """Return a cleaner for a single page: percentiles of a reference text become numbers."""
    cuts: list[Cut] = []
    for cut in cleaner.cuts:
        if cut.percentile and cut.percentile.kind == REFERENCE:
            cut = _resolved(cut, {})
        # A percentile of a collection has no threshold yet, which raises an error.
        _ = cut.threshold
        cuts.append(cut)
    return Cleaner(tuple(cuts))


def score_parts(folder: Path, scorer: Scorer) -> Iterator[stores.WeightedScores]:
    """Yield, shard by shard, the scores of a store's segments by a scorer, and the words of each segment."""
    for path in stores.shards(stores.text_store(folder, scorer.input_name)):
        table = stores.read_shard(path, stores.weighted_columns(scorer))
        if len(table):
            yield stores.weighted_scores(table, scorer)


def weighted_percentiles(parts: Parts, percentiles: Sequence[float]) -> list[float]:
    """Return, for each percentile p, the smallest score s so that scores <= s have at least p % of all weight.

    Exact, with half a megabyte per percentile: the bits of 32-bit floats sort as integers, so the upper halves are
    counted first, then the lower halves of scores that share a percentile's upper half. `parts` is called twice;
    weights are whole numbers >= 0, percentiles within (0, 100). The scores are the shortest decimals that round to the
    same 32-bit float.
    """
    upper = np.zeros(_HALF, dtype=np.int64)
    for scores, weights in parts():
        upper += _count(_ordered(scores) >> _HALF_BITS, weights)
    reached = np.cumsum(upper)
    total = int(reached[-1])
    if not total:
        raise InputError("the collection has no words to take a percentile of", "give a number as the cutoff")
    # Exact fractions: 70 % of ten must be seven.
    ranks: list[int] = []
    halves: list[int] = []
    lower: dict[int, Ints] = {}
    for percentile in percentiles:
        rank = ceil(Fraction(repr(float(percentile))) * total / 100)
        half = int(np.searchsorted(reached, rank))
        ranks.append(rank)
        halves.append(half)
        lower[half] = np.zeros(_HALF, dtype=np.int64)
    for scores, weights in parts():
        ordered = _ordered(scores)
        for half in lower:
            is_in_half = ordered >> _HALF_BITS == half
            lower[half] += _count(ordered[is_in_half] & (_HALF - 1), weights[is_in_half])
    values = []
    for rank, half in zip(ranks, halves, strict=True):
        rest = int(np.searchsorted(np.cumsum(lower[half]), rank - int(reached[half] - upper[half])))
        values.append(float(str(_score((half << _HALF_BITS) + rest))))
    return values


def _resolved(cut: Cut, cutoffs: Mapping[str, Mapping[float, float]]) -> Cut:
    if cut.percentile is None or cut.cutoff is not None:
        return cut
    if cut.percentile.kind == REFERENCE:
        return replace(cut, cutoff=reference_cutoff(cut.scorer, cut.percentile, cut.name))
    return replace(cut, cutoff=cutoffs[cut.scorer.canonical_name][cut.percentile.value])


class _FiniteRange(NamedTuple):
    lowest: float
    highest: float


def _finite_range(parts: Iterable[stores.WeightedScores], scorer: str) -> _FiniteRange:
    """Return the lowest and highest finite score; as cutoffs they keep the same segments as infinite cutoffs."""
    lowest: list[float] = []
    highest: list[float] = []
    for scores, _ in parts:
        finite = scores[np.isfinite(scores)]
        if finite.size:
            lowest.append(float(str(finite.min())))
            highest.append(float(str(finite.max())))
    if not lowest:
        raise InputError(f"no segment has a finite score by {scorer}", "give a number as the cutoff", scorer)
    return _FiniteRange(min(lowest), max(highest))


def _ordered(scores: Scores) -> npt.NDArray[np.uint32]:
    """Return whole numbers in the order of the scores; a negative float's bits run backwards."""
    bits = (scores + np.float32(0)).view(np.uint32)  # adding 0 turns -0 into 0
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _score(ordered: int) -> np.float32:
    bits = np.uint32(ordered)
    if bits & _SIGN:
        return (bits ^ _SIGN).view(np.float32)
    return (~bits).view(np.float32)


def _count(indices: npt.NDArray[Any], weights: Ints) -> Ints:
    # Sums of floats are exact up to 2^53.
    return np.bincount(indices, weights=weights, minlength=_HALF).astype(np.int64)
