"""The recommended indexes with their evidence, and `choice.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from thresher.base.errors import StateError
from thresher.base.machine import Power
from thresher.base.numbers import Interval
from thresher.base.records import RecordFile
from thresher.base.shown import Shown
from thresher.evaluation.non_inferiority import MINIMUM, unseen_share
from thresher.evaluation.significance import TOLERANCE
from thresher.evaluation.topics import Notice
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.savings import Savings
from thresher.experiments.table import VariantTable

CHOICE_FILE = "choice.json"


@dataclass(frozen=True)
class Effect:
    """An index in one measure, against the baseline over the same topics.

    Args:
        measure: its name.
        topics: the number of topics.
        mean: the index's mean over these topics.
        reference: the baseline's mean.
        difference: mean − reference.
        low: lower bound of the difference; None where the index was picked for its values on these topics.
        high: upper bound of the difference; None for a one-sided test.
        margin: the accepted loss in units of the measure; None where no loss was tested.
    """

    measure: str
    topics: int
    mean: float
    reference: float
    difference: float
    low: float | None = None
    high: float | None = None
    margin: float | None = None


@dataclass(frozen=True)
class WorkChange:
    """Postings of a query's terms, Σ df, means over the topics.

    Args:
        postings: with the index.
        baseline: with the baseline.
        share: their ratio, with its 95 % interval by bootstrap over topics.
    """

    postings: float
    baseline: float
    share: Interval


@dataclass(frozen=True)
class ChosenIndex:
    """An index that an answer names.

    Args:
        variant: its name.
        share: its postings over the baseline's.
        emptied: pages with text that it leaves without any.
        effects: by deciding measure, the main one first, with the bounds of the test that accepted the index.
        held_out: the effects on held-out topics, with 95 % intervals by Student's t; empty without held-out topics.
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
        """Return whether the built and searched index has the size and means stated here; None if it was not built."""
        position = table.position[self.variant]
        if not table.rows[position].built:
            return None
        errors = [float(table.shares[position]) - self.share]
        for effect in self.effects:
            errors.append(float(table.mean(effect.measure)[position]) - effect.mean)
        return all(abs(error) <= TOLERANCE for error in errors)


@dataclass(frozen=True)
class Gain:
    """An index that is shown to be better than the baseline.

    Args:
        index: the rule's pick on all topics.
        held_out: the main measure of the picked indexes, each topic with the pick that was made without it; `low` is above 0
            with confidence 1 − alpha.
        alpha: the level of this test alone.
    """

    index: ChosenIndex
    held_out: Effect
    alpha: float


@dataclass(frozen=True)
class TestedIndex:
    """A tested index of a family.

    Args:
        variant: its name.
        share: its postings over the baseline's.
        emptied: pages with text that it leaves without any.
        effects: by deciding measure, with the bounds at the family's level.
        topics_needed: the number of topics that would show a loss below the margin; None if no number would, and where the
            index failed by the pages that it empties.
    """

    __test__ = False  # pytest would take the class for one of tests

    variant: str
    share: float
    emptied: int
    effects: tuple[Effect, ...]
    topics_needed: int | None = None


@dataclass(frozen=True)
class FamilyTests:
    """The tests of a family, from its largest index to the first that is not shown to lose less than the margin.

    Args:
        family: the sweep.
        steps: the number of indexes to test; 0 for a declared family that was not explored.
        last: the last accepted index; None if the first failed.
        failed: the first index that was not accepted; None if all were accepted.
    """

    family: str
    steps: int
    last: TestedIndex | None
    failed: TestedIndex | None


class AnswerRole(StrEnum):
    """The reason why an answer names an index."""

    SMALLEST = "the smallest index that loses little"
    GAINS = "the index that gains most"
    CONSERVATIVE = "the conservative choice"


class AnswerLine(NamedTuple):
    """A line of an answer: a role and the index that has it, None for no cleaning."""

    role: AnswerRole
    chosen: ChosenIndex | None


@dataclass(frozen=True)
class ModelChoice:
    """The answer for one retrieval model.

    Args:
        retrieval: the model.
        topics: the number of topics.
        variants: the number of variants to choose from.
        documents: pages with text before cleaning.
        recommended: the smallest index that any family accepts by Student's t; None to stay with the baseline.
        conservative: the smallest index that any family accepts with an imaginary topic that loses everything.
        conservative_topics: the number of topics that the conservative test needs even if no topic changes.
        gain: the index that gains most over the baseline; None where no gain is shown.
        families: the tests of the declared families by Student's t.
        conservative_families: the tests of the declared families with the imaginary topic.
    """

    retrieval: str
    topics: int
    variants: int
    documents: int
    recommended: ChosenIndex | None
    conservative: ChosenIndex | None
    conservative_topics: int
    gain: Gain | None
    families: tuple[FamilyTests, ...]
    conservative_families: tuple[FamilyTests, ...]

    @property
    def too_few(self) -> bool:
        """Whether there are too few topics for any verdict."""
        return self.topics < MINIMUM

    @property
    def unseen_share(self) -> float:
        """The share of all topics that may lose everything even if no sampled topic does, with confidence .95."""
        return unseen_share(self.topics)

    @property
    def answer(self) -> tuple[AnswerLine, ...]:
        """Return two or three lines, the index to use first; see `AnswerRole`.

        An index that gains replaces the smallest index that loses little if it is no larger.
        """
        lines = []
        recommended_share = 1.0 if self.recommended is None else self.recommended.share
        if self.gain is None or self.gain.index.share > recommended_share:
            lines.append(AnswerLine(AnswerRole.SMALLEST, self.recommended))
        if self.gain is not None:
            lines.append(AnswerLine(AnswerRole.GAINS, self.gain.index))
        lines.append(AnswerLine(AnswerRole.CONSERVATIVE, self.conservative))
        return tuple(lines)

    @property
    def first(self) -> ChosenIndex | None:
        """The index to use, which the answer names first; None to stay with no cleaning."""
        return None if self.too_few else self.answer[0].chosen

    @property
    def named(self) -> tuple[ChosenIndex, ...]:
        """The indexes that the answer names, each once; none with too few topics."""
        if self.too_few:
            return ()
        indexes = {line.chosen.variant: line.chosen for line in self.answer if line.chosen is not None}
        return tuple(indexes.values())


@dataclass(frozen=True, repr=False)
class Choice(Shown):
    """The recommended indexes of an experiment.

    Args:
        title: the experiment's title.
        key: digest of the evidence: collection, scorers, topics, judgments, models, index options.
        measures: the deciding measures, the main one first.
        criteria: the criteria; their `deciding` are all measures but the main one.
        queries: the number of queries that savings are computed for.
        power: the power that CO₂ is estimated by.
        models: one answer for each retrieval model.
        commands: by named variant, the shell lines that clean the collection and index the cleaned text.
        check: the line that builds, searches and measures all named variants.
        notices: facts about topics and judgments that a reader must know.
    """

    title: str
    key: str
    measures: tuple[str, ...]
    criteria: ChoiceCriteria
    queries: int
    power: Power
    models: tuple[ModelChoice, ...]
    commands: Mapping[str, tuple[str, ...]]
    check: str
    notices: tuple[Notice, ...] = ()

    @property
    def measure(self) -> str:
        """The main measure."""
        return self.measures[0]

    def of(self, retrieval: str) -> ModelChoice | None:
        """Return the answer for a retrieval model; None if there is none."""
        for model in self.models:
            if model.retrieval == retrieval:
                return model
        return None

    def named_variants(self, retrieval: str) -> tuple[str, ...]:
        """Return the names of the indexes that the answer for a retrieval model names, the one to use first."""
        model = self.of(retrieval)
        if model is None:
            return ()
        return tuple(index.variant for index in model.named)


_FILE = RecordFile(Choice, "a choice", "run `thresher choose` again", "thresher-choice", 7, StateError)


def write_choice(choice: Choice, folder: Path) -> None:
    """Write `choice.json` into a folder, whole or not at all."""
    _FILE.write(folder / CHOICE_FILE, choice)


def read_choice(folder: Path) -> Choice | None:
    """Read `choice.json` from a folder; None if there is none.

    Raises:
        StateError: if the file is damaged or of another version.
    """
    path = folder / CHOICE_FILE
    return _FILE.read(path) if path.exists() else None
