"""The bytes of a document to a page: blocks, sentences, links."""

from __future__ import annotations

from thresher.base.defaults import BLOCK_RULES
from thresher.pages.parsing import Detail
from thresher.pages.reading import (
    DEFAULT_OPTIONS,
    MOST_BLOCKS,
    PageOptions,
    ParsedText,
    ReadPage,
    check_text,
    read_html,
    read_page,
    read_text_page,
    segment,
    shown_page,
    versions_read,
)
from thresher.pages.segments import Segments

__all__ = [
    "BLOCK_RULES",
    "DEFAULT_OPTIONS",
    "MOST_BLOCKS",
    "Detail",
    "PageOptions",
    "ParsedText",
    "ReadPage",
    "Segments",
    "check_text",
    "read_html",
    "read_page",
    "read_text_page",
    "segment",
    "shown_page",
    "versions_read",
]
