"""Bytes that are estimated before an index is built, against those of built ones: a small site with navigation."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from thresher.experiments.config import load_experiment
from thresher.experiments.runner import run_experiment
from thresher.experiments.table import VariantTable

ROOT = Path(__file__).parents[2]
ENTRIES = 200
"""Entries of the menu, each a word that no page has otherwise."""
EXPERIMENT = """
[experiment]
name = "site"
[collection]
path = "pages"
[topics]
path = "topics.tsv"
[qrels]
path = "qrels.txt"
[cleaners]
names = [
    "words@4",
    "words@11",
    "none|dcp@0.5",
    "none|dcp@0.1",
    "none|weights(title=8,headings=2,anchors=1)",
    "words@4|weights(title=8,headings=2,anchors=1)|dcp@0.5",
]
[retrieval]
models = ["qld"]
[measure]
seconds = 0
[run]
workers = 1
"""


def sections() -> Iterator[str]:
    """The sections of the documentation."""
    for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("scripts/**/*.md"))):
        yield from re.split(r"\n(?=#)", path.read_text(encoding="utf-8"))


def page(section: str) -> str:
    """A page of the site: a menu that is the same on all pages, and a section by paragraphs."""
    menu = "".join(f"<li><a href='m{number}.html'>entry{number}x</a>" for number in range(ENTRIES))
    title, *paragraphs = [html.escape(text) for text in section.split("\n\n") if text.strip()] or ["empty"]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<title>{title[:60]}</title><ul>{menu}</ul><h1>{title[:60]}</h1><p>{title}</p>{text}"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> VariantTable:
    folder = tmp_path_factory.mktemp("site")
    (folder / "pages").mkdir()
    for number, section in enumerate(sections()):
        (folder / "pages" / f"section-{number}.html").write_text(page(section), encoding="utf-8")
    (folder / "topics.tsv").write_text("1\tindex pruning\n2\tperplexity\n", encoding="utf-8")
    (folder / "qrels.txt").write_text("1 0 section-3 1\n2 0 section-9 1\n", encoding="utf-8")
    (folder / "site.toml").write_text(EXPERIMENT, encoding="utf-8")
    return run_experiment(load_experiment(folder / "site.toml"), folder / "run", folder / "indexes").tables[0]


@pytest.mark.slow
def test_before_an_index_is_built_shares_of_the_baseline_are_within_a_tenth(table: VariantTable) -> None:
    unbuilt = table.with_rows([replace(row, bytes=None, built=None) for row in table.rows])
    assert 0.95 * ENTRIES < table.contents.common_terms < 1.1 * ENTRIES
    assert unbuilt.bytes_shares == pytest.approx(table.bytes_shares, rel=0.1)
    # If the menu's words counted as all others, the baseline would be much too large, and shares of it too small.
    plain = replace(unbuilt, contents=replace(table.contents, common_terms=0.0))
    assert plain.bytes_shares[1] < 0.9 * table.bytes_shares[1]
    # So small an index is estimated too large: by up to a fifth for the documentation of November 2026, the text here.
    assert unbuilt.index_bytes == pytest.approx(table.index_bytes, rel=0.25)
