"""Sweeps to explore: their cutoffs, and the step at which each sentence comes in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import DROP, Cleaner, Cut
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Scorer, Scores
from thresher.experiments.exploring.counts import Steps
from thresher.experiments.table import Variant
from thresher.indexes.pruning.treatments import Treatment, full_name
from thresher.scores.cutting import Layout, kept_by_floor, sentence_mask, shares_before
from thresher.scores.store import read_shard, shards, weighted_columns, weighted_scores
from thresher.scores.weighting import Weights

MOST_CLEANERS = 2**16 - 2
"""The most cleaners of a sweep; one more value stands for no cleaner."""

_MOST_SCORES = 1 << 16
"""Different scores of a scorer that are remembered."""

_AT_ONCE = 1 << 18
"""Scores that are added up together."""

_EXPONENTS = range(9, -10, -1)
"""The powers of ten for rounding cutoffs, the coarsest first."""

_LARGEST = float(np.finfo(np.float32).max)


class _ScoredWords(NamedTuple):
    """Scores, and the number of words with each."""

    scores: Scores
    words: Ints


class ScoreSpread:
    """The scores of one scorer, each with its number of words: exact up to `_MOST_SCORES` different scores.

    Beyond this number, neighbouring scores are merged into the highest of them, so that all have about equally many
    words. Every remaining score is a score of the store.
    """

    def __init__(self) -> None:
        self.values: Scores = np.zeros(0, dtype=np.float32)
        self.words: Ints = np.zeros(0, dtype=np.int64)
        self._waiting: list[_ScoredWords] = []
        self._size = 0

    def add(self, scores: Scores, words: Ints) -> None:
        """Add scores; scores that are not finite are left out."""
        finite = np.isfinite(scores)
        self._waiting.append(_ScoredWords(scores[finite], words[finite]))
        self._size += len(scores)
        if self._size > _AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Bring `values`, ascending, and `words` up to date."""
        scores = [self.values]
        words = [self.words]
        for waiting in self._waiting:
            scores.append(waiting.scores)
            words.append(waiting.words)
        self._waiting = []
        self._size = 0
        self.values, inverse = np.unique(np.concatenate(scores), return_inverse=True)
        word_counts = np.bincount(inverse, weights=np.concatenate(words), minlength=len(self.values))
        self.words = word_counts.astype(np.int64)
        if len(self.values) > _MOST_SCORES:
            reached = np.cumsum(self.words + 1)
            last = np.unique(np.searchsorted(reached, np.linspace(0, reached[-1], _MOST_SCORES // 2 + 1)[1:]))
            self.values = self.values[last]
            self.words = np.diff(np.cumsum(self.words)[last], prepend=0)


def spread_cutoffs(folder: Path, templates: Sequence[Cut], points: int) -> dict[Cut, tuple[float, ...]]:
    """Return cutoffs for each template: scores that occur in a store, which is read once for all, or even steps of quotas.

    Args:
        folder: the score store.
        templates: cuts without a cutoff, of scorers that do not decide by rules.
        points: the fewest cutoffs. If there are no more distinct scores, all of them are cutoffs. Otherwise half of the
            cutoffs are evenly spread over the words and half over the distinct scores. Quotas have `points` even steps, the
            last of 100 %.

    Returns:
        by template, cutoffs within the scorer's range, ascending. Each cutoff has as few digits as possible: it keeps the
        same segments as the score, and is less than a quarter of the way to the next score.
    """
    scorers: dict[str, Scorer] = {}
    for template in templates:
        if not template.quota:
            scorers[template.scorer.canonical_name] = template.scorer
    cutoffs: dict[str, tuple[float, ...]] = {}
    for name, spread in _score_spreads(folder, scorers).items():
        scorer = scorers[name]
        limits = _limits(scorer)
        inside = (spread.values >= limits.low) & (spread.values <= limits.high)
        chosen = evenly(spread.values[inside], spread.words[inside], points)
        cutoffs[name] = _shortened([float(str(value)) for value in chosen], scorer)
    quotas = tuple(100 * step / points for step in range(1, points + 1))
    cutoffs_of_template: dict[Cut, tuple[float, ...]] = {}
    for template in templates:
        if template.quota:
            cutoffs_of_template[template] = quotas
        else:
            cutoffs_of_template[template] = cutoffs[template.scorer.canonical_name]
    return cutoffs_of_template


def _score_spreads(folder: Path, scorers: Mapping[str, Scorer]) -> dict[str, ScoreSpread]:
    """Return the scores of each scorer in a store, by the scorer's name; the store is read once for all scorers."""
    spreads = {name: ScoreSpread() for name in scorers}
    if not scorers:
        return spreads
    columns: set[str] = set()
    for scorer in scorers.values():
        columns.update(weighted_columns(scorer))
    for path in shards(folder):
        table = read_shard(path, sorted(columns))
        if len(table):
            for name, scorer in scorers.items():
                spreads[name].add(*weighted_scores(table, scorer))
    for spread in spreads.values():
        spread.settle()
    return spreads


@dataclass(frozen=True)
class _Limits:
    """The lowest and the highest score of a scorer, both infinite without a limit."""

    low: float
    high: float


def _limits(scorer: Scorer) -> _Limits:
    low = -math.inf
    high = math.inf
    if scorer.low is not None:
        low = scorer.low
    if scorer.high is not None:
        high = scorer.high
    return _Limits(low, high)


def _shortened(values: Sequence[float], scorer: Scorer) -> tuple[float, ...]:
    """Return ascending cutoffs with as few digits as possible: each keeps the segments that it kept."""
    side = 1
    rounding = ROUND_CEILING
    if scorer.keep == KEEP_HIGH:
        side = -1
        rounding = ROUND_FLOOR
    limits = _limits(scorer)
    cutoffs: list[float] = []
    for place, value in enumerate(values):
        neighbour = place + side
        if not 0 <= neighbour < len(values):
            # The cutoff at the end has a neighbour on the other side alone, a single cutoff has none.
            neighbour = place - side if len(values) > 1 else place
        room = abs(values[neighbour] - value) / 4
        cutoffs.append(_rounded(value, room, rounding, limits))
    return tuple(cutoffs)


def _rounded(value: float, room: float, rounding: str, limits: _Limits) -> float:
    """Return the number with the fewest digits within `limits` and less than `room` away; a whole number stays as it is."""
    if value % 1 == 0:
        return value
    exact = Decimal(repr(value))
    for exponent in _EXPONENTS:
        rounded = float(exact.quantize(Decimal((0, (1,), exponent)), rounding))
        if abs(rounded - value) < room and limits.low <= rounded <= limits.high:
            # The sum is never -0.0.
            return rounded + 0.0
    return value


def evenly(values: Scores, words: Ints, points: int) -> Scores:
    """Return all values, or at least `points` of them: half evenly spread over the words, half over the values."""
    chosen: npt.NDArray[np.int64] = np.arange(len(values))
    if len(values) > points:
        reached = np.cumsum(words)
        intervals = points // 2
        chosen = np.zeros(0, dtype=np.int64)
        while len(chosen) < points:
            ranks = np.linspace(0, len(values) - 1, intervals + 1).astype(np.int64)
            shares = np.searchsorted(reached, np.linspace(0, reached[-1], intervals + 1))
            chosen = np.unique(np.concatenate([ranks, np.minimum(shares, len(values) - 1)]))
            # Many words may share few scores.
            intervals += max(1, (points - len(chosen)) // 2)
    return values[chosen]


@dataclass(frozen=True)
class NestedSweep:
    """Cleaners, the strictest first; each cleaner keeps all text that the cleaners before it keep.

    Either the cutoffs of one scorer (one cut each, with the same options of the cut; all quotas or none), or a single cleaner.

    Args:
        name: the name of the scorer with its options, followed by `@doc` if cutoffs are quotas; or the name of the single
            cleaner. The weights are no part of it.
        cleaners: at least one cleaner.
        has_cutoffs: whether the cleaners are cutoffs of one scorer.
        weights: the weights of parts of pages, if there are any.
    """

    name: str
    cleaners: tuple[Cleaner, ...]
    has_cutoffs: bool = False
    weights: Weights | None = None

    @property
    def cutoffs(self) -> tuple[float, ...] | None:
        """The cutoffs, the strictest first; None for a single cleaner."""
        if not self.has_cutoffs:
            return None
        return tuple(cleaner.cuts[0].threshold for cleaner in self.cleaners)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The cleaners as variants of the sweep; a single cleaner belongs to no sweep."""
        if not self.has_cutoffs:
            return (Variant(Treatment(self.cleaners[0], self.weights)),)
        name = full_name(self.name, self.weights, None)
        variants: list[Variant] = []
        for cleaner in self.cleaners:
            variants.append(Variant(Treatment(cleaner, self.weights), name, cleaner.cuts[0].threshold))
        return tuple(variants)

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers of its cleaners; all cutoffs have the same scorer."""
        return tuple(self.cleaners[0].scorers)

    def steps(self, scores: Mapping[str, Scores], layout: Layout) -> Steps:
        """Return the step of each sentence.

        A sentence comes in at the strictest cutoff that keeps it, and stays. Kept headings and the text that the floor keeps
        do not depend on the cutoff (see `thresher.scores.cutting`): they come in at the first step. Dropped headings never do.
        `scores` are by each scorer's canonical name, one per block or sentence.
        """
        if not self.has_cutoffs:
            return np.where(sentence_mask(self.cleaners[0], scores, layout), 0, 1).astype(np.uint16)
        cut = self.cleaners[0].cuts[0]
        cut_scores = scores[cut.scorer.canonical_name]
        all_sentences = np.ones(len(layout.blocks), dtype=np.bool_)
        if cut.quota:
            shares = shares_before(cut, cut_scores, layout, all_sentences)
            steps = np.searchsorted(self.cutoffs or (), shares, side="right").astype(np.uint16)
        else:
            steps = self._steps_of_numbers(cut, cut_scores)
            if cut.scorer.segment == BLOCK:
                steps = steps[layout.blocks]
        steps[layout.always_kept(cut)[layout.blocks]] = 0
        if cut.headings == DROP:
            steps[layout.headings[layout.blocks]] = len(self.cleaners)
        if cut.floor:
            steps[kept_by_floor(cut, cut_scores, layout, all_sentences)] = 0
        return layout.shared(steps, np.uint16(0))

    def _steps_of_numbers(self, cut: Cut, scores: Scores) -> Steps:
        sign = np.float32(-1 if cut.scorer.keep == KEEP_HIGH else 1)
        # As `thresher.scores.cutting.passes` compares: in single precision, and with no infinite cutoff.
        cutoffs = np.clip(self.cutoffs or (), -_LARGEST, _LARGEST).astype(np.float32)
        # NaN sorts above all cutoffs: a segment with this score is never kept.
        return np.searchsorted(sign * cutoffs, sign * scores).astype(np.uint16)


def nested_sweeps(
    cutoffs_of_template: Mapping[Cut, Sequence[float]], cleaners: Iterable[Cleaner], weights: Weights | None = None
) -> tuple[NestedSweep, ...]:
    """Return a sweep for each template, joined by the cleaners that belong to it, and one for each other cleaner.

    A template is a cut without a cutoff. `cleaners` have numbers for percentiles. All sweeps have the same weights, or none.
    """
    cutoffs: dict[str, set[float]] = {}
    for cut, cutoffs_of_cut in cutoffs_of_template.items():
        cutoffs[cut.name] = set(cutoffs_of_cut)
    single: dict[str, NestedSweep] = {}
    for cleaner in cleaners:
        template = template_of(cleaner)
        if template is not None and template.name in cutoffs:
            cutoffs[template.name].add(cleaner.cuts[0].threshold)
        else:
            single[cleaner.name] = NestedSweep(cleaner.name, (cleaner,), weights=weights)
    for name, values in cutoffs.items():
        if len(values) > MOST_CLEANERS:
            raise ConfigError(f"a sweep of {len(values)} cutoffs is too long", f"explore {MOST_CLEANERS} at most", name)
    nested = list(single.values())
    for template in cutoffs_of_template:
        strictest_first = sorted(cutoffs[template.name], reverse=template.higher_is_stricter)
        cleaners_of_template: list[Cleaner] = []
        for cutoff in strictest_first:
            cleaners_of_template.append(Cleaner((replace(template, cutoff=cutoff),)))
        # A scorer without a finite score has no cutoffs.
        if cleaners_of_template:
            sweep = NestedSweep(template.name, tuple(cleaners_of_template), has_cutoffs=True, weights=weights)
            nested.append(sweep)
    return tuple(nested)


def scorers_of(sweeps: Iterable[NestedSweep]) -> tuple[Scorer, ...]:
    """Return the scorers that sweeps need, each once."""
    by_name: dict[str, Scorer] = {}
    for sweep in sweeps:
        for scorer in sweep.scorers:
            by_name[scorer.canonical_name] = scorer
    return tuple(by_name.values())


def template_of(cleaner: Cleaner) -> Cut | None:
    """Return the only cut of a cleaner, without its cutoff; None for other cleaners, and for scorers that decide by rules."""
    if len(cleaner.cuts) != 1 or cleaner.cuts[0].scorer.decides:
        return None
    return replace(cleaner.cuts[0], cutoff=None, percentile=None)
