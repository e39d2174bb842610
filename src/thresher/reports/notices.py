"""Notices on topics, judgments and pages, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.base.number_text import counted
from thresher.evaluation.topics import About, Notice
from thresher.experiments.results import Results
from thresher.scores.lost_pages import worst_losses

_SENTENCES = {
    About.UNJUDGED: "{count} without judgments left out: {ids}.",
    About.IRRELEVANT: "{count} without a relevant document: {ids}.",
    About.UNKNOWN: "Judgments of {count} that the topics do not have are not used: {ids}.",
    About.ASKED: "{count} with the query of a topic that cutoffs are chosen on: {ids}.",
    About.MISSING: "{count} not in this collection: {ids}.",
    About.WITHOUT_TEXT: "{count} without another text counted as emptied: {ids}.",
    About.WITHOUT_PAGE: "{count} of another file without a page not used: {ids}.",
    About.UNLINKED: "No page links to another page of the collection by a text, so anchors count nothing.",
}
_NOUNS = {
    About.MISSING: "judged page",
    About.WITHOUT_TEXT: "page",
    About.WITHOUT_PAGE: "text",
}


def notice_text(notice: Notice) -> str:
    """Return a notice as a sentence."""
    count = counted(notice.count, _NOUNS.get(notice.about, "topic"))
    if notice.about is About.MISSING:
        verb = "are"
        if notice.count == 1:
            verb = "is"
        count = f"{count} {verb}"
    ids = ", ".join(notice.ids)
    unnamed = notice.count - len(notice.ids)
    if unnamed:
        ids += f" and {unnamed:,} more"
    text = _SENTENCES[notice.about].format(count=count, ids=ids)
    if notice.held_out:
        return f"Held-out topics: {text[:1].lower()}{text[1:]}"
    return text


def notices(results: Results) -> list[str]:
    """Return notices about topics and judgments, about pages that failed or have no text, and about lost languages."""
    sentences = [notice_text(notice) for notice in results.facts.notices]
    sentences += _page_notices(results)
    return sentences


def _page_notices(results: Results) -> Iterator[str]:
    pages = results.facts.pages
    if pages.failed:
        yield f"{pages.failed} of {pages.documents} pages failed; failures.jsonl lists them with their reasons."
    if pages.emptied:
        yield f"{pages.emptied} of {pages.documents} pages hold no text."
    emptied_languages = []
    for row in results.tables[0].rows:
        if row.built:
            name = row.variant.sweep or row.name
            emptied_languages.append((name, row.variant.cleaner, row.built.emptied_languages))
    for loss in worst_losses(emptied_languages, pages.documents):
        yield f"{loss}."
