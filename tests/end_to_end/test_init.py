"""A first experiment file for the user's collection: it is right as it stands."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from commands import thresher
from messages import Message

from thresher.base.defaults import DEFAULT_FAMILIES, DEFAULT_INDEX, SEARCH_CLEANER, WEIGHTED
from thresher.experiments.config import load_experiment
from thresher.experiments.inputs import read_topic_set

PAGES = {f"doc{number}": f"<title>Page {number}</title><p>{'oats and rye ' * number}</p>" for number in range(1, 9)}
TOPICS = "1\toats\n2\trye\n"
JUDGED = ("--topics", "topics.tsv", "--qrels", "qrels.txt")


def write(folder: Path, pages: Mapping[str, str], qrels: Mapping[str, str]) -> tuple[Path, Path, Path]:
    for name, text in pages.items():
        path = folder / "my pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "topics.tsv").write_text(TOPICS, encoding="utf-8")
    lines = [f"{topic} 0 {document} 1\n" for topic, document in qrels.items()]
    (folder / "qrels.txt").write_text("".join(lines), encoding="utf-8")
    return folder / "my pages", folder / "topics.tsv", folder / "qrels.txt"


@pytest.mark.parametrize(
    ("names", "judged", "keys"),
    [
        ("{}.html", "doc{}", {}),
        ("{}.html", "doc{}.html", {"keep_suffix": True}),
        ("site/{}.html", "doc{}", {"prefix": "site"}),
        ("a/{}.html b/other.html", "doc{}", {"ids": "stem"}),
    ],
)
def test_ids_come_out_as_the_qrels_have_them(
    tmp_path: Path, names: str, judged: str, keys: Mapping[str, object]
) -> None:
    page, *others = names.split()
    pages = {page.format(name): text for name, text in PAGES.items()} | dict.fromkeys(others, "<p>else</p>")
    files = write(tmp_path, pages, {"1": judged.format(3), "2": judged.format(4)})
    done = thresher("init", files[0], "--topics", files[1], "--qrels", files[2], cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "2 of 2 judged pages" in done.out
    options = {"keep_suffix": "--keep-suffix", "prefix": "--prefix site", "ids": "--ids stem"}
    expected_lines = [
        Message("- Ids are made as in the qrels", "`thresher clean` and `index` need", options[key]) for key in keys
    ]
    assert [line for line in done.out.splitlines() if "For the same ids" in line] == expected_lines
    assert f"{len(pages)} pages read, and 0 that" in done.out
    assert done.out.splitlines()[-1] == f"experiment: {tmp_path / 'my-pages.toml'}"
    experiment = load_experiment(tmp_path / "my-pages.toml")
    rule = experiment.collection.reading.rule
    given = {"ids": rule.ids, "prefix": rule.prefix, "keep_suffix": rule.keep_suffix}
    assert given == {"ids": "path", "prefix": "", "keep_suffix": False} | keys
    assert read_topic_set(experiment.topics).ids == ("1", "2")
    expected = {"none", "none|dcp@0.5", SEARCH_CLEANER, DEFAULT_INDEX, WEIGHTED}
    assert expected <= {one.name for one in experiment.variants}
    assert tuple(family.name for family in experiment.families) == DEFAULT_FAMILIES
    again = thresher("init", files[0], *JUDGED, cwd=tmp_path)
    assert (again.code, again.out) == (3, "")
    assert "my-pages.toml" in again.err
    assert "-o" in again.err


def test_paths_in_an_archive_come_out_as_the_qrels_have_them(tmp_path: Path) -> None:
    pages, topics, qrels = write(tmp_path, {f"{name}.html": text for name, text in PAGES.items()}, {"1": "doc3"})
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(pages, "./site")
    done = thresher("init", "all.tar.gz", "--topics", topics, "--qrels", qrels, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "1 of 1 judged pages" in done.out
    assert load_experiment(tmp_path / "all.toml").collection.reading.rule.prefix == "site"


def test_json_fields_are_found(tmp_path: Path) -> None:
    lines = [
        json.dumps({"docno": name, "body": text, "title": "x", "link": f"http://x/{name}"})
        for name, text in PAGES.items()
    ]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines), encoding="utf-8")
    _, topics, qrels = write(tmp_path, {}, {"1": "doc3"})
    done = thresher("init", "pages.jsonl", "--topics", topics, "--qrels", qrels, "-o", "sub/x.toml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    experiment = load_experiment(tmp_path / "sub" / "x.toml")
    fields = experiment.collection.reading.fields
    assert (fields.id, fields.html, fields.url) == (("docno",), ("body",), ("link",))
    assert "1 of 1 judged pages" in done.out


def test_ids_that_do_not_match_are_shown_and_commands_can_be_copied(tmp_path: Path) -> None:
    write(tmp_path, {f"doc{name}.html": text for name, text in PAGES.items()}, {"1": "zzz"})
    done = thresher(
        "init", "my pages", "--topics", "topics.tsv", "--qrels", "qrels.txt", "-o", "my file.toml", cwd=tmp_path
    )
    assert "0 of 1 judged pages" in done.out
    (line,) = (line for line in done.out.splitlines() if "zzz" in line)
    assert re.search(r"\bdoc\w+, the first judged one zzz", line)
    assert "thresher run 'my file.toml'" in (tmp_path / "my file.toml").read_text()


def test_topics_that_differ_from_the_qrels_by_leading_zeros_are_matched_as_run_matches_them(tmp_path: Path) -> None:
    pages, topics, qrels = write(tmp_path, {f"{name}.html": text for name, text in PAGES.items()}, {"001": "doc3"})
    done = thresher("init", pages, "--topics", topics, "--qrels", qrels, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "2 topics, 1 with judgments" in done.out
    assert read_topic_set(load_experiment(tmp_path / "my-pages.toml").topics).ids == ("001",)


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["nowhere", *JUDGED], ["nowhere"]),
        (["my pages", "--topics", "topics.tsv"], ["--qrels"]),
        (["my pages", "--topics", "topics.tsv", "--qrels", "others.txt"], ["others.txt", "no topic has judgments"]),
        (["empty", *JUDGED], ["empty"]),
        (["my pages", *JUDGED, "--name", "a/b", "-o", "e/x.toml"], ["--name", "'a/b'"]),
    ],
)
def test_what_cannot_be_started_with_is_an_error(tmp_path: Path, arguments: list[str], facts: list[str]) -> None:
    write(tmp_path, {"a.html": "<p>a</p>"}, {"1": "a"})
    (tmp_path / "others.txt").write_text("7 0 a 1\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    done = thresher("init", *arguments, cwd=tmp_path)
    assert done.code != 0
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    assert " Fix: " in line
    for fact in facts:
        assert fact in line
    assert not list(tmp_path.rglob("*.toml"))
