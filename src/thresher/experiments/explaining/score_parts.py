"""Parts of the change of a document's score: removed text, pruned postings, length, collection statistics.

The score is computed five times. It starts with the values of the baseline's index, which change in this order:

1. the terms' frequencies become the frequencies after cleaning (part `removed`: removed text, weights of kept text);
2. the frequencies of pruned postings become 0 (part `pruned`: pruned postings);
3. the document's length becomes that of the variant's index (part `length`);
4. the collection statistics (cf, df, tokens, documents) become the variant's statistics (part `statistics`).

A part is the difference of two successive scores, so the four parts add up to the whole change. The order matters: a later
part is measured on the text that the earlier parts leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thresher.base.numbers import Floats, Ints
from thresher.experiments.explaining.explanations import Part
from thresher.experiments.exploring.similarity import StepStatistics, similarity
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.score_inputs import ScoreInputs


@dataclass(frozen=True)
class ScoreParts:
    """The scores of documents in two indexes and the parts of their changes; shape (documents,) but for `by_term`.

    `removed + pruned + length + statistics` is `after - before`. A document that is not retrieved has the score of the
    formula: 0 without a query term, or for `qld(exact)` the score of its length.

    Args:
        before: the scores in the baseline's index.
        after: the scores in the variant's index.
        removed, pruned, length, statistics: the parts; see the module.
        by_term: the share of each query term in `removed + pruned`; shape (documents, terms). The shares add up to this sum,
            except for the rounding of scores to 32 bits.
    """

    before: Floats
    after: Floats
    removed: Floats
    pruned: Floats
    length: Floats
    statistics: Floats
    by_term: Floats

    def of(self, part: Part) -> Floats:
        """Return one part; shape (documents,)."""
        parts = {
            Part.REMOVED: self.removed,
            Part.PRUNED: self.pruned,
            Part.LENGTH: self.length,
            Part.STATISTICS: self.statistics,
        }
        return parts[part]


def score_parts(
    model: RetrievalModel, query: Mapping[str, int], before: ScoreInputs, after: ScoreInputs, cleaned: Ints
) -> ScoreParts:
    """Return the parts of the changes of scores.

    Args:
        model: ranks in both indexes.
        query: tf in the query of each of its terms, in the order of the columns.
        before: the documents and terms in the baseline's index.
        after: the same documents and terms in the variant's index.
        cleaned: tf after cleaning and before pruning; shape (documents, terms).
    """
    old_statistics = _statistics(before)
    new_statistics = _statistics_after(old_statistics, _statistics(after))
    is_pruned = (after.tf == 0) & (cleaned > 0)
    tf_after = np.where(is_pruned, 0, cleaned)

    start = _scores(model, query, old_statistics, before.tf, before.lengths)
    without_removed = _scores(model, query, old_statistics, cleaned, before.lengths)
    without_pruned = _scores(model, query, old_statistics, tf_after, before.lengths)
    with_new_length = _scores(model, query, old_statistics, tf_after, after.lengths)
    end = _scores(model, query, new_statistics, tf_after, after.lengths)
    return ScoreParts(
        before=start.whole,
        after=end.whole,
        removed=without_removed.whole - start.whole,
        pruned=without_pruned.whole - without_removed.whole,
        length=with_new_length.whole - without_pruned.whole,
        statistics=end.whole - with_new_length.whole,
        by_term=without_pruned.by_term - start.by_term,
    )


def _statistics(inputs: ScoreInputs) -> StepStatistics:
    return StepStatistics(np.array([inputs.documents]), np.array([inputs.tokens]), inputs.cf[None], inputs.df[None])


def _statistics_after(before: StepStatistics, after: StepStatistics) -> StepStatistics:
    """Return the variant's statistics; a term that the collection lost, and every term of an empty one, has its old ones."""
    if not after.tokens[0]:
        return before
    is_gone = after.df == 0
    return replace(after, cf=np.where(is_gone, before.cf, after.cf), df=np.where(is_gone, before.df, after.df))


@dataclass(frozen=True)
class _Scores:
    """Scores by term, shape (documents, terms), and of whole documents, shape (documents,)."""

    by_term: Floats
    whole: Floats


def _scores(
    model: RetrievalModel, query: Mapping[str, int], statistics: StepStatistics, tf: Ints, lengths: Ints
) -> _Scores:
    scoring = similarity(model, statistics)
    length_parts = scoring.length_parts(lengths[None])
    by_term = np.zeros(tf.shape)
    for term, query_tf in enumerate(query.values()):
        tf_of_term = tf[None, :, term]
        scores = scoring.term_scores(term, query_tf, tf_of_term, length_parts)
        by_term[:, term] = np.where(tf_of_term > 0, scores, 0.0)[0]
    sums = by_term.sum(axis=1)[None]
    whole = scoring.document_scores(sums, length_parts, np.arange(len(tf)), sum(query.values()))
    return _Scores(by_term, whole[0])


def swings(parts: ScoreParts, document: int, overtakers: Ints, fell: bool) -> dict[Part, float]:
    """Return the parts of the swing between a document and the documents that overtook it, or that it overtook.

    The swing is the mean change of the overtakers' scores less the change of the document's score. It is positive for a
    document that fell; for a document that rose its sign is reversed. Without overtakers their change is 0.

    Args:
        parts: the parts of all documents.
        document: the row of the document.
        overtakers: rows of the documents that overtook it, or that it overtook.
        fell: whether the document fell.
    """
    by_part = {}
    for part in Part:
        changes = parts.of(part)
        mean_of_overtakers = 0.0
        if len(overtakers):
            mean_of_overtakers = float(changes[overtakers].mean())
        swing = mean_of_overtakers - float(changes[document])
        if not fell:
            swing = -swing
        # Adding 0 makes a negative zero positive.
        by_part[part] = swing + 0.0
    return by_part


def largest_part(by_part: Mapping[Part, float], emptied: bool, fell: bool) -> Part:
    """Return the part that moved a document: the largest one, of equal parts the first.

    A document that fell because nothing of it is in the variant's index moved by its own lost terms.

    Args:
        by_part: the parts of the swing; see `swings`.
        emptied: whether nothing of the document is in the variant's index.
        fell: whether the document fell.
    """
    candidates = (Part.REMOVED, Part.PRUNED) if emptied and fell else tuple(Part)
    return max(candidates, key=lambda part: by_part[part])
