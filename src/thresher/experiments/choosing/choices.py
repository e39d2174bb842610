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
from thresher.experiments.announcements import Announce, Announcement, Step
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
        low: lower bound of the difference; None for the baseline.
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
        postings: the postings with the index.
        baseline: the postings with the baseline.
        share: the ratio of the two, with its 95 % interval by bootstrap over topics.
    """

    postings: float
    baseline: float
    share: Interval


@dataclass(frozen=True)
class ChosenIndex:
    """An index that an answer names.

    Args:
        variant: its name.
        postings: the number of its postings.
        share: its postings over the baseline's.
        bytes: the bytes of the index, measured or estimated.
        bytes_share: its bytes over the baseline's.
        measured: whether the index was built, so that its bytes are no estimate.
        emptied: pages with text that it leaves without any.
        effects: by deciding measure, the main one first, with the bounds of the test that accepted the index.
        held_out: the effects on held-out topics, with 95 % intervals by Student's t; empty without held-out topics.
        savings: against the baseline.
        work: None where the baseline has no postings for any topic.
    """

    variant: str
    postings: int
    share: float
    bytes: int
    bytes_share: float
    measured: bool
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

    __test__ = False  # pytest would collect the class as a test

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
        level: the level of each of its tests: the family's part of alpha, and the parts that finished families handed on.
        steps: the number of indexes to test; 0 for a declared family that was not explored.
        last: the last accepted index; None if the first failed.
        failed: the first index that was not accepted; None if all were accepted.
    """

    family: str
    level: float
    steps: int
    last: TestedIndex | None
    failed: TestedIndex | None


class AnswerRole(StrEnum):
    """The question that a line of an answer is for."""

    NO_CLEANING = "no cleaning"
    SMALLEST = "smallest"
    BEST = "best"
    WITHIN = "within the size"


class AnswerLine(NamedTuple):
    """A line of an answer: a role and the index that has it; None where no index is shown to have it."""

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
        no_cleaning: the baseline.
        smallest: the smallest index that any family accepts by Student's t; None to stay with the baseline.
        best: the smallest of the indexes that are shown to be better than the baseline and nearly as good as the best of
            them; None where no gain is shown.
        size: the size, in bytes, for `within`; None if no size was given.
        within: the index with the highest mean whose bytes are within that size; None without one.
        conservative: the smallest index that any family accepts with an imaginary topic that loses everything.
        conservative_topics: the number of topics that the conservative test needs even if no topic changes.
        families: the tests of the families by Student's t.
        conservative_families: the tests of the families with the imaginary topic.
    """

    retrieval: str
    topics: int
    variants: int
    documents: int
    no_cleaning: ChosenIndex
    smallest: ChosenIndex | None
    best: ChosenIndex | None
    size: int | None
    within: ChosenIndex | None
    conservative: ChosenIndex | None
    conservative_topics: int
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
        """The answers: no cleaning, the smallest index, the best index and, if a size was given, the best within it."""
        lines = [
            AnswerLine(AnswerRole.NO_CLEANING, self.no_cleaning),
            AnswerLine(AnswerRole.SMALLEST, self.smallest),
            AnswerLine(AnswerRole.BEST, self.best),
        ]
        if self.size is not None:
            lines.append(AnswerLine(AnswerRole.WITHIN, self.within))
        return tuple(lines)

    @property
    def first(self) -> ChosenIndex | None:
        """The index to use; None for no cleaning.

        The best within the size that was asked for; or else the best if it is no larger than the smallest, or the smallest.
        """
        if self.too_few:
            return None
        if self.within is not None:
            return None if self.within.variant == self.no_cleaning.variant else self.within
        if self.best is not None and (self.smallest is None or self.best.bytes <= self.smallest.bytes):
            return self.best
        return self.smallest

    @property
    def named(self) -> tuple[ChosenIndex, ...]:
        """The indexes that the answer names, each once, the one to use first; without the baseline."""
        if self.too_few:
            return ()
        indexes: dict[str, ChosenIndex] = {}
        for index in (self.first, self.smallest, self.best, self.within, self.conservative):
            if index is not None and index.variant != self.no_cleaning.variant:
                indexes.setdefault(index.variant, index)
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


_FILE = RecordFile(Choice, "a choice", "run `thresher choose` again", "thresher-choice", 9, StateError)


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


def remove_unreadable_choice(folder: Path, announce: Announce) -> None:
    """Remove `choice.json` from a folder if it is damaged or of another version, which is announced.

    The results that it was made from are then made again.
    """
    try:
        read_choice(folder)
    except StateError as error:
        announce(Announcement(Step.UNREADABLE_CHOICE, {"problem": error.what}))
        (folder / CHOICE_FILE).unlink()
