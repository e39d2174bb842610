"""Gold standards as sets to train on; with articles that have another page's thread below them.

Few pages with gold have far more words by readers than by their author, as old blogs do; without them a model takes a long
thread for the content of a forum. The gold of an article lacks the thread that is put below it, so that is not content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from lxml import etree

from content_training.snippets import read_pages
from content_training.stacking import PagesOfSet
from content_training.training_pages import (
    BATCH,
    FORUM,
    PageToLearn,
    domain,
    folds_of,
    labels_of_text,
    read_training_pages,
    tokens,
)
from thresher.cleaneval.gold import GoldPage, read_page_bytes
from thresher.content_models.features import features_of
from thresher.content_models.model import TrainingSet
from thresher.errors import ConfigError, InputError
from thresher.files import real_path
from thresher.pages import Detail, read_html
from thresher.pages.decoding import decode
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import progress

_THREAD = re.compile("comment|repl(?:y|ies)|respon|disqus|discussion|thread|posts|messages|answers", re.IGNORECASE)
_NEVER = frozenset("html body a span form".split())
_WORDED = ("class", "id", "role")
_NAMES = ("comments", "comment-list", "comments-area", "responses", "disqus_thread", "discussion")
_FEWEST_WORDS, _MOST_WORDS = 60, 3000
_FEW = 2
# Of the words of a thread, the share in the gold up to which it is beside the content; of the gold's, those the content holds.
_BESIDE, _HOLDS = 0.75, 0.8
_ARTICLES = ("", "article")


@dataclass(frozen=True)
class _Read:
    """A page's thread as HTML, empty if none; and whether another thread may be put below its content."""

    thread: str
    is_target: bool


def grafted_pages(pages: Sequence[GoldPage], folds: int, workers: int) -> list[PageToLearn]:
    """Return half of the articles, chosen by a hash, each with the thread of a page of the same fold.

    Threads are what is named so by class or id, on forum pages and where the gold leaves it out. The pages have no bags, since
    they are to learn from only. The same pages give the same.
    """
    whole = [page for page in pages if page.text]
    if not whole:
        return []
    where = Backend(workers=workers), str(whole[0].path.parent)
    batches = [(whole[first : first + BATCH],) for first in range(0, len(whole), BATCH)]
    tasks = run_tasks(where[0], _read_batch, batches, "reading threads", where[1], ordered=True)
    read = [one for batch in progress(tasks, "threads", len(batches), "batches") for one in batch]
    fold_of = folds_of([domain(page.url) or page.stem for page in whole], folds).tolist()
    pairs = []
    for number, (page, fold) in enumerate(zip(whole, fold_of, strict=True)):
        digest = _digest(page)
        threads = [
            one.thread for other, one in enumerate(read) if one.thread and fold_of[other] == fold and other != number
        ]
        if read[number].is_target and digest[0] % 2 and threads:
            pairs.append((page, threads[int.from_bytes(digest[1:4], "big") % len(threads)]))
    grafts = [(pairs[first : first + BATCH],) for first in range(0, len(pairs), BATCH)]
    done = run_tasks(where[0], _graft, grafts, "grafting threads", where[1], ordered=True)
    return [page for batch in progress(done, "articles with threads", len(grafts), "batches") for page in batch]


def _digest(page: GoldPage) -> bytes:
    return sha256(page.stem.encode("utf-8", "replace")).digest()


def _read_batch(pages: Sequence[GoldPage]) -> list[_Read]:
    return [*map(_read, pages)]


def _read(page: GoldPage) -> _Read:
    root = _tree(page)
    is_target = root is not None and page.page_type in _ARTICLES
    if root is None or not (is_target or page.page_type == FORUM):
        return _Read("", is_target)
    named = [
        (sum(words.values()), words, element)
        for element in root.iter(etree.Element)
        if element.tag not in _NEVER and _THREAD.search(f"{element.get('class', '')} {element.get('id', '')}")
        for words in (_words(element),)
    ]
    size, words, element = max(named, key=lambda item: item[0], default=(0, Counter(), None))
    if size < _FEWEST_WORDS or element is None:
        return _Read("", is_target)
    in_gold = (words & Counter(tokens(page.text))).total() / size
    if page.page_type != FORUM and (size > _MOST_WORDS or in_gold >= _BESIDE):
        return _Read("", is_target)
    return _Read(etree.tostring(element, method="html", encoding="unicode", with_tail=False), is_target)


def _graft(pairs: Sequence[tuple[GoldPage, str]]) -> list[PageToLearn]:
    grafted = []
    for page, thread in pairs:
        root = _tree(page)
        body = None if root is None else root.find("body")
        if body is None:
            continue
        _put(body, thread, page)
        segments = read_html(etree.tostring(root, method="html", encoding="unicode"), detail=Detail.ELEMENTS)
        if segments.text:
            labels = labels_of_text(segments.blocks, page.text)
            features = features_of(segments)
            own_domain = domain(page.url) or page.stem
            grafted.append(PageToLearn(page.stem, own_domain, page.page_type, features, labels, None))
    return grafted


def _put(body: Any, html: str, page: GoldPage) -> None:
    """Put a thread below the content: into the least element that holds it, or after that."""
    length, wrapped, named, after, bare = _digest(page)[4:9]
    gold = Counter(tokens(page.text))

    def holds(element: Any) -> bool:
        return (_words(element) & gold).total() >= _HOLDS * gold.total()

    content, inner = body, body
    while inner is not None:
        content = inner
        inner = next((one for one in content.iterchildren(etree.Element) if holds(one)), None)
    if content.tag in _NEVER or content.tag in ("p", "pre"):
        content = body if content is body else content.getparent()
    thread = etree.fromstring(html, etree.HTMLParser()).find("body")[0]
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
        etree.strip_attributes(thread, *_WORDED)
    if after % 2 and content is not body:
        content.addnext(thread)
    else:
        content.append(thread)


def _words(element: Any) -> Counter[str]:
    return Counter(tokens(" ".join(element.itertext())))


def _tree(page: GoldPage) -> Any:
    """Return a page's tree without its scripts; None if it is empty."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    root = etree.fromstring(decode(read_page_bytes(page)).utf8, parser)
    if root is not None:
        etree.strip_elements(root, "script", "style", "noscript", with_tail=False)
    return root


def read_gold_sets(
    folders: Sequence[Path],
    comments: bool = False,
    workers: int = 1,
    threads_by_fold: int = 0,
) -> tuple[list[PagesOfSet], dict[str, list[str]]]:
    """Return the sets in these folders, named as they are; and by set the stems of pages that have no text.

    With `threads_by_fold`, a number of folds, the sets have articles with other pages' threads too, which are not counted; see
    `grafted_pages`.
    """
    sets: list[PagesOfSet] = []
    left_out: dict[str, list[str]] = {}
    for folder in folders:
        name = real_path(folder).name
        if any(one.about.name == name for one in sets):
            raise ConfigError(f"two gold standards are named {name!r}", "rename one of the folders", str(folder))
        gold = read_pages(folder, comments)
        pages, without = read_training_pages(gold, workers)
        if not pages:
            raise InputError("no page with gold has text", "check the pages", str(folder))
        if without:
            left_out[name] = without
        blocks = sum(len(page.labels) for page in pages)
        more = grafted_pages(gold, threads_by_fold, workers) if threads_by_fold else []
        sets.append(PagesOfSet(TrainingSet(name, len(pages), blocks), [*pages, *more]))
    return sets, left_out
