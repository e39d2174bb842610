"""The report in a real browser: first screen, charts, two variants side by side, the slider, topics and tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from experiments import NAMES, NDCG, chosen, facts, made
from playwright.sync_api import Browser as Chromium
from report_pages import open_report

from thresher.experiments.results import Results
from thresher.reports.html import render_report

HOSTILE = "<img src=x onerror=alert(1)>"
BEST = "none|dcp@0.5"
"""What the page recommends."""
_VISIBLE = """(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const place = document.createRange();
    place.selectNodeContents(text);
    const { width, top, bottom } = place.getBoundingClientRect();
    if (width && top < innerHeight && bottom > 0 && text.parentElement.checkVisibility()) found.push(text.textContent);
  }
  return found.join(" ").split(/\\s+/).filter((word) => word);
})()"""


@pytest.fixture(scope="module")
def results() -> Results:
    return made(held_out=12)


@pytest.fixture(scope="module")
def runs(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "report.html"
    path.write_text(render_report(results), encoding="utf-8")
    return path


def drawn(browser: Browser, name: str) -> None:
    browser.wait(f"document.getElementById('{name}').dataset.drawn === ''")


def texts(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.evaluate(
        f"Array.from(document.querySelectorAll({json.dumps(selector)}), (part) => part.textContent.trim())"
    )
    return found


def rows_of(browser: Browser, selector: str) -> list[list[str]]:
    found: list[list[str]] = browser.evaluate(
        f"Array.from(document.querySelectorAll({json.dumps(selector + ' tr')}), (row) =>"
        " Array.from(row.cells, (cell) => cell.textContent))"
    )
    return found


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("which", ["page", "runs"])
def test_the_first_screen_is_short_and_whole(browser: Browser, which: str, request: pytest.FixtureRequest) -> None:
    browser.problems.clear()
    browser.resize(1400, 900)
    browser.open(request.getfixturevalue(which))
    drawn(browser, "frontier-0")
    words: list[str] = browser.evaluate(_VISIBLE)
    assert len(words) <= 190
    labels = {"baseline", "frontier"} | ({"recommended", "margin"} if which == "page" else set())
    assert labels <= set(words)
    chart = browser.evaluate("document.querySelector('#frontier-0 svg').getBoundingClientRect().toJSON()")
    assert chart["bottom"] <= 900
    assert chart["width"] > 700
    assert browser.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert browser.problems == []


def test_hovering_names_a_variant_and_its_figures(browser: Browser, page: Path, judged: Results) -> None:
    browser.resize(1400, 900)
    browser.open(page)
    drawn(browser, "frontier-0")
    browser.page.hover("#frontier-0 .mark-symbol path[aria-label]:last-child >> nth=-1")
    browser.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    shown = browser.evaluate("document.getElementById('vg-tooltip-element').textContent")
    table = judged.tables[0]
    assert BEST in shown
    assert f"{table.mean(NDCG)[table.position[BEST]]:.4f}" in shown


def test_a_click_pins_two_variants_side_by_side(browser: Browser, page: Path, judged: Results) -> None:
    browser.problems.clear()
    open_report(browser, page, section="variants")
    drawn(browser, "compare-chart")
    table = judged.tables[0]
    assert browser.evaluate("document.getElementById('compare-a').value") == BEST
    pinned = []
    for place, name in zip((3, 10), "ab", strict=True):
        browser.page.locator("#compare-chart .mark-symbol path").nth(place).click(force=True)
        pinned.append(table.position[browser.evaluate(f"document.getElementById('compare-{name}').value")])
    assert texts(browser, "#compare-head th")[1:] == [table.rows[index].name for index in pinned]
    rows = {row[0]: row[1:] for row in rows_of(browser, "#compare-figures")}
    assert rows["index size"] == [f"{100 * table.shares[index]:.1f} %" for index in pinned]
    assert [cell.split()[0] for cell in rows[NDCG]] == [f"{table.mean(NDCG)[index]:.4f}" for index in pinned]
    assert browser.problems == []


def test_two_variants_are_compared_by_keyboard_alone(browser: Browser, page: Path, judged: Results) -> None:
    open_report(browser, page, section="variants")
    browser.evaluate("document.getElementById('compare-b').focus()")
    other = browser.evaluate("document.getElementById('compare-b').value")
    table = judged.tables[0]
    fronts = [name for index in table.front(NDCG, (0, *table.candidates)) if (name := table.rows[index].name) != BEST]
    assert other == max(
        (name for name in fronts if name != "none"), key=lambda name: table.mean(NDCG)[table.position[name]]
    )
    browser.evaluate("document.getElementById('compare-b').select()")
    browser.page.keyboard.type("juste")
    browser.press("Enter")
    browser.press("Tab")
    assert texts(browser, "#compare-head th")[2] == "justext"
    assert {row[0]: row[2] for row in rows_of(browser, "#compare-figures")}["index size"] == "40.0 %"
    browser.evaluate("document.getElementById('compare-b').value = ''; document.getElementById('compare-b').focus()")
    browser.page.keyboard.type("nothing@1")
    browser.press("Tab")
    assert browser.evaluate("document.getElementById('compare-b').validity.valid") is False


def test_lines_that_matter_are_shown_first_and_a_legend_button_shows_any(
    browser: Browser, page: Path, judged: Results
) -> None:
    browser.problems.clear()
    open_report(browser, page, section="variants")
    drawn(browser, "compare-chart")
    legend = "#compare-legend [data-model='0'] button"
    names = texts(browser, f"{legend}[data-name]")
    # What is recommended, then the best of the cleaners and of the combinations.
    leading = ["none|dcp", "words", "words@5|dcp"]
    assert names == [*leading, "variants without a sweep"]
    assert {*names[:-1]} == {*judged.tables[0].sweeps}

    def shown() -> list[str]:
        return texts(browser, f"{legend}[aria-pressed=true]")

    def wait(lines: list[str]) -> None:
        """Wait until these lines alone are not pale; in the order of their colours."""
        assert shown() == [name for name in names if name in lines]
        paths = "[...document.querySelectorAll('#compare-chart .mark-line path')]"
        kept = json.dumps([name in lines for name in leading], separators=(",", ":"))
        paths += ".sort((one, other) => (one.getAttribute('stroke') < other.getAttribute('stroke') ? -1 : 1))"
        browser.wait(f"JSON.stringify({paths}.map((path) => Number(path.getAttribute('opacity')) > 0.1)) === '{kept}'")

    wait(leading)
    browser.page.click(f"{legend} >> text=/^ *words *$/")
    wait(["none|dcp", "words@5|dcp"])
    browser.page.click(f"{legend} >> text=none >> nth=-1")
    wait([])
    browser.page.focus(f"{legend}[data-name='words']")
    browser.press("Enter")
    wait(["words"])
    browser.page.click(f"{legend} >> text=all")
    wait(names)
    browser.page.click(f"{legend} >> text=the best of each family")
    wait(leading)
    assert browser.problems == []


def reading(browser: Browser) -> dict[str, Any]:
    """Return what the slider says."""
    names = ("name", "cutoff", "band", "words", "documents", "size", "saved")
    found: dict[str, Any] = {
        name: browser.evaluate(f"document.getElementById('reading-{name}').textContent") for name in names
    }
    return found | {"measures": rows_of(browser, "#reading-measures")}


def check_reading(browser: Browser, results: Results, model: int, name: str) -> None:
    """Check that the slider says what the table has of a variant."""
    table = results.tables[model]
    index = table.position[name]
    row, found = table.rows[index], reading(browser)
    assert (found["name"], found["documents"]) == (name, f"{row.index.documents:,} of 1,000")
    assert found["size"] == f"{row.index.postings:,} ({100 * table.shares[index]:.1f} % of the baseline's)"
    assert found["words"] == f"{100 * table.word_shares[index]:.1f} %"
    assert number(found["band"].split(" ")[0]) == pytest.approx(
        table.mean(NDCG)[index] - table.mean(NDCG)[0], abs=5.1e-5
    )
    if row.built is not None:
        for bound in row.built.comparisons[NDCG].interval:
            assert f"{bound:+.4f}".replace("-", "−") in found["band"]
    measure, mean, _, held_out, _ = found["measures"][0]
    assert (measure, number(mean)) == (NDCG, pytest.approx(table.mean(NDCG)[index], abs=5.1e-5))
    assert number(held_out) == pytest.approx(table.held_out_mean(NDCG)[index], abs=5.1e-5)


def test_a_slider_reads_every_variant_of_a_sweep(browser: Browser, page: Path, judged: Results) -> None:
    browser.problems.clear()
    open_report(browser, page)
    check_reading(browser, judged, 0, BEST)
    table = judged.tables[0]
    members = [table.rows[index].name for index in table.sweeps["none|dcp"]]
    browser.evaluate("document.getElementById('reading-step').focus()")
    browser.press("Home")
    for name in members:
        check_reading(browser, judged, 0, name)
        browser.press("ArrowRight")
    browser.wait(f"location.hash === {json.dumps('#reading:' + members[-1].replace('|', '%7C'))}")
    browser.page.select_option("#reading-sweep", label="words")
    size = table.sizes[table.position[members[-1]]]
    nearest = min(table.sweeps["words"], key=lambda index: abs(int(table.sizes[index]) - int(size)))
    check_reading(browser, judged, 0, table.rows[nearest].name)
    browser.page.check("#models label:nth-of-type(2) input")
    check_reading(browser, judged, 1, table.rows[nearest].name)
    assert browser.problems == []


def test_savings_follow_the_number_of_queries(browser: Browser, page: Path) -> None:
    open_report(browser, page, "#reading:words@14")
    saved = reading(browser)["saved"]
    browser.page.fill("#reading-queries", "2000000")
    assert "saved" in saved
    assert reading(browser)["saved"] != saved
    browser.page.fill("#reading-queries", "")
    assert reading(browser)["saved"] == "–"
    browser.evaluate(f"location.hash = {json.dumps('#reading:' + BEST.replace('|', '%7C'))}")
    browser.wait(f"document.getElementById('reading-name').textContent === {json.dumps(BEST)}")
    assert reading(browser)["saved"] == "–"


def test_a_linked_variant_is_opened_and_a_strange_link_changes_nothing(
    browser: Browser, page: Path, judged: Results
) -> None:
    browser.problems.clear()
    open_report(browser, page, "#reading:justext:bm25")
    check_reading(browser, judged, 1, "justext")
    assert abs(browser.evaluate("document.getElementById('reading').getBoundingClientRect().top")) < 2
    for strange in (
        "#reading:nothing@1",
        "#reading:%E0%A4%A",
        "#reading:justext:bm26",
        "#reading:__proto__",
        "#nothing",
    ):
        browser.evaluate(f"location.hash = {json.dumps(strange)}")
        check_reading(browser, judged, 1, "justext")
    assert browser.problems == []


def test_topics_of_any_two_variants(browser: Browser, runs: Path, results: Results) -> None:
    browser.problems.clear()
    open_report(browser, runs, section="topics")
    drawn(browser, "topics-chart")
    table = results.tables[0]
    names = texts(browser, "#topics-a option")
    assert names == [row.name for row in table.rows]
    for select, name in (("a", names[2]), ("b", names[5])):
        browser.page.select_option(f"#topics-{select}", label=name)
    differences = dict(zip(table.topics, (table.of(NDCG)[5] - table.of(NDCG)[2]).tolist(), strict=True))
    shown = rows_of(browser, "#topics-rows")
    assert [number(row[4]) for row in shown] == [pytest.approx(differences[row[0]], abs=5.1e-5) for row in shown]
    assert [number(row[4]) for row in shown] == sorted((number(row[4]) for row in shown), reverse=True)
    counts = browser.evaluate("document.getElementById('topics-counts').textContent")
    won, lost = (sum(sign * value > 0 for value in differences.values()) for sign in (1, -1))
    assert f"{names[5]} against {names[2]}: {won} topics won, {60 - won - lost} tied, {lost} lost" in counts
    assert len(texts(browser, "#topics-chart .mark-rect path")) == len(differences)
    assert browser.problems == []


def test_held_out_topics_have_the_first_chart_with_their_means(browser: Browser, runs: Path, results: Results) -> None:
    browser.problems.clear()
    open_report(browser, runs, section="held-out")
    drawn(browser, "held-0")
    marks: list[str] = browser.evaluate(
        "Array.from(document.querySelectorAll('#held-0 .mark-symbol path'), (mark) => mark.getAttribute('aria-label'))"
    )
    said = re.compile(r".*baseline's: (.*?); exp-nDCG@10, held-out topics: (.*?); variant: (.*?); .*")
    found = {(match[3], float(match[1]), float(match[2])) for mark in marks if (match := said.fullmatch(mark))}
    table = results.tables[0]
    assert found == {
        (
            table.rows[index].name,
            round(100 * table.shares[index], 1),
            round(table.held_out_mean(NDCG)[index], 10),
        )
        for index in {0, *table.front(NDCG)}
    }
    assert browser.problems == []


def test_tables_sort_filter_choose_columns_and_are_copied(browser: Browser, runs: Path, results: Results) -> None:
    open_report(browser, runs, section="variants")
    table = "#variants table.sortable"
    heads = texts(browser, f"{table} thead th:not([hidden])")
    assert len(heads) == 8
    assert len(texts(browser, f"{table} thead th")) > 8
    names = [row[0] for row in rows_of(browser, f"{table} tbody")]
    browser.page.click(f"{table} thead th:nth-child(2) button")
    values = results.tables[0].mean(NDCG).tolist()
    ordered = [row[0] for row in rows_of(browser, f"{table} tbody")]
    assert ordered == [name for _, name in sorted(zip(values, names, strict=True), key=lambda pair: -pair[0])]
    browser.page.fill("#variants .tools input[type=search]", "words@1")
    left = texts(browser, f"{table} tbody tr:not([hidden]) th")
    assert left == [name for name in ordered if "words@1" in name]
    browser.page.click("#variants .tools .columns summary")
    assert "index (% of baseline)" in texts(browser, "#variants .tools .columns label")
    browser.page.uncheck("#variants .tools .columns label:nth-child(3) input")
    assert texts(browser, f"{table} thead th:not([hidden])") == [*heads[:2], *heads[3:]]
    browser.page.click("#variants .tools > button:text('Markdown')")
    copied = browser.evaluate(f"document.querySelector('{table}').dataset.copied").splitlines()
    assert [line.split("|")[1].strip().replace("\\", "") for line in copied[2:]] == left
    browser.page.click("#variants .tools > button:text('LaTeX')")
    copied = browser.evaluate(f"document.querySelector('{table}').dataset.copied").splitlines()
    assert copied[1] == r"\begin{tabular}{lrrrrrr}"


def test_one_retrieval_model_is_shown_at_a_time(browser: Browser, page: Path) -> None:
    open_report(browser, page, section="choice")
    parts = "Array.from(document.querySelectorAll('#choice [data-model]'), (part) => part.checkVisibility())"
    assert browser.evaluate(parts) == [True, False]
    browser.page.check("#models label:nth-of-type(2) input")
    assert browser.evaluate(parts) == [False, True]
    drawn(browser, "frontier-1")
    open_report(browser, page, section="variants")
    legends = "Array.from(document.querySelectorAll('#variants div.legend'), (part) => part.checkVisibility())"
    browser.wait(f"{legends}.length === 2")
    assert browser.evaluate(legends) == [True, False]
    browser.page.check("#models label:nth-of-type(2) input")
    browser.wait(f"{legends}[1]")
    assert browser.evaluate(legends) == [False, True]


def test_without_scripts_the_tables_are_there_and_the_forms_are_not(system_browser: Chromium, page: Path) -> None:
    browser = Browser(system_browser, scripts=False)
    browser.open(page)
    assert "Scripts are off" in browser.page.inner_text("body")
    browser.page.click("#variants > summary")
    seen = browser.page.inner_text("#variants")
    assert "words@14" in seen
    assert "Click two variants" not in seen
    assert browser.problems == []


def test_hostile_names_are_only_text(browser: Browser, tmp_path: Path) -> None:
    results = made(topics=26)
    named = replace(
        results.tables[0], retrieval=HOSTILE + ":&'\"b", topics=tuple(HOSTILE + str(at) for at in range(26))
    )
    hostile = replace(facts(26), title=HOSTILE, topics=dict.fromkeys(named.topics, HOSTILE))
    path = tmp_path / "report.html"
    whole = Results(hostile, (named,))
    path.write_text(render_report(whole, chosen(whole, "words@8")), encoding="utf-8")
    browser.problems.clear()
    open_report(browser, path, section="topics")
    drawn(browser, "topics-chart")
    assert rows_of(browser, "#topics-rows")[0][1] == HOSTILE
    assert browser.evaluate("document.images.length") == 0
    assert browser.problems == []


def test_what_was_only_explored_makes_a_page(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_report(made(only_explored=list(NAMES))), encoding="utf-8")
    browser.problems.clear()
    open_report(browser, path)
    assert reading(browser)["name"] == "words@2"
    assert browser.problems == []


def test_on_paper_every_section_is_open_without_controls(browser: Browser, page: Path) -> None:
    open_report(browser, page)
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert browser.evaluate("document.querySelectorAll('details.answer:not([open])').length") == 0
    browser.resize(800, 1000, print=True)
    assert browser.evaluate("getComputedStyle(document.querySelector('.controls')).display") == "none"
    browser.resize(1280, 900)


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_is_wider_than_the_page(browser: Browser, page: Path, width: int) -> None:
    browser.open(page)
    browser.resize(width, 900)
    browser.evaluate("document.querySelectorAll('details.answer').forEach((part) => (part.open = true))")
    drawn(browser, "topics-chart")
    for dark, expected in ((False, "rgb(255, 255, 255)"), (True, "rgb(21, 24, 27)")):
        browser.resize(width, 900, dark=dark)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == expected
