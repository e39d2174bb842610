"""Experiments with a pruning method that needs a query log: checked first, run, explored, chosen among, and never stale."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done
from small_web import Web

from thresher.exploring.exploration import read_exploration

Call = Callable[..., Done]

SWEEP = "none|views(log=logs/past.tsv,k=3)"
NAME = "none|views(log=logs/past.tsv,k=3,model=bm25,match=all,base=dcp)"


@pytest.fixture
def viewed(tmp_path: Path) -> Path:
    web = Web.make(tmp_path, 24)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "past.tsv").write_text("a\tbarley harvest\nb\tcopper mine\n")
    return web.write(sweep=f'scorer = "{SWEEP}"\ncutoffs = [0.2, 0.5]', cleaners='names = ["none|dcp@0.5"]')


def test_a_log_is_part_of_what_is_built_explored_and_chosen(viewed: Path, call: Call) -> None:
    folder = viewed.parent
    for verb in ("run", "explore", "choose"):
        done = call(verb, viewed.name, cwd=folder)
        assert (done.code, done.errors) == (0, []), done.err
    results = folder / "results" / "web"
    rows = json.loads((results / "results.json").read_text())["rows"]
    built = {row["variant"]: row["measures"] for row in rows}
    assert [*built] == ["none", f"{NAME}@0.2", f"{NAME}@0.5", "none|dcp@0.5"]
    exploration = read_exploration(results)
    sweep = exploration.sweep(NAME)
    for cutoff in (0.2, 0.5):
        place = sweep.cutoffs.index(cutoff)  # type: ignore[union-attr]
        explored = dict(zip(exploration.measures, sweep.values[0, :, place].tolist(), strict=True))
        means = {measure: sum(values) / len(values) for measure, values in explored.items()}
        of_built = {measure: built[f"{NAME}@{cutoff}"][measure] for measure in means}
        assert means == pytest.approx(of_built)
    inputs = json.loads((results / "manifest.json").read_text())["inputs"]
    assert "query log logs/past.tsv" in inputs

    before = stages(results)
    (folder / "logs" / "past.tsv").write_text("a\tviolin string\n")
    refused = call("choose", viewed.name, cwd=folder)
    assert refused.code != 0
    assert "explored.json" in refused.errors[0]
    assert call("run", viewed.name, cwd=folder).code == 0
    changed = {name for name, text in stages(results).items() if text != before[name]}
    assert {name.split("-")[0] for name in changed} == {"index", "search"}
    assert all("views" in name for name in changed)
    assert len(changed) == 4


def stages(results: Path) -> dict[str, str]:
    return {path.stem: json.loads(path.read_text())["key"] for path in (results / "stages").iterdir()}


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("none|views(log=nowhere.tsv)@0.5", ("nowhere.tsv", "relative to the experiment file")),
        ("none|views@0.5", ("'views'", "no query log", "log=")),
        ("none|views(log=a@b.tsv)@0.5", ("'a@b.tsv'", "'@'", "rename")),
        ("none|views(log=logs/past.tsv,k=0)@0.5", ("'k'", "0", "at least 1")),
    ],
)
def test_what_is_wrong_with_a_log_is_said_on_one_line_before_anything_runs(
    viewed: Path, call: Call, name: str, facts: tuple[str, ...]
) -> None:
    text = viewed.read_text().replace("none|dcp@0.5", name)
    viewed.write_text(text)
    line = next(number for number, row in enumerate(text.splitlines(), 1) if name in row)
    done = call("run", viewed.name, cwd=viewed.parent)
    assert done.code == 2
    (message,) = done.err.splitlines()
    for fact in (f"web.toml:{line}:", *facts):
        assert fact in message
    assert not (viewed.parent / "results").exists()


def test_a_broken_log_is_an_error_with_its_line(viewed: Path, call: Call) -> None:
    log = viewed.parent / "logs" / "past.tsv"
    log.write_text("a\tbarley\nharvest\n")
    done = call("run", viewed.name, cwd=viewed.parent)
    assert done.code == 3
    (message,) = done.errors
    assert "logs/past.tsv:2: " in message
