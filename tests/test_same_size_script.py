"""`scripts/same_size.py`: the tables that it puts into scripts/pages/same-size.md."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from experiments import NDCG, made

from thresher.base.numbers import Interval
from thresher.base.repeats import MeasuredTime
from thresher.experiments.table import VariantTable
from thresher.indexes.indexing import IndexReport
from thresher.indexes.pruning.treatments import Family
from thresher.indexes.work import IndexStatistics

ROOT = Path(__file__).parents[1]
COLUMNS = 11


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = ROOT / "scripts" / "same_size.py"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(path.parent))
        patch.setattr("sys.dont_write_bytecode", True)
        loader = importlib.machinery.SourceFileLoader("same_size_script", str(path))
        spec = importlib.util.spec_from_loader(loader.name, loader)
        assert spec
        module = importlib.util.module_from_spec(spec)
        patch.setitem(sys.modules, loader.name, module)
        loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table() -> VariantTable:
    return made(measures=("AP", "nDCG@10")).tables[0]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_a_row_a_size_and_family_and_the_parts_of_the_best_pruning_method(
    script: ModuleType, table: VariantTable
) -> None:
    found = script.same_size(table, "AP")
    assert script.shown_measures(table) == ["AP", "nDCG@10"]
    one, ratio = Interval(1.0, 0.9, 1.1), Interval(1.5, 1.4, 1.6)
    time = MeasuredTime(one, one, ratio, ratio, Interval(-1.0, -1.2, -0.8), True)
    values = dict.fromkeys(table.measures, 0.25)
    types = {".doc": 6000, ".tim": 3000, ".dvd": 1000}
    whole = IndexReport(100, 0, 10_000, types, IndexStatistics(100, 5000, 4000, 900))
    half = replace(whole, bytes=7500, bytes_by_type={**types, ".doc": 3000, ".parquet": 500})
    names = {table.rows[best.index].name for best in found}
    built = {name: script.Built(half, values, time) for name in names}
    built["none"] = script.Built(whole, values, replace(time, measurable=False))
    text = script.tables("pages", table, found, built)
    head, _, *lines = rows(text)
    assert len(head) == COLUMNS
    best_rows, part_rows = lines[: len(found)], lines[len(found) :]
    for best, row in zip(found, best_rows, strict=True):
        name = table.rows[best.index].name.replace("|", "\\|")
        assert row[:4] == [f"{100 * best.most:.0f}", best.family.value, name, "75.0"]
        assert (row[4], row[6], row[-1]) == ("0.2500", "0.2500", "1.50 (1.40 to 1.60)")
    assert part_rows[2:] == [
        ["postings", "postings", "6.0", "3.0", "50.0"],
        ["dictionary", "terms", "3.0", "3.0", "100.0"],
        ["original statistics", "terms", "0.0", "0.5", "–"],
        ["ids", "documents", "1.0", "1.0", "100.0"],
        ["all", "", "10.0", "7.5", "75.0"],
    ]
    assert "400 postings per query" in text


def test_other_values_than_the_explored_ones_are_an_error(script: ModuleType, table: VariantTable) -> None:
    one = Interval(1.0, 0.9, 1.1)
    time = MeasuredTime(one, one, one, one, one, False)
    index = IndexReport(1, 0, 1, {}, IndexStatistics(1, 1, 1, 1))
    name, mean = table.rows[2].name, table.mean("AP")[2].item()
    script.check_equal(table, "AP", {name: script.Built(index, {"AP": mean}, time)})
    with pytest.raises(SystemExit, match="thresher explore"):
        script.check_equal(table, "AP", {name: script.Built(index, {"AP": mean + 1e-6}, time)})


def test_the_page_has_a_table_and_a_picture_for_each_collection() -> None:
    text = (ROOT / "scripts" / "pages" / "same-size.md").read_text(encoding="utf-8")
    for name in ("pydoc", "cacm", "postgresql"):
        place = text.split(f"<!-- same size: {name} -->\n")[1].split("<!-- end -->")[0]
        assert {len(row) for row in rows(place)} == {COLUMNS, 5}
        assert (ROOT / "scripts" / "pages" / "plots" / f"{name}-same-size.svg").exists()
        assert f"](plots/{name}-same-size.svg)" in text


def test_the_best_of_each_family_at_each_size(script: ModuleType) -> None:
    (table,) = made().tables
    found = script.same_size(table, NDCG)
    expected = []
    for most in script.SHARES:
        for family in Family:
            inside = [i for i in table.candidates if table.rows[i].variant.family is family and table.shares[i] <= most]
            if inside:
                expected.append((family, most, max(table.mean(NDCG)[inside])))
    assert [(one.family, one.most, table.mean(NDCG)[one.index]) for one in found] == expected
    assert len({one.family for one in found}) == 3
    (alone,) = made({"none": 1.0, "words@5": 0.8, "words@9": 0.5}).tables
    assert script.same_size(alone, NDCG) == ()
