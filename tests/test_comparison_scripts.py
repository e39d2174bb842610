"""`scripts/collection_tables.py` and `scripts/comparisons.py`: what their tables and the picture are made of."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from experiments import made

from thresher.evaluation.comparing import compare_runs
from thresher.experiments.table import VariantTable

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scripts() -> Iterator[tuple[ModuleType, ModuleType]]:
    names = ("collection_tables", "comparisons")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        patch.setattr("sys.dont_write_bytecode", True)
        yield tuple(importlib.import_module(name) for name in names)  # type: ignore[misc]
        for name in (*names, "fill"):
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def table() -> VariantTable:
    return made(measures=("AP", "nDCG@10")).tables[0]


def test_a_table_has_five_rows_a_collection_with_differences_from_the_first(
    scripts: tuple[ModuleType, ModuleType], table: VariantTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, _ = scripts
    names = [row.name for row in table.rows]
    monkeypatch.setattr(tables, "CONTENT", names[2])
    base = table.of("nDCG@10")[0]
    better = {measure: (table.of(measure)[0] + 0.25).tolist() for measure in table.measures}
    packages = tuple(
        tables.Index(package, int(table.sizes[0]) // 2, table.rows[0].index.documents - 7, better)
        for package in tables.PACKAGES
    )
    rows = list(tables.rows_of(tables.Collected("pages", table, names[1], packages)))
    assert [row[1] for row in rows] == [
        "no cleaning",
        f"recommended: `{names[1]}`",
        f"`{names[2]}`",
        "Trafilatura's text",
        "Resiliparse's text",
    ]
    assert [row[0] for row in rows] == [f"pages ({len(table.topics)} topics)", "", "", "", ""]
    assert rows[0][2:] == ("100.0", f"{base.mean():.3f}", "", f"{table.of('AP')[0].mean():.3f}", "", "0")
    # The same difference for each topic has an interval of no width.
    assert rows[3][2:5] == ("50.0", f"{base.mean() + 0.25:.3f}", "**+0.250 [+0.250, +0.250]**")
    assert rows[3][-1] == "7"
    assert rows[1][2] == f"{100 * table.shares[1]:.1f}"


def test_an_interval_is_that_of_compared_runs(scripts: tuple[ModuleType, ModuleType]) -> None:
    tables, _ = scripts
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(20)}
    one = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    other = {topic: {"a": 2.0, "b": 3.0 * (int(topic) % 3 == 0)} for topic in qrels}
    compared = compare_runs(qrels, {"one": one, "other": other}, ["AP"])
    found = compared.comparisons["other"]["AP"]
    text = re.sub(r"[*\[\],]", "", tables.interval(found)).replace("−", "-")
    assert [*map(float, text.split())] == pytest.approx([found.difference, found.ci_low, found.ci_high], abs=5e-4)
    assert tables.interval(found).startswith("**−0.175")


def test_the_picture_has_the_frontier_of_each_line_and_the_indexes_of_the_table(
    scripts: tuple[ModuleType, ModuleType], table: VariantTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, _ = scripts
    sweep = next(iter(table.sweeps))
    monkeypatch.setattr(tables, "CONTENT", table.rows[2].name)
    monkeypatch.setattr(tables, "LINES", {sweep: "line"})
    monkeypatch.setattr(tables, "DRAWN", {"pages": "Pages"})
    collection = tables.Collected("pages", table, table.rows[1].name, ())
    rows = list(tables.drawn(collection))
    on_line = [row for row in rows if row["line"]]
    assert [row["value"] for row in on_line] == sorted(row["value"] for row in on_line)
    assert {row["share"] for row in rows if not row["line"]} == {float(100 * table.shares[at]) for at in (0, 1, 2)}
    assert "<svg" in tables.picture([collection]).svg


def test_a_condensed_list_has_judged_pages_alone_and_its_order(scripts: tuple[ModuleType, ModuleType]) -> None:
    _, comparisons = scripts
    run = {"1": {"x": 3.0, "a": 2.0, "y": 1.5, "b": 1.0}, "2": {"x": 1.0}, "3": {"a": 1.0}}
    qrels = {"1": {"a": 0, "b": 2}, "2": {"a": 1}}
    assert comparisons.condensed(run, qrels) == {"1": {"a": 2.0, "b": 1.0}, "2": {}, "3": {}}


def test_grades_become_binary(scripts: tuple[ModuleType, ModuleType]) -> None:
    _, comparisons = scripts
    qrels = {"1": {"a": 0, "b": 1, "c": 2, "d": 3}}
    by_grade = [list(comparisons.at_least(qrels, grade)["1"].values()) for grade in (1, 2, 3)]
    assert by_grade == [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]


@pytest.mark.parametrize("name", ["titles", "bm25", "statistics", "judgments"])
def test_every_table_has_its_place(scripts: tuple[ModuleType, ModuleType], name: str) -> None:
    _, comparisons = scripts
    text = (ROOT / "scripts" / "pages" / f"{name}.md").read_text(encoding="utf-8")
    for place, _, _, _ in comparisons.TABLES[name]:
        assert text.count(f"<!-- {place} -->\n") == 1
