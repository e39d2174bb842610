"""Sweeps to explore: which cutoffs, and at which step each sentence comes in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.base.numbers import Ints
from thresher.cleaners.cleaner import DROP, Cleaner, Cut
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Scorer, Scores
from thresher.experiments.exploring.counts import Steps
from thresher.experiments.table import Variant
from thresher.indexes.pruning.treatments import Treatment
from thresher.scores.cutting import Layout, kept_by_floor, sentence_mask, shares_before
from thresher.scores.store import read_shard, shards, weighted_columns, weighted_scores

_MOST_HELD = 1 << 16
_AT_ONCE = 1 << 18


class ScoreSpread:
    """The scores of one scorer, each with its number of words: exact up to `_MOST_HELD` different scores.

    Beyond that, neighbours are merged into the highest of them, so that all hold about as many words: what is held are still
    scores that occur.
    """

    def __init__(self) -> None:
        self.values: Scores = np.zeros(0, dtype=np.float32)
        self.words: Ints = np.zeros(0, dtype=np.int64)
        self._waiting: list[tuple[Scores, Ints]] = []
        self._size = 0

    def add(self, scores: Scores, words: Ints) -> None:
        """Add scores; those that are not finite are left out."""
        finite = np.isfinite(scores)
        self._waiting.append((scores[finite], words[finite]))
        self._size += len(scores)
        if self._size > _AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Bring `values`, ascending, and `words` up to date."""
        scores = np.concatenate([self.values, *(scores for scores, _ in self._waiting)])
        words = np.concatenate([self.words, *(words for _, words in self._waiting)])
        self._waiting, self._size = [], 0
        self.values, inverse = np.unique(scores, return_inverse=True)
        self.words = np.bincount(inverse, weights=words, minlength=len(self.values)).astype(np.int64)
        if len(self.values) > _MOST_HELD:
            reached = np.cumsum(self.words + 1)
            last = np.unique(np.searchsorted(reached, np.linspace(0, reached[-1], _MOST_HELD // 2 + 1)[1:]))
            self.values = self.values[last]
            self.words = np.diff(np.cumsum(self.words)[last], prepend=0)


def spread_cutoffs(folder: Path, templates: Sequence[Cut], points: int) -> dict[Cut, tuple[float, ...]]:
    """Return cutoffs for each template: by scores that occur in a store, which is read once for all, or even steps of quotas.

    Args:
        folder: the score store.
        templates: cuts without a cutoff, of scorers that do not decide.
        points: with at most this many distinct scores all are used; otherwise at least this many, half of them evenly spread
            over the words, half over the distinct scores. Quotas are this many even steps, the last of 100 %.

    Returns:
        cutoffs within the scorer's range, ascending, each with the fewest digits that keep its score, and lie within a
        quarter of the way to the next one.
    """
    scorers = {template.scorer.canonical_name: template.scorer for template in templates if not template.quota}
    spreads = {name: ScoreSpread() for name in scorers}
    columns = sorted({column for scorer in scorers.values() for column in weighted_columns(scorer)})
    for path in shards(folder) if scorers else ():
        table = read_shard(path, columns)
        if len(table):
            for name, scorer in scorers.items():
                spreads[name].add(*weighted_scores(table, scorer))
    cutoffs = {}
    for name, spread in spreads.items():
        spread.settle()
        scorer = scorers[name]
        low = -np.inf if scorer.low is None else scorer.low
        high = np.inf if scorer.high is None else scorer.high
        inside = (spread.values >= low) & (spread.values <= high)
        values = [float(str(value)) for value in evenly(spread.values[inside], spread.words[inside], points)]
        cutoffs[name] = tuple(_shortened(values, scorer))
    quotas = tuple(100 * step / points for step in range(1, points + 1))
    return {template: quotas if template.quota else cutoffs[template.scorer.canonical_name] for template in templates}


def _shortened(values: Sequence[float], scorer: Scorer) -> Iterator[float]:
    """Yield ascending cutoffs with the digits that matter: where all scores are cutoffs, each keeps what it kept.

    Whole numbers stay as they are.
    """
    side, rounding = (-1, ROUND_FLOOR) if scorer.keep == KEEP_HIGH else (1, ROUND_CEILING)
    low, high = -math.inf if scorer.low is None else scorer.low, math.inf if scorer.high is None else scorer.high
    for place, value in enumerate(values):
        # The one at the end has no neighbour on that side.
        neighbour = next((at for at in (place + side, place - side) if 0 <= at < len(values)), place)
        room, exact = abs(values[neighbour] - value) / 4, Decimal(repr(value))
        shorter = (
            float(exact.quantize(Decimal((0, (1,), exponent)), rounding)) for exponent in _EXPONENTS if value % 1
        )
        yield next((one + 0.0 for one in shorter if abs(one - value) < room and low <= one <= high), value)


_EXPONENTS = range(9, -10, -1)


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


MOST_CLEANERS = 2**16 - 2
"""In a sweep; one more value stands for none of them."""

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class NestedSweep:
    """Cleaners, the strictest first, each of which keeps all that those before it keep.

    Either the cutoffs of one scorer (one cut each, with the same options of the cut; all quotas or none), or a single cleaner.

    Args:
        name: of the scorer with its options, `@doc` behind it if cutoffs are quotas, or of the single cleaner.
        cleaners: at least one.
        has_cutoffs: whether it is a scorer's.
    """

    name: str
    cleaners: tuple[Cleaner, ...]
    has_cutoffs: bool = False

    @property
    def cutoffs(self) -> tuple[float, ...] | None:
        """The cutoffs, the strictest first; None for a single cleaner."""
        return tuple(cleaner.cuts[0].threshold for cleaner in self.cleaners) if self.has_cutoffs else None

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The cleaners as variants of the sweep; a single cleaner is of none."""
        if not self.has_cutoffs:
            return (Variant(Treatment(self.cleaners[0])),)
        return tuple(Variant(Treatment(cleaner), self.name, cleaner.cuts[0].threshold) for cleaner in self.cleaners)

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that its cleaners need; cutoffs need the same."""
        return tuple(self.cleaners[0].scorers)

    def steps(self, scores: Mapping[str, Scores], layout: Layout) -> Steps:
        """Return the step of each sentence.

        A sentence comes in at the strictest cutoff that keeps it, and stays. Kept headings and what the floor holds do not
        depend on the cutoff (see `thresher.scores.cutting`), so they come in at the first; dropped headings never do.
        `scores` are by each scorer's canonical name, one per block or sentence.
        """
        if not self.has_cutoffs:
            return np.where(sentence_mask(self.cleaners[0], scores, layout), 0, 1).astype(np.uint16)
        cut = self.cleaners[0].cuts[0]
        of_cut = scores[cut.scorer.canonical_name]
        alone = np.ones(len(layout.blocks), dtype=np.bool_)
        if cut.quota:
            shares = shares_before(cut, of_cut, layout, alone)
            steps = np.searchsorted(self.cutoffs or (), shares, side="right").astype(np.uint16)
        else:
            steps = self._steps_of_numbers(cut, of_cut)
            if cut.scorer.segment == BLOCK:
                steps = steps[layout.blocks]
        steps[layout.always_kept(cut)[layout.blocks]] = 0
        if cut.headings == DROP:
            steps[layout.headings[layout.blocks]] = len(self.cleaners)
        if cut.floor:
            steps[kept_by_floor(cut, of_cut, layout, alone)] = 0
        return steps

    def _steps_of_numbers(self, cut: Cut, scores: Scores) -> Steps:
        sign = np.float32(-1 if cut.scorer.keep == KEEP_HIGH else 1)
        # As `thresher.scores.cutting.passes` compares: in single precision, and with no infinite cutoff.
        cutoffs = np.clip(self.cutoffs or (), -_LARGEST, _LARGEST).astype(np.float32)
        # NaN sorts above all cutoffs: such a segment is never kept.
        return np.searchsorted(sign * cutoffs, sign * scores).astype(np.uint16)


def nested_sweeps(sweeps: Mapping[Cut, Sequence[float]], cleaners: Iterable[Cleaner]) -> tuple[NestedSweep, ...]:
    """Return a sweep for each template, joined by the cleaners that belong to it, and one for each other cleaner.

    `sweeps` has cutoffs by template (a cut without a cutoff); `cleaners` have numbers for percentiles.
    """
    cutoffs = {template.name: set(values) for template, values in sweeps.items()}
    single: dict[str, NestedSweep] = {}
    for cleaner in cleaners:
        template = template_of(cleaner)
        if template is not None and template.name in cutoffs:
            cutoffs[template.name].add(cleaner.cuts[0].threshold)
        else:
            single[cleaner.name] = NestedSweep(cleaner.name, (cleaner,))
    for name, values in cutoffs.items():
        if len(values) > MOST_CLEANERS:
            raise ConfigError(f"a sweep of {len(values)} cutoffs is too long", f"explore {MOST_CLEANERS} at most", name)
    swept = []
    for template in sweeps:
        strictest_first = sorted(cutoffs[template.name], reverse=template.higher_is_stricter)
        every = tuple(Cleaner((replace(template, cutoff=cutoff),)) for cutoff in strictest_first)
        # A scorer without a finite score has no cutoffs.
        swept += [NestedSweep(template.name, every, has_cutoffs=True)] if every else []
    return (*single.values(), *swept)


def scorers_of(every: Iterable[NestedSweep]) -> tuple[Scorer, ...]:
    """Return the scorers that sweeps need, each once."""
    return tuple({scorer.canonical_name: scorer for sweep in every for scorer in sweep.scorers}.values())


def template_of(cleaner: Cleaner) -> Cut | None:
    """Return the only cut of a cleaner, without its cutoff; None for other cleaners, and for those that decide by rules."""
    if len(cleaner.cuts) != 1 or cleaner.cuts[0].scorer.decides:
        return None
    return replace(cleaner.cuts[0], cutoff=None, percentile=None)
