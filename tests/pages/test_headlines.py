"""The headline of a page: small pages, and real ones whose headlines were chosen by reading."""

from __future__ import annotations

import gzip
import re
import tarfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from thresher.collections import Page
from thresher.pages import Detail, read_html, read_page
from thresher.pages.headlines import find_headline

READ = Path(__file__).with_name("headlines.tsv")
"""Of pages with several H1, or with the site's name as H1: set, page, and the digests of the headings that are right."""
ARCHIVES = {
    "trafilatura-eval": "cleaning/trafilatura-eval/trafilatura-eval.tar.xz",
    "ray": "retrieval/ray-docs-2023/pages.tar.xz",
}


@pytest.mark.parametrize(
    ("html", "headline"),
    [
        ("<title>Oats, rye | A farm</title><h1>A farm</h1><h2>Oats, Rye!</h2><h1>News</h1><p>Oats, rye", "Oats, Rye!"),
        ("<title>A farm</title><h2>News</h2><h1>Oats</h1><h1>Rye</h1>", "Oats"),
        ("<h3>News</h3><h1>Oats</h1>", "Oats"),
        (
            "<title>A farm - All about oats</title><h2>News</h2><p>A farm<p>All about oats<p>All about oats",
            "All about oats",
        ),
        ("<title>A farm - All about oats and rye</title><p>A farm<p>Oats", None),
        ("<title>Hafer</title><h2>Ha</h2><p>Ha", None),
        ("<title>燕麦 - 农场</title><h1>农场</h1><h2>燕麦</h2>", "燕麦"),
        ("<title></title><h1>!</h1>", "!"),
        ("<p>Oats", None),
        ("", None),
        # The site's name stands first on the page, and last or first in the title.
        ("<title>Oats — The Farm 3.0.0</title><h1>The Farm 3.0.0</h1><h1>Oats#</h1>", "Oats#"),
        ("<title>A Farm - Oats</title><h1>A Farm</h1><h1>Oats</h1>", "Oats"),
        (
            "<title>A Farm » Archive » Sow winter oats</title><h1>A Farm</h1><h2>Sow winter oats</h2>",
            "Sow winter oats",
        ),
        (
            "<title>How oats grow | Farm: notes on grain</title><h1>Farm: notes on grain</h1><h3>How oats grow</h3>",
            "How oats grow",
        ),
        (
            "<title>Sow winter oats | A farm</title><h1>A farm</h1><h1>Menu</h1><h1>How to sow oats in winter</h1>",
            "How to sow oats in winter",
        ),
        # A topic or a section that the title names too.
        ("<title>Oats - Cereals | A farm</title><h1>Oats</h1><h4>Cereals</h4>", "Oats"),
        (
            "<title>A farm - Cereals - How to sow oats</title><h1>How to sow oats</h1><h1>Cereals</h1>",
            "How to sow oats",
        ),
        (
            "<title>Oats: how to sow oats in winter - A farm</title><h1>How to sow oats in winter</h1><h1>Oats</h1>",
            "How to sow oats in winter",
        ),
        # H1 in other words than the title.
        (
            "<title>Sowing oats - A farm</title><h1>Search</h1><h1>How we are sowing</h1><h1>Newsletter</h1>",
            "How we are sowing",
        ),
        ("<title>The best oats, tested</title><h1>We respect your privacy</h1><h1>Tested: oats</h1>", "Tested: oats"),
        ("<title>Oats - A farm</title><h1>Welcome</h1><h1>Rye</h1>", "Welcome"),
        ("<title>Win­ter oats | A farm</title><h1>A farm</h1><h1>Winter oats</h1>", "Winter oats"),
    ],
)
def test_the_headline_is_what_the_title_is_about_beyond_the_name_of_the_site(html: str, headline: str | None) -> None:
    segments = read_html(html)
    at = find_headline(segments.blocks, segments.levels.tolist())
    assert (None if at is None else segments.blocks[at]) == headline
    # Of blocks that are alike, the first.
    assert at is None or at == segments.blocks.index(headline or "", 1 if segments.title else 0)


def digest(heading: str) -> str:
    words = re.findall(r"\w+", heading.lower().replace("\u00ad", ""))
    return sha256(" ".join(words).encode()).hexdigest()[:8]


def pages(data: Path) -> Iterator[tuple[str, str, bytes]]:
    """Give set, name and content of the pages that were read, first of those that are not in archives."""
    right = right_headings()
    for folder in ("wcxb-dev/html", "aeb/html", "dragnet-300/input", "cleanportaleval/input", "cleaneval-dev/input"):
        for path in sorted((data / "cleaning" / folder).iterdir()):
            key = folder.partition("/")[0], path.name.removesuffix(".gz").removesuffix(".html")
            if key in right:
                yield *key, path.read_bytes()
    for name, archive in ARCHIVES.items():
        with tarfile.open(data / archive) as members:
            for member in members:
                key = name, member.name.removeprefix("pages/")
                content = members.extractfile(member) if key in right else None
                if content is not None:
                    yield *key, content.read()


@cache
def right_headings() -> dict[tuple[str, str], list[str]]:
    rows = [line.split("\t") for line in READ.read_text(encoding="utf-8").splitlines()]
    return {(name, page): digests.split(",") for name, page, digests in rows}


@pytest.mark.slow
def test_headlines_of_pages_that_were_read(shared_data: Path) -> None:
    right = right_headings()
    hits = 0
    for name, page, content in pages(shared_data):
        html = gzip.decompress(content) if name in ("wcxb-dev", "aeb") else content
        segments, _ = read_page(Page(page, html), detail=Detail.HEADINGS)
        at = find_headline(segments.blocks, segments.levels.tolist())
        hits += at is not None and digest(segments.blocks[at]) in right[name, page]
    assert len(right) >= 200
    assert hits >= 0.95 * len(right)
