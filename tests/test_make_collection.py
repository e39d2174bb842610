"""Collections made from clones of public repositories: what is read, what is made of it, and what is refused."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from messages import assert_names

from thresher.experiments.config import load_experiment

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_collection", ROOT / "scripts" / "make_collection.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_collection"] = module
    spec.loader.exec_module(module)
    return module


def commit(folder: Path, files: dict[str, bytes]) -> str:
    """Make a repository of one commit, and return it; a change that is not committed follows."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(folder)]
    for step in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "pages"]):
        subprocess.run([*git, *step], check=True)
    (folder / next(iter(files))).write_bytes(b"changed")
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def adapted(script: ModuleType, name: str, commits: list[str]) -> object:
    """Return a recipe with the commits of small repositories, and with the checksums that it makes of them."""
    recipe = script.RECIPES[name]
    of_these = [replace(one, commit=at) for one, at in zip(recipe.repositories, commits, strict=True)]
    return replace(recipe, repositories=tuple(of_these))


def make(script: ModuleType, recipe: object, folder: Path, clones: list[Path]) -> None:
    """Make a collection whose checksums are as they turn out."""
    files = [
        dict(script.read_files(next(clone for clone in clones if script.has_commit(clone, one.commit)), one))
        for one in recipe.repositories  # type: ignore[attr-defined]
    ]
    known = script.checksums_of(*recipe.make(files))  # type: ignore[attr-defined]
    script.make_collection(replace(recipe, checksums=known), folder, clones)  # type: ignore[type-var]


PAGES = {f"dev/html/000{number}.html.gz": gzip.compress(b"<p>%d" % number, mtime=0) for number in (1, 2)}


def test_pages_of_the_web_stay_as_they_are_and_nothing_else_is_read(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    recipe = adapted(script, "web", [commit(clone, {**PAGES, "test/html/1.html.gz": b"x", "dev/html/a.txt": b"y"})])
    make(script, recipe, tmp_path / "data", [tmp_path, clone])
    made = {path.name: path.read_bytes() for path in (tmp_path / "data" / "cleaning" / "wcxb-dev" / "html").iterdir()}
    assert made == {Path(name).name: content for name, content in PAGES.items()}
    printed = capsys.readouterr().out
    assert "CC BY 4.0, Murrough Foley" in printed
    assert ", 2 pages" in printed


def test_questions_of_the_first_version_and_of_missing_pages_are_left_out(script: ModuleType, tmp_path: Path) -> None:
    def lines(*questions: tuple[str, str]) -> bytes:
        base = "https://docs.ray.io/en/master/"
        return "".join(json.dumps({"question": q, "source": base + page}) + "\n" for q, page in questions).encode()

    older, newer = script.RAY_QUESTIONS
    asked = [
        ("old", "a.html"),
        ("one  line", "b/c.html#part"),
        ("gone", "d.html"),
        ("one  line", "a.html"),
        ("two", "a.html"),
    ]
    pages, questions = tmp_path / "pages", tmp_path / "questions"
    pages.mkdir()
    questions.mkdir()
    commits = [
        commit(
            pages, {f"docs.ray.io/en/master/{name}": b"<p>" + name.encode() for name in ("a.html", "b/c.html", "x.js")}
        ),
        commit(questions, {older: lines(("old", "a.html")), newer: lines(*asked)}),
    ]
    # The order of the clones is that of nothing.
    make(script, adapted(script, "ray-docs", commits), tmp_path, [questions, pages])
    folder = tmp_path / "retrieval" / "ray-docs-2023"
    assert (folder / "topics.tsv").read_text() == "1\tone line\n3\ttwo\n"
    assert (folder / "qrels.txt").read_text() == "1 0 b/c.html 1\n3 0 a.html 1\n"
    with tarfile.open(folder / "pages.tar.xz") as archive:
        made = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    assert made == {"pages/a.html": b"<p>a.html", "pages/b/c.html": b"<p>b/c.html"}


def test_phrases_of_the_index_are_topics_and_the_index_is_no_page(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "SQLITE_PHRASES", (2, 0))
    entries = [("a.html#x", "first &amp; foremost"), ("a.html", "second"), ("c3ref/b.html", "third one")]
    index = "\n".join(f'<li> <a href="{page}">{phrase}</a> </li>' for page, phrase in entries)
    commits = [
        commit(tmp_path, {"keyword_index.html": index.encode(), "a.html": b"a", "c3ref/b.html": b"b", "c.css": b""})
    ]
    make(script, adapted(script, "sqlite-docs", commits), tmp_path / "data", [tmp_path])
    folder = tmp_path / "data" / "retrieval" / "sqlite-docs"
    assert (folder / "topics.tsv").read_text() == "1\tthird one\n2\tfirst & foremost\n"
    assert (folder / "qrels.txt").read_text() == "1 0 c3ref/b.html 1\n2 0 a.html 1\n"
    with tarfile.open(fileobj=io.BytesIO((folder / "pages.tar.xz").read_bytes())) as archive:
        assert archive.getnames() == ["pages/a.html", "pages/c3ref/b.html"]


def test_another_commit_and_other_pages_are_refused(script: ModuleType, tmp_path: Path) -> None:
    at = commit(tmp_path, PAGES)
    with pytest.raises(SystemExit) as caught:
        script.make_collection(script.RECIPES["web"], tmp_path / "data", [tmp_path])
    commit_of_web = "62ff86d12ea72c80c31fb810ff1a724fad687bea"
    assert_names(caught.value, commit_of_web, "Fix: ", "git clone https://github.com/")
    with pytest.raises(SystemExit, match=r"error: pages .*SHA-256 .*cd2362bd"):
        script.make_collection(adapted(script, "web", [at]), tmp_path / "data", [tmp_path])
    assert not (tmp_path / "data").exists()


def test_the_pages_here_are_those_that_the_script_makes(script: ModuleType, shared_data: Path) -> None:
    recipe = script.RECIPES["web"]
    pages = {path.name: path.read_bytes() for path in (shared_data / recipe.folder).iterdir()}
    assert script.checksums_of(pages, {}) == recipe.checksums


@pytest.mark.parametrize("name", ["web", "ray-docs", "sqlite-docs"])
def test_an_experiment_without_its_pages_names_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THRESHER_DATA", str(tmp_path))
    with pytest.raises(Exception, match=f"scripts/make_collection.py {name} "):
        load_experiment(ROOT / "experiments" / f"{name}.toml")
