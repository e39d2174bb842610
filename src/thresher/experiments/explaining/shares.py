"""Shares of the change of topics: of its documents, of the part that moved them, of the kinds of block.

The change of a topic is the change of its main measure. The credit of a relevant document (grade 1 or more) is the
measure with the variant, less the measure if only this document returned to its old rank. If a topic lost, the relevant
documents that fell and have a negative credit share the loss in proportion to their credits. If it won, the relevant
documents that rose and have a positive credit share the gain. If no document has a credit of this sign, all relevant
documents that fell, or rose, have equal shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

import numpy as np

from thresher.base.numbers import Floats
from thresher.evaluation.significance import ratio_interval
from thresher.experiments.explaining.explanations import (
    UNEXPLAINED,
    DocumentChange,
    Loss,
    Part,
    Share,
    TopicExplanation,
)


def document_shares(change: float, documents: Sequence[DocumentChange]) -> list[float]:
    """Return each document's share of a topic's change; shares add up to 1, or are all 0 if no relevant document moved."""
    credits = [0.0] * len(documents)
    equal = [0.0] * len(documents)
    for number, document in enumerate(documents):
        if not document.relevant or document.fell is not (change < 0):
            continue
        equal[number] = 1.0
        if document.credit * change > 0:
            credits[number] = abs(document.credit)
    if not any(credits):
        credits = equal
    total = sum(credits)
    if not change or not total:
        return [0.0] * len(documents)
    return [credit / total for credit in credits]


def main_part(change: float, documents: Sequence[DocumentChange]) -> Part | None:
    """Return the part with the largest share of a topic's change; None if no relevant document moved with it."""
    shares: dict[Part, float] = {}
    for document, share in zip(documents, document_shares(change, documents), strict=True):
        if share and document.part is not None:
            shares[document.part] = shares.get(document.part, 0.0) + share
    if not shares:
        return None
    return max(shares, key=lambda part: shares[part])


def loss_of(topics: Iterable[TopicExplanation]) -> Loss:
    """Return the loss of all topics that lost, by kind of block, with intervals of a ratio of two means over these topics."""
    # Sorted, so that resamples do not depend on the order of the topics.
    lost: list[TopicExplanation] = []
    for topic in sorted(topics, key=attrgetter("topic")):
        if topic.change < 0:
            lost.append(topic)
    losses = np.array([-topic.change for topic in lost])
    by_source: dict[str, Floats] = {}
    for number, topic in enumerate(lost):
        for source, share in _sources(topic).items():
            by_source.setdefault(source, np.zeros(len(lost)))[number] = share * losses[number]
    shares: dict[str, Share] = {}
    for source, values in by_source.items():
        low, high = ratio_interval(values, losses)
        shares[source] = Share(float(values.sum() / losses.sum()), low, high)
    largest_first = sorted(shares, key=lambda source: -shares[source].share)
    return Loss(float(losses.sum()), len(lost), {source: shares[source] for source in largest_first})


def _sources(topic: TopicExplanation) -> dict[str, float]:
    """Return the shares of a topic's loss by kind of block, or by another part of the score that moved a document."""
    sources: dict[str, float] = {}
    for document, share in zip(topic.documents, document_shares(topic.change, topic.documents), strict=True):
        if share:
            for source, part in _sources_of(document).items():
                sources[source] = sources.get(source, 0.0) + share * part
    return sources or {UNEXPLAINED: 1.0}


def _sources_of(document: DocumentChange) -> dict[str, float]:
    if document.part in (Part.REMOVED, Part.PRUNED) and document.lost:
        sources: dict[str, float] = {}
        for kind, share in document.lost.items():
            sources[str(kind)] = share
        return sources
    return {str(document.part): 1.0}
