"""docs/your-own-engine.md: SQLite's lines run as written, and the other recipes hold commands that Thresher has."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from test_docs import parsed

from thresher import parse_treatment
from thresher.cli.main import cli
from thresher.evaluation.trec_files import read_run
from thresher.scores.cleaning.page_fields import boosts

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "your-own-engine.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([\w ]+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
PAGES = {
    "north": "Rain is expected in the north tonight, and the wind will turn to the west before the morning comes.",
    "south": "The south stays dry tonight, but clouds will gather over the hills in the late hours of the day.",
    "east": "Fog lies over the east until noon, and then the sun comes out for a few hours in most of its valleys.",
}
MENU = "<nav><ul><li><a href=a>Rain tonight</a><li><a href=b>Wind</a><li><a href=c>Sun</a></ul></nav>"


def block(text: str, language: str) -> str:
    (code,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(code)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pages, topics, judgments and the example, which is the working folder."""
    (tmp_path / "crawl").mkdir()
    for name, text in PAGES.items():
        page = f"<title>{name}</title>{MENU}<main><h1>{name}</h1><p>{text}</main>"
        (tmp_path / "crawl" / f"{name}.html").write_text(page, encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("1\train tonight\n2\tfog?\n3\t?\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 north 1\n2 0 east 1\n3 0 south 1\n", encoding="utf-8")
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "sqlite_fts5.py", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(words: list[str]) -> str:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_sqlite_searches_cleaned_pages_as_written(site: Path) -> None:
    evaluated = ""
    for line in block(SECTIONS["SQLite"], "sh").splitlines():
        command, _, output = line.partition(" > ")
        program, *words = shlex.split(command)
        if program == "thresher":
            evaluated = call(words)
        else:
            done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
            (site / output).write_text(done.stdout, encoding="utf-8")
    before, after = (read_run(site / name) for name in ("before.trec", "after.trec"))
    # All pages have the menu's words; without it, those of the topic alone.
    assert {topic: sorted(pages) for topic, pages in before.items()} == {"1": sorted(PAGES), "2": ["east"]}
    assert {topic: sorted(pages) for topic, pages in after.items()} == {"1": ["north", "south"], "2": ["east"]}
    assert max(after["1"], key=lambda page: after["1"][page]) == "north"
    assert "after.trec" in evaluated


def test_fields_are_weighed_as_written(site: Path) -> None:
    link = "<p>Read in the hub of many things today what will come to all valleys: <a href=east.html>mist</a> and more of it"
    (site / "crawl" / "hub.html").write_text(f"<title>hub</title><main><h1>hub</h1>{link}</main>", encoding="utf-8")
    (site / "topics.tsv").write_text("1\tmist\n2\tnorth east\n", encoding="utf-8")
    clean, search = block(SECTIONS["Fields"], "sh").splitlines()
    call(shlex.split(clean)[1:])
    command, _, output = search.partition(" > ")
    done = subprocess.run([sys.executable, *shlex.split(command)[1:]], capture_output=True, text=True, check=True)
    (site / output).write_text(done.stdout, encoding="utf-8")
    run = read_run(site / output)
    # The text of the link counts for the page that it leads to.
    assert set(run["1"]) == {"east", "hub"}
    assert set(run["2"]) == {"north", "east"}


def test_sqlite_adds_up_weighted_occurrences(tmp_path: Path) -> None:
    spec = spec_from_file_location("sqlite_fts5", ROOT / "examples" / "sqlite_fts5.py")
    assert spec is not None
    assert spec.loader is not None
    example = module_from_spec(spec)
    spec.loader.exec_module(example)
    pages = [{"id": str(number), "title": "other", "contents": f"text {number}"} for number in range(9)]
    pages[3] |= {"title": "rain", "contents": "rain is rain"}
    pages[5] |= {"contents": "no rain tonight"}
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, pages)), encoding="utf-8")
    database = example.build(tmp_path / "pages.jsonl", tmp_path / "pages.db", ["title", "contents"])
    scores = dict(example.search(database, "rain", [4.0, 1.0]))
    database.close()
    mean_length = (7 * 3 + 4 + 4) / 9

    def bm25(occurrences: float, length: int) -> float:
        idf = math.log((9 - 2 + 0.5) / (2 + 0.5))
        return idf * occurrences * 2.2 / (occurrences + 1.2 * (0.25 + 0.75 * length / mean_length))

    assert scores == pytest.approx({"3": bm25(4 * 1 + 2, 4), "5": bm25(1, 4)})


def test_elasticsearch_queries_the_fields_that_clean_writes() -> None:
    (fields,) = re.findall(r'"fields": (\[.*?\])', block(SECTIONS["Elasticsearch and OpenSearch"], "json"))
    weights = {name: float(weight or 1) for name, _, weight in (field.partition("^") for field in json.loads(fields))}
    assert all(weight >= 1 for weight in weights.values())
    assert set(weights) == set(boosts("contents")) - {"repeated"}


@pytest.mark.parametrize("name", ["Elasticsearch and OpenSearch", "Solr"])
def test_text_goes_to_other_engines_as_json(name: str, site: Path) -> None:
    line = block(SECTIONS[name], "sh").splitlines()[0]
    command, program, output = re.split(r" [|>] ", line)
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    call([*shlex.split(command)[1:], "-o", "cleaned.jsonl"])
    text = (site / "cleaned.jsonl").read_text(encoding="utf-8")
    done = subprocess.run(shlex.split(program), input=text, capture_output=True, text=True, check=True)
    if output == "cleaned.json":
        documents: list[Any] = json.loads(done.stdout)
    else:
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        documents = lines[1::2]
        assert [action["index"]["_id"] for action in lines[::2]] == [page["id"] for page in documents]
    assert sorted(page["id"] for page in documents) == sorted(PAGES)
    assert all(set(page) >= {"title", "contents"} for page in documents)


def recipes() -> list[list[str]]:
    """Return the command lines of cron, the container and the CI job, without `thresher`."""
    (nightly,) = block(SECTIONS["Every night"], "cron").splitlines()
    lines = [nightly.split(" && ")[1]]
    (steps,) = [job["steps"] for job in yaml.safe_load(block(SECTIONS["Every night"], "yaml"))["jobs"].values()]
    lines += [step["run"].partition(" >> ")[0] for step in steps if "run" in step]
    container = dict(line.split(" ", 1) for line in block(SECTIONS["Every night"], "dockerfile").splitlines())
    assert json.loads(container["ENTRYPOINT"]) == ["thresher"]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("thresher ")]
    return [*commands, json.loads(container["CMD"])]


def test_recipes_hold_commands_that_thresher_has() -> None:
    commands = recipes()
    assert [command[0] for command in commands] == ["clean", "clean", "index", "search", "evaluate", "clean"]
    for command in commands:
        asked = parsed(command).params
        if command[0] == "clean":
            parse_treatment(asked["cleaner"])
            assert asked["max_failed"] is not None


def test_what_is_installed_is_there() -> None:
    extras = re.findall(r"pip install '\./thresher\[(\w+)\]'", TEXT)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert extras
    assert all(f"\n{extra} = [" in project for extra in extras)
