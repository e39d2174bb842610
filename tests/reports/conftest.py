"""Reports as pages, and a real browser to read them in."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser
from experiments import NAMES, chosen, made, with_system
from playwright.sync_api import Browser as Chromium

from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.reports.html import render_report


@pytest.fixture(scope="session")
def judged() -> Results:
    """Two retrieval models, pruned variants that were explored only, held-out topics."""
    return with_system(
        made(held_out=20, retrievals=("qld", "bm25"), only_explored=[name for name in NAMES if "|" in name])
    )


@pytest.fixture(scope="session")
def choice(judged: Results) -> Choice:
    """The smallest index that loses little was explored only; one that gains was built."""
    return chosen(judged, "none|dcp@0.5", "words@8", "words@10")


@pytest.fixture(scope="session")
def page(judged: Results, choice: Choice, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_report(judged, choice), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(system_browser: Chromium) -> Browser:
    return Browser(system_browser)
