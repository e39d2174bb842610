"""What reports show of families at the same size, and of combinations."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser
from choice_samples import choice_of
from lxml import html as lxml_html
from report_pages import check_policy, open_report, page_figures
from same_size_samples import COMBINED, MEASURES, PRUNED, families

from thresher.choosing.choices import Choice
from thresher.choosing.deciding import Terms
from thresher.choosing.decisions import ModelDecisions
from thresher.choosing.same_size import same_size
from thresher.costs import Interval, MeasuredTime
from thresher.exploring.exploration import Exploration
from thresher.pruning_methods.treatments import Family
from thresher.reports.chart_rows import of_choice
from thresher.reports.html import render_report
from thresher.reports.plot_files import sweep_plot
from thresher.reports.same_size_tables import FRONTIERS_FILE, TABLE_FILE, same_size_table, write_same_size_csv

TERMS = Terms(resamples=200, folds=2, repeats=1)


@pytest.fixture(scope="module")
def exploration() -> Exploration:
    return families()


@pytest.fixture(scope="module")
def choice(exploration: Exploration) -> Choice:
    chosen = choice_of(exploration, TERMS)
    sweeps = exploration.sweeps
    means = [one.query_postings.mean(axis=1).tolist() for one in sweeps]
    postings = {
        name: mean
        for one, held in zip(sweeps, means, strict=True)
        for name, mean in zip(one.variants, held, strict=True)
    }
    found = [same_size(decision, postings, {}) for decision in chosen.decisions]
    return replace(chosen, same_size=tuple(one for one in found if one))


def test_a_row_has_what_was_found(choice: Choice) -> None:
    found, decision = choice.same_size[0], choice.decisions[0]
    table = same_size_table(found, decision)
    headers = [column.header for column in table.columns]
    assert headers == [
        *("index at most", "family", "variant", "index size", "nDCG@10", "difference", "lower bound", "upper bound"),
        *("verdict", "emptied", "postings"),
    ]
    assert len(table.rows) == len(found.best)
    for best, row in zip(found.best, table.rows, strict=True):
        most, family, name, share, mean, *_, verdict, emptied, postings = (cell.text for cell in row)
        assert (most, family, name) == (f"{100 * best.most:.1f}", best.family.value, best.variant.name)
        assert (share, mean) == (f"{100 * best.share:.1f}", f"{best.variant.mean:.4f}")
        assert (verdict, emptied, postings) == (best.variant.test.verdict.value, "0.0", f"{best.query_postings:.0f}")
    # A line between sizes.
    sizes = [best.most for best in found.best]
    assert list(table.rules) == [index for index in range(1, len(sizes)) if sizes[index] != sizes[index - 1]]
    assert "40 postings" in table.note


def test_times_of_building_say_what_cannot_be_told(choice: Choice) -> None:
    found, decision = choice.same_size[0], choice.decisions[0]
    second, ratio = Interval(1.0, 0.9, 1.1), Interval(2.0, 1.95, 2.1)
    time = MeasuredTime(second, second, ratio, ratio, Interval(-1.0, -1.2, -0.8), True)
    builds = {found.best[0].variant.name: time, found.best[1].variant.name: replace(time, measurable=False)}
    again = same_size(decision, {}, builds)
    assert again is not None
    table = same_size_table(again, decision)
    assert table.columns[-1].header == "building"
    shown = {row[2].text: row[-1].text for row in table.rows}
    assert shown[found.best[0].variant.name] == "2.00 (1.95 to 2.10)"
    assert shown[found.best[1].variant.name] == "not measurable here"
    assert set(shown.values()) == {"2.00 (1.95 to 2.10)", "not measurable here", "–"}


def test_files_have_the_table_and_the_frontiers(choice: Choice, tmp_path: Path) -> None:
    write_same_size_csv(choice, tmp_path)
    with (tmp_path / TABLE_FILE).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["measure"], float(row["at_most"]), row["family"], row["variant"]) for row in rows] == [
        (found.measure, best.most, best.family.value, best.variant.name)
        for found in choice.same_size
        for best in found.best
    ]
    assert [float(row["query_postings"]) for row in rows] == [
        best.query_postings for found in choice.same_size for best in found.best
    ]
    with (tmp_path / FRONTIERS_FILE).open(encoding="utf-8", newline="") as lines:
        points = [(row["measure"], row["family"], row["variant"], float(row["mean"])) for row in csv.DictReader(lines)]
    assert points == [
        (decision.measure, family.value, one.name, one.mean)
        for decision in choice.decisions
        for family, variants in decision.frontiers.items()
        for one in variants
    ]


def test_one_family_leaves_no_files_and_no_section(exploration: Exploration, tmp_path: Path) -> None:
    cleaners = tuple(sweep for sweep in exploration.sweeps if "|" not in sweep.name)
    alone = replace(exploration, sweeps=cleaners)
    chosen = choice_of(alone, TERMS)
    assert [same_size(decision, {}, {}) for decision in chosen.decisions] == [None, None]
    write_same_size_csv(chosen, tmp_path)
    assert list(tmp_path.iterdir()) == []
    root = lxml_html.document_fromstring(render_report(None, chosen, alone))
    assert root.xpath("//section[@id='same-size']") == []
    assert root.xpath("//nav//a[@href='#same-size']") == []


def test_frontiers_are_drawn_point_by_point(choice: Choice) -> None:
    decision = choice.decisions[0]
    rows = [row for row in of_choice(choice, choice.models[0]).rows if row["best"]]
    for family, points in decision.frontiers.items():
        drawn = sorted((row["share"], row["mean"]) for row in rows if row["family"] == family.value)
        assert drawn == [(round(100 * decision.size_share(one.size), 1), round(one.mean, 10)) for one in points]
    assert {row["family"] for row in rows} == {family.value for family in Family}


def test_a_combination_is_a_line_for_each_cutoff_of_the_scorer(choice: Choice) -> None:
    decision = next(one for one in choice.decisions if one.measure == "AP")
    plot = sweep_plot(of_choice(choice, ModelDecisions(decision, ())), "words|dcp")
    drawn = [(row["sweep"], *row["pair"], row["mean"]) for row in plot.rows]
    assert sorted(drawn) == sorted(
        (f"words@{first:g}", first, second, round(decision.by_name[f"words@{first:g}|dcp@{second:g}"].mean, 10))
        for first in COMBINED
        for second in PRUNED
    )
    assert all(row["line"] and row["drawn"] for row in plot.rows)


def test_the_page_has_the_section_and_its_chart(page: Path, choice: Choice, browser: Browser) -> None:
    text = page.read_text(encoding="utf-8")
    (section,) = lxml_html.document_fromstring(text).xpath("//details[@id='same-size']")
    tables = section.xpath(".//table")
    assert len(tables) == len(MEASURES)
    heads = [head.text for head in tables[0].xpath(".//thead//th")]
    rows = tables[0].xpath(".//tbody/tr")
    assert [row.xpath("./*")[heads.index("variant")].text for row in rows] == [
        best.variant.name for best in choice.same_size[0].best
    ]
    (model,) = page_figures(text)["models"]
    names = ["words", "none|dcp", "none|nucleus(mass=mle)", "words|dcp", "cleaners without a sweep"]
    assert model["sweeps"] == names
    combined = [row for row in model["rows"] if row["sweep"] == "words|dcp"]
    sizes = [row["size"] for row in combined]
    assert sizes == sorted(sizes, reverse=True)
    assert (len(combined), {row["cutoff"] for row in combined}) == (15, {None})
    open_report(browser, page, section="same-size")
    browser.wait("document.getElementById('families-0').dataset.drawn === ''")
    lines = browser.evaluate("document.querySelectorAll('#families-0 .mark-line path').length")
    assert lines == len(model["kinds"])


def test_the_slider_follows_a_combination(page: Path, browser: Browser) -> None:
    browser.problems.clear()
    check_policy(page.read_text(encoding="utf-8"))
    open_report(browser, page, "#reading:words@9|dcp@0.5")
    browser.wait("document.getElementById('reading-name').textContent === 'words@9|dcp@0.5'")
    shown = browser.evaluate(
        """["ends", "cutoff"].map((name) => document.getElementById(`reading-${name}`).textContent)"""
    )
    assert shown == ["From the largest index to the smallest", "–"]
    assert browser.problems == []
