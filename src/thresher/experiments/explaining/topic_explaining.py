"""Why one topic won or lost: from its two runs, the two indexes, and the text that the cleaner removed from its pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thresher.base.errors import StateError
from thresher.base.numbers import Floats, Ints
from thresher.evaluation.evaluating import evaluate
from thresher.experiments.explaining.explanations import (
    DocumentChange,
    Neighbour,
    Part,
    Passage,
    TermChange,
    TopicExplanation,
)
from thresher.experiments.explaining.rank_changes import RankChanges, by_rank
from thresher.experiments.explaining.removed_passages import CutPage, lost_in
from thresher.experiments.explaining.score_parts import ScoreParts, largest_part, score_parts, swings
from thresher.experiments.explaining.shares import main_part
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.score_inputs import ScoredIndex, ScoreInputs
from thresher.scores.block_kinds import BlockKind

_ROUNDED = 0.01
"""The largest difference of a run's score from the computed score: a run has four decimals, and its ties are
lowered.
"""


@dataclass(frozen=True)
class TopicRuns:
    """A topic in two runs.

    Args:
        topic, query: the topic's id, and its query.
        terms: tf of each index term of the query.
        qrels: grade by document.
        before: score by document in the baseline's run.
        after: score by document in the variant's run.
        document: a document to explain, judged or not; None for all judged documents that moved.
    """

    topic: str
    query: str
    terms: Mapping[str, int]
    qrels: Mapping[str, int]
    before: Mapping[str, float]
    after: Mapping[str, float]
    document: str | None = None

    @cached_property
    def ranks(self) -> RankChanges:
        """The documents by rank."""
        return RankChanges(by_rank(self.before), by_rank(self.after))

    @cached_property
    def documents_to_explain(self) -> tuple[str, ...]:
        """The document that was asked for, or the judged documents whose rank changed."""
        if self.document is not None:
            return (self.document,)
        moved: list[str] = []
        for document in self.ranks.documents:
            if document in self.qrels and (self.ranks.fell(document) or self.ranks.rose(document)):
                moved.append(document)
        return tuple(moved)


def needed_pages(runs: TopicRuns, treatment: Treatment) -> set[str]:
    """Return the documents whose cleaned pages are needed."""
    explained = set(runs.documents_to_explain)
    if explained and (treatment.cleaner.cuts or treatment.weights) and treatment.pruning:
        # The pruned postings of a document are the postings of its cleaned page that the index lacks.
        return set(runs.ranks.documents)
    return explained


@dataclass(frozen=True)
class Comparison:
    """A variant and the baseline, as they were searched.

    Args:
        model: the retrieval model of both runs.
        before: the baseline's index.
        after: the variant's index.
        treatment: the variant's treatment.
        measures: the names of the measures.
        main: the measure of a topic's change.
        most_overtakers: the most overtakers of a document that are listed; None for all.
    """

    model: RetrievalModel
    before: ScoredIndex
    after: ScoredIndex
    treatment: Treatment
    measures: Sequence[str]
    main: str
    most_overtakers: int | None = None

    def explain(self, runs: TopicRuns, pages: Mapping[str, CutPage]) -> TopicExplanation:
        """Explain a topic.

        Args:
            runs: the topic in both runs.
            pages: the cleaned pages of `needed_pages`, by id; the removed text of a missing page is not known.

        Raises:
            StateError: if an index does not give the scores of its run.
        """
        documents = _documents_of(self, runs, pages)
        _check_scores(runs, documents.parts)
        values_before = _values(runs, runs.ranks.before, self.measures)
        values_after = _values(runs, runs.ranks.after, self.measures)
        change = values_after[self.main] - values_before[self.main]
        explained = documents.all(self.main)
        part: Part | None = None
        unmoved = 0
        if runs.document is None:
            part = main_part(change, explained)
            retrieved_judged = runs.qrels.keys() & set(runs.ranks.documents)
            unmoved = len(retrieved_judged)
            for document in explained:
                if document.rank_before != document.rank_after:
                    unmoved -= 1
        explained.sort(key=lambda document: (-document.credit * change, -document.overtaker_count, document.document))
        return TopicExplanation(
            topic=runs.topic,
            query=runs.query,
            before=values_before,
            after=values_after,
            change=change,
            part=part,
            documents=tuple(explained),
            unmoved=unmoved,
        )


def _documents_of(comparison: Comparison, runs: TopicRuns, pages: Mapping[str, CutPage]) -> _Documents:
    documents = runs.ranks.documents
    terms = tuple(runs.terms)
    before = comparison.before.inputs(terms, documents)
    after = comparison.after.inputs(terms, documents)
    cleaned = _cleaned_tf(before, after, runs, pages, comparison.treatment)
    parts = score_parts(comparison.model, runs.terms, before, after, cleaned)
    return _Documents(runs, before, after, cleaned, parts, pages, comparison.most_overtakers)


def _cleaned_tf(
    before: ScoreInputs, after: ScoreInputs, runs: TopicRuns, pages: Mapping[str, CutPage], treatment: Treatment
) -> Ints:
    """Return tf after cleaning and weighing, and before pruning; shape (documents, terms)."""
    if treatment.pruning is None:
        return after.tf
    if not treatment.cleaner.cuts and treatment.weights is None:
        return before.tf
    cleaned = after.tf.copy()
    for row, document in enumerate(runs.ranks.documents):
        if document in pages:
            cleaned[row] = [pages[document].indexed.get(term, 0) for term in runs.terms]
    return cleaned


def _check_scores(runs: TopicRuns, parts: ScoreParts) -> None:
    _check_run("baseline", runs, runs.before, parts.before)
    _check_run("variant", runs, runs.after, parts.after)


def _check_run(name: str, runs: TopicRuns, run: Mapping[str, float], scores: Floats) -> None:
    for document, score in zip(runs.ranks.documents, scores.tolist(), strict=True):
        if document in run and abs(run[document] - score) > _ROUNDED:
            raise StateError(
                f"the {name}'s index gives {document} the score {score:.4f}, its run {run[document]:.4f}",
                "run the experiment again",
                f"topic {runs.topic}",
            )


def _values(runs: TopicRuns, ranking: Sequence[str], measures: Sequence[str]) -> dict[str, float]:
    topic = runs.topic
    by_measure = evaluate({topic: runs.qrels}, {topic: _descending_scores(ranking)}, measures, [topic])
    values: dict[str, float] = {}
    for measure, by_topic in by_measure.items():
        values[measure] = by_topic[topic]
    return values


def _descending_scores(ranking: Sequence[str]) -> dict[str, float]:
    scores = range(len(ranking), 0, -1)
    return dict(zip(ranking, map(float, scores), strict=True))


@dataclass(frozen=True)
class _Documents:
    """The documents of a topic; arrays have a row for each document of `runs.ranks.documents`."""

    runs: TopicRuns
    before: ScoreInputs
    after: ScoreInputs
    cleaned: Ints
    parts: ScoreParts
    pages: Mapping[str, CutPage]
    most_overtakers: int | None

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each document."""
        documents = self.runs.ranks.documents
        return dict(zip(documents, range(len(documents)), strict=True))

    def all(self, main: str) -> list[DocumentChange]:
        """Return the documents to explain, with their credit by the main measure."""
        changes = [self._change(document) for document in self.runs.documents_to_explain]
        relevant: list[str] = []
        for change in changes:
            if change.relevant:
                relevant.append(change.document)
        credits = self._credits(relevant, main)
        credited: list[DocumentChange] = []
        for change in changes:
            credited.append(replace(change, credit=credits.get(change.document, 0.0)))
        return credited

    def _change(self, document: str) -> DocumentChange:
        ranks = self.runs.ranks
        row = self.rows[document]
        parts = self.parts
        terms = self._terms(row)
        page = self.pages.get(document)
        overtakers = self._overtakers(document)
        emptied = bool(self.before.indexed[row] and not self.after.indexed[row])
        lost: Mapping[BlockKind, float] = {}
        passages: tuple[Passage, ...] = ()
        if page:
            lost = lost_in(terms, page)
            passages = page.with_words(tuple(self.runs.terms))
        listed_overtakers = overtakers[: self.most_overtakers]
        return DocumentChange(
            document=document,
            grade=self.runs.qrels.get(document),
            rank_before=ranks.rank_before(document),
            rank_after=ranks.rank_after(document),
            score_before=float(parts.before[row]),
            score_after=float(parts.after[row]),
            removed=float(parts.removed[row]),
            pruned=float(parts.pruned[row]),
            length=float(parts.length[row]),
            statistics=float(parts.statistics[row]),
            length_before=int(self.before.lengths[row]),
            length_after=int(self.after.lengths[row]),
            emptied=emptied,
            terms=terms,
            overtakers=tuple(map(self._neighbour, listed_overtakers)),
            overtaker_count=len(overtakers),
            part=self._part(document, overtakers, emptied),
            credit=0.0,
            lost=lost,
            passages=passages,
        )

    def _overtakers(self, document: str) -> tuple[str, ...]:
        """Return the documents that overtook this document if it fell, or that it overtook if it rose."""
        ranks = self.runs.ranks
        if ranks.fell(document):
            return ranks.overtakers(document)
        if ranks.rose(document):
            return ranks.overtaken(document)
        return ()

    def _part(self, document: str, overtakers: Sequence[str], emptied: bool) -> Part | None:
        fell = self.runs.ranks.fell(document)
        if not fell and not self.runs.ranks.rose(document):
            return None
        rows_of_overtakers = np.array([self.rows[overtaker] for overtaker in overtakers], dtype=np.int64)
        return largest_part(swings(self.parts, self.rows[document], rows_of_overtakers, fell), emptied, fell)

    def _terms(self, row: int) -> tuple[TermChange, ...]:
        changes: list[TermChange] = []
        for column, (term, in_query) in enumerate(self.runs.terms.items()):
            change = TermChange(
                term=term,
                in_query=in_query,
                before=int(self.before.tf[row, column]),
                cleaned=int(self.cleaned[row, column]),
                after=int(self.after.tf[row, column]),
                part=float(self.parts.by_term[row, column]),
            )
            changes.append(change)
        return tuple(changes)

    def _neighbour(self, document: str) -> Neighbour:
        ranks = self.runs.ranks
        return Neighbour(
            document, self.runs.qrels.get(document), ranks.rank_before(document), ranks.rank_after(document)
        )

    def _credits(self, relevant: Sequence[str], main: str) -> dict[str, float]:
        """Return for each document the measure after, less the measure with only this document back at its old rank."""
        if not relevant:
            return {}
        # One topic for each document, and one, without a name, for the variant's ranking; no document has an empty id.
        run = {"": _descending_scores(self.runs.ranks.after)}
        for document in relevant:
            run[document] = _descending_scores(self.runs.ranks.put_back(document))
        qrels = dict.fromkeys(run, self.runs.qrels)
        values = evaluate(qrels, run, [main], list(run))[main]
        credits: dict[str, float] = {}
        for document in relevant:
            credits[document] = values[""] - values[document]
        return credits
