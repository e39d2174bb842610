"""The page on cleaning: it parses, it needs nothing else, and nothing in it can break out of its place."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from cleaning_samples import bare, results, run
from lxml import html as lxml_html
from report_pages import check_nothing_is_loaded, check_policy

from thresher.reports.cleaning_charts import render_cleaning_report
from thresher.reports.cleaning_tables import cleaning_tables
from thresher.reports.html_parts import viewed

HOSTILE = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"
VOID = {"meta", "br", "img", "link", "input", "hr"}


@pytest.fixture(scope="module")
def page() -> str:
    return render_cleaning_report(run())


class Nesting(HTMLParser):
    """Every element is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def body_rows(table: lxml_html.HtmlElement) -> list[list[str]]:
    return [["".join(cell.text_content().split()) for cell in row] for row in table.xpath("./tbody/tr")]


def figures(text: str) -> list[str]:
    """The numbers in a text."""
    return re.findall(r"[+−]?\b\d+(?:\.\d+)?\b", text)


def test_all_sections_are_there_in_order(page: str) -> None:
    tree = lxml_html.document_fromstring(page)
    sections = [
        "summary",
        "words",
        "measures",
        "types",
        "lists",
        "methods",
    ]
    assert [section.get("id") for section in tree.xpath("//section")] == sections
    assert [link.get("href") for link in tree.xpath("//nav//a")] == [f"#{name}" for name in sections[1:]]
    assert tree.findtext(".//h1") == "Cleaning rain & sun"
    assert figures(tree.findtext(".//header/p")) == ["12", "3"]
    drawn = [name for name in sections if tree.xpath(f"//section[@id='{name}']//figure/svg")]
    assert drawn == ["words"]


def test_the_page_has_every_table_whole(page: str) -> None:
    tree = lxml_html.document_fromstring(page)
    expected = [
        [["".join((cell.text + cell.mark).split()) for cell in row] for row in viewed(table)[0].rows]
        for table in cleaning_tables(run())
    ]
    found = [body_rows(table) for table in tree.xpath("//table")]
    # What cutoffs are worth elsewhere stands above the curves, and reliability last.
    assert sorted(found) == sorted(expected)
    captions = [" ".join(element.text_content().split()) for element in tree.xpath("//p[@class='below']")]
    assert sorted(captions) == sorted(table.caption for table in cleaning_tables(run()))
    (f1,) = tree.xpath("//section[@id='words']//tbody/tr[3]/td[5]")
    assert (float(f1.get("data-value")), f1.xpath("./span/@class")) == (40 / 90, ["mark worse"])


def test_the_summary_says_what_the_tables_say(page: str) -> None:
    tree = lxml_html.document_fromstring(page)
    first, second, third, *rest = [item.text for item in tree.xpath("//section[@id='summary']//li")]
    mean = 11 * 90 / 110 / 12
    # Pages, then precision, recall and F1 of all text.
    assert figures(first) == ["12", "0.500", "1.000", "0.667"]
    # Others, those better in F1 by tests over so many rows at this level, worse.
    assert figures(second.replace("F1", "")) == ["2", "1", "2", "0.05", "1"]
    best = [f"{mean:.3f}", f"+{mean - 2 / 3:.3f}", f"{11 * 0.75 / 12:.3f}", f"{11 * 0.9 / 12:.3f}"]
    assert "words@10" in third
    assert figures(third.replace("F1", ""))[1:] == best
    hurt, emptied = rest
    assert "extractor:x" in hurt
    assert emptied.startswith("words@10 ")
    assert figures(emptied)[1:] == ["1"]


def test_only_significant_losses_are_said_to_hurt() -> None:
    found = results()
    assert found[2].comparison is not None
    assert found[2].comparison.difference < 0
    tie = replace(found[2], comparison=replace(found[2].comparison, p_holm=1.0))
    tree = lxml_html.document_fromstring(render_cleaning_report(replace(run(), results=(*found[:2], tie))))
    sentences = [item.text for item in tree.xpath("//section[@id='summary']//li")]
    assert not any("extractor:x" in sentence for sentence in sentences)
    assert "none is" in sentences[1]


def test_pages_left_out_and_failed_are_listed(page: str) -> None:
    tree = lxml_html.document_fromstring(page)
    listed = [item.text_content() for item in tree.xpath("//section[@id='lists']//li")]
    assert [text.rpartition(": ")[2] for text in listed] == [
        "1 (lonely)",
        "2 (lost, gone)",
        "1 (hollow)",
        "1",
        "it is broken",
        "2",
        "two",
        "took longer than 30 s",
    ]
    assert [listed[at].partition(":")[0] for at in (4, 6)] == ["page03", "extractor"]
    assert "extractor:x, page06" in listed[7]


def test_sections_without_anything_are_left_out() -> None:
    tree = lxml_html.document_fromstring(render_cleaning_report(bare()))
    sections = ["summary", "words", "measures", "lists", "methods"]
    assert [section.get("id") for section in tree.xpath("//section")] == sections
    assert [link.get("href") for link in tree.xpath("//nav//a")] == [f"#{name}" for name in sections[1:]]
    alone = replace(bare(), results=results(False)[:1])
    tree = lxml_html.document_fromstring(render_cleaning_report(alone))
    assert len(tree.xpath("//section[@id='summary']//li")) == 1


def test_without_the_package_that_draws_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    tree = lxml_html.document_fromstring(render_cleaning_report(run()))
    assert not tree.xpath("//svg")
    assert "“plots”" in tree.xpath("string(//section[@id='words'])")


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    check_nothing_is_loaded(page)
    check_policy(page)


def test_elements_nest_and_ids_are_unique(page: str) -> None:
    for text in (page, render_cleaning_report(bare())):
        nesting = Nesting()
        nesting.feed(text)
        nesting.close()
        assert nesting.open == []
        tree = lxml_html.document_fromstring(text)
        assert [name for name, count in Counter(tree.xpath("//@id")).items() if count > 1] == []
        assert all(svg.get("role") == "img" and svg.get("aria-label") for svg in tree.xpath("//figure/svg"))
        assert "#1f2429" not in text.split("</style>", 1)[1]  # plots take the page's colour


def test_hostile_names_are_only_text() -> None:
    found = run(HOSTILE, HOSTILE)
    first, *others = found.results
    hostile = replace(
        found,
        results=(first, *(replace(result, cleaner=HOSTILE + str(place)) for place, result in enumerate(others))),
        problems=((HOSTILE, HOSTILE),),
        standard=replace(found.standard, without_gold=(HOSTILE,), without_page=(HOSTILE,)),
    )
    page = render_cleaning_report(hostile)
    tree = lxml_html.document_fromstring(page)
    assert len(tree.xpath("//script")) == 1
    assert not tree.xpath("//img")
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert tree.findtext(".//h1") == f"Cleaning {HOSTILE}"
    assert HOSTILE in tree.xpath("//code/text()")
    assert page.count("<script>") == page.count("</script>") == 1


def test_the_same_run_makes_the_same_bytes(page: str) -> None:
    assert render_cleaning_report(run()) == page
