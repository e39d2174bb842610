"""The report in a real browser: its first screen, sorting, filtering, the column chooser, names of points, phones."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser
from experiments import NAMES, NDCG, chosen, made
from playwright.sync_api import Browser as Chromium
from report_pages import open_report

from thresher.experiments.results import Results
from thresher.reports.html import render_report

HOSTILE = "<img src=x onerror=alert(1)>"
RECOMMENDED = "none|dcp@0.5"
TABLE = "#variants table"


def texts(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.evaluate(
        f"Array.from(document.querySelectorAll({json.dumps(selector)}), (part) => part.textContent.trim())"
    )
    return found


def shown_heads(browser: Browser) -> list[str]:
    """The headers of the first table of variants that are visible, without their units."""
    found: list[str] = browser.evaluate(
        f"Array.from(document.querySelector('{TABLE}').tHead.rows[0].cells).filter((cell) => !cell.hidden)"
        ".map((cell) => cell.querySelector('button').firstChild.textContent.trim())"
    )
    return found


def first_column(browser: Browser) -> list[str]:
    """The visible variants of the first table."""
    found: list[str] = browser.evaluate(
        f"Array.from(document.querySelector('{TABLE}').tBodies[0].rows).filter((row) => !row.hidden)"
        ".map((row) => row.cells[0].textContent)"
    )
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "report.html"
    path.write_text(render_report(made(held_out=12)), encoding="utf-8")
    return path


@pytest.mark.parametrize("which", ["page", "runs"])
def test_the_first_screen_has_the_answer_and_the_frontier(
    browser: Browser, which: str, request: pytest.FixtureRequest
) -> None:
    browser.problems.clear()
    browser.resize(1400, 900)
    browser.open(request.getfixturevalue(which))
    browser.wait("document.documentElement.dataset.ready === ''")
    chart = browser.evaluate("document.querySelector('#summary figure .wide svg').getBoundingClientRect().toJSON()")
    assert chart["bottom"] <= 900
    assert chart["width"] > 700
    labels = {"baseline"} | ({"recommended", "margin"} if which == "page" else set())
    assert labels <= set(texts(browser, "#summary figure .wide svg text"))
    assert browser.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert browser.problems == []


def test_a_point_names_its_variant_and_its_figures(browser: Browser, page: Path, judged: Results) -> None:
    browser.open(page)
    browser.wait("document.documentElement.dataset.ready === ''")
    table = judged.tables[0]
    mean = f"{table.mean(NDCG)[table.position[RECOMMENDED]]:.4f}"
    titles = texts(browser, "#summary figure .wide path title")
    assert [title for title in titles if title.startswith(f"{RECOMMENDED}: ") and mean in title]


def test_a_click_sorts_by_number_and_another_turns_the_order(browser: Browser, page: Path, judged: Results) -> None:
    open_report(browser, page)
    table = judged.tables[0]
    means = {table.rows[index].name: table.mean(NDCG)[index] for index in table.built}
    (system,) = judged.facts.systems
    means[system.name] = system.means[judged.measures.index(NDCG)]
    by_mean = sorted(means, key=lambda name: means[name], reverse=True)
    header = browser.page.locator(f"{TABLE} >> nth=0 >> thead button >> text=exp-nDCG@10").first
    header.click()
    assert first_column(browser) == by_mean
    header.click()
    assert first_column(browser) == by_mean[::-1]


def test_rows_are_filtered(browser: Browser, page: Path) -> None:
    open_report(browser, page)
    browser.page.locator("#variants input[type=search]").first.fill("WORDS@1")
    assert first_column(browser) == [name for name in NAMES if name.startswith("words@1")]


def test_columns_are_chosen(browser: Browser, page: Path) -> None:
    open_report(browser, page)
    assert len(shown_heads(browser)) == 8
    assert "documents" not in shown_heads(browser)
    browser.page.locator("#variants .columns summary").first.click()
    browser.page.locator("#variants .columns label >> text=documents").first.click()
    assert shown_heads(browser)[-1] == "documents"
    browser.page.locator("#variants .columns label >> text=words kept").first.click()
    assert "words kept" not in shown_heads(browser)


@pytest.mark.parametrize("section", ["variants", "frontier", "topics", "costs", "methods"])
def test_nothing_is_wider_than_a_phone(browser: Browser, page: Path, section: str) -> None:
    browser.problems.clear()
    open_report(browser, page, section=section)
    browser.resize(390, 844)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    # With every section and every menu of columns open.
    browser.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    visible = "Array.from(document.querySelectorAll('#summary figure > div')).filter((one) => one.checkVisibility())"
    assert set(browser.evaluate(f"{visible}.map((one) => one.className)")) == {"narrow"}
    assert browser.problems == []


def test_the_answers_fit_a_phone(browser: Browser, page: Path) -> None:
    browser.resize(390, 844)
    browser.open(page)
    browser.wait("document.documentElement.dataset.ready === ''")
    boxes = "Array.from(document.querySelectorAll('#summary .scroll'))"
    assert browser.evaluate(f"{boxes}.map((box) => box.scrollWidth - box.clientWidth)") == [0, 0]
    heads = "Array.from(document.querySelector('.answers').tHead.rows[0].cells)"
    shown = browser.evaluate(f"{heads}.filter((cell) => !cell.hidden).map((cell) => cell.textContent)")
    assert shown == ["answer", "variant", "bytes% of baseline", "exp-nDCG@10"]


def test_without_scripts_everything_can_be_read(system_browser: Chromium, page: Path, judged: Results) -> None:
    browser = Browser(system_browser, scripts=False)
    browser.open(page)
    text = browser.page.inner_text("body")
    assert RECOMMENDED in text
    browser.page.click("#variants > summary")
    for name in (judged.tables[0].rows[index].name for index in judged.tables[0].built):
        assert name in browser.page.inner_text("#variants")


def test_hostile_names_are_only_text(browser: Browser, tmp_path: Path) -> None:
    results = made(topics=30)
    named = replace(
        results, facts=replace(results.facts, title=HOSTILE, topics=dict.fromkeys(results.facts.topics, HOSTILE))
    )
    path = tmp_path / "report.html"
    path.write_text(render_report(named, chosen(named, "words@8")), encoding="utf-8")
    browser.problems.clear()
    open_report(browser, path, section="topics")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert texts(browser, "h1") == [HOSTILE]
    assert browser.problems == []


def test_on_paper_all_sections_are_open(browser: Browser, page: Path) -> None:
    open_report(browser, page)
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert browser.evaluate("document.querySelectorAll('details.answer:not([open])').length") == 0


def test_the_page_follows_a_dark_ground(browser: Browser, page: Path) -> None:
    browser.open(page)
    grounds = []
    for scheme in ("light", "dark"):
        browser.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        grounds.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    browser.page.emulate_media(color_scheme="light")
    levels = [sum(map(int, re.findall(r"\d+", ground))) for ground in grounds]
    assert levels[0] > 700 > 200 > levels[1]
