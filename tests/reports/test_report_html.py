"""The HTML report: it parses, needs nothing else, has the results' numbers, and nothing in it breaks out of its place."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from experiments import NAMES, NDCG, chosen, facts, made, small, variant, with_system
from lxml import html as lxml_html
from messages import assert_names
from report_pages import body_rows, check_nothing_is_loaded, check_policy

from thresher.base.defaults import DEFAULT_INDEX
from thresher.evaluation.topics import About, Notice
from thresher.experiments.choosing.choices import Choice, write_choice
from thresher.experiments.results import Pages, Results, TitleBias
from thresher.reports.choice_tables import answers_table
from thresher.reports.files import write_reports
from thresher.reports.further_tables import report_table
from thresher.reports.html import render_report
from thresher.reports.html_parts import breakable, coded, shell, viewed
from thresher.reports.summary import assumptions, model_answer
from thresher.reports.table import Table
from thresher.reports.topic_rows import topic_changes
from thresher.reports.variant_tables import (
    all_variants_table,
    costs_table,
    frontier_table,
    topics_table,
)

HOSTILE = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"
RECOMMENDED = "none|dcp@0.5"
WHOLE = ["summary", "variants", "frontier", "topics", "costs", "methods"]


def parsed(page: str) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring(page)


def plain_text(element: lxml_html.HtmlElement) -> str:
    """The text of an element, with plain spaces where no line may break."""
    text: str = element.text_content()
    return text.replace("\N{NO-BREAK SPACE}", " ")


def sections_of(page: str) -> list[str]:
    return [section.get("id") for section in parsed(page).xpath("//section | //details[@class='answer']")]


def tables_in(tree: lxml_html.HtmlElement, section: str) -> list[list[list[str]]]:
    return [body_rows(table) for table in tree.xpath(f"//*[@id='{section}']//table")]


def texts(table: Table) -> list[list[str]]:
    return [[cell.text + cell.mark for cell in row] for row in viewed(table).table.rows]


def alone(results: Results, number: int) -> Results:
    """The results of one retrieval model, as the page shows them."""
    table = results.tables[number]
    noise = tuple(noise for noise in results.facts.noise if noise.retrieval in ("", table.retrieval))
    systems = results.facts.systems if number == 0 else ()
    return replace(results, tables=(table,), facts=replace(results.facts, noise=noise, systems=systems))


@pytest.fixture(scope="module")
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_each_stage_has_the_sections_that_it_can_fill(text: str) -> None:
    assert sections_of(text) == WHOLE
    assert sections_of(render_report(made(only_explored=list(NAMES)))) == [
        section for section in WHOLE if section != "costs"
    ]
    baseline = replace(small(), tables=(small().tables[0].only((0,)),))
    assert sections_of(render_report(baseline)) == [section for section in WHOLE if section != "topics"]


def test_the_first_screen_says_what_is_recommended(text: str, judged: Results, choice: Choice) -> None:
    tree = parsed(text)
    said = tree.xpath("//div[@class='said']")
    notes = tree.xpath("//section[@id='summary']/p[@class='note']")
    figures_of_models = tree.xpath("//dl[@class='figures']")
    assert len(said) == len(judged.tables)
    for number, (part, model) in enumerate(zip(said, choice.models, strict=True)):
        sentences = [plain_text(line) for line in part.xpath("./p[not(@class='use')]")]
        assert sentences == list(model_answer(choice, model))
        # It was explored only, which is no warning.
        note = plain_text(notes[number])
        assert RECOMMENDED in note
        assert "built" in note
        assert part.xpath("./pre")[0].text_content().split("\n")[:-1] == list(choice.commands[RECOMMENDED])
        figures = [plain_text(figure) for figure in figures_of_models[number].xpath(".//b")]
        assert figures == [f"≈ −{100 - 100 * model.first.bytes_share:.1f} %", "−0.0100", "−50.0 %"]
    assert not [item for item in tree.xpath("//ul[@class='warnings']/li") if RECOMMENDED in item.text_content()]


def test_the_answer_rests_on_assumptions_and_has_its_table(text: str, choice: Choice) -> None:
    tree = parsed(text)
    details = tree.xpath("//details[@class='assumptions']")
    for part, table, model in zip(details, tables_in(tree, "summary"), choice.models, strict=True):
        assert [plain_text(item) for item in part.xpath("./ul/li")] == list(assumptions(choice, model))
        answers = answers_table(replace(choice, models=(model,)))
        assert answers is not None
        assert table == texts(answers)


def test_tables_are_those_of_each_model(text: str, judged: Results, choice: Choice) -> None:
    tree = parsed(text)
    first, second = alone(judged, 0), alone(judged, 1)
    variants = tables_in(tree, "variants")
    # Systems are compared with the first model's baseline.
    assert variants == [texts(report_table(first)), texts(all_variants_table(second))]
    assert variants[0][-1][0] == "other"
    named = choice.named_variants("qld")
    assert tables_in(tree, "frontier")[0] == texts(frontier_table(first, 24, named))
    assert tables_in(tree, "costs") == [texts(costs_table(first)), texts(costs_table(second))]
    index = judged.tables[0].position[RECOMMENDED]
    changes = topic_changes(judged, judged.tables[0], NDCG, index)
    assert tables_in(tree, "topics")[0] == texts(topics_table(changes, NDCG, RECOMMENDED))


def test_a_report_with_everything_in_it_has_five_tables_and_three_charts() -> None:
    results = with_system(made(held_out=20, only_explored=[name for name in NAMES if "|" in name]))
    tree = parsed(render_report(results, chosen(results, "none|dcp@0.5", "words@8", "words@10")))
    tables = {section: len(tables_in(tree, section)) for section in WHOLE}
    assert tables == {"summary": 1, "variants": 1, "frontier": 1, "topics": 1, "costs": 1, "methods": 0}
    charts = {section: len(tree.xpath(f"//*[@id='{section}']//figure")) for section in WHOLE}
    assert charts == {"summary": 1, "variants": 1, "frontier": 0, "topics": 1, "costs": 0, "methods": 0}
    assert (len(tree.xpath("//table")), len(tree.xpath("//figure"))) == (5, 3)
    findings = [plain_text(item) for item in tree.xpath("//*[@id='variants']//ul/li")]
    assert any("20 held-out topics" in finding for finding in findings)


def test_charts_stand_in_two_widths_and_name_their_points(text: str) -> None:
    tree = parsed(text)
    assert len(tree.xpath("//figure/div[@class='wide']")) == len(tree.xpath("//figure/div[@class='narrow']")) == 6
    captions = tree.xpath("//*[@id='summary']//figcaption")
    for caption in captions:
        assert_names(plain_text(caption), "smaller than the diamond", "not recommended")
    assert len(captions) == 2
    assert len(tree.xpath("//*[@id='variants']//figure/div[@class='narrow']")) == 2
    labels = tree.xpath("//*[@id='summary']//path/@aria-label")
    assert any(label.startswith(f"{RECOMMENDED}: ") and "(50.0 % of the postings)" in label for label in labels)


def test_the_line_below_the_title_counts_topics_and_variants() -> None:
    results = replace(small(), facts=facts(8, title_bias=TitleBias(1234, 0, 0)))
    (sub,) = parsed(render_report(results)).xpath("//p[@class='sub']")
    assert re.findall(r"[\d,]+", sub.text_content()) == ["8", "2", "1,234"]


def test_before_a_choice_the_figures_are_the_baselines() -> None:
    tree = parsed(render_report(small()))
    assert "thresher choose" in tree.xpath("//p[@class='sentence']")[0].text_content()
    figures = [plain_text(value) for value in tree.xpath("//dl[@class='figures']//b")]
    assert figures == ["2.50 MB", "0.4250", "410"]
    stay = parsed(render_report(made(), chosen(made(), None)))
    assert stay.xpath("//p[@class='sentence']")[0].text_content().startswith("Stay with no cleaning")
    assert not stay.xpath("//p[@class='use']")


def test_before_a_choice_the_default_index_is_suggested_with_what_it_reaches() -> None:
    results = small()
    (table,) = results.tables
    renamed = [replace(row, variant=variant(DEFAULT_INDEX)) if row.name == "words@11" else row for row in table.rows]
    tree = parsed(render_report(replace(results, tables=(table.with_rows(renamed),))))
    said = [line.text_content() for line in tree.xpath("//div[@class='said']/p")]
    assert DEFAULT_INDEX in said[1]
    assert re.findall(r"\d+\.\d+", said[1].replace(DEFAULT_INDEX, "")) == ["50.0", "0.4375"]


def test_notices_stand_above_the_answer() -> None:
    noticed = replace(small(), facts=facts(8, notices=(Notice(About.MISSING, 1, ("`odd-id`",)),)))
    (summary,) = parsed(render_report(noticed)).xpath("//section[@id='summary']")
    assert summary[0].get("class") == "notice"
    assert summary[0].text_content().endswith(": odd-id.")
    assert summary[0].findtext("code") == "odd-id"


def test_what_is_the_same_in_every_row_is_said_once() -> None:
    results = small()
    rows = tuple(replace(row, words=1) for row in results.tables[0].rows)
    tree = parsed(render_report(replace(results, tables=(results.tables[0].with_rows(rows),))))
    (section,) = tree.xpath("//details[@id='variants']")
    assert "words kept" not in [head.text for head in section.xpath(".//thead//th")]
    assert "words kept (%) 100.0" in section.xpath(".//p[contains(@class, 'same')]")[0].text_content()


def test_the_page_needs_nothing_else_is_small_and_always_the_same(text: str, judged: Results, choice: Choice) -> None:
    check_nothing_is_loaded(text)
    check_policy(text)
    assert len(text.encode()) < 500_000
    assert render_report(judged, choice) == text


def test_hostile_text_is_only_text() -> None:
    results = small()
    hostile = facts(8, title=HOSTILE, notices=(Notice(About.MISSING, 1, (HOSTILE,)),), experiment=HOSTILE)
    hostile = replace(hostile, topics={HOSTILE + topic: HOSTILE for topic in hostile.topics})
    table = replace(results.tables[0], retrieval=HOSTILE, topics=tuple(hostile.topics))
    page = render_report(Results(hostile, (table,)))
    tree = parsed(page)
    assert len(tree.xpath("//script")) == 1
    assert not tree.xpath("//img")
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert tree.findtext(".//h1") == HOSTILE
    assert any(HOSTILE in notice.text_content() for notice in tree.xpath("//p[@class='notice']"))
    assert (page.count("<script>"), page.count("</script>")) == (1, 1)


def test_failed_pages_are_counted() -> None:
    failed = replace(small(), facts=facts(8, pages=Pages(3000, 1500, 0, 1500, 10)))
    (notice,) = parsed(render_report(failed)).xpath("//p[@class='notice']")
    assert re.findall(r"\d+", notice.text_content()) == ["1500", "3000"]


def test_text_between_backticks_is_code() -> None:
    assert coded("`a<b` and `c`, `") == "<code>a&lt;b</code> and <code>c</code>, <code></code>"


def test_names_break_at_their_joints_and_numbers_stay_beside_their_units() -> None:
    name = "content(headings=keep)@0.3+repeated(share,headings=keep)@0.01|weights(title=8)|dcp@0.5"
    parts = ["content(", "headings=keep)@0.3+", "repeated(", "share,", "headings=keep)@0.01|", "weights("]
    assert breakable(name).split("<wbr>") == [*parts, "title=8)|", "dcp@0.5"]
    sentence = "It has ≈ 0.433 MB (53.2 % of 12,345 postings, 2 families tested)."
    assert coded(sentence) == sentence.replace("≈ ", "≈\xa0").replace(" MB", "\xa0MB").replace(" %", "\xa0%")
    assert coded("of exp-nDCG@10 and AP") == 'of <span class="whole">exp-nDCG@10</span> and AP'


def test_options_of_commands_do_not_break() -> None:
    assert shell("thresher clean a -c 'words(headings=keep)@2'") == (
        'thresher clean a <span class="whole">-c</span> &#39;words(<wbr>headings=keep)@2&#39;'
    )


@pytest.mark.slow
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
