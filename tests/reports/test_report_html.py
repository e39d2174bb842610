"""The HTML report: it parses, it needs nothing else, and nothing in it can break out of its place."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from lxml import html as lxml_html
from report_pages import body_rows, check_nothing_is_loaded, check_policy, page_figures
from report_samples import BASELINE, NDCG, WORDS, large, small

from thresher.costs import BreakEven
from thresher.reports.html import render_report, results_of
from thresher.reports.html_parts import viewed
from thresher.reports.report_files import write_report
from thresher.reports.results_tables import (
    break_even_table,
    bytes_table,
    footprint_tables,
    main_table,
    stage_table,
    times_tables,
    work_table,
)
from thresher.reports.summary import model_summary
from thresher.reports.table import Table
from thresher.results.experiment_results import Results
from thresher.results.selection import main_measure

HOSTILE = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def results() -> Results:
    return large(topics=20)


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    return render_report(results)


def _texts(table: Table) -> list[list[str]]:
    return [[cell.text + cell.mark for cell in row] for row in viewed(table).table.rows]


def sections_of(tree: lxml_html.HtmlElement) -> list[str]:
    return [section.get("id") for section in tree.xpath("//section | //details[@class='answer']")]


def test_all_sections_are_there_in_order(page: str, results: Results) -> None:
    tree = lxml_html.document_fromstring(page)
    assert sections_of(tree) == ["summary", "variants", "topics", "work", "costs", "failed", "methods"]
    assert not tree.xpath("//details[@open]")
    headings = tree.xpath("//details[@class='answer']/summary/h2")
    assert all(heading.text.endswith("?") for heading in headings)
    assert len(headings) == len(tree.xpath("//h2")) == 6
    assert tree.findtext(".//h1") == results.title
    assert [notice.text for notice in tree.xpath("//details[@id='failed']/p[@class='notice']")] == list(results.notices)
    said = tuple(item.text for item in tree.xpath("//details[@id='variants']//li"))
    assert said == tuple(model_summary(results, "qld"))
    assert [term.text for term in tree.xpath("//details[@id='methods']//dt")] == [name for name, _ in results.methods]
    assert "below resolution" in {cell.text for cell in tree.xpath("//details[@id='costs']//td")}
    work, sizes = tree.xpath("//details[@id='work']//table")
    assert body_rows(work) == _texts(work_table(results))
    assert body_rows(sizes) == _texts(bytes_table(results))
    costs = [body_rows(table) for table in tree.xpath("//details[@id='costs']//table")]
    stages = [stage_table(results, stage) for stage in ("clean", "index")]
    expected = [*times_tables(results), *footprint_tables(results), break_even_table(results), *stages]
    assert costs == [_texts(table) for table in expected]
    assert f"Energy and CO₂ are {results.co2_method}." in tree.text_content()


def test_the_first_screen_of_runs_has_the_baselines_figures(page: str, results: Results) -> None:
    tree = lxml_html.document_fromstring(page)
    (sentence,) = tree.xpath("//p[@class='sentence']")
    worse = sum(
        one.p_holm < results.alpha and one.difference < 0
        for row in results.rows
        for one in [row.comparisons.get(main_measure(results))]
        if one
    )
    assert "thresher choose" in sentence.text_content()
    assert f"{worse} of {len(results.rows) - 1} variants" in sentence.text_content()
    base = results.rows[0]
    values = [value.text for value in tree.xpath("//dl[@class='figures']//b")]
    assert values[1:] == [f"{base.measures[NDCG]:.4f}", f"{base.work.postings:,.0f}"]
    assert values[0] == f"{base.index_bytes / 1e6:.1f} MB"


def test_the_main_table_is_whole_with_costs_in_front(page: str, results: Results) -> None:
    tree = lxml_html.document_fromstring(page)
    (table,) = tree.xpath("//details[@id='variants']//table[@class='sortable']")
    heads = [(head.text, head.findtext("small") or "") for head in table.xpath(".//thead//th")]
    assert [name for name, _ in heads[:5]] == ["variant", "nDCG@10", "W/T/L", "index", "index"]
    shown = main_table(results)
    order = [[(one.header, one.unit) for one in viewed(shown).table.columns].index(head) for head in heads]
    assert body_rows(table) == [[row[index] for index in order] for row in _texts(shown)]
    values = [float(cell.get("data-value")) for cell in table.xpath("./tbody/tr/td[1]")]
    assert values == [row.measures[NDCG] for row in results.rows]


def test_what_is_the_same_in_every_row_is_said_once() -> None:
    rows = tuple(replace(row, emptied=7, documents=900) for row in large(topics=8).rows)
    tree = lxml_html.document_fromstring(render_report(replace(large(topics=8), rows=rows)))
    (section,) = tree.xpath("//details[@id='variants']")
    assert "emptied" not in [head.text for head in section.xpath(".//thead//th")]
    (same,) = [part.text_content() for part in section.xpath(".//p[contains(@class, 'same')]")]
    assert "emptied (pages) 7" in same


def test_every_topics_values_are_in_the_page(page: str, results: Results) -> None:
    (model,) = page_figures(page)["models"]
    topics = model["topics"]
    values = {(one.variant, one.topic): one.value for one in results.per_topic if one.measure == NDCG}
    queries = {one.topic: one.query for one in results.per_topic}
    assert dict(zip(topics["ids"], topics["queries"], strict=True)) == queries
    assert len(topics["variants"]) == len(results.rows)
    for name, line in zip(topics["variants"], topics["values"], strict=True):
        assert line == [round(values[name, topic], 10) for topic in topics["ids"]]


def test_every_variants_figures_are_in_the_page(page: str, results: Results) -> None:
    (model,) = page_figures(page)["models"]
    rows = {row.variant: row for row in results.rows}
    measures = model["measures"]
    assert measures[0] == NDCG
    assert model["base"]["means"] == [round(results.rows[0].measures[name], 10) for name in measures]
    seen = []
    for found in model["rows"]:
        row = rows[found["name"]]
        seen.append(found["name"])
        assert found["means"] == [round(row.measures[measure], 10) for measure in measures]
        assert found["share"] == round(100 * row.index_bytes / row.index_bytes_baseline, 1)
        assert found["size"] == row.index_bytes
        assert found["postings"] == round(row.work.postings)
        assert found["words"] == round(100 * row.words_kept / row.words_total, 1)
    assert sorted(seen) == sorted(set(rows) - {"none"})


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    check_nothing_is_loaded(page)


def test_the_policy_allows_its_own_scripts_only(page: str) -> None:
    check_policy(page)


def test_the_page_is_small(page: str) -> None:
    assert len(page.encode()) < 1_500_000


def test_colours_of_charts_differ_for_everyone() -> None:
    """On light and dark ground, also to readers without one kind of cones: Machado et al. (2009), severity 1."""
    css = (files("thresher.reports") / "templates" / "report.css").read_text(encoding="utf-8")
    palettes = re.findall(r"--ground: (#\w+).*?(--series-0[^}]*)}", css, re.DOTALL)
    assert len(palettes) == 2
    blind = (
        np.eye(3),
        np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
        np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
        np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]),
    )
    for ground, names in palettes:
        colours = [linear(name) for name in re.findall(r"--series-\d: (#\w+)", names)]
        assert len(colours) == 6
        for colour in colours:
            light, dark = sorted((luminance(colour), luminance(linear(ground))), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3  # WCAG 2.1, 1.4.11
        for matrix in blind:
            seen = [lab(np.clip(matrix @ colour, 0, 1)) for colour in colours]
            least = min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
            assert least > 30


def linear(name: str) -> npt.NDArray[np.float64]:
    signs = name.removeprefix("#") if len(name) == 7 else "".join(2 * sign for sign in name.removeprefix("#"))
    values = np.array([int(signs[place : place + 2], 16) / 255 for place in (0, 2, 4)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def luminance(colour: npt.NDArray[np.float64]) -> float:
    return float(colour @ [0.2126, 0.7152, 0.0722])


def lab(colour: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """CIE 1976 L*a*b* of a colour in linear sRGB, white D65."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
    )
    shares = to_xyz @ colour / [0.95047, 1, 1.08883]
    x, y, z = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_ids_are_unique(page: str) -> None:
    counted = Counter(lxml_html.document_fromstring(page).xpath("//@id"))
    assert [name for name, count in counted.items() if count > 1] == []


def _hostile() -> Results:
    rows = (
        BASELINE,
        replace(
            WORDS, variant=HOSTILE, sweep=HOSTILE, break_even=BreakEven(None, HOSTILE), index_bytes_by_type={HOSTILE: 5}
        ),
    )
    per_topic = tuple(
        value._replace(
            variant=HOSTILE if value.variant == "words@11" else value.variant,
            topic=HOSTILE + value.topic,
            query=HOSTILE,
        )
        for value in small().per_topic
        if value.variant != "justext"
    )
    return replace(
        small(),
        experiment=HOSTILE,
        title=HOSTILE,
        rows=rows,
        per_topic=per_topic,
        methods=((HOSTILE, HOSTILE),),
        notices=(HOSTILE,),
        failed_pages=((HOSTILE, HOSTILE),),
    )


def test_hostile_text_is_only_text() -> None:
    page = render_report(_hostile())
    tree = lxml_html.document_fromstring(page)
    assert len(tree.xpath("//script")) == 3
    assert not tree.xpath("//img")
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert tree.findtext(".//h1") == HOSTILE
    assert HOSTILE in tree.xpath("//code/text()")
    assert HOSTILE in tree.xpath("//dd/text()")
    assert HOSTILE in tree.xpath("//p[@class='notice']/text()")
    assert page.count("<script>") == 1
    assert page.count("</script>") == 3


def test_text_in_other_scripts_is_kept(tmp_path: Path) -> None:
    results = replace(large(topics=6), title="検索 ومرشح")
    write_report(tmp_path, results)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "検索 ومرشح" in text
    assert {"поиск работы", "日本の図書館"} <= set(page_figures(text)["models"][0]["topics"]["queries"])


def test_the_same_results_make_the_same_bytes(results: Results, page: str) -> None:
    assert render_report(results) == page


def test_only_a_baseline_and_nothing_else_still_makes_a_page() -> None:
    page = render_report(replace(small(), rows=(BASELINE,), per_topic=(), methods=(), notices=(), failed_pages=()))
    tree = lxml_html.document_fromstring(page)
    assert sections_of(tree) == ["summary", "variants", "topics", "work", "costs", "methods"]
    assert page_figures(page)["models"][0]["topics"] is None


def test_without_times_there_is_nothing_on_them() -> None:
    rows = tuple(replace(row, query=None, indexing=None) for row in small().rows)
    without = replace(small(), rows=rows, noise=())
    tree = lxml_html.document_fromstring(render_report(without))
    text = tree.xpath("string(//details[@id='costs'])")
    assert "its twin" not in text
    assert len(tree.xpath("//details[@id='costs']//table")) < len(
        lxml_html.document_fromstring(render_report(small())).xpath("//details[@id='costs']//table")
    )


def test_several_retrieval_models_are_switched() -> None:
    results = large(topics=8, retrievals=("qld", "qld(exact)"))
    page = render_report(results)
    tree = lxml_html.document_fromstring(page)
    assert len(tree.xpath("//fieldset[@id='models']//input[@type='radio']")) == 2
    parts = tree.xpath("//details[@id='variants']/div")
    assert [part.get("data-model") for part in parts] == ["0", "1"]
    assert [part.findtext("h3") for part in parts] == ["qld", "qld(exact)"]
    for part, name in zip(parts, ("qld", "qld(exact)"), strict=True):
        alone = results_of(results, name)
        names = [row[0] for row in body_rows(part.xpath(".//table")[0])]
        assert names == [row.variant for row in alone.rows]
        assert "retrieval" not in [head.text for head in part.xpath(".//thead//th")]
    assert [model["name"] for model in page_figures(page)["models"]] == ["qld", "qld(exact)"]
    counted = Counter(tree.xpath("//@id"))
    assert [name for name, count in counted.items() if count > 1] == []


def test_many_failed_pages_are_counted_and_the_first_are_listed() -> None:
    failed = tuple((f"page-{number}", "it is empty" if number % 3 else "it is broken") for number in range(1500))
    tree = lxml_html.document_fromstring(render_report(replace(small(), notices=(), failed_pages=failed)))
    (section,) = tree.xpath("//details[@id='failed']")
    assert section.findtext("p") == "1,500 pages could not be read or parsed."
    assert [item.text for item in section.xpath("./ul/li")] == ["1,000 × it is empty", "500 × it is broken"]
    assert section.findtext("details/summary") == "The first 200 of them"
    assert len(section.xpath("./details//li")) == 200
