"""`perplexity(lm=self)` as a user has it: cleaning, experiments, resumed and fresh, gold standards, refusals."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done
from messages import assert_names
from small_web import Web, leftovers, stamps, tree

SELF = "perplexity(lm=self)"
RIVERS = "老桥下面的河水流得很慢第{}天的早晨有人在岸边看见一条大鱼游过{}号码头然后消失在雾里"
MENU = "<ul><li><a href='/a'>首页</a><li><a href='/b'>联系我们</a></ul>"

Call = Callable[..., Done]


def contents(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {record["id"]: record["contents"] for record in map(json.loads, lines)}


def test_clean_keeps_what_the_collection_says_at_length(web: Web, call: Call) -> None:
    done = call("clean", "pages", "-c", f"{SELF}@p60", "-o", "out.jsonl", "--workers", "2", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    result = contents(web.folder / "out.jsonl")
    assert len(result) == 60
    assert all(result.values())
    # Menus stand in no long block.
    assert not any("Sitemap" in text or "Read more" in text for text in result.values())
    assert sorted(path.name for path in web.folder.iterdir()) == ["out.jsonl", "pages", "qrels.txt", "topics.tsv"]


@pytest.mark.slow
def test_an_experiment_is_resumed_and_begun_afresh(web: Web, call: Call) -> None:
    tables = {
        "sweep": f'scorer = "{SELF}"\ncutoffs = ["p50", "p80"]',
        "cleaners": f'names = ["density@8", "{SELF}@p95"]',
    }
    file = web.write(**tables)
    assert call("run", file.name, cwd=web.folder).errors == []
    scores = web.folder / "results" / "web" / "scores"
    assert sorted(path.name for path in scores.iterdir()) == [
        "complete.json",
        "models",
        "shard-000000-000000.npz",
        "shard-000000-000000.times.json",
        "store.json",
    ]
    (model,) = (scores / "models").glob("self-*")
    runs, before, learned = (
        tree(web.folder / "results" / "web" / "runs"),
        stamps(scores),
        (model / "model.arpa").read_bytes(),
    )
    with (web.folder / "results" / "web" / "results.csv").open(encoding="utf-8", newline="") as table:
        rows = {row["variant"]: row for row in csv.DictReader(table)}
    assert set(rows) == {"none", "density@8", f"{SELF}@p50", f"{SELF}@p80", f"{SELF}@p95"}
    # Learning is part of what cleaning costs.
    seconds = json.loads((scores / "models" / "learning.json").read_text())["seconds"]
    assert float(rows[f"{SELF}@p50"]["clean_wall_seconds"]) > seconds[SELF] / 2

    # Again, and with a shard lost: nothing is learned again.
    assert call("run", file.name, cwd=web.folder).code == 0
    assert stamps(scores) == before
    (scores / "shard-000000-000000.npz").unlink()
    (scores / "complete.json").unlink()
    assert call("run", file.name, cwd=web.folder).code == 0
    kept = {name: stamp for name, stamp in before.items() if name.startswith("models/")}
    assert {name: stamp for name, stamp in stamps(scores).items() if name.startswith("models/")} == kept
    trec = {name: content for name, content in runs.items() if name.endswith(".trec")}
    assert {name: tree(web.folder / "results" / "web" / "runs")[name] for name in trec} == trec

    # Another collection is another model.
    (web.folder / "pages" / "part0" / "page00.html").write_text(
        "<p>" + "Barley and only barley grew on that field. " * 9
    )
    done = call("run", file.name, cwd=web.folder)
    assert done.code == 5
    assert_names(done.err, "scores", "made otherwise", "changed: collection")
    assert (model / "model.arpa").read_bytes() == learned
    assert call("run", file.name, "--fresh", cwd=web.folder).code == 0
    assert (model / "model.arpa").read_bytes() != learned
    assert leftovers(web.folder) == []


def test_a_collection_without_enough_text(tmp_path: Path, call: Call) -> None:
    Web.make(tmp_path, 4)
    done = call("clean", "pages", "-c", f"{SELF}@p80", "-o", "out.jsonl", cwd=tmp_path)
    assert done.code == 3
    (error,) = done.errors
    assert_names(error, f"error: {SELF}: too little descriptive text", "4 pages", "1000 words", "Fix: ", "lm=books.")
    assert not (tmp_path / "out.jsonl").exists()
    assert leftovers(tmp_path) == []


def test_chinese_pages(tmp_path: Path, call: Call) -> None:
    (tmp_path / "pages").mkdir()
    for number in range(40):
        page = f"<meta charset=utf-8>{MENU}<p>{RIVERS.format(number, number * 7)}。</p><p>版权所有</p>"
        (tmp_path / "pages" / f"{number}.html").write_text(page, encoding="utf-8")
    done = call("clean", "pages", "-c", f"{SELF}@p25", "-o", "out.jsonl", cwd=tmp_path)
    assert (done.code, done.errors) == (0, [])
    # By spaces a page has four words, one of which is its sentence.
    expected = {str(number): f"{RIVERS.format(number, number * 7)}。" for number in range(40)}
    assert contents(tmp_path / "out.jsonl") == expected


def test_a_gold_standard_is_a_collection_too(tmp_path: Path, call: Call) -> None:
    web = Web.make(tmp_path)
    for name in ("input", "GoldStandard"):
        (tmp_path / "gold" / name).mkdir(parents=True)
    for number, path in enumerate(sorted((web.folder / "pages").rglob("*.html"))[:30]):
        (tmp_path / "gold" / "input" / f"{number}.html").write_bytes(path.read_bytes())
        (tmp_path / "gold" / "GoldStandard" / f"{number}.txt").write_text("It was so indeed.\n")
    command = ("cleaneval", "gold", "-c", f"{SELF}@p80", "-c", f"{SELF}@p50", "-o", "out", "--workers", "1")
    assert call(*command, cwd=tmp_path).errors == []
    (model,) = (tmp_path / "out").rglob("model.arpa")
    stamp = model.stat().st_mtime_ns
    assert call(*command, cwd=tmp_path).code == 0
    assert model.stat().st_mtime_ns == stamp
