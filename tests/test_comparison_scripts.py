"""`scripts/comparisons.py` and `scripts/seven.py`: what tables are made of."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from thresher import Backend, ScorePlan, open_collection, parse_cleaner, read_shard, score_collection, shards
from thresher.evaluation.comparing import compare_runs

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scripts() -> Iterator[tuple[ModuleType, ...]]:
    names = ("fill", "comparisons", "seven")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        patch.setattr("sys.dont_write_bytecode", True)
        yield tuple(importlib.import_module(name) for name in names)
        for name in names:
            sys.modules.pop(name, None)


def test_an_interval_is_that_of_compared_runs(scripts: tuple[ModuleType, ...]) -> None:
    fill, *_ = scripts
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(20)}
    one = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    other = {topic: {"a": 2.0, "b": 3.0 * (int(topic) % 3 == 0)} for topic in qrels}
    compared = compare_runs(qrels, {"one": one, "other": other}, ["AP"])
    found = compared.comparisons["other"]["AP"]
    text = re.sub(r"[*\[\],]", "", fill.interval(found)).replace("−", "-")
    assert [*map(float, text.split())] == pytest.approx([found.difference, found.ci_low, found.ci_high], abs=5e-4)
    assert fill.interval(found).startswith("**−0.175")


def test_a_condensed_list_has_judged_pages_alone_and_its_order(scripts: tuple[ModuleType, ...]) -> None:
    _, comparisons, _ = scripts
    run = {"1": {"x": 3.0, "a": 2.0, "y": 1.5, "b": 1.0}, "2": {"x": 1.0}, "3": {"a": 1.0}}
    qrels = {"1": {"a": 0, "b": 2}, "2": {"a": 1}}
    assert comparisons.condensed(run, qrels) == {"1": {"a": 2.0, "b": 1.0}, "2": {}, "3": {}}


def test_grades_become_binary(scripts: tuple[ModuleType, ...]) -> None:
    _, comparisons, _ = scripts
    qrels = {"1": {"a": 0, "b": 1, "c": 2, "d": 3}}
    by_grade = [list(comparisons.at_least(qrels, grade)["1"].values()) for grade in (1, 2, 3)]
    assert by_grade == [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]


@pytest.mark.parametrize("name", ["titles", "bm25", "statistics", "judgments"])
def test_every_table_has_its_place(scripts: tuple[ModuleType, ...], name: str) -> None:
    _, comparisons, _ = scripts
    text = (ROOT / "scripts" / "pages" / f"{name}.md").read_text(encoding="utf-8")
    for place, _, _, _ in comparisons.TABLES[name]:
        assert text.count(f"<!-- {place} -->\n") == 1


def test_pages_of_web_have_the_scores_of_the_model_that_does_not_know_them(
    scripts: tuple[ModuleType, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, seven = scripts
    (tmp_path / "pages").mkdir()
    for name, blocks in (("a", "<p>one two<p>three"), ("b", "<p>one<p>two three four"), ("c", "<p>one two three")):
        (tmp_path / "pages" / f"{name}.html").write_text(blocks, encoding="utf-8")
    (tmp_path / "folds.json").write_text(json.dumps({"a": 1, "b": 0}), encoding="utf-8")
    monkeypatch.setattr(seven, "FOLDS", tmp_path)
    scorers = [cut.scorer for cut in parse_cleaner("words@1+density@1").cuts]
    plan = ScorePlan(open_collection(tmp_path / "pages"), tuple(scorers))
    score_collection(plan, tmp_path / "scores", Backend(workers=1))
    before = {path: read_shard(path) for path in shards(tmp_path / "scores")}
    seven.put_out_of_fold(tmp_path / "scores", ["words", "density"])
    for path, table in before.items():
        # The page without a fold has the scores of the first model.
        column_of_page = {"a": "score:density", "b": "score:words", "c": "score:words"}
        ids = table.texts("id").tolist()
        wanted = [table.lists(column_of_page[page])[row].tolist() for row, page in enumerate(ids)]
        assert read_shard(path).lists("score:content").tolist() == wanted
