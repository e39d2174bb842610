"""What reports have in common as pages: tables, and that they need nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

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
    """Check that a page has one script, and allows this and no other."""
    tree = lxml_html.document_fromstring(page)
    (script,) = tree.xpath("//script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    (policy,) = tree.xpath("//meta[@http-equiv]/@content")
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def open_report(browser: Browser, page: Path, hash: str = "", section: str = "variants") -> None:
    """Open a report, and a section of it, and wait until its scripts have done their work."""
    browser.resize(1400, 900)
    browser.open(page, hash)
    browser.wait("document.documentElement.dataset.ready === ''")
    browser.evaluate(f"document.getElementById('{section}').open = true")
