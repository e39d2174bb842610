"""Documents for benchmarks: passages of shuffled words from a folder of HTML pages, reproducible by a fixed seed."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

from lxml import etree, html

_DATA = Path(os.environ.get("THRESHER_DATA", Path(__file__).parents[3] / "shared" / "data"))
PAGES = _DATA / "cleaning" / "dragnet-300" / "input"


def passages(pages: Path, count: int) -> Iterator[tuple[str, str]]:
    """Yield `count` documents (id, contents). Each has 50 to 400 words of one page in random order."""
    sources = _words(pages)
    chance = random.Random(20)
    for number in range(count):
        words = chance.choice(sources)
        length = chance.randint(50, 400)
        start = chance.randrange(max(1, len(words) - length))
        passage = words[start : start + length]
        chance.shuffle(passage)
        yield f"passage-{number:07d}", " ".join(passage)


def write_json_lines(documents: Iterator[tuple[str, str]], path: Path) -> None:
    """Write documents in the JSON lines of Anserini's JsonCollection."""
    with path.open("w", encoding="utf-8") as lines:
        for identifier, contents in documents:
            lines.write(json.dumps({"id": identifier, "contents": contents}, ensure_ascii=False) + "\n")


def read_json_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the documents of a file of JSON lines as (id, contents)."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            yield document["id"], document["contents"]


def queries(pages: Path, count: int) -> list[str]:
    """Return `count` queries of two to five lower-case words that occur in the pages."""
    chance = random.Random(21)
    sources = []
    for words in _words(pages):
        plain = [word.lower() for word in words if word.isalpha() and len(word) > 2]
        if len(plain) > 5:
            sources.append(plain)
    return [" ".join(chance.sample(chance.choice(sources), chance.randint(2, 5))) for _ in range(count)]


def _words(pages: Path) -> list[list[str]]:
    result = []
    for path in sorted(pages.rglob("*.htm*")):
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
        tree = etree.fromstring(path.read_bytes().decode("utf-8", "replace").encode(), parser)
        if tree is not None:
            etree.strip_elements(tree, "script", "style", etree.Comment, with_tail=False)
            result.append("".join(tree.itertext()).split())
    return [words for words in result if words]
