"""The documents that list declarations list all of them, as they are."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import thresher
from thresher.cli.main import cli
from thresher.experiments.schema import tables
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
    section = (DOCS / "commands.md").read_text(encoding="utf-8").split(f"\n## thresher {verb}\n")[1].split("\n## ")[0]
    command = cli.commands[verb]
    assert command.help
    assert inspect.cleandoc(command.help) in section
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            for name in parameter.opts:
                assert f"`{name}" in section


def test_every_key_and_scorer_is_documented() -> None:
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


def test_the_scorer_of_the_contributing_page_works_as_written() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {"__name__": "capitals"}
    exec(compile(code, "capitals.py", "exec"), names)
    segments = thresher.score_html("<p>NASA<p>Rain in Oslo<p>1 2", ["words"]).segments
    assert names["Capitals"]().score(segments).tolist() == pytest.approx([1, 0.2, 0])
