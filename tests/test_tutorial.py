"""docs/tutorial.md: its commands run in order, on a folder of pages."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from thresher.base.files import safe_name
from thresher.cli.main import cli
from thresher.evaluation.trec_files import read_run
from thresher.experiments.choosing.choices import read_choice
from thresher.experiments.results import read_results

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_charts")]
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tutorial.md"


VERBS = {"advise", "init", "explore", "choose", "clean", "index", "run", "explain", "search", "evaluate"}


def call(line: str) -> str:
    program, *arguments = shlex.split(line)
    done = CliRunner().invoke(cli, arguments)
    assert (program, done.exit_code) == ("thresher", 0), f"{line}: {done.output}"
    return done.stdout


def test_the_tutorial_leads_from_a_folder_of_pages_to_a_smaller_index(
    tmp_path: Path, generated_pydoc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, name in (("topics", "pydoc.tsv"), ("qrels", "pydoc.txt")):
        (tmp_path / folder).mkdir()
        shutil.copy(ROOT / folder / name, tmp_path / folder)
    (tmp_path / "pages").mkdir()
    for page in (generated_pydoc / "pages").iterdir():
        if page.stat().st_size < 50_000:
            shutil.copy(page, tmp_path / "pages")
    monkeypatch.chdir(tmp_path)
    printed: dict[str, str] = {}
    for line in "".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)).splitlines():
        printed[line.split()[1]] = call(line)
    assert printed.keys() == VERBS
    topics = (tmp_path / "topics" / "pydoc.tsv").read_text(encoding="utf-8").splitlines()
    results = tmp_path / "results" / "pages"
    choice = read_choice(results)
    assert choice is not None
    assert choice.models[0].topics == len(topics)
    table = read_results(results).tables[0]
    first = choice.models[0].first
    assert first is not None
    assert first.is_as_measured(table)
    assert "smaller.trec" in printed["evaluate"]
    # The commands that `choose` prints make the index that was run.
    clean, index, run = [line for line in printed["choose"].splitlines() if line.startswith("thresher ")]
    assert run == "thresher run pages.toml --chosen"
    call(clean.replace("cleaned.jsonl", "as-printed.jsonl"))
    call(index.replace("cleaned.jsonl", "as-printed.jsonl") + " --replace")
    call("thresher search index topics/pydoc.tsv -o as-printed.trec")
    assert read_run(tmp_path / "as-printed.trec") == read_run(results / "runs" / f"{safe_name(first.variant)}.trec")
