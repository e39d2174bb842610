"""The site around the generated pages: what it adds, and that no table of results has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pydoc_site

ROOT = Path(__file__).parents[1]
FIRST_LINES = {"csv": "CSV parsing.", "json": "JSON.", "json.decoder": "", "json.scanner": "Scanner.", "os.path": ""}


def page(body: str) -> str:
    return f"<html><head><title>Python: module x</title></head><body>{body}</body></html>"


def links(part: str) -> list[str]:
    return re.findall(r'href="([\w.]+)\.html"', part)


@pytest.fixture
def decoder() -> str:
    body = (
        '<p><a href="json.scanner.html">s</a> <a href="csv.html#reader">r</a> <a href="json.decoder.html#J">J</a></p>'
    )
    return pydoc_site.in_site("json.decoder", page(body), FIRST_LINES)


def test_the_page_itself_stays_as_it_is(decoder: str) -> None:
    assert decoder.count('<p><a href="json.scanner.html">s</a> <a href="csv.html#reader">r</a>') == 1
    assert decoder.startswith("<html><head><title>Python: module x</title></head><body>")
    assert decoder.endswith("</body></html>")


@pytest.mark.parametrize(
    ("opening", "closing", "expected"),
    [
        ('<nav class="sidebar"', "</nav>", ["csv", "json", "json.decoder", "json.scanner"]),
        ('<nav class="breadcrumbs"', "</nav>", ["index", "json"]),
        ('<aside class="related"', "</aside>", ["json.scanner", "csv"]),
        ('<nav class="pager"', "</nav>", ["json", "json.scanner"]),
    ],
)
def test_each_part_links_to_its_pages(decoder: str, opening: str, closing: str, expected: list[str]) -> None:
    part = decoder.split(opening)[1].split(closing)[0]
    assert links(part) == expected


def test_related_pages_have_their_first_lines(decoder: str) -> None:
    assert "<p>CSV parsing.</p>" in decoder.split('<aside class="related"')[1].split("</aside>")[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('</table>\n    <p><span class="code">Read&nbsp;<a href="#a">files</a>.<br>\nMore.</span></p>', "Read files."),
        ('</table>\n    <p><span class="code">Short.</span></p>', "Short."),
        ("<p>No module.</p>", ""),
    ],
)
def test_a_first_line_is_the_first_of_the_description(body: str, expected: str) -> None:
    assert pydoc_site.first_line(page(body)) == expected


def test_a_site_has_the_ids_of_its_pages(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in ("csv", "json.decoder"):
        (pages / f"{name}.html").write_text(page(name), encoding="utf-8")
    assert pydoc_site.write_site(pages, tmp_path / "site") == 2
    assert sorted(path.name for path in (tmp_path / "site").iterdir()) == ["csv.html", "json.decoder.html"]


def test_no_table_of_results_has_the_invented_site() -> None:
    for path in sorted((ROOT / "docs" / "results").rglob("*.md")):
        assert "pydoc-site" not in path.read_text(encoding="utf-8"), path.name
