"""Why topics won or lost, for terminals: the answer first, then tables and passages no wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import isfinite
from operator import attrgetter

from thresher.base.number_text import number_text
from thresher.experiments.explaining.explanations import (
    DocumentChange,
    Drop,
    Explanation,
    Loss,
    Neighbour,
    Part,
    Passage,
    Reason,
    TermChange,
    TopicExplanation,
)
from thresher.reports import formats
from thresher.reports.columns import Column
from thresher.reports.formatting import NOTHING, change_text, measure_text, plain, rounded_up, signed
from thresher.reports.number_formats import decimals, single
from thresher.reports.table import Table, measure_header
from thresher.reports.text_tables import NARROWEST, render_text, shortened, wrapped
from thresher.scores.removed import DROPPED_HEADING, score_text

MOST_TOPICS = 20
"""The topics shown of all."""
MOST_DOCUMENTS = 10
"""The documents shown of a topic."""
MOST_PASSAGES = 3
"""The relevant documents of a topic, and the passages of a document, that are shown; a single document is shown whole."""
MOST_OVERTAKERS = 5
"""The documents shown that overtook a document."""
MOST_CHARACTERS = 400
"""Characters shown of a passage, unless its document is shown alone."""
SCORE = decimals(2)
SCORE_CHANGE = single(partial(signed, decimals=2))


def explanation_lines(explanation: Explanation, width: int) -> Iterator[str]:
    """Give the lines on one topic, or on all, each at most `width` columns wide."""
    if explanation.loss is None:
        yield from _topic_lines(explanation, explanation.topics[0], width)
    else:
        yield from _all_topics_lines(explanation, explanation.loss, width)


def variant_text(explanation: Explanation) -> str:
    """Return the explained variant, the reason for its selection, the retrieval model and the depth."""
    reason = ""
    if explanation.reason is Reason.RECOMMENDED:
        reason = " (the recommended variant)"
    elif explanation.reason is Reason.LARGEST_CHANGE:
        reason = f" (largest change in {measure_header(explanation.measure).name} of {explanation.built} variants)"
    return f"{explanation.variant}{reason}, by {explanation.retrieval}, {explanation.depth} hits per topic."


def _table_lines(table: Table, width: int) -> list[str]:
    lines = render_text(table, width).splitlines()
    lines.append("")
    return lines


# One topic


def _topic_lines(explanation: Explanation, topic: TopicExplanation, width: int) -> Iterator[str]:
    yield from wrapped(_change_text(topic, explanation.measure), width)
    if topic.part:
        yield from wrapped(f"Largest part: {topic.part}.", width)
    yield from wrapped(f"Query: {topic.query}", width)
    yield from wrapped(f"Variant: {variant_text(explanation)}", width)
    yield ""
    yield from _table_lines(_measures_table(topic, explanation.measure), width)
    if not topic.documents:
        yield from wrapped(f"No judged document changed its rank; {topic.unmoved} kept theirs.", width)
        return
    if len(topic.documents) == 1:
        yield from _table_lines(_documents_table(topic, topic.documents, width), width)
        yield from _document_lines(topic.documents[0], True, width)
        return
    shown = topic.documents[:MOST_DOCUMENTS]
    yield from _table_lines(_documents_table(topic, shown, width), width)
    relevant = [document for document in shown if document.relevant]
    for document in relevant[:MOST_PASSAGES]:
        yield from _document_lines(document, False, width)


def _change_text(topic: TopicExplanation, measure: str) -> str:
    """Return whether a topic lost or won, with its values before and after."""
    verdict = "is unchanged"
    if topic.change < 0:
        verdict = "lost"
    elif topic.change > 0:
        verdict = "won"
    before = measure_text(topic.before[measure])
    after = measure_text(topic.after[measure])
    return f"Topic {topic.topic} {verdict}: {measure_header(measure).name} {before} → {after} ({change_text(topic.change)})."


def _measures_table(topic: TopicExplanation, main: str) -> Table:
    """Return a topic's measures, the main measure first."""

    def name(measure: str) -> str:
        return measure_header(measure).name

    def change(measure: str) -> float:
        return topic.after[measure] - topic.before[measure]

    columns: list[Column[str]] = [
        Column("measure", name, "", formats.TEXT),
        Column("baseline", topic.before.get, ""),
        Column("variant", topic.after.get, ""),
        Column("change", change, "", formats.DIFFERENCE),
    ]
    measures = sorted(topic.before, key=lambda measure: measure != main)
    return Table.of(columns, measures, "")


def _documents_table(topic: TopicExplanation, shown: Sequence[DocumentChange], width: int) -> Table:
    """Return documents with the parts of their scores' changes; their ids have about a third of `width` columns."""

    def document(row: DocumentChange) -> str:
        return shortened(plain(row.document), max(width // 3, NARROWEST))

    columns: list[Column[DocumentChange]] = [
        Column("document", document, "", formats.TEXT),
        Column("grade", _grade_of_document, ""),
        Column("rank", _ranks_of_document, ""),
        Column("largest part", _largest_part, "", formats.TEXT),
        Column("score", attrgetter("score_before"), "", SCORE),
        Column("change", attrgetter("score_change"), "", SCORE_CHANGE),
    ]
    parts: list[Column[DocumentChange]] = [
        Column(Part.REMOVED, attrgetter("removed"), "", SCORE_CHANGE),
        Column(Part.PRUNED, attrgetter("pruned"), "", SCORE_CHANGE),
        Column(Part.LENGTH, attrgetter("length"), "", SCORE_CHANGE),
        Column(Part.STATISTICS, attrgetter("statistics"), "", SCORE_CHANGE),
    ]
    for part in parts:
        if any(map(part.value, shown)):
            columns.append(part)
    return Table.of(columns, shown, _documents_caption(topic, len(shown)))


def _grade_of_document(row: DocumentChange) -> str:
    return _grade_text(row.grade)


def _ranks_of_document(row: DocumentChange) -> str:
    return f"{_rank(row.rank_before)} → {_rank(row.rank_after)}"


def _largest_part(row: DocumentChange | TopicExplanation) -> str:
    return row.part or NOTHING


def _documents_caption(topic: TopicExplanation, shown: int) -> str:
    if len(topic.documents) == 1:
        return "The change of the score and its parts."
    caption = f"Judged documents whose rank changed ({NOTHING}: not retrieved), and the parts of each score's change."
    if topic.unmoved:
        caption += f" {topic.unmoved} kept their rank."
    if len(topic.documents) > shown:
        caption += f" {len(topic.documents) - shown} more are in the record (--json)."
    return caption


def _document_lines(document: DocumentChange, whole: bool, width: int) -> Iterator[str]:
    yield from wrapped(_document_head(document), width)
    words: list[str] = []
    for term in document.terms:
        if term.before or term.after:
            words.append(_term_text(term))
    yield from wrapped(f"words of the topic: {', '.join(words) or 'none'}", width, "  ")
    if document.overtakers:
        most = MOST_OVERTAKERS
        if whole:
            most = len(document.overtakers)
        yield from wrapped(_overtakers_text(document, most), width, "  ")
    passages = document.passages
    if not whole:
        passages = passages[:MOST_PASSAGES]
    for passage in passages:
        yield from _passage_lines(passage, whole, width)
    if len(document.passages) > len(passages):
        yield from wrapped(f"{len(document.passages) - len(passages)} more passages: --document", width, "  ")
    yield ""


def _document_head(document: DocumentChange) -> str:
    head = f"{document.document}: {_moved_text(document)}; grade {_grade_text(document.grade)}"
    head += f"; {document.length_before} → {document.length_after} tokens"
    if document.emptied:
        head += "; the index has no text of it"
    return head


def _moved_text(document: DocumentChange) -> str:
    """Return the number of ranks that a document moved, and its ranks before and after."""
    before = document.rank_before
    after = document.rank_after
    ranks = _ranks(before, after)
    if before is None or after is None or before == after:
        return f"rank {ranks}"
    verb = "rose"
    if document.fell:
        verb = "fell"
    return f"{verb} by {abs(after - before)}, {ranks}"


def _term_text(term: TermChange) -> str:
    """Return a term with its tf in the baseline's index, after cleaning, and after pruning, as far as these differ."""
    text = f"{term.term} {term.before}"
    if term.cleaned != term.before:
        text += f" → {term.cleaned}"
    if term.after != term.cleaned:
        text += f" → {term.after} (pruned)"
    return text


def _overtakers_text(document: DocumentChange, most: int) -> str:
    names = [_neighbour_text(other) for other in document.overtakers[:most]]
    if document.overtaker_count > len(names):
        names.append(f"{document.overtaker_count - len(names)} more")
    verb = "overtook"
    if document.fell:
        verb = "overtaken by"
    return f"{verb} {', '.join(names)}"


def _neighbour_text(other: Neighbour) -> str:
    judgment = "unjudged"
    if other.grade is not None:
        judgment = f"grade {other.grade}"
    return f"{other.document} ({judgment}, {_ranks(other.rank_before, other.rank_after)})"


def _passage_lines(passage: Passage, whole: bool, width: int) -> Iterator[str]:
    words: list[str] = []
    for term, count in passage.terms.items():
        word = term
        if count > 1:
            word += f" ×{count}"
        words.append(word)
    drops = "; ".join(map(_drop_text, passage.drops))
    yield from wrapped(f"removed {passage.kind} with {', '.join(words)}: {drops}", width, "  ")
    text = passage.text
    if not whole and len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}…"
    yield from wrapped(text, width, "    ")


def _drop_text(drop: Drop) -> str:
    """Return the cut that removes a passage, the passage's score, and the cutoff that would keep the passage."""
    if drop.outcome == DROPPED_HEADING:
        return f"{drop.cut} drops titles and headings"
    score = f"{drop.cut} scores it {_cutoff_text(drop.score)}"
    if drop.returns is None:
        return f"{score}; no cutoff brings it back"
    if drop.quota:
        return f"{score}; it returns above {rounded_up(drop.returns):g} % of the page's words"
    return f"{score}; it returns at {_cutoff_text(drop.returns)}"


def _cutoff_text(score: float) -> str:
    """Return a score with all the digits that a cutoff needs to equal it."""
    if isfinite(score):
        return number_text(score)
    return score_text(score)


def _grade_text(grade: int | None) -> str:
    if grade is None:
        return "unjudged"
    return str(grade)


def _rank(rank: int | None) -> str:
    return _rank_text(rank, NOTHING)


def _ranks(before: int | None, after: int | None) -> str:
    missing = "not retrieved"
    return f"{_rank_text(before, missing)} → {_rank_text(after, missing)}"


def _rank_text(rank: int | None, missing: str) -> str:
    if rank is None:
        return missing
    return str(rank)


# All topics


def _all_topics_lines(explanation: Explanation, loss: Loss, width: int) -> Iterator[str]:
    moved = explanation.moved
    measure = measure_header(explanation.measure).name
    yield from wrapped(f"Variant: {variant_text(explanation)}", width)
    yield from wrapped(f"Topics that lost: {loss.topics}, together {measure_text(loss.total)} {measure}.", width)
    yield from wrapped(
        f"Topics that won: {len(explanation.won)}, together {measure_text(explanation.gain)} {measure}.", width
    )
    yield from wrapped(f"Topics without a change: {len(explanation.topics) - len(moved)}.", width)
    yield ""
    if loss.shares:
        yield from _table_lines(_loss_table(loss), width)
    if moved:
        yield from _table_lines(topics_table(explanation, moved[:MOST_TOPICS], width), width)
    if len(moved) > MOST_TOPICS:
        yield from wrapped(f"{len(moved) - MOST_TOPICS} more topics changed: --json", width)


def _loss_table(loss: Loss) -> Table:
    """Return the shares of the loss by kind of block, the largest first."""

    def percent_lost(kind: str) -> float:
        return 100 * loss.shares[kind].share

    def interval(kind: str) -> str:
        share = loss.shares[kind]
        return f"{100 * share.low:.0f} to {100 * share.high:.0f}"

    columns: list[Column[str]] = [
        Column("kind of block", str, "", formats.TEXT),
        Column("loss", percent_lost, "", formats.COUNT, unit="%"),
        Column("loss_interval", interval, "", header="95 %"),
    ]
    caption = (
        "Shares of the loss by kind of block that held the lost topic words, or by the part of the score that moved the "
        "document; 95 % intervals by bootstrap over the topics that lost."
    )
    return Table.of(columns, list(loss.shares), caption)


def topics_table(explanation: Explanation, topics: Sequence[TopicExplanation], width: int) -> Table:
    """Return topics by their change, the largest loss first; queries have about a third of `width` columns."""
    columns = topics_columns(explanation.measure, max(width // 3, NARROWEST))
    caption = f"Topics by their change in {measure_header(explanation.measure).name}."
    return Table.of(columns, sorted(topics, key=attrgetter("change")), caption)


def topics_columns(measure: str, room: int) -> list[Column[TopicExplanation]]:
    """Return the columns of explained topics; queries have `room` characters in tables."""

    def before(row: TopicExplanation) -> float:
        return row.before[measure]

    def after(row: TopicExplanation) -> float:
        return row.after[measure]

    def short_query(row: TopicExplanation) -> str:
        return shortened(plain(row.query), room)

    return [
        Column("topic", attrgetter("topic"), "", formats.TEXT),
        Column("change", attrgetter("change"), "", formats.DIFFERENCE),
        Column("largest part", _largest_part, "", formats.TEXT),
        Column("baseline", before, ""),
        Column("variant", after, ""),
        Column("query", attrgetter("query"), "", formats.TEXT, text=short_query),
    ]
