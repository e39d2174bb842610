"""Cleaned HTML: the tree of a page without the text that a cleaner drops; and Markdown made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

from lxml import html as lxml_html

from thresher.base.errors import needs_extra
from thresher.pages import PageOptions, read_html, versions_read
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.trees import parsed, place_texts, stays_between, without_text

_PERMALINKS = ("¶", "#", "§", "🔗")


@dataclass(frozen=True)
class PageToCut:
    """A page with the parts of its text.

    Attributes:
        html: the page; empty if it is plain text.
        text: the text of `thresher.pages.Segments`.
        block_ends, sentence_ends: the offsets where blocks and sentences end.
        levels: the levels of the headings.
    """

    html: str
    text: str
    block_ends: Sequence[int]
    sentence_ends: Sequence[int]
    levels: Sequence[int]


@dataclass(frozen=True)
class CleanedHtml:
    """A cleaned page as HTML, empty if nothing is left; `blocks_found`: it is the page's own tree, if the page has one."""

    html: str
    blocks_found: bool


def cleaned_html(page: PageToCut, cleaned: str, sentences: Sequence[int], options: PageOptions) -> CleanedHtml:
    """Return a cleaned page as HTML: the page's own tree and attributes, without the text that the cleaner drops.

    Reading the HTML with the same options gives the cleaned text. If the tree does not give this text, each block of the
    cleaned text becomes a paragraph or a heading.

    Args:
        page: the page as it was scored.
        cleaned: the text that the cleaner leaves.
        sentences: the numbers of the sentences in it.
        options: the options that the page was read with.
    """
    if not cleaned:
        return CleanedHtml("", blocks_found=True)
    html = _cut_tree(page, sentences, options)
    if html and read_html(html, options).text == cleaned:
        return CleanedHtml(html, blocks_found=True)
    return CleanedHtml(_paragraphs(page, cleaned, sentences), blocks_found=not page.html)


def _cut_tree(page: PageToCut, sentences: Sequence[int], options: PageOptions) -> str:
    """Return the cut tree as HTML; empty if the page's blocks are not found in its tree."""
    if not page.html:
        return ""
    blocks = tuple(page.text.split("\n"))
    for version in versions_read(page.html.encode()):
        root = parsed(version.utf8)
        placed = place_texts(root, options.blocks, version)
        if root is not None and placed.blocks == blocks:
            stays = stays_between(page.text, page.sentence_ends, sentences)
            return without_text(root, placed, stays, options.blocks)
    return ""


def _paragraphs(page: PageToCut, cleaned: str, sentences: Sequence[int]) -> str:
    """Return the blocks of a cleaned text as HTML: a title, headings and paragraphs."""
    head = ['<meta charset="utf-8">']
    body: list[str] = []
    levels = _levels_of_lines(page, sentences)
    for line, level in zip(cleaned.split("\n"), levels, strict=True):
        if level == TITLE_LEVEL and not body:
            head.append(f"<title>{escape(line)}</title>")
        else:
            tag = "p"
            if 0 < level < TITLE_LEVEL:
                tag = f"h{level}"
            body.append(f"<{tag}>{escape(line)}</{tag}>")
    lines = "\n".join(body)
    return f"<!DOCTYPE html>\n<html><head>{''.join(head)}</head><body>\n{lines}\n</body></html>"


def _levels_of_lines(page: PageToCut, sentences: Sequence[int]) -> list[int]:
    """Return the heading level of each block that has a kept sentence."""
    levels: list[int] = []
    block = 0
    last = -1
    for sentence in sentences:
        while page.block_ends[block] < page.sentence_ends[sentence]:
            block += 1
        if block != last:
            levels.append(page.levels[block])
            last = block
    return levels


def markdown_converter() -> Any:
    """Return the module that makes Markdown of HTML."""
    with needs_extra("markdown", "Markdown needs html-to-markdown, which is not installed"):
        return import_module("html_to_markdown")


def markdown_of(html: str, url: str | None) -> str:
    """Return the body of a page as Markdown; links are absolute if the page has a BASE or its address is known.

    Permalinks of headings (`¶`) are left out; superscripts and subscripts are HTML, which Markdown takes.
    """
    if not html:
        return ""
    converter = markdown_converter()
    root: Any = lxml_html.document_fromstring(html)
    if url:
        root.make_links_absolute(url, handle_failures="ignore")
    else:
        root.resolve_base_href(handle_failures="ignore")
    for link in list(root.iter("a")):
        if "#" in link.get("href", "") and link.text_content().strip() in _PERMALINKS:
            link.drop_tree()
    options = converter.ConversionOptions(extract_metadata=False, sup_symbol="<sup>", sub_symbol="<sub>")
    converted = converter.convert(lxml_html.tostring(root, encoding="unicode"), options)
    return str(converted.content).strip()
