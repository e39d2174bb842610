"""The HTML report: it parses, it needs nothing else, and nothing in it can break out of its place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html as lxml_html
from report_pages import body_rows, check_nothing_is_loaded, check_policy
from report_samples import BASELINE, NDCG, WORDS, large, small

from thresher.costs import BreakEven
from thresher.reports import write_report
from thresher.reports.html import render_report
from thresher.reports.results_tables import (
    bytes_table,
    footprint_tables,
    main_table,
    stage_table,
    times_tables,
    work_table,
)
from thresher.reports.summary import summary
from thresher.reports.table import Table
from thresher.results.experiment_results import Results

HOSTILE = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def results() -> Results:
    return large(topics=20)


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    return render_report(results)


def _texts(table: Table) -> list[list[str]]:
    return [[cell.text + cell.mark for cell in row] for row in table.rows]


def test_all_sections_are_there_in_order(page: str, results: Results) -> None:
    tree = lxml_html.document_fromstring(page)
    assert [section.get("id") for section in tree.xpath("//section")] == [
        "summary",
        "table",
        "trade-off",
        "sweeps",
        "topics",
        "work",
        "times",
        "costs",
        "break-even",
        "failed",
        "methods",
    ]
    targets = [link.get("href").removeprefix("#") for link in tree.xpath("//nav//a")]
    assert all(tree.xpath(f"//*[@id='{target}']") for target in targets)
    assert tree.findtext(".//h1") == results.title
    assert [notice.text for notice in tree.xpath("//p[@class='notice']")] == list(results.notices)
    assert tuple(item.text for item in tree.xpath("//section[@id='summary']//li")) == summary(results)
    assert [term.text for term in tree.xpath("//dt")] == [heading for heading, _ in results.methods]
    assert len(tree.xpath("//section[@id='sweeps']//figure/svg")) == 3
    assert len(tree.xpath("//section[@id='topics']//figure/svg")) == 6
    assert "below resolution" in {cell.text for cell in tree.xpath("//section[@id='costs']//td")}
    work, sizes = tree.xpath("//section[@id='work']//table")
    assert body_rows(work) == _texts(work_table(results, 24))
    assert body_rows(sizes) == _texts(bytes_table(results, 24))
    times = tree.xpath("//section[@id='times']//table")
    assert [body_rows(table) for table in times] == [_texts(table) for table in times_tables(results, 24)]
    notes = [note.text for note in tree.xpath("//section[@id='times']//p[@class='below']")]
    assert notes == [table.note for table in times_tables(results, 24)]
    costs = [table for table in tree.xpath("//section[@id='costs']//table") if not table.xpath("./ancestor::details")]
    assert [body_rows(table) for table in costs] == [_texts(table) for table in footprint_tables(results, 24)]
    assert f"Energy and CO₂ are {results.co2_method}." in tree.text_content()
    stages = [body_rows(table) for table in tree.xpath("//section[@id='costs']/details//table")]
    assert stages == [_texts(stage_table(results, stage, 24)) for stage in ("clean", "index")]


def test_the_main_table_is_short_and_whole(page: str, results: Results) -> None:
    tree = lxml_html.document_fromstring(page)
    short, whole = tree.xpath("//section[@id='table']//table")
    assert len(body_rows(short)) == 24
    assert body_rows(whole) == _texts(main_table(results))
    values = [float(cell.get("data-value")) for cell in whole.xpath("./tbody/tr/td[1]")]
    assert values == [row.measures["P@10"] for row in results.rows]


def test_topics_most_hurt_and_most_helped_have_their_queries(page: str, results: Results) -> None:
    tree = lxml_html.document_fromstring(page)
    block = tree.xpath("//section[@id='topics']//details")[0]
    variant = block.findtext("summary").removeprefix("Topics most hurt and most helped by ")
    before = {v.topic: v.value for v in results.per_topic if v.variant == "none" and v.measure == NDCG}
    after = {v.topic: v for v in results.per_topic if v.variant == variant and v.measure == NDCG}
    gains = sorted(((after[topic].value - before[topic], topic) for topic in after), key=lambda pair: -pair[0])
    tables = block.xpath(".//table")
    helped = [row[0] for row in body_rows(tables[-1])]
    assert helped == [topic for gain, topic in gains[:5] if gain > 0]
    assert [row[1] for row in body_rows(tables[-1])] == [after[topic].query for topic in helped]


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    check_nothing_is_loaded(page)


def test_the_policy_allows_its_own_script_only(page: str) -> None:
    check_policy(page)


def test_ids_are_unique_and_plots_say_what_they_show(page: str) -> None:
    tree = lxml_html.document_fromstring(page)
    counted = Counter(tree.xpath("//@id"))
    assert [name for name, count in counted.items() if count > 1] == []
    assert all(svg.get("role") == "img" and svg.get("aria-label") for svg in tree.xpath("//figure/svg"))
    assert "#1f2429" not in page.split("</style>", 1)[1]  # plots take the page's colour


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
    assert len(tree.xpath("//script")) == 1
    assert not tree.xpath("//img")
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert tree.findtext(".//h1") == HOSTILE
    assert HOSTILE in [cell.text for cell in tree.xpath("//td[@dir='auto']")]
    assert HOSTILE in tree.xpath("//code/text()")
    assert tree.findtext(".//dd") == HOSTILE
    assert page.count("<script>") == page.count("</script>") == 1


def test_text_in_other_scripts_is_kept(tmp_path: Path) -> None:
    results = replace(large(topics=6), title="検索 ومرشح")
    write_report(tmp_path, results)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "検索 ومرشح" in text
    assert "поиск работы" in text
    assert "日本の図書館" in text


def test_the_same_results_make_the_same_bytes(results: Results, page: str) -> None:
    assert render_report(results) == page


def test_only_a_baseline_and_nothing_else_still_makes_a_page() -> None:
    page = render_report(replace(small(), rows=(BASELINE,), per_topic=(), methods=(), notices=(), failed_pages=()))
    tree = lxml_html.document_fromstring(page)
    assert [section.get("id") for section in tree.xpath("//section")] == [
        "summary",
        "table",
        "trade-off",
        "work",
        "times",
        "costs",
        "methods",
    ]


def test_without_times_there_is_no_section_on_them() -> None:
    rows = tuple(replace(row, query=None, indexing=None) for row in small().rows)
    tree = lxml_html.document_fromstring(render_report(replace(small(), rows=rows, noise=())))
    sections = [section.get("id") for section in tree.xpath("//section")]
    assert sections[sections.index("work") + 1] == "costs"
    assert [link.get("href") for link in tree.xpath("//nav//a")].count("#times") == 0
    assert "not measurable here" not in tree.xpath("string(//section[@id='table'])")


def test_several_retrieval_models_get_their_own_plots() -> None:
    tree = lxml_html.document_fromstring(render_report(large(topics=8, retrievals=("qld", "qld(exact)"))))
    assert [heading.text for heading in tree.xpath("//section[@id='trade-off']/h3")] == ["qld", "qld(exact)"]
    assert len(tree.xpath("//section[@id='trade-off']//svg")) == 2
    assert len(tree.xpath("//section[@id='sweeps']//figure/svg")) == 6


def test_many_failed_pages_are_counted_and_the_first_are_listed() -> None:
    failed = tuple((f"page-{number}", "it is empty" if number % 3 else "it is broken") for number in range(1500))
    tree = lxml_html.document_fromstring(render_report(replace(small(), failed_pages=failed)))
    (section,) = tree.xpath("//section[@id='failed']")
    assert section.findtext("p") == "1,500 pages could not be read or parsed."
    assert [item.text for item in section.xpath("./ul/li")] == ["1,000 × it is empty", "500 × it is broken"]
    assert section.findtext("details/summary") == "The first 200 of them"
    assert len(section.xpath("./details//li")) == 200
