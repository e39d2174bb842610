"""What is recommended, why, and `choice.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thresher.choosing.decisions import Decision, ModelDecisions, QueryCosts, Savings, SizeKind
from thresher.choosing.guards import Breach, GuardName, Guards
from thresher.choosing.same_size import SameSize
from thresher.costs import Interval
from thresher.errors import StateError
from thresher.records import RecordFile
from thresher.shown import Shown


@dataclass(frozen=True)
class Effect:
    """What is recommended, by one measure, against the baseline over the same topics.

    Args:
        measure, topics: the name, and how many.
        mean, baseline: over these topics.
        difference: mean - baseline, with its bounds `low` and `high`.
        margin: the loss that was accepted; None on held-out topics.
    """

    measure: str
    topics: int
    mean: float
    baseline: float
    difference: float
    low: float
    high: float
    margin: float | None = None


@dataclass(frozen=True)
class Unguarded:
    """What would be picked without guards: the smallest non-inferior by the main measure alone, and what it breaks.

    `share` is its size as a share of the baseline's, `emptied` the pages that it leaves without text.
    """

    variant: str
    share: float
    emptied: int
    breaches: tuple[Breach, ...]


@dataclass(frozen=True)
class Nearest:
    """The inconclusive variant with a smaller index that needs the fewest topics; `share` as in `Unguarded`."""

    variant: str
    share: float
    topics: int


@dataclass(frozen=True)
class WorkChange:
    """The postings of a query's terms, Σ df, with what is recommended and with the baseline; means over the topics.

    `share` is their ratio, with the bounds of its 95 % interval by bootstrap over topics.
    """

    postings: float
    baseline: float
    share: Interval


@dataclass(frozen=True)
class Recommendation:
    """The answer for one retrieval model: what to use, its size, what it loses and empties, and what it saves.

    Args:
        retrieval: the model.
        variant: its name; None to stay with the baseline.
        variants: how many it was chosen among.
        deciding: the measures that it must not lose in, the main one first.
        size, share: of its index, and as a share of the baseline's.
        size_kind: what sizes are.
        documents: pages with text before cleaning.
        emptied: those that it leaves without.
        topics: how many it was chosen on.
        effects: one by deciding measure, on these topics, without a difference for the baseline; the lower bounds of all
            variants hold together with confidence 1 - alpha, and so do the upper ones.
        held_out: by the main measure, on topics without a part in choosing: of a second topic set, or else of what trainings
            pick, each on topics it had no part of. The interval is by bootstrap, of level 1 - alpha. None if there was no
            check.
        held_out_topics: those of the second set; 0 without one.
        folds, repeats: of the trainings.
        stability: share of the trainings that pick this size or a neighbouring one; None without trainings.
        alpha, relative_margin: see `Decision`.
        guards: what it had to pass.
        smaller: variants with a smaller index than the baseline's that are non-inferior by the main measure.
        broken: how many of these break each guard.
        unguarded: what would be picked without guards, where that is something else.
        nearest: of the variants with a smaller index, the one closest to being shown non-inferior; None without one.
        savings: None where nothing is recommended.
        work: likewise, and where a query's postings are not known by topic.
    """

    retrieval: str
    variant: str | None
    variants: int
    deciding: tuple[str, ...]
    size: float
    share: float
    size_kind: SizeKind
    documents: int
    emptied: int
    topics: int
    effects: tuple[Effect, ...]
    held_out: Effect | None
    held_out_topics: int
    folds: int
    repeats: int
    stability: float | None
    alpha: float
    relative_margin: float | None
    guards: Guards
    smaller: int
    broken: Mapping[GuardName, int]
    unguarded: Unguarded | None
    nearest: Nearest | None
    savings: Savings | None
    work: WorkChange | None = None

    @property
    def confidence(self) -> float:
        """The level at which all lower bounds hold together, and all upper ones: 1 - alpha."""
        return 1 - self.alpha

    @property
    def fewest_training_topics(self) -> int:
        """How many topics the smallest training of the cross-validation has."""
        return self.topics - math.ceil(self.topics / self.folds)


@dataclass(frozen=True)
class Choice(Shown):
    """What is recommended, and all decisions that it follows from.

    Args:
        title: the experiment's.
        key: of what the choice rests on: collection, scorers, topics, judgments, models, index options.
        measure: the main one.
        recommendations: one for each retrieval model.
        decisions: those by the main measure first within each retrieval model; those of one retrieval model have the same
            variants in the same order.
        costs: one for each retrieval model with enough indexes to draw a line through.
        co2_method: how CO2 is estimated.
        notices: on the topics.
        same_size: one for each retrieval model and deciding measure; none if all variants are of one family.
    """

    title: str
    key: str
    measure: str
    recommendations: tuple[Recommendation, ...]
    decisions: tuple[Decision, ...]
    costs: tuple[QueryCosts, ...]
    co2_method: str
    notices: tuple[str, ...] = ()
    same_size: tuple[SameSize, ...] = ()

    def decision_of(self, same: SameSize) -> Decision:
        """Return the decision by the measure and retrieval model of what is best at the same size."""
        return next(one for one in self.decisions if (one.retrieval, one.measure) == (same.retrieval, same.measure))

    @property
    def savings(self) -> tuple[Savings, ...]:
        """What is saved, one for each retrieval model with a recommended variant."""
        return tuple(one.savings for one in self.recommendations if one.savings)

    @property
    def models(self) -> tuple[ModelDecisions, ...]:
        """The decisions by retrieval model, in the order of the choice."""
        return tuple(
            ModelDecisions(
                main,
                tuple(one for one in self.decisions if one.measure != self.measure and one.retrieval == main.retrieval),
            )
            for main in self.decisions
            if main.measure == self.measure
        )


CHOICE_FILE = "choice.json"

_FILE = RecordFile(Choice, "a choice", "run `thresher choose` again", "thresher-choice", 4, StateError)


def write_choice(choice: Choice, folder: Path) -> None:
    """Write `choice.json` into a folder, whole or not at all."""
    _FILE.write(folder / CHOICE_FILE, choice)


def read_choice(folder: Path) -> Choice | None:
    """Read what `write_choice` wrote; None if nothing was chosen.

    Raises:
        StateError: if the file is damaged or of another version.
    """
    path = folder / CHOICE_FILE
    return _FILE.read(path) if path.exists() else None
