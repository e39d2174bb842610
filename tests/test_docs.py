"""The documents that list declarations list all of them, as they are."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import thresher
from thresher.cli.main import cli
from thresher.experiments.schema import tables
from thresher.pruning_methods.treatments import methods
from thresher.scorers.registry import scorers

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_written_documents_are_not_stale() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("verb", cli.commands)
def test_every_verb_and_option_is_documented(verb: str) -> None:
    pages = [
        (DOCS / name).read_text(encoding="utf-8")
        for name in ("commands.md", "commands-models.md", "commands-text.md", "commands-stages.md")
    ]
    section = "".join(pages).split(f"\n## thresher {verb}\n")[1].split("\n## ")[0]
    command = cli.commands[verb]
    assert command.help
    assert inspect.cleandoc(command.help) in section
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            for name in parameter.opts:
                assert f"`{name}" in section


def test_every_key_scorer_and_pruning_method_is_documented() -> None:
    files = (DOCS / "experiment-files.md").read_text(encoding="utf-8")
    for name, table in tables().items():
        heading = f"\n## [[{name}]]\n" if table.many else f"\n## [{name}]\n"
        section = files.split(heading)[1].split("\n## ")[0]
        for key, declared in table.keys.items():
            assert f"\n| `{key}` | " in section
            assert declared.meaning in section
    cleaners = (DOCS / "cleaners.md").read_text(encoding="utf-8")
    for name in scorers():
        assert f"\n## {name}\n" in cleaners
    published = (DOCS / "pruning.md").read_text(encoding="utf-8")
    for name in methods():
        assert f"\n## {name}\n" in (DOCS / "pruning-methods.md").read_text(encoding="utf-8")
        assert f"\n| `{name}` |" in published


@pytest.mark.parametrize(
    ("name", "least"),
    [("columns.md", 120), ("columns-cleaning.md", 120), ("columns-models.md", 20)],
)
def test_every_column_is_documented_by_a_sentence(name: str, least: int) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("|") and "| --- " not in line]
    rows = [row for row in rows if row[-1].strip() != "meaning"]
    assert len(rows) > least
    for row in rows:
        assert re.fullmatch(r"[A-Z0-9`n].+\.", row[-1].strip()), row


def test_the_scorer_of_the_contributing_page_works_as_written() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {"__name__": "digits"}
    exec(compile(code, "digits.py", "exec"), names)
    segments = thresher.score_html("<p>2013<p>Rain at 9<p>Oslo", ["words"]).segments
    assert names["Digits"]().score(segments).tolist() == pytest.approx([1, 1 / 9, 0])


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert len(text.split()) <= 1200


def test_the_commands_of_the_readme_are_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line.split("  #")[0] for line in text.splitlines() if line.startswith("thresher ")]
    assert len(lines) >= 9
    for line in lines:
        _, verb, *arguments = shlex.split(line)
        cli.commands[verb].make_context(verb, arguments)


def test_the_experiment_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "crawl").mkdir()
    for name, text in {"north": "Rain is expected in the north tonight.", "south": "The south stays dry."}.items():
        (tmp_path / "crawl" / f"{name}.html").write_text(f"<ul><li>Home</ul><p>{text}", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("1\train tonight\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 north 1\n", encoding="utf-8")
    # Times are not what this is about.
    (tmp_path / "mine.toml").write_text(f"{code}\n[measure]\nseconds = 0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    results = thresher.run("mine.toml")
    variants = [
        "none",
        "words@2",
        "words@5",
        "words@11",
        "words@20",
        "justext",
        "boilerpipe(rules=words,headings=keep)",
    ]
    assert [row.variant for row in results.rows] == variants
    assert [row.measures["AP"] for row in results.rows][:5] == [1, 1, 1, 0, 0]


def test_the_python_of_the_readme_works() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code.split("results = ")[0], names)
    assert names["page"].scores["words"].tolist() == [1, 7]


def test_links_between_documents_lead_somewhere() -> None:
    pages = (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "scripts" / "papers" / "README.md",
        *DOCS.rglob("*.md"),
    )
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pages_are_short() -> None:
    for page in DOCS.glob("*.md"):
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 250, page.name


def test_the_glossary_has_few_words_in_order() -> None:
    rows = (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()[4:]
    words = [row.split("|")[1].strip() for row in rows]
    assert words == sorted(words)
    assert len(words) <= 25
