"""The HTML report: it parses, needs nothing else, has the results' numbers, and nothing in it breaks out of its place."""

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
from experiments import NAMES, NDCG, chosen, facts, made, small, variant
from lxml import html as lxml_html
from report_pages import body_rows, check_nothing_is_loaded, check_policy, page_figures

from thresher.base.defaults import DEFAULT_INDEX
from thresher.evaluation.topics import About, Notice
from thresher.experiments.choosing.choices import Choice, write_choice
from thresher.experiments.results import Pages, Results, TitleBias
from thresher.reports.files import write_reports
from thresher.reports.further_tables import answers_table
from thresher.reports.html import render_report
from thresher.reports.html_parts import coded, viewed
from thresher.reports.summary import assumptions, model_answer
from thresher.reports.table import Table
from thresher.reports.variant_tables import main_table, work_table

HOSTILE = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"
ALWAYS = ["summary", "reading", "variants", "topics", "work"]


def sections_of(text: str) -> list[str]:
    tree = lxml_html.document_fromstring(text)
    return [section.get("id") for section in tree.xpath("//section | //details[@class='answer']")]


def texts(table: Table) -> list[list[str]]:
    return [[cell.text + cell.mark for cell in row] for row in viewed(table)[0].rows]


@pytest.fixture(scope="module")
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_each_stage_has_the_sections_that_it_can_fill(text: str) -> None:
    every = ["summary", "choice", "reading", "variants", "same-size", "topics", "held-out", "work", "costs", "failed"]
    assert sections_of(text) == [*every, "methods"]
    assert sections_of(render_report(made(only_explored=list(NAMES)))) == [
        *ALWAYS[:3],
        "same-size",
        *ALWAYS[3:],
        "failed",
        "methods",
    ]
    assert sections_of(render_report(small())) == [*ALWAYS, "costs", "failed", "methods"]
    alone = replace(small(), facts=facts(8, pages=Pages(8, 8, 0, 0, 8)))
    alone = replace(alone, tables=(alone.tables[0].only((0,)),))
    assert sections_of(render_report(alone)) == ["summary", "variants", "topics", "work", "costs", "methods"]


def test_headings_are_questions_and_ids_are_unique(text: str) -> None:
    tree = lxml_html.document_fromstring(text)
    assert all(heading.text.endswith("?") for heading in tree.xpath("//details[@class='answer']/summary/h2"))
    assert not tree.xpath("//details[@open]")
    assert [name for name, count in Counter(tree.xpath("//@id")).items() if count > 1] == []


def test_the_first_screen_has_the_answer_and_its_figures(text: str, judged: Results, choice: Choice) -> None:
    tree = lxml_html.document_fromstring(text)
    said, _ = tree.xpath("//div[@class='said']")
    paragraphs = [paragraph.text_content() for paragraph in said.xpath("./p")]
    expected = list(model_answer(choice, choice.models[0], brief=True))
    assert paragraphs[: len(expected)] == expected
    assert said.xpath("./pre")[0].text == "clean to 'none|dcp@0.5'\nindex\n"
    figures = [value.text for value in said.xpath("./dl//b")]
    assert figures == ["−50.0 %", "−0.0100", "−50.0 %"]
    warnings = " ".join(item.text_content() for item in said.xpath("./ul/li"))
    assert "none|dcp@0.5 was explored, not built" in warnings
    assert f"{judged.tables[0].emptied[judged.tables[0].position['none|dcp@0.5']]} of 1,000 pages" in warnings


def test_the_head_counts_topics_and_their_relevant_pages() -> None:
    for bias, relevant in ((TitleBias(18, 2, 4), ["8", "18"]), (None, ["8"])):
        results = replace(small(), facts=facts(8, title_bias=bias))
        (sub,) = lxml_html.document_fromstring(render_report(results)).xpath("//p[@class='sub']")
        variants = str(len(results.tables[0].rows) - 1)
        assert re.findall(r"[\d.]+", sub.text_content())[: len(relevant) + 1] == [*relevant, variants]


def test_before_a_choice_the_figures_are_the_baselines() -> None:
    tree = lxml_html.document_fromstring(render_report(small()))
    assert "thresher choose" in tree.xpath("//p[@class='sentence']")[0].text_content()
    assert [value.text for value in tree.xpath("//dl[@class='figures']//b")] == ["80,000", "0.4250", "410"]
    stay = lxml_html.document_fromstring(render_report(made(), chosen(made(), None)))
    assert stay.xpath("//p[@class='sentence']")[0].text_content().startswith("Stay with no cleaning")
    assert not stay.xpath("//p[@class='use']")


def test_before_a_choice_the_usual_index_is_suggested_with_what_it_reaches() -> None:
    results = small()
    (table,) = results.tables
    renamed = [replace(row, variant=variant(DEFAULT_INDEX)) if row.name == "words@11" else row for row in table.rows]
    (summary,) = lxml_html.document_fromstring(
        render_report(replace(results, tables=(table.with_rows(renamed),)))
    ).xpath("//section[@id='summary']")
    said = [line.text_content() for line in summary.xpath(".//div[@class='said']/p")]
    assert DEFAULT_INDEX in said[1]
    assert re.findall(r"\d+\.\d+", said[1].replace(DEFAULT_INDEX, "")) == ["50.0", "0.4375"]


def test_notices_stand_above_the_answer() -> None:
    noticed = replace(small(), facts=facts(8, notices=(Notice(About.MISSING, 1, ("`odd-id`",)),)))
    (summary,) = lxml_html.document_fromstring(render_report(noticed)).xpath("//section[@id='summary']")
    assert summary[0].get("class") == "notice"
    assert summary[0].text_content().endswith(": odd-id.")
    assert summary[0].findtext("code") == "odd-id"


def test_why_has_the_assumptions_and_what_was_tested(text: str, choice: Choice) -> None:
    tree = lxml_html.document_fromstring(text)
    parts = tree.xpath("//details[@id='choice']/div")
    for part, model in zip(parts, choice.models, strict=True):
        assert [item.text_content() for item in part.xpath("./ul/li")] == list(assumptions(choice, model))
        answers, families = part.xpath(".//table")
        named = answers_table(replace(choice, models=(model,)))
        assert named is not None
        assert body_rows(answers) == texts(named)
        assert [row[0] for row in body_rows(families)] == [walk.family for walk in model.families if walk.steps]


def test_tables_are_whole_and_of_one_model_each(text: str, judged: Results) -> None:
    tree = lxml_html.document_fromstring(text)
    parts = tree.xpath("//details[@id='variants']/div")
    works = tree.xpath("//details[@id='work']/div")
    assert [part.findtext("h3") for part in parts] == ["qld", "bm25"]
    for part, work, table in zip(parts, works, judged.tables, strict=True):
        alone = replace(judged, tables=(table,), facts=replace(judged.facts, noise=judged.facts.noise[:1]))
        assert body_rows(part.xpath(".//table")[0]) == texts(main_table(alone))
        assert body_rows(work.xpath(".//table")[0]) == texts(work_table(alone))


def test_every_variants_and_topics_figures_are_in_the_page(text: str, judged: Results, choice: Choice) -> None:
    found = page_figures(text)["models"]
    assert [model["name"] for model in found] == ["qld", "bm25"]
    for model, table in zip(found, judged.tables, strict=True):
        assert model["measures"] == [NDCG, "P@10"]
        assert {row["name"] for row in model["rows"]} == {row.name for row in table.rows[1:]}
        for row in model["rows"]:
            index = table.position[row["name"]]
            assert row["means"] == [round(table.mean(name)[index], 10) for name in model["measures"]]
            assert row["share"] == round(100 * table.shares[index], 1)
            assert row["recommended"] == (row["name"] == "none|dcp@0.5")
        shown = model["topics"]
        assert {"none", "none|dcp@0.5", "words@8"} <= set(shown["variants"])
        assert shown["queries"] == list(judged.facts.topics.values())
        for name, values in zip(shown["variants"], shown["values"], strict=True):
            assert values == [round(value, 10) for value in table.of(NDCG)[table.position[name]]]
    assert choice.measure == NDCG


def test_what_is_the_same_in_every_row_is_said_once() -> None:
    results = small()
    rows = tuple(replace(row, words=1) for row in results.tables[0].rows)
    tree = lxml_html.document_fromstring(render_report(replace(results, tables=(results.tables[0].with_rows(rows),))))
    (section,) = tree.xpath("//details[@id='variants']")
    assert "words kept" not in [head.text for head in section.xpath(".//thead//th")]
    assert "words kept (%) 100.0" in section.xpath(".//p[contains(@class, 'same')]")[0].text_content()


def test_without_differences_beyond_noise_one_sentence_replaces_the_times() -> None:
    tree = lxml_html.document_fromstring(render_report(small()))
    assert tree.xpath("//details[@id='costs']//h3")
    noisy = small()
    kept = noisy.tables[0].only((0,))
    (costs,) = lxml_html.document_fromstring(render_report(replace(noisy, tables=(kept,)))).xpath(
        "//details[@id='costs']"
    )
    assert not costs.xpath(".//h3")
    assert "told from noise" in costs.text_content()
    (costs,) = lxml_html.document_fromstring(render_report(made(timed=False))).xpath("//details[@id='costs']")
    assert "Nothing was timed" in costs.text_content()


def test_many_failed_pages_are_counted_and_the_first_are_listed() -> None:
    reasons = tuple((f"page-{number}", "it is empty" if number % 3 else "it is broken") for number in range(1500))
    failed = replace(small(), facts=facts(8, pages=Pages(3000, 1500, 0, 1500, 10, reasons)))
    (section,) = lxml_html.document_fromstring(render_report(failed)).xpath("//details[@id='failed']")
    assert section.findtext("p") == "1,500 pages could not be read or parsed."
    assert [item.text for item in section.xpath("./ul/li")] == ["1,000 × it is empty", "500 × it is broken"]
    assert len(section.xpath("./details//li")) == 200


def test_the_page_needs_nothing_else_is_small_and_always_the_same(text: str, judged: Results, choice: Choice) -> None:
    check_nothing_is_loaded(text)
    check_policy(text)
    assert len(text.encode()) < 1_500_000
    assert render_report(judged, choice) == text


def test_hostile_text_is_only_text() -> None:
    results = small()
    hostile = facts(
        8,
        title=HOSTILE,
        notices=(Notice(About.MISSING, 1, (HOSTILE,)),),
        pages=Pages(2, 1, 0, 1, 5, ((HOSTILE, HOSTILE),)),
        experiment=HOSTILE,
    )
    hostile = replace(hostile, topics={HOSTILE + topic: HOSTILE for topic in hostile.topics})
    table = replace(results.tables[0], retrieval=HOSTILE, topics=tuple(hostile.topics))
    page = render_report(Results(hostile, (table,)))
    tree = lxml_html.document_fromstring(page)
    assert len(tree.xpath("//script")) == 3
    assert not tree.xpath("//img")
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert tree.findtext(".//h1") == HOSTILE
    assert any(HOSTILE in text for text in tree.xpath("//p[@class='notice']/text()"))
    assert HOSTILE in tree.xpath("//code/text()")
    assert (page.count("<script>"), page.count("</script>")) == (1, 3)


def test_text_between_backticks_is_code() -> None:
    assert coded("`a<b` and `c`, `") == "<code>a&lt;b</code> and <code>c</code>, <code></code>"


def test_all_files_are_written_and_the_same_again(judged: Results, choice: Choice, tmp_path: Path) -> None:
    written = []
    for _ in range(2):
        write_choice(choice, tmp_path)
        write_reports(judged, tmp_path)
        written.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {
        *("results.csv", "per_topic.csv", "chosen.csv", "systems.csv"),
        *("table.md", "table.tex", "report.html", "choice.json"),
    }
    write_reports(made(only_explored=list(NAMES)), tmp_path / "explored")
    explored = {path.name for path in (tmp_path / "explored").iterdir()}
    assert explored == {"results.csv", "table.md", "table.tex", "report.html"}


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
