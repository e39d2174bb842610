"""The change of each document's score from the baseline's index to a variant's, taken apart exactly.

Four things change: the document's tokens that cleaning removes, its postings that pruning removes, its length, and the
statistics of the collection (cf, df, tokens, documents). The score is computed, by Lucene's own formula to the bit, for all 16
ways to let some of them change and not the others; the parts are their Shapley values, so they do not
depend on an order and add up to the change.

A term that the variant's whole collection has lost has no statistics there. It keeps those of the baseline: no score in the
variant's index has it, so all that it contributed counts as lost terms.

L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II, 1953: the part of player i of n is

    Σ_{S without i} |S|! (n - |S| - 1)! / n! · (v(S + i) - v(S))

which is the mean, over all n! orders in which the players come, of what i adds when it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import factorial

import numpy as np
import numpy.typing as npt

from thresher.exploring.similarity import States, similarity
from thresher.lucene.retrieval import RetrievalModel
from thresher.lucene.score_inputs import ScoreInputs
from thresher.pages.plain import Ints

Floats = npt.NDArray[np.float64]
_REMOVED, _PRUNED, _LENGTH, _STATISTICS = range(4)


def shapley(players: int, value: Callable[[frozenset[int]], Floats]) -> list[Floats]:
    """Return the parts of players 0 to n - 1; they add up to the value of all less the value of none.

    Args:
        players: n; there are 2^n values.
        value: of each set of players, an array of any shape, always the same; called once for each.
    """
    every = [frozenset(one for one in range(players) if number >> one & 1) for number in range(1 << players)]
    values = {group: value(group) for group in every}
    parts = []
    for player in range(players):
        part = np.zeros_like(values[frozenset()])
        for group in every:
            if player not in group:
                orders = factorial(len(group)) * factorial(players - len(group) - 1)
                part += orders / factorial(players) * (values[group | {player}] - values[group])
        parts.append(part)
    return parts


@dataclass(frozen=True)
class ScoreChanges:
    """The scores of documents in two indexes and the parts of their changes; shapes (documents,) but for `by_term`.

    `removed + pruned + length + statistics` is `after - before`. A score is what the formula gives, also for a document that
    is not retrieved: 0, or for `qld(exact)` that of the length alone, if it has no query term.

    Args:
        before, after: the scores.
        removed: by tokens that cleaning removed from the document.
        pruned: by postings that pruning removed.
        length: by the document's length.
        statistics: by the statistics of the collection.
        by_term: of `removed + pruned`, the part of each query term; they add up but for the rounding of scores to 32 bits;
            shape (documents, terms).
    """

    before: Floats
    after: Floats
    removed: Floats
    pruned: Floats
    length: Floats
    statistics: Floats
    by_term: Floats


def score_changes(
    model: RetrievalModel, query: Mapping[str, int], before: ScoreInputs, after: ScoreInputs, cleaned: Ints
) -> ScoreChanges:
    """Take the changes of scores apart.

    Args:
        model: ranks in both indexes.
        query: the query's tf of each of its terms, in the order of the columns.
        before, after: of the same documents and terms, in the baseline's index and in the variant's.
        cleaned: tf after cleaning and before pruning; shape (documents, terms).
    """
    states = (_states(before), _known_statistics(_states(before), _states(after)))
    by_pruning = (after.tf == 0) & (cleaned > 0)

    def scores(changed: frozenset[int]) -> Floats:
        tf = cleaned if _REMOVED in changed else before.tf
        if _PRUNED in changed:
            tf = np.where(by_pruning, 0, tf)
        lengths = after.lengths if _LENGTH in changed else before.lengths
        return _scores(model, query, states[_STATISTICS in changed], tf, lengths)

    parts = shapley(4, scores)
    return ScoreChanges(
        before=scores(frozenset())[:, -1],
        after=scores(frozenset(range(4)))[:, -1],
        removed=parts[_REMOVED][:, -1],
        pruned=parts[_PRUNED][:, -1],
        length=parts[_LENGTH][:, -1],
        statistics=parts[_STATISTICS][:, -1],
        by_term=(parts[_REMOVED] + parts[_PRUNED])[:, :-1],
    )


def _states(inputs: ScoreInputs) -> States:
    return States(np.array([inputs.documents]), np.array([inputs.tokens]), inputs.cf[None], inputs.df[None])


def _known_statistics(before: States, after: States) -> States:
    """Return the statistics after, with those before of terms that are gone; of a collection without a token, those before."""
    if not after.tokens[0]:
        return before
    gone = after.df == 0
    return States(
        after.documents, after.tokens, np.where(gone, before.cf, after.cf), np.where(gone, before.df, after.df)
    )


def _scores(model: RetrievalModel, query: Mapping[str, int], states: States, tf: Ints, lengths: Ints) -> Floats:
    """Return the scores by each term and, in the last column, the whole ones; shape (documents, terms + 1)."""
    documents, terms = tf.shape
    scoring = similarity(model, states)
    by_length = scoring.by_length(lengths[None])
    boosts = np.array([*query.values()], dtype=np.float64)
    of_pairs: Floats = np.repeat(by_length, terms, axis=1)
    pairs = scoring.scores(tf.reshape(1, -1), np.tile(np.arange(terms), documents), boosts, of_pairs)
    by_term = np.where(tf > 0, pairs.reshape(documents, terms), 0.0)
    whole = scoring.whole(by_term.sum(axis=1)[None], by_length, np.arange(documents), sum(query.values()))
    return np.concatenate((by_term, whole[0][:, None]), axis=1)
