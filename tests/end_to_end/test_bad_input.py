"""Bad input: one line that says where, what and the fix; an exit code by class; nothing half-written."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import THRESHER, Done
from messages import Message, assert_names
from small_web import Finished, Web, leftovers, tree

from thresher.cleaners.registry import scorers
from thresher.collections.interface import UNFIT_ID
from thresher.experiments.results import read_results

Call = Callable[..., Done]
# What the line of an error names, in its order: first where it is.
Facts = tuple[str, ...]
ENDINGS = (".html", ".txt", ".warc", ".trecweb", ".jsonl", ".tar", ".parquet")
FORMATS = ("html", "text", "warc", "trec-web", "jsonl", "tar", "parquet")
NO_SUCH_PATH = ("Fix: ", "correct the path", "relative to the experiment file")


def refused(
    call: Call,
    web: Web,
    code: int,
    *errors: Facts,
    arguments: tuple[str, ...] = ("run", "web.toml"),
    notes: tuple[Message, ...] = (),
) -> None:
    """Run a command that must fail with one line for each of these errors, after these notes, and leave nothing but
    locks, which are empty of results.
    """
    before = tree(web.folder)
    done = call(*arguments, cwd=web.folder)
    told = re.compile("reading |scoring |indexing |1 file with another ending was left out")
    lines = [line for line in done.err.splitlines() if not told.match(line)]
    assert lines == [*notes, *(Message(f"error: {where}", *facts) for where, *facts in errors)]
    assert (done.code, done.out) == (code, "")
    after = tree(web.folder)
    new = {name for name in before | after if before.get(name) != after.get(name)}
    # Scores are whole shards, which the next run takes up; what failed in them is told before anything else can.
    kept = (".lock", "/failures.jsonl")
    assert {name for name in new if not name.endswith(kept) and "/scores/" not in name} == set()
    assert leftovers(web.folder) == []


CONFIGS: dict[str, tuple[dict[str, str], tuple[Facts, ...]]] = {
    "unknown table": (
        {"experiment": 'name = "web"\n[evalution]'},
        (("web.toml:3: ", "unknown table [evalution]", "Fix: ", "'evaluation'"),),
    ),
    "unknown key": (
        {"retrieval": "modles = []"},
        (("web.toml:21: ", "unknown key 'modles' in [retrieval]", "Fix: ", "'models'"),),
    ),
    "unknown scorer": (
        {"cleaners": 'names = ["wrods@3"]'},
        (("web.toml:18: ", "unknown scorer 'wrods'", "Fix: ", "write words", f"use one of {', '.join(scorers())}."),),
    ),
    "unknown parameter": (
        {"cleaners": 'names = ["words(size=3)@3"]'},
        (("web.toml:18: ", "'words' has no parameter 'size'", "Fix: ", "headings, floor."),),
    ),
    "unknown language model": (
        {"sweep": 'scorer = "perplexity(lm=atlantis)"\ncutoffs = [1000]'},
        (("web.toml:14: ", "language model 'atlantis'", "Fix: ", "books, self", "folder, ARPA file or KenLM binary"),),
    ),
    "cutoff out of range": (
        {"sweep": 'scorer = "words"\ncutoffs = [3, -1]'},
        (("web.toml:15: ", "cutoff of 'words'", "out of range: -1.", "Fix: ", "at least 0"),),
    ),
    "no cutoff": (
        {"cleaners": 'names = ["words"]'},
        (("web.toml:18: ", "cleaner 'words'", "no cutoff", "Fix: ", "such as words@11"),),
    ),
    "twice": (
        {"cleaners": 'names = ["words@20"]'},
        (("web.toml:18: ", "variant 'words@20'", "twice", "Fix: ", "leave one out"),),
    ),
    "missing collection": (
        {"collection": 'path = "nowhere"'},
        (("web.toml:5: ", "there is no nowhere", *NO_SUCH_PATH),),
    ),
    "name that is a path": (
        {"experiment": 'name = "../web"'},
        (("web.toml:2: ", "name '../web'", "cannot name a folder", "Fix: ", "letters, digits, `.`, `_` and `-`"),),
    ),
    "several problems, by line": (
        {"topics": 'path = "gone.tsv"', "qrels": 'path = "gone.txt"', "retrieval": "models = []"},
        (
            ("web.toml:8: ", "there is no gone.tsv", *NO_SUCH_PATH),
            ("web.toml:11: ", "there is no gone.txt", *NO_SUCH_PATH),
            ("web.toml:21: ", "no retrieval model", "Fix: ", "at least one"),
        ),
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_experiment_files_that_cannot_be_used(web: Web, call: Call, name: str) -> None:
    tables, errors = CONFIGS[name]
    web.write(**tables)
    refused(call, web, 2, *errors)
    assert not (web.folder / "results").exists()


def test_broken_toml(web: Web, call: Call) -> None:
    (web.folder / "web.toml").write_text('[experiment]\nname = "web\n')
    refused(call, web, 2, ("web.toml:2: ", "not TOML", "'\\n'", "Fix: ", "correct the line"))


def test_missing_and_unreadable_files(web: Web, call: Call) -> None:
    refused(
        call,
        web,
        3,
        ("gone.toml: ", "no such file or folder", "Fix: ", "check the path"),
        arguments=("run", "gone.toml"),
    )
    (web.folder / "latin.toml").write_bytes(b'[experiment]\nname = "caf\xe9"\n')
    refused(call, web, 3, ("latin.toml:2: ", "not UTF-8", "Fix: ", "to UTF-8"), arguments=("run", "latin.toml"))
    web.write(topics='path = "pages"')
    refused(call, web, 3, ("pages: ", "Is a directory", "Fix: ", "check the path"))
    refused(
        call,
        web,
        5,
        ("pages: ", "nothing was explored or run", "Fix: ", "`thresher explore` or `thresher run` first"),
        arguments=("report", "pages"),
    )


def test_results_cannot_lie_where_a_file_is(web: Web, call: Call) -> None:
    web.write()
    arguments = ("run", "web.toml", "--results", "qrels.txt")
    refused(
        call,
        web,
        3,
        ("qrels.txt/web: ", "Not a directory", "Fix: ", "check the path"),
        arguments=arguments,
    )
    refused(
        call,
        web,
        3,
        ("qrels.txt/out.jsonl: ", "Not a directory", "Fix: ", "check the path"),
        arguments=("clean", "pages", "-c", "words@3", "-o", "qrels.txt/out.jsonl"),
    )


def test_collections_without_pages(web: Web, call: Call) -> None:
    (web.folder / "empty").mkdir()
    web.write(collection='path = "empty"')
    refused(call, web, 3, ("empty: ", "the folder is empty", "Fix: ", "check the path"))
    (web.folder / "empty" / "a.bin").touch()
    refused(
        call,
        web,
        3,
        ("empty: ", "no collection", "Fix: ", f"{', '.join(ENDINGS)} or alike", "`format`", ", ".join(FORMATS)),
    )
    (web.folder / "empty.jsonl").write_text("")
    web.write(collection='path = "empty.jsonl"')
    refused(call, web, 3, ("empty.jsonl: ", "the collection is empty", "Fix: ", "check the path"))
    (web.folder / "empty" / "blank.html").write_text("")
    web.write(collection='path = "empty"')
    refused(
        call,
        web,
        3,
        ("empty: ", "none of its 1 pages", "1 without text, 0 failed", "Fix: ", "are HTML pages"),
        arguments=("run", "web.toml", "--fresh"),
    )


def failed(web: Web, call: Call, pages: int, *expected: dict[str, object]) -> None:
    """Run an experiment in which these pages fail and no others, and see that the report and the list name them."""
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    results = web.folder / "results" / "web"
    listed = [json.loads(line) for line in (results / "failures.jsonl").read_text(encoding="utf-8").splitlines()]
    assert listed == list(expected)
    stored = read_results(results)
    counts = stored.facts.pages
    assert counts.reasons == tuple((page["id"] or page["file"], page["reason"]) for page in expected)
    assert counts.documents == pages == counts.scored + counts.emptied + counts.failed
    assert counts.failed == len(expected)
    table = stored.table()
    assert {row.index.documents + emptied for row, emptied in zip(table.rows, table.emptied, strict=True)} == {
        counts.scored
    }
    assert f"{len(expected)} of {pages} pages failed" in done.out


def test_document_ids_that_come_twice_fail_the_second_time(web: Web, call: Call) -> None:
    (web.folder / "pages" / "part2" / "page00.html").write_text("<p>Another zeppelin of that name</p>")
    (web.folder / "topics.tsv").write_text("1\tzeppelin\n2\tbarley\n")
    (web.folder / "qrels.txt").write_text("1 0 page00 1\n2 0 page00 1\n")
    web.write(collection='path = "pages"\nids = "stem"', sweep="", cleaners="")
    reason = Message("id occurs twice", "part0/page00.html")
    failed(web, call, 61, {"file": "part2/page00.html", "offset": None, "id": "page00", "reason": reason})
    # The page of that name that was there first, which is about barley, is the one that was indexed.
    run = (web.folder / "results" / "web" / "runs" / "none.trec").read_text().splitlines()
    assert {line.split()[0] for line in run if line.split()[2] == "page00"} == {"2"}
    assert {line.split()[0] for line in run} == {"2"}


@pytest.mark.parametrize(("name", "shown"), [("a b", "a b"), ("a\x01b", "a\\x01b")])
def test_document_ids_that_no_run_can_hold_fail(web: Web, call: Call, name: str, shown: str) -> None:
    (web.folder / "pages" / f"{name}.html").write_text("<p>A page with an odd name</p>")
    web.write(sweep="", cleaners="")
    reason = f"{UNFIT_ID}: '{shown}'"
    failed(web, call, 61, {"file": f"{name}.html", "offset": None, "id": name, "reason": reason})


def test_json_lines_that_are_broken_fail(web: Web, call: Call) -> None:
    lines = [
        '{"id": "a", "contents": "the barley harvest"}',
        '{"id": "b", "contents": ',
        '{"contents": "no id"}',
        '{"id": "a", "contents": "again"}',
        '{"id": "c"}',
        '{"id": "d", "html": "<p>the weather</p>"}',
    ]
    (web.folder / "docs.jsonl").write_text("\n".join(lines) + "\n")
    (web.folder / "qrels.txt").write_text("1 0 a 1\n")
    web.write(collection='path = "docs.jsonl"', sweep="", cleaners="")
    offsets = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    told = [
        (1, "", ("not JSON", "its character 23")),
        (2, "", ("no `id`",)),
        (3, "a", ("id occurs twice", "docs.jsonl at byte 0")),
        (4, "c", ("neither `html` nor `contents`",)),
    ]
    expected = [
        {"file": "docs.jsonl", "offset": offsets[number], "id": document_id, "reason": Message(*facts)}
        for number, document_id, facts in told
    ]
    done = call("clean", "docs.jsonl", "-c", "none", "-o", "o.jsonl", "--failures", "failed.jsonl", cwd=web.folder)
    assert (done.code, done.out) == (0, "")
    # The last line has the rate.
    assert done.err.splitlines()[:-1] == [
        Message("o.jsonl: ", "6 pages", "2 with text", "0 emptied", "4 failed", "5 words"),
        *(
            Message(f"failed: {name or f'docs.jsonl at byte {offsets[number]}'}: ", *facts)
            for number, name, facts in told
        ),
        Message(
            "warning: ", "4 of 6 pages (66.7 %)", "id occurs twice", "`html` nor `contents`", "no `id`", "not JSON"
        ),
    ]
    assert [json.loads(line) for line in (web.folder / "failed.jsonl").read_text().splitlines()] == expected
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    results = web.folder / "results" / "web"
    assert [json.loads(line) for line in (results / "failures.jsonl").read_text().splitlines()] == expected
    # What failed then counts now.
    for allowed, code in (("4", 0), ("50%", 3)):
        done = call("run", "web.toml", "--max-failed", allowed, cwd=web.folder)
        assert (done.code, len(done.errors)) == (code, code // 3)
    assert "results/web/failures.jsonl" in done.errors[0]


def test_odd_ids_are_escaped_on_request_from_end_to_end(web: Web, call: Call) -> None:
    """Ids with spaces, control characters, percent signs, umlauts, slashes and dots."""
    odd = web.folder / "pages" / "deep" / "odd.."
    odd.mkdir(parents=True)
    ids = {
        "a b": "a%20b",
        "c\x01d": "c%01d",
        "e%20f": "e%2520f",
        "größe": "größe",
        "..": "..",
        "x\u2028y": "x%E2%80%A8y",
    }
    for name in ids:
        (odd / f"{name}.html").write_text(f"<p>The zeppelin of {sorted(ids).index(name)} parts</p>")
    (web.folder / "topics.tsv").write_text("1\tzeppelin\n")
    (web.folder / "qrels.txt").write_text("".join(f"1 0 deep/odd../{escaped} 1\n" for escaped in ids.values()))
    web.write(collection='path = "pages"\nescape_ids = true', sweep="", cleaners="")
    assert call("run", "web.toml", cwd=web.folder).code == 0
    lines = (web.folder / "results" / "web" / "runs" / "none.trec").read_text(encoding="utf-8").split("\n")
    result = [line.split(" ")[2] for line in lines if line]
    assert result == sorted(f"deep/odd../{escaped}" for escaped in ids.values())
    assert read_results(web.folder / "results" / "web").table().mean("AP").tolist() == [1.0]


def test_ids_that_climb_stay_inside(web: Web, call: Call) -> None:
    """An id is never a file name: `../../x` from JSON lines leaves no file anywhere else."""
    lines = [{"id": f"../../x{number}", "contents": f"the zeppelin number {number}"} for number in range(3)]
    (web.folder / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (web.folder / "topics.tsv").write_text("1\tzeppelin\n")
    (web.folder / "qrels.txt").write_text("1 0 ../../x1 1\n")
    web.write(collection='path = "docs.jsonl"', sweep="", cleaners="")
    beside = sorted(path.name for path in web.folder.parent.iterdir())
    assert call("run", "web.toml", cwd=web.folder).code == 0
    assert sorted(path.name for path in web.folder.parent.iterdir()) == beside
    run = (web.folder / "results" / "web" / "runs" / "none.trec").read_text()
    assert [line.split()[2] for line in run.splitlines()] == ["../../x0", "../../x1", "../../x2"]


def test_results_within_the_collection(web: Web, call: Call) -> None:
    """The next run would take the report for a page."""
    web.write(collection='path = "."', sweep="", cleaners="")
    error = (
        *("results/web: ", "in the folder of the collection, .,", "a part of it"),
        *("Fix: ", "--results", "move the collection"),
    )
    note = Message("3 files with other endings", "1 .txt, 1 .tsv, 1 .toml", "format html")
    # The first command leaves two locks.
    for verb, notes in (("run", (note,)), ("explore", (note, Message("2 hidden folders or files")))):
        refused(call, web, 2, error, arguments=(verb, "web.toml"), notes=notes)


TOPICS = {
    "a topic without a query": (
        "topics.tsv",
        "1\t \n",
        ("topics.tsv:1: ", "topic 1", "no query", "Fix: ", "title or remove the topic"),
    ),
    "no topics": ("topics.tsv", "", ("topics.tsv: ", "no topics", "Fix: ", "`id<TAB>query`")),
    "no judgments": ("qrels.txt", "", ("qrels.txt: ", "no judgments", "Fix: ", "`topic 0 docid grade`")),
    "no run-over": (
        "qrels.txt",
        "1 0 elsewhere/page 1\n",
        (
            *("pages: ", "no judged document", "pages: part0/page00", "qrels: elsewhere/page"),
            *("Fix: ", "`ids`, `prefix`, `keep_suffix`, `id_pattern` of [collection]"),
        ),
    ),
}


@pytest.mark.parametrize("name", TOPICS)
def test_topics_and_qrels_that_do_not_serve(web: Web, call: Call, name: str) -> None:
    file, text, error = TOPICS[name]
    (web.folder / file).write_text(text)
    web.write()
    refused(call, web, 3, error)


def test_qrels_of_other_topics(web: Web, call: Call) -> None:
    (web.folder / "qrels.txt").write_text("401 0 part0/page00 1\n")
    web.write()
    refused(
        call,
        web,
        3,
        ("qrels.txt: ", "no topic has judgments", "topics: 1, 2, 3, 4, 5, …", "qrels: 401", "Fix: ", "belong together"),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "grade", "code"), [("zeppelin", 1, 3), ("telescope", 1, 3), ("barley", 0, 0), ("barley", 1, 0)]
)
def test_explore_stops_where_run_does_for_want_of_judged_documents(
    web: Web, call: Call, query: str, grade: int, code: int
) -> None:
    """Judged documents that are not relevant are enough."""
    web.write(sweep='scorer = "words"\ncutoffs = [5]', cleaners="", evaluation='measures = ["P@5", "AP"]')
    (web.folder / "topics.tsv").write_text(f"1\t{query}\n")
    (web.folder / "qrels.txt").write_text(f"1 0 part0/page00 {grade}\n")
    for verb in ("explore", "run"):
        done = call(verb, "web.toml", cwd=web.folder)
        assert (done.code, len(done.errors)) == (code, code and 1), verb
    assert (web.folder / "results" / "web" / "results.json").exists() is (code == 0)


def test_runs_that_hold_no_judged_document(finished: Finished, web: Web, call: Call) -> None:
    (web.folder / "other.trec").write_text("1 Q0 elsewhere 1 2.5 x\n")
    refused(
        call,
        web,
        3,
        (
            *("other.trec: ", "no judged document", "run is elsewhere", "qrels part0/page00"),
            *("Fix: ", "same document ids", "--ids, --prefix, --keep-suffix", "[collection]"),
        ),
        arguments=("evaluate", "qrels.txt", "other.trec"),
    )
    (web.folder / "other.trec").write_text("x9 Q0 part0/page00 1 2.5 x\n")
    refused(
        call,
        web,
        3,
        ("other.trec: ", "topic of the run (x9)", "topics (1, 2, 3, 4, 5, …)", "Fix: ", "the same topic ids"),
        arguments=("evaluate", "qrels.txt", "other.trec"),
    )
    # Of several runs the one that is wrong is named.
    (web.folder / "fine.trec").write_text("1 Q0 part0/page00 1 2.5 x\n")
    (web.folder / "empty.trec").touch()
    done = call("evaluate", "qrels.txt", "fine.trec", "empty.trec", "fine.trec", cwd=web.folder)
    assert done.code == 3
    assert done.errors[0].startswith("error: empty.trec: ")
    (web.folder / "other.trec").write_text("1 Q0 part0/page00 1 high x\n")
    refused(
        call,
        web,
        3,
        ("other.trec:1: ", "score `high`", "not a finite number", "Fix: ", "decimal"),
        arguments=("evaluate", "qrels.txt", "other.trec"),
    )


USAGE = {
    ("polish",): ("", "command 'polish'", "Fix: ", "`thresher --help`"),
    ("run",): ("", "argument 'EXPERIMENT'", "Fix: ", "`thresher run --help`"),
    ("run", "web.toml", "--workers", "0"): ("", "'--workers'", "0", "x>=1", "Fix: ", "`thresher run --help`"),
    ("clean", "pages", "-c", "words@eleven", "-o", "x.jsonl"): (
        *("words@eleven: ", "cutoff 'eleven'", "not a number"),
        *("Fix: ", "words@p70 for a percentile", "words@doc50 for a quota"),
    ),
    ("search", "pages", "topics.tsv", "-o", "topics.tsv"): ("topics.tsv: ", "the topics", "Fix: ", "another name"),
    ("search", "pages", "topics.tsv", "-o", "x", "--tag", "two words"): (
        "--tag: ",
        "tag 'two words'",
        "not one word",
        "Fix: ",
        "without white space",
    ),
}


@pytest.mark.parametrize("arguments", USAGE)
def test_command_lines_that_cannot_be_used(web: Web, call: Call, arguments: tuple[str, ...]) -> None:
    refused(call, web, 2, USAGE[arguments], arguments=arguments)


def test_index_takes_only_cleaned_json_lines(web: Web, call: Call) -> None:
    clean_first = ("Fix: ", "`thresher clean`")
    refused(
        call,
        web,
        3,
        ("pages: ", "not a file of JSON lines", *clean_first),
        arguments=("index", "pages", "-o", "index"),
    )
    docs = web.folder / "docs.jsonl"
    docs.write_text('{"id": "a", "contents": "x"}\n{"id": "b", "html": "<p>y</p>"}\n')
    refused(
        call,
        web,
        3,
        ("docs.jsonl at byte 29: ", "a page, not text", *clean_first),
        arguments=("index", "docs.jsonl", "-o", "index"),
    )
    docs.write_text('{"id": "a", "contents": "x"}\n{"id": "a", "contents": "y"}\n')
    refused(
        call,
        web,
        3,
        ("docs.jsonl at byte 29: ", "id 'a' occurs twice", "docs.jsonl at byte 0", "Fix: ", "make ids unique"),
        arguments=("index", "docs.jsonl", "-o", "index"),
    )


def test_index_never_replaces_a_folder_of_other_things(web: Web, call: Call) -> None:
    (web.folder / "docs.jsonl").write_text('{"id": "a", "contents": "x"}\n')
    refused(
        call,
        web,
        5,
        ("pages: ", "other files than an index", "Fix: ", "new folder"),
        arguments=("index", "docs.jsonl", "-o", "pages"),
    )
    assert call("index", "docs.jsonl", "-o", "index", cwd=web.folder).code == 0
    (web.folder / "docs.jsonl").write_text('{"id": "a", "contents": "x"}\n{"id": "b", "contents": "x"}\n')
    there = ("exists already", "Fix: ", "another name", "--replace")
    refused(call, web, 5, ("index: ", *there), arguments=("index", "docs.jsonl", "-o", "index"))
    done = call("index", "docs.jsonl", "-o", "index", "--replace", cwd=web.folder)
    assert done.err.startswith("index: 2 documents indexed, 0 empty, ")
    # An index with a user's files beside it is no longer only an index.
    for other in (web.folder / "index" / "notes.txt", web.folder / "index" / "_mine"):
        other.mkdir() if other.suffix == "" else other.touch()
        what = ("index: ", "other files than an index", "Fix: ", "new folder")
        refused(call, web, 5, what, arguments=("index", "docs.jsonl", "-o", "index", "--replace"))
        other.rmdir() if other.suffix == "" else other.unlink()
    run = call("search", "index", "topics.tsv", "-o", "run.trec", cwd=web.folder)
    printed = call("search", "index", "topics.tsv", "-o", "-", cwd=web.folder)
    assert (run.code, printed.code) == (0, 0)
    search = ("search", "index", "topics.tsv", "-o", "run.trec")
    refused(call, web, 5, ("run.trec: ", *there), arguments=search)
    assert call(*search, "--replace", cwd=web.folder).code == 0
    assert printed.out == (web.folder / "run.trec").read_text()
    assert not (web.folder / "-").exists()


def test_search_needs_an_index(web: Web, call: Call) -> None:
    refused(
        call,
        web,
        3,
        ("pages: ", "no Lucene index", "Fix: ", "build the index first", "check the path"),
        arguments=("search", "pages", "topics.tsv", "-o", "x.trec"),
    )
    nowhere = ("nowhere: ", "no such folder", "Fix: ", "build the index first", "check the path")
    refused(call, web, 3, nowhere, arguments=("search", "nowhere", "topics.tsv", "-o", "x.trec"))
    assert not (web.folder / "nowhere").exists()


def test_a_failed_command_keeps_what_was_there(web: Web, call: Call, tmp_path: Path) -> None:
    (web.folder / "out.jsonl").write_text("precious\n")
    (web.folder / "blank").mkdir()
    (web.folder / "blank" / "a.html").write_text("")
    files = sorted(path.name for path in web.folder.iterdir())
    done = call("clean", "blank", "-c", "words@p30", "-o", "out.jsonl", "--replace", cwd=web.folder)
    assert done.code == 3
    (line,) = done.errors
    assert_names(line, "error: ", "no words", "percentile", "Fix: give a number")
    assert (web.folder / "out.jsonl").read_text() == "precious\n"
    assert sorted(path.name for path in web.folder.iterdir()) == files


def test_a_working_folder_that_is_gone(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": f"{THRESHER.parent}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "-c", "mkdir gone; cd gone; rmdir ../gone; thresher doctor"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert_names(done.stderr, "error: the working folder is gone", "Fix: change")
    assert done.stderr.count("\n") == 1
