"""A collection that somebody writes to during a pass: the pass ends, and nobody goes on with its scores."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from messages import assert_names
from troublesome import Trouble

from thresher.base.errors import StateError
from thresher.base.processes import Backend
from thresher.collections import Collection, open_collection
from thresher.collections.sources import CollectionChanged
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_shard, shards

ALONE = Backend(workers=1)
Change = Callable[[Path], object]


def rewrite(path: Path) -> None:
    """Other bytes, as many, in the same file with the same time of modification."""
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"barley", b"BARLEY"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


def replace(path: Path) -> None:
    """Other bytes, as many, in a new file with the same time of modification."""
    other = path.with_suffix(".new")
    shutil.copy2(path, other)
    rewrite(other)
    other.replace(path)


def extend(path: Path) -> None:
    with path.open("a") as out:
        out.write(json.dumps({"id": "more", "contents": "more"}) + "\n")


def pages(folder: Path) -> Collection:
    """Pages of which the first waits for `go`, beside the collection, to exist."""
    folder.mkdir()
    (folder / "0.html").write_text(f"<p>WAIT {folder.parent / 'go'}")
    for number in range(1, 4):
        (folder / f"{number}.html").write_text(f"<p>barley {number}")
    return open_collection(folder)


def lines(folder: Path) -> Collection:
    """Two files of lines, the first of which waits likewise."""
    folder.mkdir()
    for number in range(2):
        texts = [f"WAIT {folder.parent / 'go'}" if not number else "rye", "barley"]
        made = [json.dumps({"id": f"{number}-{place}", "contents": text}) for place, text in enumerate(texts)]
        (folder / f"{number}.jsonl").write_text("\n".join(made) + "\n")
    return open_collection(folder)


@pytest.mark.parametrize(
    ("made", "file", "change"),
    [
        (pages, "3.html", lambda path: path.write_text("<p>barley, and more of it")),
        (pages, "3.html", Path.unlink),
        (pages, "1.html", replace),
        (pages, "4.html", lambda path: path.write_text("<p>new")),
        (pages, "0.html", Path.unlink),
        (lines, "0.jsonl", extend),
        (lines, "0.jsonl", rewrite),
        (lines, "0.jsonl", replace),
        (lines, "0.jsonl", Path.unlink),
        (lines, "1.jsonl", extend),
        (lines, "1.jsonl", Path.unlink),
        (lines, "2.jsonl", extend),
    ],
)
def test_a_pass_ends_with_the_file_that_changed(
    tmp_path: Path, made: Callable[[Path], Collection], file: str, change: Change
) -> None:
    plan = ScorePlan(made(tmp_path / "crawl"), (Trouble(),))
    before, go = tmp_path / "before", tmp_path / "go"
    shutil.copytree(tmp_path / "crawl", before)

    def disturb() -> None:
        while not Path(f"{go}.waiting").exists():
            sleep(0.005)
        change(tmp_path / "crawl" / file)
        go.touch()

    thread = Thread(target=disturb)
    thread.start()
    with pytest.raises(CollectionChanged, match=f"^{file}: .*changed while .* read. Fix: .*--fresh"):
        score_collection(plan, tmp_path / "scores", ALONE)
    thread.join()
    for restored in (False, True):
        if restored:
            shutil.rmtree(tmp_path / "crawl")
            shutil.copytree(before, tmp_path / "crawl")
        with pytest.raises(StateError, match="changed: collection"):
            score_collection(plan, tmp_path / "scores", ALONE)
    report = score_collection(plan, tmp_path / "scores", ALONE, fresh=True)
    assert report == score_collection(plan, tmp_path / "scores", ALONE)
    texts = [text for path in shards(tmp_path / "scores") for text in read_shard(path, ["text"]).texts("text").tolist()]
    assert len(texts) == report.scored == report.documents == 4


def test_scores_whose_key_is_gone_belong_to_nobody(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    plan = ScorePlan(pages(tmp_path / "crawl"), (Trouble(),))
    score_collection(plan, tmp_path / "scores", ALONE)
    (tmp_path / "scores" / "store.json").unlink()
    with pytest.raises(StateError) as caught:
        score_collection(plan, tmp_path / "scores", ALONE)
    assert_names(
        caught.value, "scores: ", "missing", "Fix: ", "`thresher explore FILE --fresh`", "`thresher run FILE --fresh`"
    )


def test_other_content_of_the_same_size_and_time_has_another_digest(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    plan = ScorePlan(lines(tmp_path / "crawl"), (Trouble(),))
    reports = [score_collection(plan, tmp_path / "first", ALONE)]
    reports.append(score_collection(plan, tmp_path / "again", Backend(workers=2)))
    key = plan.key()
    rewrite(tmp_path / "crawl" / "1.jsonl")
    assert plan.key() == key
    reports.append(score_collection(plan, tmp_path / "other", ALONE))
    digests = [report.content for report in reports]
    assert digests[0] == digests[1] != digests[2]
    assert len(digests[0]) == 16
