#!/usr/bin/env python3
"""Measure word F1 on news in many languages, for scripts/pages/content.md.

usage: scripts/news_languages.py FOLDER

FOLDER is `tests/resources/parser/test_data` of https://github.com/flairNLP/fundus (MIT): news pages, and the texts that
hand-written parsers of each publisher extracted from them. A page's gold is the text of the parser version that has the
largest share of its words on the page. Pages on which no version reaches 97 % are skipped.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lxml.html import HTMLParser, document_fromstring

from arguments import parser_of
from fill import put, table
from thresher import (
    GoldPage,
    LabelledText,
    compare_cleaned,
    language_of,
    mean_interval,
    parse_cleaner,
    read_page_bytes,
    score_gold,
)

PAGE = Path(__file__).parents[1] / "scripts" / "pages" / "content.md"
CLEANERS = (
    "content(headings=score)@0.5",
    "extractor(trafilatura)",
    "extractor(readability)",
    "extractor(resiliparse)",
)
EAST_ASIAN = ("Chinese", "Japanese", "Korean", "ja", "ko", "zh")
LEAST, SHARE, FEW = 30, 0.97, 10
WORD = re.compile(r"\w+")


def texts_of(body: dict[str, Any]) -> Iterator[str]:
    """Yield the paragraphs and headings that a parser extracted."""
    yield from body.get("summary", [])
    for section in body.get("sections", []):
        yield from section.get("headline", [])
        yield from section.get("paragraphs", [])


def gold_of(page: Path, url: str) -> GoldPage | None:
    """Return a page with its gold; None if no version of its parser fits the page."""
    publisher = re.sub(r"(_\d{4}_\d\d_\d\d)?\.html\.gz$", "", page.name)
    versions = page.parent / f"{publisher}.json"
    if not versions.is_file():
        return None
    bare = GoldPage(page.name.removesuffix(".html.gz"), page, (), url)
    # Include the text of scripts, so that the choice of pages does not depend on Thresher's parser.
    root = document_fromstring(read_page_bytes(bare), parser=HTMLParser(encoding="utf-8"))
    words_of_page = set(WORD.findall(" ".join(root.itertext()).lower()))
    best, text = SHARE, ""
    for version in json.loads(versions.read_text(encoding="utf-8")).values():
        gold = "\n".join(texts_of(version.get("body") or {}))
        words = WORD.findall(gold.lower())
        share = sum(word in words_of_page for word in words) / max(len(words), 1)
        if len(words) >= LEAST and share >= best:
            best, text = share, gold
    return GoldPage(bare.stem, page, (LabelledText(None, text),), url) if text else None


def main() -> None:
    """Read pages and gold, clean the pages, and write the table."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    addresses = {
        info.parent / name: about["url"]
        for info in sorted(folder.rglob("meta.info"))
        for name, about in json.loads(info.read_text(encoding="utf-8")).items()
    }
    golds = [gold_of(page, url) for page, url in addresses.items() if page.is_file()]
    pages = [page for page in golds if page]
    cleaners = [parse_cleaner(name).checked() for name in CLEANERS]
    with tempfile.TemporaryDirectory() as store:
        scorers = [scorer for cleaner in cleaners for scorer in cleaner.scorers]
        score_gold(pages, scorers, Path(store), os.cpu_count() or 1)
        compared = compare_cleaned(pages, Path(store), cleaners, os.cpu_count() or 1)
        by_stem = {page.stem: page.quality for page in compared}
    f1 = np.array([[quality.tokens.bag.f1 for quality in by_stem[page.stem]] for page in pages])
    languages = np.array([language_of(page.text) for page in pages], dtype=object)
    languages[np.isin(languages, EAST_ASIAN)] = "Chinese, Japanese, Korean"
    often = {name for name, count in Counter(languages.tolist()).items() if count >= FEW}
    others = f"{len({*languages.tolist()} - often)} others"
    kinds = np.array([name if name in often else others for name in languages])
    rows = []
    for kind in ("all", *(name for name, _ in Counter(kinds.tolist()).most_common())):
        inside = (kinds == kind) | (kind == "all")
        intervals = [mean_interval(column.tolist()) for column in f1[inside].T]
        cells = (f"{interval.mean:.3f} ±{(interval.high - interval.low) / 2:.3f}" for interval in intervals)
        rows.append([kind, int(inside.sum()), *cells])
    put(PAGE, "languages", table(["language", "pages", *(f"`{name}`" for name in CLEANERS)], rows))
    difference = mean_interval((f1[:, 0] - f1[:, 1]).tolist())
    print(Counter(languages.tolist()))
    regions = {page.path.parent.name for page in pages}
    print(
        f"{len(addresses)} pages of {len(regions)} countries, {len(pages)} with gold; content - trafilatura {difference}"
    )


if __name__ == "__main__":
    main()
