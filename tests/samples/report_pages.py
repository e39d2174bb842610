"""What reports have in common as pages: tables, and that they need nothing else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from browser import Browser
from lxml import html as lxml_html

_ADDRESSES = ("src", "href", "{http://www.w3.org/1999/xlink}href", "xlink:href", "data", "action", "srcset")
_NAMES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
"""Names that look like addresses."""


def body_rows(table: lxml_html.HtmlElement) -> list[list[str]]:
    """Return the text of each cell below the header."""
    return [[" ".join(cell.text_content().split()) for cell in row] for row in table.xpath("./tbody/tr")]


def check_nothing_is_loaded(page: str) -> None:
    """Check that a page names no other file and no address."""
    tree = lxml_html.document_fromstring(page)
    for attribute in _ADDRESSES:
        values = [element.get(attribute) for element in tree.iter() if element.get(attribute) is not None]
        assert all(value.startswith("#") for value in values), attribute
    assert not tree.xpath("//link | //img | //iframe | //object | //embed | //base")
    assert "@import" not in page
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))
    assert set(re.findall(r"https?://[^\s\"'<>]+", page)) <= _NAMES


def check_policy(page: str) -> None:
    """Check that a page has one script, beside data and the packed library of charts, and allows these and no other."""
    tree = lxml_html.document_fromstring(page)
    (script,) = tree.xpath("//script[not(@type)]")
    assert {element.get("type") for element in tree.xpath("//script[@type]")} <= {"text/plain"}
    scripts = [script.text, *([unpacked(page, "chart-library")] if tree.xpath("//script[@id='chart-library']") else [])]
    allowed = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    (policy,) = tree.xpath("//meta[@http-equiv]/@content")
    sources = " ".join(f"'sha256-{digest}'" for digest in allowed)
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src {sources}"


def open_report(browser: Browser, page: Path, hash: str = "", section: str = "reading") -> None:
    """Open a report, and a section of it, and wait until its scripts have done their work."""
    browser.resize(1400, 900)
    browser.open(page, hash)
    browser.wait("document.documentElement.dataset.ready === ''")
    browser.evaluate(f"document.getElementById('{section}').open = true")


def unpacked(page: str, name: str) -> str:
    """Return what a page has packed in one of its `script` elements."""
    (element,) = lxml_html.document_fromstring(page).xpath(f"//script[@id='{name}']")
    return gzip.decompress(base64.b64decode(element.text)).decode()


def page_figures(page: str) -> dict[str, Any]:
    """Return the figures that the scripts of a report read."""
    found: dict[str, Any] = json.loads(unpacked(page, "page-data"))
    return found
