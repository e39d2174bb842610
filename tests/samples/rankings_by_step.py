"""Rankings as dictionaries, by step and topic."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.experiments.exploring.matching import MatchChunks, Query
from thresher.experiments.exploring.ranking import NONE, rankings
from thresher.indexes.analysis import RetrievalModel


def rankings_by_step(
    chunks: MatchChunks,
    queries: Sequence[Query],
    sweep: int,
    model: RetrievalModel,
    depth: int,
    turn: tuple[int, int] = (0, 1),
) -> dict[int, list[dict[int, float]]]:
    """Return score by document, best first, of each topic at each step that adds tokens."""
    result: dict[int, list[dict[int, float]]] = {}
    for steps, ranked in rankings(chunks, chunks.statistics[sweep], queries, sweep, model, depth, turn):
        result |= {step: [] for step in steps.tolist()}
        for topic in ranked:
            rows = zip(steps.tolist(), topic.documents.tolist(), topic.scores.tolist(), strict=True)
            for step, documents, scores in rows:
                count = len(documents) - documents.count(NONE)
                # Nothing stands behind the end.
                assert documents[count:] == [NONE] * (len(documents) - count)
                result[step].append(dict(zip(documents[:count], scores[:count], strict=True)))
    assert all(len(topics) == len(queries) for topics in result.values())
    return result
