"""docs/tutorial.md: its commands run in order, on a folder of pages."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from thresher.choosing.choices import read_choice
from thresher.cli.main import cli
from thresher.evaluation import read_run
from thresher.variants.files import read_results

PAGE = Path(__file__).parents[1] / "docs" / "tutorial.md"


def test_the_tutorial_leads_from_a_folder_of_pages_to_a_smaller_index(
    tmp_path: Path, generated_pydoc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pages").mkdir()
    for page in sorted((generated_pydoc / "pages").iterdir())[::3]:
        shutil.copy(page, tmp_path / "pages")
    monkeypatch.chdir(tmp_path)
    lines = "".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)).splitlines()
    printed = {}
    for line in lines:
        arguments = shlex.split(line)
        done = CliRunner().invoke(cli, arguments[1:])
        assert (arguments[0], done.exit_code) == ("thresher", 0), f"{line}: {done.output}"
        printed[arguments[1]] = done.stdout
    assert printed.keys() >= {
        "pseudo-topics",
        "init",
        "explore",
        "choose",
        "index",
        "run",
        "explain",
        "search",
        "evaluate",
    }
    topics = (tmp_path / "known-items" / "topics.tsv").read_text(encoding="utf-8").splitlines()
    assert 40 < len(topics) <= 60
    results = read_results(tmp_path / "results" / "pages")
    choice = read_choice(tmp_path / "results" / "pages")
    assert choice is not None
    assert choice.models[0].topics == len(topics)
    table = results.tables[0]
    for name in ("content(headings=keep)@0.5", "none|dcp@0.5"):
        row = table.position[name]
        assert table.rows[row].built
        assert 0 < table.shares[row] < 1
    # What was cleaned and indexed by hand is what the experiment built.
    by_hand = read_run(tmp_path / "smaller.trec")
    (built,) = (tmp_path / "results" / "pages" / "runs").glob("content*headings=keep*@0.5.trec")
    assert by_hand == read_run(built)
    assert read_run(tmp_path / "pruned.trec") == read_run(tmp_path / "results" / "pages" / "runs" / "none_dcp@0.5.trec")
    assert "pruned.trec" in printed["evaluate"]
