"""The report in a real browser: its first screen, charts, comparison of two variants, topics and tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from choice_samples import TERMS, choice_of, explored
from report_pages import open_report
from report_samples import NDCG, large

from thresher.choosing.choices import Choice
from thresher.exploring.exploration import Exploration
from thresher.reports.html import render_report
from thresher.results.experiment_results import Results
from thresher.results.selection import front_rows

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
def exploration() -> Exploration:
    return explored(topics=40)


@pytest.fixture(scope="module")
def choice(exploration: Exploration) -> Choice:
    return choice_of(exploration, TERMS)


@pytest.fixture(scope="module")
def results() -> Results:
    return replace(large(topics=12), held_out=large(topics=12, seed=8))


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


@pytest.mark.parametrize("which", ["page", "runs"])
def test_the_first_screen_is_short_and_whole(browser: Browser, which: str, request: pytest.FixtureRequest) -> None:
    browser.problems.clear()
    browser.resize(1400, 900)
    browser.open(request.getfixturevalue(which))
    drawn(browser, "frontier-0")
    words: list[str] = browser.evaluate(_VISIBLE)
    assert len(words) <= 120
    labels = {"baseline", "frontier"} | ({"recommended", "margin"} if which == "page" else set())
    assert labels <= set(words)
    chart = browser.evaluate("document.querySelector('#frontier-0 svg').getBoundingClientRect().toJSON()")
    assert chart["bottom"] <= 900
    assert chart["width"] > 700
    assert browser.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert browser.problems == []


def test_labels_of_the_first_chart_do_not_cover_each_other(browser: Browser, page: Path) -> None:
    browser.resize(1400, 900)
    browser.open(page)
    drawn(browser, "frontier-0")
    boxes: list[dict[str, Any]] = browser.evaluate(
        """Array.from(document.querySelectorAll("#frontier-0 .mark-text text"), (text) =>
          ({ said: text.textContent, ...text.getBoundingClientRect().toJSON() }))"""
    )
    for one in boxes:
        for other in boxes:
            apart = one["right"] <= other["left"] or one["bottom"] <= other["top"]
            apart = apart or other["right"] <= one["left"] or other["bottom"] <= one["top"]
            assert apart or one["said"] == other["said"]


def test_hovering_names_a_variant_and_its_figures(browser: Browser, page: Path, choice: Choice) -> None:
    browser.resize(1400, 900)
    browser.open(page)
    drawn(browser, "frontier-0")
    browser.page.hover("#frontier-0 .mark-symbol path[aria-label]:last-child >> nth=-1")
    browser.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    shown = browser.evaluate("document.getElementById('vg-tooltip-element').textContent")
    variant = choice.models[0].main.recommended
    assert variant is not None
    assert variant.name in shown
    assert f"{variant.mean:.4f}" in shown


def test_a_click_pins_two_variants_side_by_side(browser: Browser, page: Path, choice: Choice) -> None:
    browser.problems.clear()
    open_report(browser, page, section="variants")
    drawn(browser, "compare-chart")
    main = choice.models[0].main
    assert main.recommended is not None
    assert browser.evaluate("document.getElementById('compare-a').value") == main.recommended.name
    pinned = []
    for number in (3, 40):
        browser.page.evaluate(
            f"""(() => {{ const mark = document.querySelectorAll("#compare-chart .mark-symbol path")[{number}];
              mark.scrollIntoView({{ block: "center" }}); }})()"""
        )
        browser.page.locator("#compare-chart .mark-symbol path").nth(number).click(force=True)
        name = "ab"[len(pinned)]
        value = browser.evaluate(f"document.getElementById('compare-{name}').value")
        assert value in main.by_name
        pinned.append(main.by_name[value])
    assert texts(browser, "#compare-head th")[1:] == [variant.name for variant in pinned]
    rows = {row[0]: row[1:] for row in rows_of(browser, "#compare-figures")}
    assert rows["index size"] == [f"{100 * main.size_share(variant.size):.1f} %" for variant in pinned]
    assert [cell.split()[0] for cell in rows["nDCG@10"]] == [f"{variant.mean:.4f}" for variant in pinned]
    assert rows["verdict"] == [variant.test.verdict.value for variant in pinned]
    assert browser.problems == []


def rows_of(browser: Browser, selector: str) -> list[list[str]]:
    found: list[list[str]] = browser.evaluate(
        f"Array.from(document.querySelectorAll({json.dumps(selector + ' tr')}), (row) =>"
        " Array.from(row.cells, (cell) => cell.textContent))"
    )
    return found


def test_two_variants_are_compared_by_keyboard_alone(browser: Browser, page: Path, choice: Choice) -> None:
    open_report(browser, page, section="variants")
    main = choice.models[0].main
    browser.evaluate("document.getElementById('compare-b').focus()")
    browser.evaluate("document.getElementById('compare-b').select()")
    browser.page.keyboard.type("justext")
    browser.press("Enter")
    browser.press("Tab")
    assert texts(browser, "#compare-head th")[2] == "justext"
    rows = {row[0]: row[1:] for row in rows_of(browser, "#compare-figures")}
    assert rows["index size"][1] == f"{100 * main.size_share(main.by_name['justext'].size):.1f} %"
    browser.evaluate("document.getElementById('compare-b').value = ''; document.getElementById('compare-b').focus()")
    browser.page.keyboard.type("nothing@1")
    browser.press("Tab")
    assert browser.evaluate("document.getElementById('compare-b').validity.valid") is False
    assert {row[2] for row in rows_of(browser, "#compare-figures")} == {"–"}


def test_a_legend_button_isolates_a_scorer(browser: Browser, page: Path) -> None:
    open_report(browser, page, section="variants")
    drawn(browser, "compare-chart")
    names = texts(browser, "#compare-legend [data-model='0'] button")
    assert names == ["density", "perplexity(lm=books)", "cleaners without a sweep"]
    count = "Array.from(document.querySelectorAll('#compare-chart .mark-symbol path'), (mark) => mark.getAttribute('opacity'))"
    before: list[str] = browser.evaluate(count)
    browser.page.focus("#compare-legend button")
    browser.press("Enter")
    browser.wait(f"{count}.some((opacity) => opacity === '0.04')")
    after: list[str] = browser.evaluate(count)
    assert "0.04" not in before
    assert after.count("0.85") < before.count("0.85")
    assert browser.evaluate("document.querySelector('#compare-legend button').getAttribute('aria-pressed')") == "true"
    browser.press("Enter")
    browser.wait(f"!{count}.includes('0.04')")


def test_topics_of_any_two_variants(browser: Browser, runs: Path, results: Results) -> None:
    browser.problems.clear()
    open_report(browser, runs, section="topics")
    drawn(browser, "topics-chart")
    names = texts(browser, "#topics-a option")
    assert names == [row.variant for row in results.rows]
    first, second = names[2], names[5]
    for select, name in (("a", first), ("b", second)):
        browser.page.select_option(f"#topics-{select}", label=name)
    values = {
        (one.variant, one.topic): one.value for one in results.per_topic if one.measure == "nDCG(dcg='exp-log2')@10"
    }
    topics = list(dict.fromkeys(topic for _, topic in values))
    differences = {topic: values[second, topic] - values[first, topic] for topic in topics}
    shown = rows_of(browser, "#topics-rows")
    assert [row[0] for row in shown] == sorted(topics, key=lambda topic: -differences[topic])
    assert [float(row[4].replace("−", "-")) for row in shown] == [
        pytest.approx(differences[row[0]], abs=5.1e-5) for row in shown
    ]
    counts = browser.evaluate("document.getElementById('topics-counts').textContent")
    won = sum(value > 0 for value in differences.values())
    lost = sum(value < 0 for value in differences.values())
    assert f"{second} against {first}: {won} topics won, {len(topics) - won - lost} tied, {lost} lost" in counts
    assert len(browser.evaluate("Array.from(document.querySelectorAll('#topics-chart .mark-rect path'))")) == len(
        topics
    )
    assert browser.problems == []


def test_held_out_topics_have_the_first_chart_with_their_means(browser: Browser, runs: Path, results: Results) -> None:
    browser.problems.clear()
    open_report(browser, runs, section="held-out")
    drawn(browser, "held-0")
    marks: list[str] = browser.evaluate(
        "Array.from(document.querySelectorAll('#held-0 .mark-symbol path'), (mark) => mark.getAttribute('aria-label'))"
    )
    said = re.compile(r".*baseline's: (.*?); nDCG@10, held-out topics: (.*?); variant: (.*?); .*")
    found = [match.groups() for mark in marks if (match := said.fullmatch(mark))]
    front = {row.variant for row in front_rows(results, "qld")} | {"none"}
    assert results.held_out is not None
    assert sorted((name, float(share), float(mean)) for share, mean, name in found) == sorted(
        (row.variant, round(100 * row.index_bytes / 97_000_000, 1), round(row.measures[NDCG], 10))
        for row in results.held_out.rows
        if row.variant in front
    )
    assert browser.problems == []


def test_tables_sort_filter_choose_columns_and_are_copied(browser: Browser, runs: Path, results: Results) -> None:
    open_report(browser, runs, section="variants")
    table = "#variants table.sortable"
    heads = texts(browser, f"{table} thead th:not([hidden])")
    assert len(heads) == 8
    assert len(texts(browser, f"{table} thead th")) > 8
    names = [row[0] for row in rows_of(browser, f"{table} tbody")]
    browser.page.click(f"{table} thead th:nth-child(2) button")
    values = [row.measures["nDCG(dcg='exp-log2')@10"] for row in results.rows]
    ordered = [row[0] for row in rows_of(browser, f"{table} tbody")]
    assert ordered == [name for _, name in sorted(zip(values, names, strict=True), key=lambda pair: -pair[0])]
    browser.page.fill("#variants .tools input[type=search]", "words@1")
    left = texts(browser, f"{table} tbody tr:not([hidden]) th")
    assert left == [name for name in ordered if "words@1" in name]
    browser.page.click("#variants .tools .columns summary")
    browser.page.uncheck("#variants .tools .columns label:nth-child(3) input")
    assert texts(browser, f"{table} thead th:not([hidden])") == [*heads[:2], *heads[3:]]
    browser.page.click("#variants .tools > button:text('Markdown')")
    copied = browser.evaluate(f"document.querySelector('{table}').dataset.copied").splitlines()
    assert len(copied) == 2 + len(left)
    assert [line.split("|")[1].strip().replace("\\", "") for line in copied[2:]] == left
    assert all(line.count("|") == 8 for line in copied)
    browser.page.click("#variants .tools > button:text('LaTeX')")
    copied = browser.evaluate(f"document.querySelector('{table}').dataset.copied").splitlines()
    assert copied[1] == r"\begin{tabular}{lrrrrrr}"
    assert len([line for line in copied if line.endswith(r"\\")]) == 1 + len(left)


def test_one_retrieval_model_is_shown_at_a_time(browser: Browser, page: Path) -> None:
    open_report(browser, page, section="choice")
    parts = "Array.from(document.querySelectorAll('#choice [data-model]'), (part) => part.checkVisibility())"
    assert browser.evaluate(parts) == [True, False]
    browser.page.check("#models label:nth-of-type(2) input")
    assert browser.evaluate(parts) == [False, True]
    drawn(browser, "frontier-1")


def test_on_paper_every_section_is_open(browser: Browser, page: Path) -> None:
    open_report(browser, page)
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert browser.evaluate("document.querySelectorAll('details.answer:not([open])').length") == 0


@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_is_wider_than_the_page(browser: Browser, runs: Path, width: int) -> None:
    browser.open(runs)
    browser.resize(width, 900)
    browser.evaluate("document.querySelectorAll('details.answer').forEach((part) => (part.open = true))")
    drawn(browser, "topics-chart")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
