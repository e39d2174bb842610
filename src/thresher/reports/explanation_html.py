"""Why topics won or lost, as pages beside the report: one for all topics and one for each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from thresher.explaining.explanations import DocumentChange, Explanation, TopicExplanation
from thresher.reports.explanation_text import (
    causes_text,
    documents_table,
    drop_text,
    lengths,
    measures_table,
    moved_text,
    reasons,
    share_tables,
    topics_table,
    values_text,
    variant_text,
    verdict_text,
)
from thresher.reports.formatting import measure_text
from thresher.reports.html_parts import render_template

_WIDTH = 240
"""Columns that tables are as wide as: pages can be scrolled."""


@dataclass(frozen=True)
class ShownPassage:
    """A removed passage: what and why, and its text as it stood in the page."""

    what: str
    text: str


@dataclass(frozen=True)
class ShownDocument:
    """A document of which the rank changed, in words."""

    document: str
    moved: str
    facts: tuple[str, ...]
    passages: tuple[ShownPassage, ...]


def page_name(topic: str) -> str:
    """Return the file name of a topic's page: its id where that is one, else with a digest instead of odd characters."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", topic).strip(".-")[:60]
    if plain == topic:
        return f"topic-{topic}.html"
    return f"topic-{plain}-{hashlib.sha256(topic.encode()).hexdigest()[:8]}.html"


def render_topics(explanation: Explanation) -> str:
    """Return the page on all topics: shares by cause and by kind of block, and the topics by change, with links."""
    loss, gain = explanation.loss, explanation.gain
    assert loss is not None
    assert gain is not None
    moved = explanation.moved
    sentences = [
        f"{loss.topics} topics lost, together {measure_text(loss.total)} {explanation.measure}.",
        f"{gain.topics} topics won, together {measure_text(gain.total)} {explanation.measure}.",
        f"{len(explanation.topics) - len(moved)} topics are unchanged.",
    ]
    return render_template(
        "explained_topics.html.j2",
        title=f"Why topics won or lost with {explanation.variant}",
        sub=variant_text(explanation),
        sentences=sentences,
        tables=share_tables(loss, gain),
        topics=topics_table(explanation, moved, _WIDTH) if moved else None,
        links={topic.topic: page_name(topic.topic) for topic in explanation.topics},
        notices=explanation.notices,
    )


def render_topic(explanation: Explanation, topic: TopicExplanation, documents: Mapping[str, str]) -> str:
    """Return the page on one topic.

    Args:
        explanation: of the topic and others.
        topic: the topic.
        documents: addresses of pages that show a document whole, by its id.
    """
    measure = explanation.measure
    return render_template(
        "explained_topic.html.j2",
        title=f"Topic {topic.topic} {verdict_text(topic)}",
        query=topic.query,
        sub=variant_text(explanation),
        change=values_text(topic, measure),
        cause=causes_text(topic),
        measures=measures_table(topic, measure),
        documents=documents_table(topic, topic.documents, _WIDTH) if topic.documents else None,
        unmoved=topic.unmoved,
        shown=[_shown(document) for document in topic.documents],
        links=documents,
        notices=explanation.notices,
    )


def _shown(document: DocumentChange) -> ShownDocument:
    passages = tuple(
        ShownPassage(
            f"{passage.kind} with {', '.join(passage.terms)}: {'; '.join(map(drop_text, passage.drops))}", passage.text
        )
        for passage in document.passages
    )
    return ShownDocument(document.document, moved_text(document), (*lengths(document), *reasons(document)), passages)
