"""Known-item topics for a collection without judgments, for simulations: titles of pages and texts of links to them.

A title is a topic if only one page has it. A link text is a topic if all links with this text lead to one page. The common end
of all titles, the name of the site, is cut off. These topics favour cleaners that keep titles and headings. So they serve as
populations in simulations of choosing, but choose no cleaner.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from lxml import html

from thresher import Collection, Source, decode, documents
from thresher.base.files import write_text
from thresher.pages.links import Address, base_address, page_address, resolve

TOPICS_FILE, QRELS_FILE = "topics.tsv", "qrels.txt"
SHORTEST, LONGEST = 2, 12
"""The least and the most words of a topic."""
_WORD = re.compile(r"\w+")
_SEPARATORS = " -–—|·:»/"


def write_page_topics(collection: Collection, folder: Path, most: int) -> None:
    """Write `topics.tsv` and `qrels.txt` with at most `most` topics, drawn by the hash of their words.

    Args:
        collection: pages with an address, or files whose ids are their paths.
        folder: folder for the files.
        most: the largest number of topics.
    """
    sources = [source for source in documents(collection) if not source.problem]
    ids: dict[int, str] = {}
    for source in sources:
        address = _address(source)
        if address is not None:
            ids.setdefault(address.key, source.id)
    targets: dict[str, set[str]] = defaultdict(set)
    spellings: dict[str, str] = {}
    titles: dict[str, str] = {}
    for source in sources:
        page = source.page()
        tree = html.document_fromstring(decode(page.content, page.charset).utf8 or b"<p>")
        title = tree.findtext(".//title")
        if title:
            titles[source.id] = " ".join(title.split())
        for text, document_id in _links(tree, _address(source), ids):
            if document_id != source.id:
                _add(text, document_id, targets, spellings)
    site_name = _common_end(titles)
    for document_id, title in titles.items():
        _add(title.removesuffix(site_name).strip(_SEPARATORS), document_id, targets, spellings)
    identifying = [words for words, ids_of_text in targets.items() if len(ids_of_text) == 1]
    drawn = sorted(identifying, key=lambda words: hashlib.sha256(words.encode()).digest())[:most]
    folder.mkdir(parents=True, exist_ok=True)
    topic_lines = [f"{number}\t{spellings[words]}\n" for number, words in enumerate(drawn, start=1)]
    qrel_lines = [f"{number} 0 {min(targets[words])} 1\n" for number, words in enumerate(drawn, start=1)]
    write_text(folder / TOPICS_FILE, "".join(topic_lines))
    write_text(folder / QRELS_FILE, "".join(qrel_lines))


def _address(source: Source) -> Address | None:
    return page_address(source.url, source.id)


def _links(tree: html.HtmlElement, address: Address | None, ids: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Yield the text of each link to a page of the collection, and that page's id."""
    base = base_address(tree, address)
    for element in tree.iter("a"):
        target = resolve(base, element.get("href") or "")
        if target is not None and target.key in ids:
            yield " ".join(element.text_content().split()), ids[target.key]


def _add(text: str, document_id: str, targets: dict[str, set[str]], spellings: dict[str, str]) -> None:
    words = [word.casefold() for word in _WORD.findall(text)]
    if SHORTEST <= len(words) <= LONGEST:
        joined = " ".join(words)
        targets[joined].add(document_id)
        spellings.setdefault(joined, text)


def _common_end(titles: Mapping[str, str]) -> str:
    """Return the end that all titles share, if there are several."""
    if len(set(titles.values())) < 2:
        return ""
    first, *others = titles.values()
    length = 0
    while length < len(first) and all(title.endswith(first[-length - 1 :]) for title in others):
        length += 1
    return first[len(first) - length :]
