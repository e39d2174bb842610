"""Steps of datatrove's pipelines: an extractor in the place of Trafilatura, and a filter of whole documents."""

from __future__ import annotations

from typing import Any

from datatrove.data import Document
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.pipeline.filters.base_filter import BaseFilter

from thresher.api import clean_html, clean_pages
from thresher.base.defaults import DEFAULT_CLEANER, PAGE_SECONDS
from thresher.base.errors import InputError
from thresher.collections import Page


class ThresherExtractor(BaseExtractor):
    """Replaces a document's HTML by its cleaned text; documents without cleaned text are dropped."""

    name = "🌾 Thresher"

    def __init__(self, cleaner: str = DEFAULT_CLEANER, markdown: bool = False, timeout: float = PAGE_SECONDS) -> None:
        super().__init__(timeout=timeout)
        clean_pages([], cleaner)  # which checks the name
        self.cleaner = cleaner
        self.markdown = markdown

    def extract(self, text: str) -> str:
        """Return the text; empty if the document is no page, so that the process goes on."""
        try:
            return clean_html(text, self.cleaner, markdown=self.markdown)
        except InputError:
            return ""


class ThresherFilter(BaseFilter):
    """Keeps documents, unchanged, if a cleaner leaves words of them: `pages(perplexity)@1000`, `content@0.7`."""

    name = "🌾 Thresher"

    def __init__(self, cleaner: str, min_words: int = 1, html: bool = False, exclusion_writer: Any = None) -> None:
        super().__init__(exclusion_writer)
        clean_pages([], cleaner)
        self.cleaner = cleaner
        self.min_words = min_words
        self.html = html

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Return whether to keep a document of plain text, or of HTML if the filter stands before an extractor."""
        page = Page(doc.id, doc.text.encode("utf-8", "replace"), doc.metadata.get("url"), "utf-8", not self.html)
        (cleaned,) = clean_pages([page], self.cleaner)
        if cleaned.words >= self.min_words:
            return True
        if cleaned.problem:
            return False, "failed"
        return False, "few_words"
