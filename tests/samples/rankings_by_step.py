"""Rankings as dictionaries, by step and topic."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.experiments.exploring.match_chunks import MatchChunks
from thresher.experiments.exploring.matching import Query
from thresher.experiments.exploring.ranking import NONE, rank_steps
from thresher.indexes.analysis import RetrievalModel


def rankings_by_step(
    chunks: MatchChunks, queries: Sequence[Query], sweep: int, model: RetrievalModel, depth: int
) -> dict[int, list[dict[int, float]]]:
    """Return score by document, best first, of each topic at each step that adds tokens."""
    statistics = chunks.statistics[sweep]
    result: dict[int, list[dict[int, float]]] = {}
    for block in rank_steps(chunks.chunks, statistics, queries, model, depth, statistics.changing()):
        result |= {step: [] for step in block.steps.tolist()}
        for topic in block.topics:
            rows = zip(block.steps.tolist(), topic.documents.tolist(), topic.scores.tolist(), strict=True)
            for step, documents, scores in rows:
                count = len(documents) - documents.count(NONE)
                # Nothing stands behind the end.
                assert documents[count:] == [NONE] * (len(documents) - count)
                result[step].append(dict(zip(documents[:count], scores[:count], strict=True)))
    assert all(len(topics) == len(queries) for topics in result.values())
    return result
