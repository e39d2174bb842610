"""Cleaners of which each keeps what the ones before it keep: the cutoffs of one scorer, or a single cleaner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.errors import ConfigError
from thresher.pages.plain import Ints
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scorer, Scores
from thresher.scorers.cleaners import Cleaner, Cut
from thresher.scoring.cutting import Mask, sentence_mask

Steps = npt.NDArray[np.uint16]
"""For each sentence, the number of the first of a family's cleaners that keeps it; their count if none does."""

MOST_CLEANERS = 2**16 - 2
"""In a family; one number more stands for none of them."""

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Family:
    """Cleaners, the strictest first; `name` is that of the scorer, or of the only cleaner.

    The cleaners of a sweep have one cut each, with the same scorer and headings kept or not.
    """

    name: str
    cleaners: tuple[Cleaner, ...]
    is_sweep: bool = False

    @property
    def cutoffs(self) -> tuple[float, ...] | None:
        """The cutoffs of a sweep, the strictest first; None for a single cleaner."""
        return tuple(cleaner.cuts[0].threshold for cleaner in self.cleaners) if self.is_sweep else None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that its cleaners need; those of a sweep have one in common."""
        different = self.cleaners[:1] if self.is_sweep else self.cleaners
        return tuple(scorer for cleaner in different for scorer in cleaner.scorers)

    def steps(self, scores: Mapping[str, Scores], block_of_sentence: Ints, heading: Mask) -> Steps:
        """Return the step of each sentence.

        Args:
            scores: by each scorer's canonical name, one score a block or sentence.
            block_of_sentence: for each sentence, the index of its block.
            heading: for each block, whether it is the title or a heading.
        """
        if not self.is_sweep:
            mask = sentence_mask(self.cleaners[0], dict(scores), block_of_sentence, heading)
            return np.where(mask, 0, 1).astype(np.uint16)
        cut = self.cleaners[0].cuts[0]
        sign = np.float32(-1 if cut.scorer.keep == KEEP_HIGH else 1)
        # As `thresher.scoring.cutting.passes` compares: in single precision, and with no infinite cutoff.
        cutoffs = np.clip(self.cutoffs or (), -_LARGEST, _LARGEST).astype(np.float32)
        # A score that is no number is above all cutoffs for searchsorted: such a segment is never kept.
        found = np.searchsorted(sign * cutoffs, sign * scores[cut.scorer.canonical_name])
        steps = found.astype(np.uint16)
        if cut.scorer.segment == BLOCK:
            steps = steps[block_of_sentence]
        if cut.keep_headings:
            steps[heading[block_of_sentence]] = 0
        return steps


def families(sweeps: Mapping[Cut, Sequence[float]], cleaners: Iterable[Cleaner]) -> tuple[Family, ...]:
    """Return a family for each sweep, with the cleaners that belong to it, and one for each cleaner that is left.

    Args:
        sweeps: cutoffs by template (a cut without a cutoff).
        cleaners: resolved.

    Raises:
        ConfigError: if a sweep has more than `MOST_CLEANERS` cutoffs.
    """
    cutoffs = {template.name: set(values) for template, values in sweeps.items()}
    single: dict[str, Family] = {}
    for cleaner in cleaners:
        name = _sweep_of(cleaner)
        if name in cutoffs:
            cutoffs[name].add(cleaner.cuts[0].threshold)
        else:
            single[cleaner.name] = Family(cleaner.name, (cleaner,))
    for name, values in cutoffs.items():
        if len(values) > MOST_CLEANERS:
            raise ConfigError(f"a sweep of {len(values)} cutoffs is too long", f"explore {MOST_CLEANERS} at most", name)
    # A scorer that gives no finite score has no cutoffs.
    found = [_sweep(template, cutoffs[template.name]) for template in sweeps if cutoffs[template.name]]
    return (*single.values(), *found)


def scorers_of(every: Iterable[Family]) -> tuple[Scorer, ...]:
    """Return the scorers that families need, each once."""
    found = {scorer.canonical_name: scorer for family in every for scorer in family.scorers}
    return tuple(found.values())


def _sweep_of(cleaner: Cleaner) -> str | None:
    """Return the name of the template that a cleaner is a cutoff of, or None."""
    if len(cleaner.cuts) != 1 or cleaner.cuts[0].scorer.decides:
        return None
    return replace(cleaner.cuts[0], cutoff=None, percentile=None).name


def _sweep(template: Cut, cutoffs: Iterable[float]) -> Family:
    strictest_first = sorted(cutoffs, reverse=template.scorer.keep == KEEP_HIGH)
    return Family(
        template.name,
        tuple(Cleaner((template.at(cutoff, template.name),)) for cutoff in strictest_first),
        is_sweep=True,
    )
