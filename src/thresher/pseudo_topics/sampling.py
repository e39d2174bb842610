"""A sample of a collection's pages by site, written as they are or without what topics are made of."""

from __future__ import annotations

import gzip
import html
import json
import re
from collections.abc import Collection as Some
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from thresher.base.files import atomic_path
from thresher.collections import Collection
from thresher.pages.decoding import decode
from thresher.pseudo_topics.extracting import SENTENCE_ENDS, in_source, units
from thresher.pseudo_topics.link_tables import Store, Truths
from thresher.scores.backends import documents_apart

PAGES = "pages.jsonl.gz"
"""The file of sampled pages."""

# Bounded, as many that never end would take time with the square of their number.
_TITLE = re.compile(r"<title\b[^>]{0,500}>(.{0,2000}?)</title\s*>", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r"<(h[1-6])\b[^>]{0,500}>(.{0,2000}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG, _TEXT = re.compile(r"<[^>]*>"), re.compile(r"(?<=>)[^<>]{1,300}(?=<)")


def sample_by_site(store: Store, most: int, always: Truths | None = None) -> Truths:
    """Return a mask of at most `most` readable pages: every k-th of all, ordered by site and then by chance.

    Each site has its share, rounded up or down. Keys are hashes: the order within a site is random, and the same everywhere.
    Pages of the mask `always` come on top.
    """
    good = np.flatnonzero(store.good)
    order = good[np.lexsort((store.keys[good], store.sites[good]))]
    if len(order) > most:
        order = order[np.arange(most) * len(order) // most]
    mask = np.zeros(len(store.good), dtype=np.bool_) if always is None else always.copy()
    mask[order] = True
    return mask


def without_topics(source: str, topics: Sequence[str] = ()) -> str:
    """Return a page's source without its title, the headings that repeat it or a part of it, and what its topics are made of.

    Of a topic that is every element's text that has its words and no others, and a sentence that is it.

    >>> page = "<title>Rye bread - Mill</title><h1>Rye <i>Bread</i></h1><b>Rye bread</b><h2>Flour</h2><p>Mix it. Wait."
    >>> without_topics(page, ["rye bread", "Mix it."])
    '<b></b><h2>Flour</h2><p> Wait.'
    """
    titles = [_words(match[1]) for match in _TITLE.finditer(source)]

    def repeats(match: re.Match[str]) -> str:
        words = _words(match[2])
        return "" if any(words in title or title in words for title in titles if title.strip()) else match[0]

    source = _HEADING.sub(repeats, _TITLE.sub("", source))
    if own := {_words(topic) for topic in topics}:
        source = _TEXT.sub(lambda match: "" if _words(match[0]) in own else match[0], source)
        for topic in topics:
            source = in_source(topic).sub("", source) if topic.endswith(SENTENCE_ENDS) else source
    return source


def _words(markup: str) -> str:
    return f" {' '.join(units(html.unescape(_TAG.sub(' ', markup))))} "


def write_sample(
    collection: Collection, ids: Some[str], file: Path, topics: Mapping[str, Sequence[str]] | None = None
) -> None:
    """Write the pages with these ids as JSON lines, compressed by gzip.

    `topics` are the queries that pages answer, by id: then all pages are written as `without_topics` leaves them.
    """
    left = set(ids)
    with atomic_path(file) as temporary, temporary.open("wb") as out, gzip.GzipFile("", "wb", 1, out, 0) as packed:
        for source in documents_apart(collection, 1 << 62):
            if source.problem or source.id not in left:
                continue
            left.remove(source.id)
            page = source.page()
            text = decode(page.content, page.charset).utf8.decode("utf-8", "replace")
            text = text if topics is None else without_topics(text, topics.get(source.id, ()))
            line = json.dumps({"id": source.id, "url": page.url, "html": text}, ensure_ascii=False)
            packed.write(f"{line}\n".encode("utf-8", "replace"))
