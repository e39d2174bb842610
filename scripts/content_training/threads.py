"""Synthetic pages: articles with another page's thread below them.

On many old blogs, readers write far more words than the author. Few pages with gold are like this, and a model trained
without them takes a long thread for the content of a forum. The article's gold lacks the thread below it, so the thread
is not content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from content_training.page_trees import (
    ARTICLES,
    NEVER,
    WORDED,
    content_of,
    digest_of,
    element_of,
    html_of,
    synthetic_page,
    tree_of,
    words_of,
)
from content_training.training_pages import BATCH, FORUM, PageToLearn, domain, folds_of, tokens
from thresher import Backend, GoldPage
from thresher.base.processes import compute
from thresher.base.progress import progress

_THREAD = re.compile("comment|repl(?:y|ies)|respon|disqus|discussion|thread|posts|messages|answers", re.IGNORECASE)
_NAMES = ("comments", "comment-list", "comments-area", "responses", "disqus_thread", "discussion")
_FEWEST_WORDS, _MOST_WORDS = 60, 3000
_FEW = 2
# A thread with less than this share of its words in the gold is not content.
_BESIDE = 0.75


@dataclass(frozen=True)
class _Read:
    """A page's thread as HTML, empty without one, and whether another page's thread may go below its content."""

    thread: str
    is_target: bool


def grafted_pages(pages: Sequence[GoldPage], folds: int, workers: int) -> list[PageToLearn]:
    """Return half of the articles, chosen by a hash, each with the thread of another page of its fold.

    A thread is an element with a thread's class or id, on a forum page or outside the gold. The pages have no bags, since
    they serve training and not evaluation. Equal pages give equal results.
    """
    whole = [page for page in pages if page.text]
    if not whole:
        return []
    backend, where = Backend(workers=workers), str(whole[0].path.parent)
    batches = [(whole[first : first + BATCH],) for first in range(0, len(whole), BATCH)]
    tasks = compute(backend, _read_batch, batches, "reading threads", where, ordered=True)
    read = [page for batch in progress(tasks, "threads", len(batches), "batches") for page in batch]
    fold_of = folds_of([domain(page.url) or page.stem for page in whole], folds).tolist()
    pairs = []
    for number, (page, fold) in enumerate(zip(whole, fold_of, strict=True)):
        digest = digest_of(page)
        threads = [
            source.thread
            for other, source in enumerate(read)
            if source.thread and fold_of[other] == fold and other != number
        ]
        if read[number].is_target and digest[0] % 2 and threads:
            pairs.append((page, threads[int.from_bytes(digest[1:4], "big") % len(threads)]))
    grafts = [(pairs[first : first + BATCH],) for first in range(0, len(pairs), BATCH)]
    done = compute(backend, _graft, grafts, "grafting threads", where, ordered=True)
    return [page for batch in progress(done, "articles with threads", len(grafts), "batches") for page in batch]


def _read_batch(pages: Sequence[GoldPage]) -> list[_Read]:
    return [*map(_read, pages)]


def _read(page: GoldPage) -> _Read:
    root = tree_of(page)
    is_target = root is not None and page.page_type in ARTICLES
    if root is None or not (is_target or page.page_type == FORUM):
        return _Read("", is_target)
    named = [
        (sum(words.values()), words, element)
        for element in root.iter(etree.Element)
        if element.tag not in NEVER and _THREAD.search(f"{element.get('class', '')} {element.get('id', '')}")
        for words in (words_of(element),)
    ]
    size, words, element = max(named, key=lambda item: item[0], default=(0, Counter(), None))
    if size < _FEWEST_WORDS or element is None:
        return _Read("", is_target)
    in_gold = (words & Counter(tokens(page.text))).total() / size
    if page.page_type != FORUM and (size > _MOST_WORDS or in_gold >= _BESIDE):
        return _Read("", is_target)
    return _Read(html_of(element), is_target)


def _graft(pairs: Sequence[tuple[GoldPage, str]]) -> list[PageToLearn]:
    grafted = []
    for page, thread in pairs:
        root = tree_of(page)
        body = None if root is None else root.find("body")
        if body is None:
            continue
        _put(body, thread, page)
        if page_with_thread := synthetic_page(page, root, page.text):
            grafted.append(page_with_thread)
    return grafted


def _put(body: Any, html: str, page: GoldPage) -> None:
    """Put a thread below the content: at the end of the smallest element that contains it, or after that element."""
    length, wrapped, named, after, bare = digest_of(page)[4:9]
    content = content_of(body, Counter(tokens(page.text)))
    if content.tag in NEVER or content.tag in ("p", "pre"):
        content = body if content is body else content.getparent()
    thread = element_of(html)
    items = [*thread.iterchildren(etree.Element)]
    if length % 5 < 2 and len(items) > _FEW:
        for item in items[_FEW + length % (len(items) - _FEW) :]:
            thread.remove(item)
    if wrapped % 2:
        thread, inside = etree.Element("div"), thread
        thread.append(inside)
        if named % 3:
            thread.set("class" if named % 2 else "id", _NAMES[named % len(_NAMES)])
    if bare % 3 == 0:
        etree.strip_attributes(thread, *WORDED)
    if after % 2 and content is not body:
        content.addnext(thread)
    else:
        content.append(thread)
