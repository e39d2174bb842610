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

_FIRST_STEP = 0
_LARGEST = float(np.finfo(np.float32).max)


class _ScoredWords(NamedTuple):
    """Scores, and the number of words with each."""

    scores: Scores
    words: Ints


class ScoreSpread:
    """The scores of one scorer, each with its number of words: exact up to `_MOST_SCORES` different scores.

    Beyond this number, neighbouring scores are merged into the highest of them, so that all have about equally many
    words. All remaining scores occur in the store.
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
        merged = self._merged()
        if len(merged.scores) > _MOST_SCORES:
            merged = _thinned(merged)
        self.values = merged.scores
        self.words = merged.words
        self._waiting = []
        self._size = 0

    def _merged(self) -> _ScoredWords:
        """Return the distinct scores so far, waiting ones included, ascending, with the words of each."""
        scores = [self.values]
        words = [self.words]
        for waiting in self._waiting:
            scores.append(waiting.scores)
            words.append(waiting.words)
        distinct_scores, index_of_score = np.unique(np.concatenate(scores), return_inverse=True)
        word_counts = np.bincount(index_of_score, weights=np.concatenate(words), minlength=len(distinct_scores))
        return _ScoredWords(distinct_scores, word_counts.astype(np.int64))


def _thinned(spread: _ScoredWords) -> _ScoredWords:
    """Merge neighbouring scores into the highest of them: at most half of `_MOST_SCORES` scores remain."""
    # One more for each score, so that scores without words count too.
    words_and_scores = np.cumsum(spread.words + 1)
    equal_shares = np.linspace(0, words_and_scores[-1], _MOST_SCORES // 2 + 1)[1:]
    highest = np.unique(np.searchsorted(words_and_scores, equal_shares))
    words = np.diff(np.cumsum(spread.words)[highest], prepend=0)
    return _ScoredWords(spread.scores[highest], words)


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
        in_range = (spread.values >= limits.low) & (spread.values <= limits.high)
        scores = spread_evenly(spread.values[in_range], spread.words[in_range], points)
        cutoffs[name] = _shortened([float(str(score)) for score in scores], scorer)
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
    rounds_up = scorer.keep != KEEP_HIGH
    rounding = ROUND_CEILING if rounds_up else ROUND_FLOOR
    limits = _limits(scorer)
    cutoffs: list[float] = []
    for index, value in enumerate(values):
        most_change = _distance_to_neighbour(values, index, rounds_up) / 4
        cutoffs.append(_rounded(value, most_change, rounding, limits))
    return tuple(cutoffs)


def _distance_to_neighbour(values: Sequence[float], index: int, above: bool) -> float:
    """Return the distance of a value to its neighbour above or below; `values` ascend.

    The value at an end may only have the neighbour on the other side. The distance of a single value is 0.
    """
    if len(values) == 1:
        return 0.0
    step = 1 if above else -1
    neighbour = index + step
    if not 0 <= neighbour < len(values):
        neighbour = index - step
    return abs(values[neighbour] - values[index])


def _rounded(value: float, most_change: float, rounding: str, limits: _Limits) -> float:
    """Return the number with the fewest digits that is within `limits` and less than `most_change` away.

    A whole number stays as it is.
    """
    if value % 1 == 0:
        return value
    exact = Decimal(repr(value))
    for exponent in _EXPONENTS:
        rounded = float(exact.quantize(Decimal((0, (1,), exponent)), rounding))
        if abs(rounded - value) < most_change and limits.low <= rounded <= limits.high:
            # The sum is never -0.0.
            return rounded + 0.0
    return value


def spread_evenly(values: Scores, words: Ints, points: int) -> Scores:
    """Return all values, or at least `points` of them: half evenly spread over the words, half over the values."""
    if len(values) <= points:
        return values
    last = len(values) - 1
    words_up_to = np.cumsum(words)
    intervals = points // 2
    indices: Ints = np.zeros(0, dtype=np.int64)
    # Many words may have the same score, so both spreads may name an index more than once. The intervals become more until
    # there are enough indices.
    while len(indices) < points:
        over_values = np.linspace(0, last, intervals + 1).astype(np.int64)
        over_words = np.searchsorted(words_up_to, np.linspace(0, words_up_to[-1], intervals + 1))
        indices = np.unique(np.concatenate([over_values, np.minimum(over_words, last)]))
        intervals += max(1, (points - len(indices)) // 2)
    return values[indices]


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
        return self._thresholds if self.has_cutoffs else None

    @property
    def _thresholds(self) -> tuple[float, ...]:
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
        steps = self._steps_by_cutoff(cut, cut_scores, layout)
        # As in a cut, kept text overrides the cutoff, dropped headings override kept text, and the floor overrides both.
        steps[layout.always_kept(cut)[layout.blocks]] = _FIRST_STEP
        if cut.headings == DROP:
            no_step = len(self.cleaners)
            steps[layout.headings[layout.blocks]] = no_step
        if cut.floor:
            steps[kept_by_floor(cut, cut_scores, layout, _all_sentences(layout))] = _FIRST_STEP
        return layout.shared(steps, np.uint16(_FIRST_STEP))

    def _steps_by_cutoff(self, cut: Cut, scores: Scores, layout: Layout) -> Steps:
        """Return the step of each sentence by its score alone."""
        if cut.quota:
            shares = shares_before(cut, scores, layout, _all_sentences(layout))
            return np.searchsorted(self._thresholds, shares, side="right").astype(np.uint16)
        steps = self._steps_of_scores(cut, scores)
        if cut.scorer.segment == BLOCK:
            return steps[layout.blocks]
        return steps

    def _steps_of_scores(self, cut: Cut, scores: Scores) -> Steps:
        sign = np.float32(-1 if cut.scorer.keep == KEEP_HIGH else 1)
        # As `thresher.scores.cutting.passes` compares: in single precision, and with no infinite cutoff.
        cutoffs = np.clip(self._thresholds, -_LARGEST, _LARGEST).astype(np.float32)
        # NaN sorts above all cutoffs: a segment with this score is never kept.
        return np.searchsorted(sign * cutoffs, sign * scores).astype(np.uint16)


def _all_sentences(layout: Layout) -> npt.NDArray[np.bool_]:
    return np.ones(len(layout.blocks), dtype=np.bool_)


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
