"""Why topics won or lost, for terminals: the answer first, then tables and passages no wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from thresher.base.number_text import number_text
from thresher.experiments.explaining.explanations import (
    DocumentChange,
    Drop,
    Explanation,
    Named,
    Neighbour,
    Passage,
    Share,
    TermChange,
    TopicExplanation,
    TotalChange,
)
from thresher.reports.formatting import NOTHING, change_text, measure_text, percent, plain, rounded_up
from thresher.reports.table import DIFFERENCE, PERCENT, VALUE, Column, Table
from thresher.reports.text_tables import NARROWEST, render_text, shortened, wrapped
from thresher.scores.removed import DROPPED_HEADING, short

_DOCUMENTS, _PASSAGES, _NEIGHBOURS, _TOPICS = 10, 3, 5, 20
"""Shown of a topic or of all; one document is shown whole."""
_SIGNS = 400
"""Characters shown of a passage, where it is not one of one document."""


def explanation_lines(explanation: Explanation, width: int) -> Iterator[str]:
    """Give the lines on one topic, or on all, each at most `width` columns wide."""
    if explanation.loss is None or explanation.gain is None:
        yield from _topic_lines(explanation, explanation.topics[0], width)
    else:
        yield from _overall_lines(explanation, width)


def _topic_lines(explanation: Explanation, topic: TopicExplanation, width: int) -> Iterator[str]:
    measure = explanation.measure
    yield from wrapped(f"Topic {topic.topic} {verdict_text(topic)}: {values_text(topic, measure)}.", width)
    if topic.shares:
        yield from wrapped(f"Cause: {causes_text(topic)}.", width)
    yield from wrapped(f"Query: {topic.query}", width)
    yield from wrapped(f"Variant: {variant_text(explanation)}", width)
    yield ""
    yield from _table(measures_table(topic, explanation.measure), width)
    if not topic.documents:
        yield from wrapped(f"No judged document changed its rank; {topic.unmoved} kept theirs.", width)
        return
    whole = len(topic.documents) == 1
    shown = topic.documents[: None if whole else _DOCUMENTS]
    yield from _table(documents_table(topic, shown, width), width)
    for document in shown if whole else [one for one in shown if one.relevant][:_PASSAGES]:
        yield from _document_lines(document, whole, width)


def verdict_text(topic: TopicExplanation) -> str:
    """Return whether a topic lost or won."""
    return "lost" if topic.change < 0 else "won" if topic.change > 0 else "is unchanged"


def values_text(topic: TopicExplanation, measure: str) -> str:
    """Return a topic's values before and after, and their difference."""
    before, after = measure_text(topic.before[measure]), measure_text(topic.after[measure])
    return f"{measure} {before} → {after} ({change_text(topic.change)})"


def causes_text(topic: TopicExplanation) -> str:
    """Return the causes of a topic's change with their shares."""
    return ", ".join(f"{cause} ({percent(share)} %)" for cause, share in topic.shares.items())


def measures_table(topic: TopicExplanation, main: str) -> Table:
    """Return a topic's measures, the main one first."""
    rows = [(name, topic.before[name], topic.after[name]) for name in topic.before]
    columns: list[Column[tuple[str, float, float]]] = [
        Column("measure", lambda row: row[0], "", align="left"),
        Column("baseline", lambda row: row[1], ""),
        Column("variant", lambda row: row[2], ""),
        Column("change", lambda row: row[2] - row[1], "", format=DIFFERENCE),
    ]
    return Table.of(columns, sorted(rows, key=lambda row: row[0] != main), "")


def documents_table(topic: TopicExplanation, shown: Sequence[DocumentChange], width: int) -> Table:
    """Return documents with the parts of their scores' changes, their ids in about a third of `width` columns."""
    columns: list[Column[DocumentChange]] = [
        Column("document", lambda row: shortened(plain(row.document), max(width // 3, NARROWEST)), "", align="left"),
        Column("grade", lambda row: grade_text(row.grade), ""),
        Column("rank", lambda row: f"{_rank(row.rank_before)} → {_rank(row.rank_after)}", ""),
        Column("cause", lambda row: row.cause or NOTHING, "", align="left"),
        Column("score", lambda row: row.score_before, ""),
        Column("change", lambda row: row.score_change, "", format=DIFFERENCE),
        Column("lost terms", lambda row: row.removed, "", format=DIFFERENCE),
        Column("pruned terms", lambda row: row.pruned, "", format=DIFFERENCE),
        Column("length", lambda row: row.length, "", format=DIFFERENCE),
        Column("statistics", lambda row: row.statistics, "", format=DIFFERENCE),
    ]
    parts = {"lost terms", "pruned terms", "length", "statistics"}
    held = [one for one in columns if one.name not in parts or any(one.value(row) for row in shown)]
    more = len(topic.documents) - len(shown)
    caption = f"Judged documents whose rank changed ({NOTHING}: not retrieved); the parts of each score's change."
    if topic.unmoved:
        caption += f" {topic.unmoved} kept their rank."
    if more:
        caption += f" {more} more are in the record (--json)."
    return Table.of(held, shown, caption if len(topic.documents) > 1 else "The change of the score and its parts.")


def _document_lines(document: DocumentChange, whole: bool, width: int) -> Iterator[str]:
    head = [f"{document.document}: {moved_text(document)}", f"grade {grade_text(document.grade)}", *lengths(document)]
    yield from wrapped("; ".join(head), width)
    for line in reasons(document, None if whole else _NEIGHBOURS):
        yield from wrapped(line, width, "  ")
    shown = document.passages[: None if whole else _PASSAGES]
    for passage in shown:
        yield from _passage_lines(passage, whole, width)
    if len(document.passages) > len(shown):
        yield from wrapped(f"{len(document.passages) - len(shown)} more passages: --document", width, "  ")
    yield ""


def lengths(document: DocumentChange) -> list[str]:
    """Return the document's lengths before and after, and that it is gone."""
    tokens = f"{document.length_before} → {document.length_after} tokens"
    return [tokens, *(["nothing of it is in the index"] if document.emptied else [])]


def reasons(document: DocumentChange, most: int | None = None) -> list[str]:
    """Return the topic's words in the document, and at most that many documents that overtook it or that it overtook."""
    held = [term_text(term) for term in document.terms if term.before or term.after]
    lines = [f"words of the topic: {', '.join(held) or 'none'}"]
    if document.others:
        others = [*map(neighbour_text, document.others[:most])]
        if document.other_documents > len(others):
            others.append(f"{document.other_documents - len(others)} more")
        lines.append(f"{'overtaken by' if document.fell else 'overtook'} {', '.join(others)}")
    return lines


def _passage_lines(passage: Passage, whole: bool, width: int) -> Iterator[str]:
    held = ", ".join(f"{term} ×{count}" if count > 1 else term for term, count in passage.terms.items())
    yield from wrapped(f"removed {passage.kind} with {held}: {'; '.join(map(drop_text, passage.drops))}", width, "  ")
    text = passage.text if whole or len(passage.text) <= _SIGNS else f"{passage.text[:_SIGNS]}…"
    yield from wrapped(text, width, "    ")


def drop_text(drop: Drop) -> str:
    """Return which cut removes a passage, by what score, and where it returns."""
    if drop.outcome == DROPPED_HEADING:
        return f"{drop.cut} drops titles and headings"
    score = f"{drop.cut} scores it {_number(drop.score)}"
    if drop.returns is None:
        return f"{score}; no cutoff brings it back"
    if drop.quota:
        return f"{score}; it returns above {rounded_up(drop.returns):g} % of the page's words"
    return f"{score}; it returns at {_number(drop.returns)}"


def _number(score: float) -> str:
    """Return a score with all the digits that a cutoff needs to be it."""
    return number_text(score) if isfinite(score) else short(score)


def term_text(term: TermChange) -> str:
    """Return a term with its tf before and after."""
    steps = [term.before, *([term.cleaned] if term.cleaned != term.before else [])]
    pruned = " (pruned)" if term.after != term.cleaned else ""
    return f"{term.term} {' → '.join(map(str, [*steps, *([term.after] if pruned else [])]))}{pruned}"


def moved_text(document: DocumentChange) -> str:
    """Return by how many ranks a document moved, and from where to where."""
    before, after = document.rank_before, document.rank_after
    if before is None or after is None or before == after:
        return f"rank {_ranks(before, after)}"
    return f"{'fell' if document.fell else 'rose'} by {abs(after - before)}, {_ranks(before, after)}"


def neighbour_text(other: Neighbour) -> str:
    """Return a document that overtook or was overtaken, with its grade and ranks."""
    judged = "unjudged" if other.grade is None else f"grade {other.grade}"
    return f"{other.document} ({judged}, {_ranks(other.rank_before, other.rank_after)})"


def share_tables(loss: TotalChange, gain: TotalChange) -> list[Table]:
    """Return the shares of loss and gain by cause, by kind of block and by page, as far as there are any."""
    kinds = (
        "The same by kind of block: of the loss, what topic words lost in such blocks made; of the gain, what shortening by "
        "them made."
    )
    causes = "Shares of the loss and of the gain by cause, with 95 % intervals by bootstrap over topics."
    tables = [
        shares_table("cause", loss.causes, gain.causes, causes),
        shares_table("kind of block", loss.kinds, gain.kinds, kinds),
        shares_table("page", loss.pages, gain.pages, "The same by the kind of most of the page's words."),
    ]
    return [table for table in tables if table.rows]


def total_text(verb: str, change: TotalChange, measure: str) -> str:
    """Return how many topics lost, or won, how much, and where most of it was."""
    if not change.topics:
        return f"Topics that {verb}: 0."
    cause, kind = next(iter(change.causes)), next(iter(change.kinds), None)
    text = f"Topics that {verb}: {change.topics}, together {measure_text(change.total)} {measure}"
    text += f", most by {cause} ({percent(change.causes[cause].share)} %)"
    if kind is not None:
        share = change.kinds[kind]
        text += f"; {percent(share.share)} % of it in {kind} blocks ({_interval(share)} %)"
    return f"{text}."


def _interval(share: Share) -> str:
    return f"{percent(share.low)} to {percent(share.high)}"


def _overall_lines(explanation: Explanation, width: int) -> Iterator[str]:
    loss, gain = explanation.loss, explanation.gain
    assert loss is not None
    assert gain is not None
    moved = explanation.moved
    yield from wrapped(f"Variant: {variant_text(explanation)}", width)
    for verb, one in (("lost", loss), ("won", gain)):
        yield from wrapped(total_text(verb, one, explanation.measure), width)
    yield from wrapped(f"Topics without a change: {len(explanation.topics) - len(moved)}.", width)
    yield ""
    for table in share_tables(loss, gain):
        yield from _table(table, width)
    if moved:
        yield from _table(topics_table(explanation, moved[:_TOPICS], width), width)
        if len(moved) > _TOPICS:
            yield from wrapped(f"{len(moved) - _TOPICS} more topics changed: --json", width)


def shares_table(name: str, loss: Mapping[Any, Share], gain: Mapping[Any, Share], caption: str) -> Table:
    """Return shares of the loss and of the gain with their intervals, the largest first."""
    none = Share(0.0, 0.0, 0.0)
    largest = sorted({*loss, *gain}, key=lambda key: (-max(loss.get(key, none).share, gain.get(key, none).share), key))
    columns: list[Column[Any]] = [
        Column(name, lambda key: key, "", align="left"),
        Column("loss", lambda key: loss[key].share if key in loss else None, "", unit="%", format=PERCENT),
        Column("loss_interval", lambda key: _interval(loss[key]) if key in loss else None, "", "95 %"),
        Column("gain", lambda key: gain[key].share if key in gain else None, "", unit="%", format=PERCENT),
        Column("gain_interval", lambda key: _interval(gain[key]) if key in gain else None, "", "95 %"),
    ]
    return Table.of(columns, largest, caption)


def topics_table(explanation: Explanation, moved: Sequence[TopicExplanation], width: int) -> Table:
    """Return topics by their change, those that lost most first, with their causes."""
    caption = f"Topics by their change in {explanation.measure}."
    columns = topics_columns(explanation.measure, max(width // 3, NARROWEST))
    return Table.of(columns, sorted(moved, key=lambda row: row.change), caption)


def topics_columns(measure: str, room: int) -> list[Column[TopicExplanation]]:
    """Return the columns over explained topics; queries have `room` characters in tables."""
    return [
        Column("topic", lambda row: row.topic, "", align="left"),
        Column("change", lambda row: row.change, "", format=DIFFERENCE),
        Column("cause", lambda row: row.cause or NOTHING, "", align="left"),
        Column("baseline", lambda row: row.before[measure], "", format=VALUE),
        Column("variant", lambda row: row.after[measure], "", format=VALUE),
        Column("query", lambda row: row.query, "", align="left", text=lambda row: shortened(plain(row.query), room)),
    ]


def variant_text(explanation: Explanation) -> str:
    """Return what is explained: the variant and why this one, the retrieval model, the depth."""
    named, built = explanation.named
    why = {
        Named.ASKED: "",
        Named.RECOMMENDED: " (the recommended variant)",
        Named.LARGEST_CHANGE: f" (of {built} variants the one with the largest change in {explanation.measure})",
    }
    return f"{explanation.variant}{why[named]}, by {explanation.retrieval}, {explanation.depth} hits per topic."


def _table(table: Table, width: int) -> list[str]:
    return [*render_text(table, width).splitlines(), ""]


def grade_text(grade: int | None) -> str:
    """Return a judgment."""
    return "unjudged" if grade is None else str(grade)


def _rank(rank: int | None) -> str:
    return NOTHING if rank is None else str(rank)


def _ranks(before: int | None, after: int | None) -> str:
    return f"{'not retrieved' if before is None else before} → {'not retrieved' if after is None else after}"
