"""The files and the page of cleaning on partial gold."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from cleaning_samples import STEMS, results, run
from lxml import html as lxml_html
from report_pages import body_rows, check_nothing_is_loaded, check_policy
from thresher.cleaneval.judging import PartialQuality
from thresher.reports.partial_report import (
    PARTIAL,
    PARTIAL_PAGES,
    partial_table,
    render_partial_report,
    write_partial_report,
)

from thresher.cleaneval.gold import GoldPage, GoldStandard
from thresher.cleaneval.running import PartialResult, PartialRun
from thresher.reports.cleaning_report import write_cleaning_report
from thresher.reports.cleaning_tables import CLEANERS, PAGES
from thresher.reports.html_parts import viewed

HOSTILE = "<script>alert(1)</script>"


def partial(name: str = "rain & sun") -> PartialRun:
    """Return the run of `cleaning_samples`, with its snippets alone."""
    pages = tuple(GoldPage(stem, Path(f"{stem}.html"), (), is_partial=True) for stem in STEMS)
    measured = []
    for result in results(snippets=True):
        assert result.summary.snippets is not None
        left = tuple(PartialQuality(page.words.words, page.snippets) for page in result.pages)
        measured.append(PartialResult(result.cleaner, result.is_peer, result.crashes, left, result.summary.snippets))
    return PartialRun(name, GoldStandard(pages, ("lonely",), ("lost",)), tuple(measured), (("page03", HOSTILE),), ())


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_the_table_has_snippets_and_pages() -> None:
    table = partial_table(partial())
    assert [f"{column.header} {column.unit}".strip() for column in table.columns] == [
        "cleaner", "snippet recall", "snippet recall 95 %", "leak rate", "leak rate 95 %", "snippet recall micro",
        "leak rate micro", "pages", "emptied pages", "crashed pages",
    ]  # fmt: skip
    cells = [[cell.text for cell in row] for row in table.rows]
    assert cells[0] == ["none", *["1.000", "1.000 to 1.000"] * 2, "1.000", "1.000", "12", "0", "–"]
    assert (cells[1][1], cells[1][-3:]) == (f"{5 / 11:.3f}", ["12", "1", "–"])
    assert cells[2][-1] == "2"
    assert table.rules == (1, 2)


def test_the_columns_are_those_for_whole_gold() -> None:
    for some, every in ((PARTIAL, CLEANERS), (PARTIAL_PAGES, PAGES)):
        meanings = {column.name: column.meaning for column in every}
        assert {column.name: meanings.get(column.name) for column in some} == {
            column.name: column.meaning for column in some
        }


def test_the_files_hold_every_number_and_replace_others(tmp_path: Path) -> None:
    write_cleaning_report(run(), tmp_path)
    write_partial_report(partial(), tmp_path)
    names = ["cleaners.csv", "pages.csv", "report.html", "table.md", "table.tex"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    words = rows(tmp_path / "cleaners.csv")[1]
    assert [words[name] for name in ("cleaner", "pages", "emptied", "required", "kept", "leaked")] == [
        "words@10", "12", "1", "22", "10", "0",
    ]  # fmt: skip
    assert float(words["micro_snippet_recall"]) == 10 / 22
    pages = rows(tmp_path / "pages.csv")
    assert [(line["page"], line["cleaner"]) for line in pages] == [
        (stem, name) for stem in STEMS for name in ("none", "words@10", "peer:x")
    ]
    assert [pages[1][name] for name in ("words", "required", "kept", "forbidden", "leaked")] == [
        "60",
        "2",
        "1",
        "1",
        "0",
    ]
    assert [pages[-1][name] for name in ("words", "required", "kept")] == ["40", "", ""]
    assert "| words@10 |" in (tmp_path / "table.md").read_text(encoding="utf-8")
    assert (tmp_path / "table.tex").read_text(encoding="utf-8").count(r"\begin{table*}") == 1


@pytest.mark.parametrize("name", ["rain & sun", HOSTILE])
def test_the_page_needs_nothing_else_and_shows_all(name: str) -> None:
    page = render_partial_report(partial(name))
    assert page == render_partial_report(partial(name))
    check_nothing_is_loaded(page)
    check_policy(page)
    assert HOSTILE not in page
    tree = lxml_html.document_fromstring(page)
    assert tree.findtext(".//h1") == f"Cleaning {name}"
    assert [section.get("id") for section in tree.xpath("//section")] == ["summary", "snippets", "lists", "methods"]
    (table,) = tree.xpath("//table")
    assert body_rows(table) == [[cell.text for cell in row] for row in viewed(partial_table(partial())).table.rows]
    assert tree.findtext(".//section[@id='summary']/p") == (
        "All text keeps 22 of 22 snippets that must stay and 11 of 11 that must go."
    )
    assert [item.text_content() for item in tree.xpath("//section[@id='lists']//li")] == [
        "Pages without gold: 1 (lonely)",
        "Gold without a page: 1 (lost)",
        "Pages that could not be parsed or scored, which count as emptied: 1",
        f"page03: {HOSTILE}",
        "Crashes of other packages, whose pages count as emptied: 0",
    ]
