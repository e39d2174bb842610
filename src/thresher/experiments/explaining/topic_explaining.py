"""Why one topic won or lost, from its two runs, the two indexes and what the cleaner removed from the pages concerned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from thresher.base.errors import StateError
from thresher.base.numbers import Ints
from thresher.evaluation import evaluate
from thresher.experiments.explaining import causes, explanations
from thresher.indexes.analysis import RetrievalModel, tokens_of_each
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.score_inputs import ScoredIndex, ScoreInputs
from thresher.scores.block_kinds import BlockKind
from thresher.scores.removed import PageVerdicts, SegmentVerdict

_AROUND = (BlockKind.TITLE, BlockKind.MENU, BlockKind.FOOTER)
"""Kinds that say nothing of what a page is."""


@dataclass(frozen=True)
class CutPage:
    """A page after cleaning.

    Args:
        kept_in: tf of the terms asked for in what cleaning keeps, by kind of block.
        tokens, removed_tokens: by kind of block, before cleaning and of what it removes, most first.
        removed: the removed segments that hold one of these terms, in order, with tf of these alone.
    """

    kept_in: Mapping[BlockKind, Mapping[str, int]]
    tokens: Mapping[BlockKind, int]
    removed_tokens: Mapping[BlockKind, int]
    removed: tuple[explanations.Passage, ...]

    @cached_property
    def kept(self) -> Mapping[str, int]:
        """The tf of the terms asked for in what cleaning keeps."""
        return dict(sum((Counter(held) for held in self.kept_in.values()), Counter[str]()))

    @property
    def kind(self) -> BlockKind | None:
        """The kind of most of its tokens, those of title, menus and footers apart; None without others."""
        return next((kind for kind in self.tokens if kind not in _AROUND), None)

    def with_words(self, terms: Collection[str]) -> tuple[explanations.Passage, ...]:
        """Return the removed segments that hold one of some of the terms, with tf of these alone."""
        return tuple(
            replace(one, terms=held)
            for one in self.removed
            if (held := {term: one.terms[term] for term in terms if term in one.terms})
        )


def cut_page(page: PageVerdicts, analyzer: Any, asked: Collection[str]) -> CutPage:
    """Analyse a page segment by segment, as its index does.

    Args:
        page: with the verdicts of the cleaner.
        analyzer: of the index (a Java object).
        asked: the terms that matter.
    """
    kept: dict[BlockKind, Counter[str]] = {}
    tokens: Counter[BlockKind] = Counter()
    removed_tokens: Counter[BlockKind] = Counter()
    removed = []
    analysed = tokens_of_each(analyzer, [one.text for one in page.segments])
    for segment, terms in zip(page.segments, map(Counter, analysed), strict=True):
        kind = page.kinds[segment.block]
        tokens[kind] += terms.total()
        held = {term: count for term, count in terms.items() if term in asked}
        if segment.kept:
            kept.setdefault(kind, Counter()).update(held)
            continue
        removed_tokens[kind] += terms.total()
        if held:
            drops = tuple(map(_drop, segment.dropped_by))
            removed.append(explanations.Passage(segment.block, kind, segment.text, terms.total(), held, drops))
    return CutPage(kept, _most_first(tokens), _most_first(removed_tokens), tuple(removed))


def _most_first(tokens: Mapping[BlockKind, int]) -> dict[BlockKind, int]:
    there = [kind for kind in BlockKind if tokens.get(kind)]
    return {kind: tokens[kind] for kind in sorted(there, key=lambda kind: -tokens[kind])}


def lost_in(terms: Sequence[explanations.TermChange], page: CutPage) -> dict[BlockKind, float]:
    """Return the share of each kind of block in what terms lost by cleaning and pruning; empty if they lost nothing.

    A term's part of the change of the score is shared equally by its lost occurrences: those in removed passages, and, if its
    posting was pruned, all others. If no part is other than 0, all lost occurrences count the same.
    """
    found: dict[BlockKind, float] = {}
    lost = [term for term in terms if term.before > term.after]
    shares = {term.term: abs(term.part) / (term.before - term.after) for term in lost}
    for each in (shares, dict.fromkeys(shares, 1.0)):
        pruned = [term.term for term in lost if term.cleaned > term.after]
        for passage in page.removed:
            held = sum(each.get(term, 0.0) * count for term, count in passage.terms.items())
            found[passage.kind] = found.get(passage.kind, 0.0) + held
        for kind, counts in page.kept_in.items():
            held = sum(each[term] * counts.get(term, 0) for term in pruned)
            found[kind] = found.get(kind, 0.0) + held
        total = sum(found.values())
        if total:
            return {kind: held / total for kind, held in found.items() if held}
    return {}


def _drop(verdict: SegmentVerdict) -> explanations.Drop:
    cut = verdict.cut
    return explanations.Drop(cut.name, verdict.score, cut.threshold, cut.quota, verdict.returns, verdict.outcome)


_ROUNDED = 0.01
"""More than runs differ from scores: by four decimals, and by what ties are lowered."""


@dataclass(frozen=True)
class TopicRuns:
    """A topic in two runs.

    Args:
        topic, query: its id, and what was searched.
        terms: tf of each index term of the query.
        qrels: grade by document.
        before, after: score by document, in the baseline's run and in the variant's.
        asked: a document to explain whatever its rank and judgment.
    """

    topic: str
    query: str
    terms: Mapping[str, int]
    qrels: Mapping[str, int]
    before: Mapping[str, float]
    after: Mapping[str, float]
    asked: str | None = None

    @property
    def ranks(self) -> causes.RankChanges:
        """The documents by rank."""
        return causes.RankChanges(causes.by_rank(self.before), causes.by_rank(self.after))

    def concerned(self, ranks: causes.RankChanges) -> tuple[str, ...]:
        """Return the documents to explain: the one that is asked for, or the judged ones that changed their rank."""
        if self.asked is not None:
            return (self.asked,)
        return tuple(
            document
            for document in ranks.documents
            if document in self.qrels and (ranks.fell(document) or ranks.rose(document))
        )


def needed_pages(runs: TopicRuns, treatment: Treatment) -> set[str]:
    """Return the documents of which cleaned pages are needed."""
    ranks = runs.ranks
    concerned = set(runs.concerned(ranks))
    # What was pruned of a document is what its cleaned page has and its index has not.
    return set(ranks.documents) if concerned and treatment.cleaner.cuts and treatment.pruning else concerned


def explain_topic(
    runs: TopicRuns,
    model: RetrievalModel,
    before: ScoredIndex,
    after: ScoredIndex,
    pages: Mapping[str, CutPage],
    treatment: Treatment,
    measures: Sequence[str],
    main: str,
    most: int | None = None,
) -> explanations.TopicExplanation:
    """Explain a topic.

    Args:
        runs: the topic.
        model: ranked both runs.
        before, after: the indexes that were searched.
        pages: after cleaning, by id, those that `needed_pages` asks for; where one is missing, what was removed is not known.
        treatment: what the variant does.
        measures: names; `main` is the one that the topic's change is of.
        main: see above.
        most: how many of the documents that overtook one, or were overtaken, are listed; None for all.
    """
    ranks = runs.ranks
    documents = ranks.documents
    terms = tuple(runs.terms)
    old, new = inputs = before.inputs(terms, documents), after.inputs(terms, documents)
    cleaned = _cleaned(inputs, documents, terms, pages, treatment)
    changes = causes.score_changes(model, runs.terms, *inputs, cleaned)
    _check_scores(runs, documents, changes)
    values = [_values(runs, order, measures) for order in (ranks.before, ranks.after)]
    explained = _Documents(runs, ranks, terms, inputs, cleaned, changes, pages, most).all(main)
    change = values[1][main] - values[0][main]
    shares = causes.cause_shares(change, explained) if runs.asked is None else {}
    moved = [document for document in explained if document.rank_before != document.rank_after]
    return explanations.TopicExplanation(
        topic=runs.topic,
        query=runs.query,
        before=values[0],
        after=values[1],
        change=change,
        cause=next(iter(shares), None),
        shares=shares,
        documents=tuple(sorted(explained, key=lambda one: (-one.credit * change, -one.other_documents, one.document))),
        unmoved=sum(document in runs.qrels for document in documents) - len(moved) if runs.asked is None else 0,
        tokens=(old.tokens, new.tokens),
        with_tokens=(old.documents, new.documents),
        statistics=tuple(
            explanations.TermStatistics(term, *(int(column[number]) for column in (old.cf, new.cf, old.df, new.df)))
            for number, term in enumerate(terms)
        ),
    )


def _cleaned(
    inputs: tuple[ScoreInputs, ScoreInputs],
    documents: Sequence[str],
    terms: Sequence[str],
    pages: Mapping[str, CutPage],
    treatment: Treatment,
) -> Ints:
    """Return tf after cleaning and before pruning; shape (documents, terms)."""
    if treatment.pruning is None:
        return inputs[1].tf
    if not treatment.cleaner.cuts:
        return inputs[0].tf
    cleaned = inputs[1].tf.copy()
    for row, document in enumerate(documents):
        if document in pages:
            cleaned[row] = [pages[document].kept.get(term, 0) for term in terms]
    return cleaned


def _check_scores(runs: TopicRuns, documents: Sequence[str], changes: causes.ScoreChanges) -> None:
    for which, run, scores in (("baseline", runs.before, changes.before), ("variant", runs.after, changes.after)):
        for document, score in zip(documents, scores.tolist(), strict=True):
            if document in run and abs(run[document] - score) > _ROUNDED:
                raise StateError(
                    f"the {which}'s index gives {document} the score {score:.4f}, its run {run[document]:.4f}",
                    "run the experiment again",
                    f"topic {runs.topic}",
                )


def _values(runs: TopicRuns, order: Sequence[str], measures: Sequence[str]) -> dict[str, float]:
    found = evaluate({runs.topic: runs.qrels}, {runs.topic: _scored(order)}, measures, [runs.topic])
    return {measure: values[runs.topic] for measure, values in found.items()}


def _scored(order: Sequence[str]) -> dict[str, float]:
    return {document: float(len(order) - rank) for rank, document in enumerate(order)}


@dataclass(frozen=True)
class _Documents:
    """The documents of a topic, by row."""

    runs: TopicRuns
    ranks: causes.RankChanges
    terms: tuple[str, ...]
    inputs: tuple[ScoreInputs, ScoreInputs]
    cleaned: Ints
    changes: causes.ScoreChanges
    pages: Mapping[str, CutPage]
    most: int | None

    def all(self, main: str) -> list[explanations.DocumentChange]:
        """Return the documents concerned."""
        row = {document: number for number, document in enumerate(self.ranks.documents)}
        found = [self._document_change(document, row) for document in self.runs.concerned(self.ranks)]
        credits = self._credits([document.document for document in found if document.relevant], main)
        return [replace(document, credit=credits.get(document.document, 0.0)) for document in found]

    def _document_change(self, document: str, row: Mapping[str, int]) -> explanations.DocumentChange:
        at, changes, (before, after) = row[document], self.changes, self.inputs
        fell, rose = self.ranks.fell(document), self.ranks.rose(document)
        others: tuple[str, ...] = ()
        if fell or rose:
            others = self.ranks.overtakers(document) if fell else self.ranks.overtaken(document)
        emptied = bool(before.indexed[at] and not after.indexed[at])
        found = causes.contributions(changes, at, np.array([row[other] for other in others], dtype=np.int64), fell)
        unjudged = sum(other not in self.runs.qrels for other in others)
        page = self.pages.get(document)
        terms = tuple(
            explanations.TermChange(
                term,
                self.runs.terms[term],
                int(before.tf[at, column]),
                int(self.cleaned[at, column]),
                int(after.tf[at, column]),
                float(changes.by_term[at, column]),
            )
            for column, term in enumerate(self.terms)
        )
        return explanations.DocumentChange(
            document=document,
            grade=self.runs.qrels.get(document),
            rank_before=self.ranks.rank_before(document),
            rank_after=self.ranks.rank_after(document),
            score_before=float(changes.before[at]),
            score_after=float(changes.after[at]),
            removed=float(changes.removed[at]),
            pruned=float(changes.pruned[at]),
            length=float(changes.length[at]),
            statistics=float(changes.statistics[at]),
            length_before=int(before.lengths[at]),
            length_after=int(after.lengths[at]),
            emptied=emptied,
            terms=terms,
            others=tuple(map(self._neighbour, others[: self.most])),
            other_documents=len(others),
            unjudged=unjudged,
            contributions=found if fell or rose else {},
            cause=causes.cause_of(found, emptied, fell, unjudged / max(len(others), 1)) if fell or rose else None,
            credit=0.0,
            removed_tokens=page.removed_tokens if page else {},
            lost=lost_in(terms, page) if page else {},
            page=page.kind if page else None,
            passages=page.with_words(self.terms) if page else (),
        )

    def _neighbour(self, document: str) -> explanations.Neighbour:
        grade, ranks = self.runs.qrels.get(document), self.ranks
        return explanations.Neighbour(document, grade, ranks.rank_before(document), ranks.rank_after(document))

    def _credits(self, relevant: Sequence[str], main: str) -> dict[str, float]:
        """Return for each document the measure after less what it would be with this one at its old rank."""
        if not relevant:
            return {}
        # A topic for each document, and one for the ranking as it is; no document has an empty id.
        orders = {"": self.ranks.after, **{document: self.ranks.put_back(document) for document in relevant}}
        qrels = dict.fromkeys(orders, self.runs.qrels)
        scores = {name: _scored(order) for name, order in orders.items()}
        (values,) = evaluate(qrels, scores, [main], [*orders]).values()
        return {document: values[""] - values[document] for document in relevant}
