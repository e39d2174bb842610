"""Writes the pages that explain a finished experiment's topics, beside its report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from thresher.explaining.explanations import PAGES_FOLDER, ExplainedTopics, Explanation, write_explained
from thresher.files import atomic_path, write_text
from thresher.playing.page_sources import ResultPages
from thresher.playing.page_views import View, cuts_view, scorer_view, write_side_by_side
from thresher.progress import progress
from thresher.pruning_methods.treatments import parse_treatment
from thresher.reports.explanation_text import page_name, render_topic, render_topics
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.percentiles import resolved

MOST_DOCUMENTS = 10
"""Documents of a topic that are shown whole: relevant ones first, then those that moved the measure most."""


def write_explained_topics(explanation: Explanation, folder: Path) -> Path:
    """Write `why/topics.html`, a page for each topic, and for each a page with its documents side by side.

    Args:
        explanation: of all topics.
        folder: the experiment's results.

    Returns:
        The page on all topics.
    """
    pages = ResultPages(folder)
    cleaner = resolved(folder / "scores", parse_treatment(explanation.variant).cleaner)
    sides = [cuts_view(Cleaner()), cuts_view(cleaner)]
    scorers = {scorer.canonical_name: scorer_view(scorer) for scorer in cleaner.scorers}
    where = folder / PAGES_FOLDER
    files = {}
    for topic in progress(explanation.topics, "pages", len(explanation.topics), "topics"):
        name = page_name(topic.topic)
        first = sorted(topic.documents, key=lambda document: not document.relevant)
        shown = [document.document for document in first[:MOST_DOCUMENTS]]
        beside = f"{name.removesuffix('.html')}-documents.html"
        if shown:
            title = f"Documents of topic {topic.topic}: all text, and {cleaner.name}"
            with atomic_path(where / beside) as temporary:
                write_side_by_side(_views(pages, shown, scorers), [*scorers.values()], sides, title, temporary)
        links = {document: f"{beside}#{quote(document, safe=_UNQUOTED)}" for document in shown}
        write_text(where / name, render_topic(explanation, topic, links))
        files[topic.topic] = f"{PAGES_FOLDER}/{name}"
    write_text(where / "topics.html", render_topics(explanation))
    write_explained(ExplainedTopics(pages.results.facts.key, explanation.variant, explanation.retrieval, files), folder)
    return where / "topics.html"


_UNQUOTED = "!'()*"
"""Characters that JavaScript's encodeURIComponent leaves, besides those that Python's quote does."""


def _views(pages: ResultPages, documents: Sequence[str], scorers: Collection[str]) -> Iterator[View]:
    """Give documents with the scores that the two cleaners need: all others would be most of the file."""
    for document in documents:
        view = pages.view(document)
        yield {**view, "scores": {name: values for name, values in view["scores"].items() if name in scorers}}
