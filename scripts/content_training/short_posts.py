"""Synthetic pages: articles cut short, among other pages' sidebars.

A post of an old blog is often shorter than the sidebars beside it: lines about the author, readers' words, books, lists of
links with a line on each. Most pages with gold are long articles. A model trained on long articles alone takes all prose for
content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from lxml import etree

from content_training.page_trees import (
    ARTICLES,
    WORDED,
    content_of,
    digest_of,
    element_of,
    html_of,
    synthetic_page,
    tree_of,
    words_of,
)
from content_training.training_pages import BATCH, PageToLearn, domain, folds_of, labels_of_text, tokens
from thresher import Backend, Detail, GoldPage, read_html
from thresher.base.processes import compute
from thresher.base.progress import progress

_BESIDE = re.compile(
    "sidebar|widget|blogroll|aside|rail|module|footer|column|left|right|related|archive", re.IGNORECASE
)
_CONTAINERS = frozenset("div aside section ul td footer".split())
_NAMES = "sidebar widget textwidget module about footer header right left column box secondary blogroll".split()
_SHORT_SHARE, _BARE_SHARE, _WHOLE_SHARE = 0.75, 0.3, 0.45
# Least words of a shortened post, one of these drawn; least and most words of sidebars, paragraphs and lists of other pages.
_POSTS = (25, 40, 60, 90, 130, 200)
_SIDEBARS, _PARAGRAPHS, _LISTS = (30, 900), (12, 90), (30, 300)
# The most parts of each kind that a page offers to others, and the most that are drawn for a page.
_LARGEST = {"sidebars": 6, "paragraphs": 12, "lists": 3}
_DRAWN = {"sidebars": 10, "paragraphs": 14, "lists": 6}
_OTHERS = 40
# A sidebar has less than the share _FEW of its words in the gold; a paragraph or list of the content has more than _MOST.
_FEW, _MOST = 0.45, 0.9


@dataclass(frozen=True)
class _Parts:
    """The parts of a page that others borrow, as HTML: its sidebars, and paragraphs and lists of an article's content."""

    sidebars: tuple[str, ...] = ()
    paragraphs: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()


def short_posts(pages: Sequence[GoldPage], folds: int, workers: int) -> list[PageToLearn]:
    """Return the articles, most of them cut short, among parts of other pages of their fold. The parts are not content here.

    Equal pages give equal results.
    """
    whole = [page for page in pages if page.text]
    if not whole:
        return []
    backend, where = Backend(workers=workers), str(whole[0].path.parent)
    batches = [(whole[first : first + BATCH],) for first in range(0, len(whole), BATCH)]
    tasks = compute(backend, _parts_of_batch, batches, "reading sidebars", where, ordered=True)
    parts = [of_page for batch in progress(tasks, "sidebars", len(batches), "batches") for of_page in batch]
    fold_of = folds_of([domain(page.url) or page.stem for page in whole], folds).tolist()
    targets = []
    for number, (page, fold) in enumerate(zip(whole, fold_of, strict=True)):
        others = [of_page for other, of_page in enumerate(parts) if fold_of[other] == fold and other != number]
        if page.page_type in ARTICLES and others:
            chance = Random(digest_of(page))
            drawn = [chance.choice(others) for _ in range(_OTHERS)]
            targets.append((page, _Parts(*(_drawn(drawn, name, chance) for name in _DRAWN)), chance.random()))
    cuts = [(targets[first : first + BATCH],) for first in range(0, len(targets), BATCH)]
    done = compute(backend, _posts, cuts, "cutting articles short", where, ordered=True)
    return [page for batch in progress(done, "short posts", len(cuts), "batches") for page in batch]


def _drawn(others: Sequence[_Parts], name: str, chance: Random) -> tuple[str, ...]:
    all_parts = [html for parts in others for html in getattr(parts, name)]
    return tuple(chance.sample(all_parts, min(_DRAWN[name], len(all_parts))))


def _parts_of_batch(pages: Sequence[GoldPage]) -> list[_Parts]:
    return [*map(_parts, pages)]


def _parts(page: GoldPage) -> _Parts:
    root = tree_of(page)
    if root is None:
        return _Parts()
    gold = Counter(tokens(page.text))
    sidebars: list[tuple[int, str]] = []
    texts: dict[str, list[str]] = {"p": [], "ul": []}
    for element in root.iter(etree.Element):
        named = _BESIDE.search(f"{element.get('class', '')} {element.get('id', '')}")
        kind = "ul" if element.tag == "ol" else element.tag
        beside = element.tag == "aside" or (element.tag in _CONTAINERS and named)
        if not beside and kind not in texts:
            continue
        words = words_of(element)
        size = words.total()
        share = (words & gold).total() / max(size, 1)
        if beside and _SIDEBARS[0] <= size <= _SIDEBARS[1] and share < _FEW:
            sidebars.append((size, html_of(element)))
        low, high = _PARAGRAPHS if kind == "p" else _LISTS
        if kind in texts and page.page_type in ARTICLES and low <= size <= high and share > _MOST:
            texts[kind].append(html_of(element))
    largest = [html for _, html in sorted(sidebars, key=lambda sidebar: -sidebar[0])]
    limited = zip((largest, texts["p"], texts["ul"]), _LARGEST.values(), strict=True)
    return _Parts(*(tuple(each[:most]) for each, most in limited))


def _posts(targets: Sequence[tuple[GoldPage, _Parts, float]]) -> list[PageToLearn]:
    return [post for target in targets if (post := _post(*target))]


def _post(page: GoldPage, parts: _Parts, seed: float) -> PageToLearn | None:
    """Return a page as a short post; None if its content is the body itself or nothing of the content is left."""
    chance, root, gold = Random(seed), tree_of(page), Counter(tokens(page.text))
    body = None if root is None else root.find("body")
    if body is None:
        return None
    content = content_of(body, gold)
    around = [
        element
        for element in (content, *content.iterancestors())
        if element.tag in ("div", "section", "article", "main")
    ]
    if not around or content.tag in ("body", "p", "pre"):
        return None
    if chance.random() < _SHORT_SHARE:
        _cut(content, gold, chance.choice(_POSTS))
    before = read_html(html_of(root), detail=Detail.ELEMENTS)
    shares = labels_of_text(before.blocks, page.text)
    left = "\n".join(block for block, share in zip(before.blocks, shares, strict=True) if share >= 0.5)
    if not left:
        return None
    for _ in range(chance.choice((1, 1, 2, 3))):
        whole = chance.random() < _WHOLE_SHARE and bool(parts.sidebars)
        sidebar = element_of(chance.choice(parts.sidebars)) if whole else _sidebar(parts, chance)
        if chance.random() < _BARE_SHARE:
            etree.strip_attributes(sidebar, *WORDED)
        beside = chance.choice(around[-3:])
        if chance.random() < 0.5:
            beside.addprevious(sidebar)
        else:
            beside.addnext(sidebar)
    return synthetic_page(page, root, left)


def _cut(content: Any, gold: Counter[str], words: int) -> None:
    """Remove the content after its first `words` words, by whole elements."""
    words_kept = 0
    for child in [*content.iterchildren(etree.Element)]:
        own = words_of(child)
        if own.total() and (own & gold).total() / own.total() >= 0.5:
            if words_kept >= words:
                content.remove(child)
            words_kept += own.total()


def _sidebar(parts: _Parts, chance: Random) -> Any:
    """Return a sidebar of boxes, with headings, paragraphs and lists of other pages."""
    sidebar = etree.Element("div")
    if name := chance.choice((*_NAMES, *[""] * 3)):
        sidebar.set(chance.choice(("class", "id")), name)
    for _ in range(chance.choice((1, 1, 2, 4))):
        box = etree.SubElement(sidebar, chance.choice(("div", "div", "li")))
        if parts.paragraphs and chance.random() < 0.6:
            title = " ".join(element_of(chance.choice(parts.paragraphs)).itertext()).split()
            etree.SubElement(box, chance.choice(("h2", "h3", "h3", "h4"))).text = " ".join(
                title[: chance.randint(1, 5)]
            )
        if parts.lists and chance.random() < 0.35:
            box.append(element_of(chance.choice(parts.lists)))
        elif parts.paragraphs:
            for _ in range(chance.choice((1, 1, 2, 3))):
                box.append(element_of(chance.choice(parts.paragraphs)))
    return sidebar
