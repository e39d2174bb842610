"""Element trees of pages with gold, and synthetic pages made from them."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any

from lxml import etree

from content_training.training_pages import PageToLearn, domain, labels_of_text, tokens
from thresher import Detail, GoldPage, decode, read_html, read_page_bytes
from thresher.cleaners.content_model.features import features_of

NEVER = frozenset("html body a span form".split())
"""Elements that are never the container of a thread."""
WORDED = ("class", "id", "role")
"""Attributes whose words are features."""
ARTICLES = ("", "article")
"""The gold's types of the pages that are articles, the source of synthetic pages."""
# The least share of the gold's words in an element that contains the content.
_HOLDS = 0.8


def digest_of(page: GoldPage) -> bytes:
    """Return the hash that stands for random draws of a page. It does not depend on other pages."""
    return sha256(page.stem.encode("utf-8", "replace")).digest()


def words_of(element: Any) -> Counter[str]:
    """Count the words of an element."""
    return Counter(tokens(" ".join(element.itertext())))


def tree_of(page: GoldPage) -> Any:
    """Return a page's tree without scripts and styles; None if the page is empty."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    root = etree.fromstring(decode(read_page_bytes(page)).utf8, parser)
    if root is not None:
        etree.strip_elements(root, "script", "style", "noscript", with_tail=False)
    return root


def html_of(element: Any) -> str:
    """Return the HTML of an element or a whole tree."""
    html: str = etree.tostring(element, method="html", encoding="unicode", with_tail=False)
    return html


def element_of(html: str) -> Any:
    """Return the first element of an HTML fragment."""
    return etree.fromstring(html, etree.HTMLParser()).find("body")[0]


def content_of(body: Any, gold: Counter[str]) -> Any:
    """Return the smallest element that contains a gold text, by the counts of its words; the body if no other does."""

    def holds(element: Any) -> bool:
        return (words_of(element) & gold).total() >= _HOLDS * gold.total()

    content, inner = body, body
    while inner is not None:
        content = inner
        inner = next((child for child in content.iterchildren(etree.Element) if holds(child)), None)
    return content


def synthetic_page(page: GoldPage, root: Any, gold: str) -> PageToLearn | None:
    """Return a synthetic page of this tree, with labels from the gold; None if no text is left.

    It has no bags, since it serves training and not evaluation.
    """
    segments = read_html(html_of(root), detail=Detail.ELEMENTS)
    if not segments.text:
        return None
    labels = labels_of_text(segments.blocks, gold)
    own_domain = domain(page.url) or page.stem
    return PageToLearn(page.stem, own_domain, page.page_type, features_of(segments), labels, None)
