"""`thresher index --treatment`: from pages to the index that `thresher run` builds, without an experiment."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done, thresher
from small_web import Web, more_topics

from thresher import ConfigError, IndexOptions, evaluate, index_collection, read_choice, read_run, search
from thresher.base.files import safe_name
from thresher.experiments.config import load_experiment
from thresher.experiments.shell_commands import treatment_commands
from thresher.indexes.indexing import SETTINGS, open_index, settings_of
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import index_statistics

Call = Callable[..., Done]
WEIGHTED = "words@5|weights(title=3,headings=2,anchors=0)"
LINKED = "density@8+repeated(share)@0.9|weights(title=8,headings=2,anchors=1)|dcp@0.45"
NAMES = ("words@5", "words@p50|dcp@0.5", WEIGHTED, LINKED, "none|weights", "perplexity(lm=books)@8000|weights|dcp@0.5")
"""Cuts of each kind of segment, and no cut, with weights and without."""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Web:
    """A run of all variants; a page has no text, a page is no HTML, and pages link to one another."""
    web = Web.make(tmp_path_factory.mktemp("treated"), pages=30)
    (web.folder / "pages" / "empty.html").write_text("<html></html>")
    (web.folder / "pages" / "part0" / "broken.html").write_bytes(b"%PDF-1.4 \x00\x01")
    links = "".join(f'<p><a href="part0/page{number:02}.html">entry {number}</a></p>' for number in range(0, 30, 3))
    (web.folder / "pages" / "contents.html").write_text(f"<title>Contents</title><body>{links}")
    web.write(sweep="", cleaners=f"names = {json.dumps(NAMES)}")
    assert thresher("run", "web.toml", cwd=web.folder).code == 0
    return web


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.name != SETTINGS}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_index_is_the_one_that_a_run_builds(web: Web, call: Call, tmp_path: Path, name: str) -> None:
    full_name = parse_treatment(name).name
    index, run = tmp_path / "index", tmp_path / "run.trec"
    done = call("index", "pages", "-t", name, "-o", index, "--failures", tmp_path / "failed.jsonl", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    built = web.folder / "indexes" / "web" / safe_name(full_name)
    with open_index(index) as one, open_index(built) as other:
        assert index_statistics(one) == index_statistics(other)
        documents = one.numDocs()
    assert sizes(index) == sizes(built)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["index"]
    assert f"33 pages = {documents} indexed + " in done.err
    ours, theirs = tmp_path / "failed.jsonl", web.folder / "results" / "web" / "failures.jsonl"
    assert ours.read_bytes() == theirs.read_bytes()
    call("search", index, "topics.tsv", "-o", run, "--depth", "40", "--tag", full_name, cwd=web.folder)
    assert run.read_bytes() == (web.folder / "results" / "web" / "runs" / f"{safe_name(full_name)}.trec").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_python_indexes_pages_as_the_command_does(web: Web, tmp_path: Path, name: str) -> None:
    done = index_collection(web.folder / "pages", name, tmp_path / "index", workers=1)
    assert (done.pages, done.failed, [failure.id for failure in done.failures]) == (33, 1, ["part0/broken"])
    assert done.index.documents + done.emptied + done.failed == done.pages
    built = web.folder / "indexes" / "web" / safe_name(parse_treatment(name).name)
    assert sizes(tmp_path / "index") == sizes(built)
    with open_index(tmp_path / "index") as one, open_index(built) as other:
        assert done.index.statistics == index_statistics(one) == index_statistics(other)


def test_python_takes_contents_of_the_index_and_keys_of_the_collection(web: Web, tmp_path: Path) -> None:
    options = IndexOptions(stemmer="none")
    pages, treatment = web.folder / "pages", parse_treatment("words@5")
    done = index_collection(pages, treatment, tmp_path / "index", index=options, workers=1, ids="stem", blocks="split")
    settings = settings_of(tmp_path / "index")
    assert settings is not None
    assert settings.options.stemmer == "none"
    assert [failure.id for failure in done.failures] == ["broken"]
    with pytest.raises(ConfigError, match="leave out --positions"):
        index_collection(pages, LINKED, tmp_path / "index", index=IndexOptions(positions=True))


def test_standard_input_is_indexed_as_a_file_is(web: Web, call: Call, tmp_path: Path) -> None:
    lines = tmp_path / "pages.jsonl"
    with lines.open("w") as file:
        for path in sorted((web.folder / "pages" / "part0").glob("page*.html")):
            file.write(json.dumps({"id": path.stem, "html": path.read_text()}) + "\n")
    assert call("index", lines, "-t", WEIGHTED, "-o", tmp_path / "of_file").code == 0
    done = call("index", "-", "-t", WEIGHTED, "-o", tmp_path / "piped", stdin=lines)
    assert (done.code, done.errors) == (0, [])
    assert sizes(tmp_path / "piped") == sizes(tmp_path / "of_file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["of_file", "pages.jsonl", "piped"]
    (tmp_path / "wrong.txt").write_text("rain in the north\n")
    for stdin, facts in ((None, ["standard input is empty"]), (tmp_path / "wrong.txt", ["not JSON", "--format html"])):
        done = call("index", "-", "-t", "none", "-o", tmp_path / "nothing", stdin=stdin)
        assert (done.code, len(done.errors)) == (3, 1)
        assert done.errors[0].startswith("error: -: ")
        assert all(fact in done.errors[0] for fact in facts)
    assert not (tmp_path / "nothing").exists()


def test_the_line_for_a_weighted_treatment_builds_it(web: Web, call: Call) -> None:
    document = load_experiment(web.folder / "web.toml").document
    line, clean = treatment_commands(document, "pages", parse_treatment(LINKED))
    assert shlex.split(clean) == ["thresher", "clean", "pages", "-c", LINKED.split("|")[0], "-o", "cleaned.jsonl"]
    words = shlex.split(line)
    assert (words[:3], words[-4:]) == (["thresher", "index", "pages"], ["-t", LINKED, "-o", "index"])
    done = call(*words[1:], cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    assert sizes(web.folder / "index") == sizes(web.folder / "indexes" / "web" / safe_name(LINKED))


@pytest.mark.slow
def test_the_line_of_choose_builds_the_weighted_index_that_it_chose(call: Call, tmp_path: Path) -> None:
    web = Web.make(tmp_path)
    more_topics(web)
    family = "words@5|weights|dcp"
    web.write(sweep="", cleaners="", choose=f"families = {json.dumps([family])}\nmargin = '20%'")
    for command in (("explore", "web.toml"), ("choose", "web.toml"), ("run", "web.toml", "--chosen")):
        done = call(*command, cwd=web.folder)
        assert done.code == 0, done.err
    choice = read_choice(web.folder / "results" / "web")
    assert choice is not None
    chosen = choice.models[0].first
    assert chosen is not None
    assert chosen.variant.startswith("words@5|weights(title=8,headings=2,anchors=1)|dcp@")
    printed = call("choose", "web.toml", cwd=web.folder).out.splitlines()
    (line,) = (line for line in printed if line.startswith("thresher index "))
    text = next(line for line in printed if line.startswith("thresher clean "))
    assert text.endswith(" -c words@5 -o cleaned.jsonl")
    assert (line, text) == choice.commands[chosen.variant]
    assert call(*shlex.split(line)[1:], cwd=web.folder).code == 0
    with open_index(web.folder / "index") as reader:
        assert index_statistics(reader).postings == chosen.postings
    name = safe_name(chosen.variant)
    assert sizes(web.folder / "index") == sizes(web.folder / "indexes" / "web" / name)
    searched = search(web.folder / "index", web.folder / "topics.tsv", depth=40)
    of_run = read_run(web.folder / "results" / "web" / "runs" / f"{name}.trec")
    assert {topic: [*hits] for topic, hits in searched.items()} == {topic: [*hits] for topic, hits in of_run.items()}
    values = evaluate(web.folder / "qrels.txt", searched, [choice.measure])[choice.measure]
    assert sum(values.values()) / len(values) == pytest.approx(chosen.effects[0].mean)


@pytest.mark.parametrize(
    ("options", "where", "fix"),
    [
        (("-t", WEIGHTED, "--prune", "dcp@0.5"), "--prune: ", f"{WEIGHTED}|dcp@0.5"),
        (("-t", WEIGHTED, "--stored"), "--stored: ", "leave out --stored"),
        (("-t", LINKED, "--positions"), "--positions: ", "leave out --positions"),
        (("-t", "words@5", "-o", "pages/index"), "pages/index: ", "--output"),
        (("-t", "words@5", "--failures", "pages/failed"), "pages/failed: ", "--failures"),
        (("-t", "words@5", "-o", "results"), "results: ", "new folder"),
        (("--ids", "stem"), "--ids: ", "--treatment"),
        (("--blocks", "split"), "--blocks: ", "--treatment"),
        (("--failures", "failed.jsonl"), "--failures: ", "--treatment"),
        (("--max-failed", "1"), "--max-failed: ", "--treatment"),
        (("--workers", "1"), "--workers: ", "--treatment"),
    ],
)
def test_options_that_do_not_go_together(web: Web, call: Call, options: tuple[str, ...], where: str, fix: str) -> None:
    done = call("index", "pages", "-o", "unwritten", *options, cwd=web.folder)
    (error,) = done.errors
    assert error.startswith(f"error: {where}")
    assert fix in error
    assert not (web.folder / "unwritten").exists()


def test_too_many_failed_pages(web: Web, call: Call, tmp_path: Path) -> None:
    done = call("index", "pages", "-t", "none", "-o", tmp_path / "index", "--max-failed", "0", cwd=web.folder)
    assert done.code == 3
    assert "1 of 33 pages" in done.errors[0]
    assert "failed: part0/broken: " in done.err
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "page.html").write_bytes(b"%PDF-1.4 \x00\x01")
    done = call("index", tmp_path / "bad", "-t", "none", "-o", tmp_path / "nothing")
    assert (done.code, len(done.errors)) == (3, 1)
    assert not (tmp_path / "nothing").exists()
