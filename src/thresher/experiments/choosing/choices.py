"""What is recommended, why, and `choice.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from thresher.base.columns import Declared, Show
from thresher.base.errors import StateError
from thresher.base.machine import Power
from thresher.base.numbers import Interval
from thresher.base.records import RecordFile
from thresher.base.shown import Shown
from thresher.evaluation.non_inferiority import FEWEST, MINIMUM, unseen_share
from thresher.evaluation.significance import TOLERANCE
from thresher.evaluation.topics import Notice
from thresher.experiments.choosing.savings import Savings
from thresher.experiments.choosing.walks import Terms
from thresher.experiments.table import VariantTable


@dataclass(frozen=True)
class Effect:
    """An index in one measure, against the baseline or another index over the same topics.

    Args:
        measure, topics: the name, and how many.
        mean, reference: over these topics.
        difference: mean − reference.
        low: its lower bound.
        high: its upper bound, where there is one.
        margin: the loss that was accepted; None where that was no question.
    """

    measure: str
    topics: int
    mean: float
    reference: float
    difference: float
    low: float
    high: float | None = None
    margin: float | None = None


@dataclass(frozen=True)
class WorkChange:
    """The postings of a query's terms, Σ df, with an index and with the baseline; means over the topics.

    `share` is their ratio, with the bounds of its 95 % interval by bootstrap over topics.
    """

    postings: float
    baseline: float
    share: Interval


@dataclass(frozen=True)
class Pick:
    """An index that an answer names.

    Args:
        variant: its name.
        share: its postings over the baseline's.
        emptied: pages with text that it leaves without.
        effects: by deciding measure, the main one first, against the baseline. Bounds are those of its test; of an index that
            gains they are those of all variants together.
        held_out: the same on held-out topics, with 95 % intervals by Student's t; empty without these.
        savings: against the baseline.
        work: None where the baseline has no postings for any topic.
    """

    variant: str
    share: float
    emptied: int
    effects: tuple[Effect, ...]
    held_out: tuple[Effect, ...]
    savings: Savings
    work: WorkChange | None

    def is_as_measured(self, table: VariantTable) -> bool | None:
        """Return whether its index, once built and searched, has the size and the means told here; None if it was not."""
        if not table.rows[table.position[self.variant]].built:
            return None
        index = table.position[self.variant]
        found = [(float(table.shares[index]), self.share)]
        found += [(float(table.mean(effect.measure)[index]), effect.mean) for effect in self.effects]
        return all(abs(measured - told) <= TOLERANCE for measured, told in found)


@dataclass(frozen=True)
class Gain:
    """An index that is shown to be better than another.

    Args:
        pick: what the rule picks on all topics.
        over: the other's name; None for the baseline.
        held_out: what the rule picks in the main measure, each topic without a part in the pick, against the other; `low` is
            above 0 with confidence 1 − alpha.
        alpha: of this question alone.
    """

    pick: Pick
    over: str | None
    held_out: Effect
    alpha: float


@dataclass(frozen=True)
class Tested:
    """An index on the path of a family.

    Args:
        effects: by deciding measure, with the bounds at the family's level.
        topics_needed: how many would show that it loses less than the margin; None if no number would, and where it failed by
            the pages that it empties.
    """

    variant: Annotated[str, Declared("The variant.", Show.TEXT)]
    share: Annotated[
        float, Declared("Its postings over the baseline's.", Show.PERCENT, "% of baseline", "index", "postings_share")
    ]
    emptied: Annotated[int, Declared("Pages with text that it leaves without.", Show.COUNT, "pages")]
    effects: tuple[Effect, ...]
    topics_needed: Annotated[
        int | None, Declared("Topics that would show it, if its mean and spread stay the same.", Show.COUNT)
    ] = None


@dataclass(frozen=True)
class FamilyWalk:
    """What became of a family: indexes are tested from the largest on, until one is not shown to lose less than the margin.

    Args:
        family: the sweep; a declared one that was not explored has no steps.
        steps: indexes on its path.
        last: the last that was accepted; None if the first failed.
        failed: the first that was not accepted; None if all were, or there are none.
    """

    family: Annotated[str, Declared("The family.", Show.TEXT)]
    steps: Annotated[int, Declared("Indexes on its path of sizes.", Show.COUNT)]
    last: Tested | None
    failed: Tested | None


class Line(StrEnum):
    """What an answer names an index for."""

    SMALLEST = "the smallest index that loses little"
    NO_LARGER = "no larger than the smallest that loses little, and better"
    GAINS = "the index that gains most"
    CAUTIOUS = "the cautious choice"


@dataclass(frozen=True)
class ModelChoice:
    """The answer for one retrieval model.

    Args:
        retrieval: the model.
        topics: how many it was chosen on.
        variants: how many could be taken.
        documents: pages with text before cleaning.
        recommended: the smallest of all that families accepted; None to stay with the baseline.
        cautious: the same by the test that does not rest on rare losses being among these topics.
        cautious_topics: how many that test takes for an index that changes none of them.
        gain: the index that gains most over no cleaning; None where no gain is shown.
        dominating: an index that is no larger than the recommended one and shown to be better.
        walks, cautious_walks: of the declared families, by the two tests.
        cross_validated: the rule that recommends, in the main measure: each topic with what was recommended without it; None
            with too few topics.
    """

    retrieval: str
    topics: int
    variants: int
    documents: int
    recommended: Pick | None
    cautious: Pick | None
    cautious_topics: int
    gain: Gain | None
    dominating: Gain | None
    walks: tuple[FamilyWalk, ...]
    cautious_walks: tuple[FamilyWalk, ...]
    cross_validated: Effect | None

    @property
    def too_few(self) -> bool:
        """Whether there are too few topics for any verdict."""
        return self.topics < MINIMUM

    @property
    def approximate(self) -> bool:
        """Whether there are so few that bounds of all variants together are approximate."""
        return self.topics < FEWEST

    @property
    def unseen_share(self) -> float:
        """The share of all topics that may lose everything even if none of these does, with confidence .95."""
        return unseen_share(self.topics)

    @property
    def answer(self) -> tuple[tuple[Line, Pick | None], ...]:
        """Return at most three lines, in the order to say them: see `Line`; None stands for no cleaning.

        An index that gains goes before one that is larger, and then it is the one to take.
        """
        gains = self.gain.pick if self.gain else None
        better = self.dominating.pick if self.dominating else None
        share = self.recommended.share if self.recommended else 1.0
        lines: list[tuple[Line, Pick | None]] = []
        if better and better != gains:
            lines.append((Line.NO_LARGER, better))
        elif gains is None or gains.share > share:
            lines.append((Line.SMALLEST, self.recommended))
        if gains:
            lines.append((Line.GAINS, gains))
        return *lines, (Line.CAUTIOUS, self.cautious)

    @property
    def first(self) -> Pick | None:
        """What the answer names first, which is the one to take; None to stay with no cleaning."""
        return None if self.too_few else self.answer[0][1]

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The indexes that the answer names, each once."""
        named = () if self.too_few else self.answer
        return tuple({pick.variant: pick for _, pick in named if pick}.values())


@dataclass(frozen=True, repr=False)
class Choice(Shown):
    """What is recommended.

    Args:
        title: the experiment's.
        key: of what the choice rests on: collection, scorers, topics, judgments, models, index options.
        measures: the deciding ones, the main one first.
        terms: see there; its `deciding` are the others.
        queries: over how many savings are.
        power: what CO₂ is estimated by.
        models: one for each retrieval model.
        commands: by variant that an answer names, the lines for a shell that clean the collection and index what is left.
        check: the line that builds, searches and measures all of them.
        notices: what to know of topics and judgments.
    """

    title: str
    key: str
    measures: tuple[str, ...]
    terms: Terms
    queries: int
    power: Power
    models: tuple[ModelChoice, ...]
    commands: Mapping[str, tuple[str, ...]]
    check: str
    notices: tuple[Notice, ...] = ()

    @property
    def measure(self) -> str:
        """The main one."""
        return self.measures[0]

    def of(self, retrieval: str) -> ModelChoice | None:
        """Return the answer for a retrieval model; None if there is none."""
        return next((model for model in self.models if model.retrieval == retrieval), None)

    def picks(self, retrieval: str) -> tuple[str, ...]:
        """Return the names of the indexes that the answer for a retrieval model names, the one to take first."""
        model = self.of(retrieval)
        return tuple(pick.variant for pick in model.picks) if model else ()


CHOICE_FILE = "choice.json"

_FILE = RecordFile(Choice, "a choice", "run `thresher choose` again", "thresher-choice", 6, StateError)


def write_choice(choice: Choice, folder: Path) -> None:
    """Write `choice.json` into a folder, whole or not at all."""
    _FILE.write(folder / CHOICE_FILE, choice)


def read_choice(folder: Path) -> Choice | None:
    """Read what `write_choice` wrote; None if nothing was chosen."""
    path = folder / CHOICE_FILE
    return _FILE.read(path) if path.exists() else None
