"""Hidden and visible elements in a real browser: what the table of cases says that Chromium shows."""

from __future__ import annotations

import pytest
from browser import Browser
from playwright.sync_api import Browser as Chromium
from visibility_cases import CASES


@pytest.fixture(scope="module")
def browser(system_browser: Chromium) -> Browser:
    return Browser(system_browser)


@pytest.mark.slow
@pytest.mark.parametrize(("html", "shown"), CASES)
def test_what_browsers_show(browser: Browser, html: str, shown: str) -> None:
    browser.page.set_content(f"<body>{html}")
    assert browser.evaluate("document.body.innerText").split() == shown.split()
