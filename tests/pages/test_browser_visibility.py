"""Hidden and visible elements in a real browser: what the table of cases says that Chromium shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Browser, chromium
from visibility_cases import CASES


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield Browser(started)


@pytest.mark.slow
@pytest.mark.parametrize(("html", "shown"), CASES)
def test_what_browsers_show(browser: Browser, html: str, shown: str) -> None:
    browser.page.set_content(f"<body>{html}")
    assert browser.evaluate("document.body.innerText").split() == shown.split()
