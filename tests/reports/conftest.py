"""A report on a choice as a page, and a real browser to read it in; a module gives the exploration and the choice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium
from playwright.sync_api import Browser as Chromium

from thresher.choosing.choices import Choice
from thresher.exploring.exploration import Exploration
from thresher.reports.html import render_report


@pytest.fixture(scope="module")
def page(exploration: Exploration, choice: Choice, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_report(None, choice, exploration), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def system_browser() -> Iterator[Chromium]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def browser(system_browser: Chromium) -> Browser:
    return Browser(system_browser)
