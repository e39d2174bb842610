"""Killed at two moments, inside of a big file too: in the end all is as an undisturbed run leaves it."""

from __future__ import annotations

import base64
import gzip
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import SHORT_LIVED_JAVA, begin, thresher
from small_web import TIMED, Web, leftovers, tree, without_clock

from thresher.collections import open_collection

pytestmark = pytest.mark.slow

KILLS = 2
PAGES = 40


def write_warc(path: Path) -> None:
    """Write pages with comments that compress badly: some MiB, which are several ranges of one file.

    Each has hundreds of terms of its own, so that Java writes its files long enough to be seen at it.
    """
    chance = random.Random(24)
    with path.open("wb") as out:
        for number in range(PAGES):
            noise = base64.b64encode(chance.randbytes(120_000)).decode()
            terms = " ".join(chance.randbytes(4).hex() for _ in range(1000))
            body = f"<!-- {noise} --><p>The harvest of barley and the weather of page {number}: {terms}.</p>".encode()
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: part0/page{number:02}\r\n"
                f"Content-Length: {len(http) + len(body)}\r\n\r\n"
            )
            out.write(gzip.compress(head.encode() + http + body + b"\r\n\r\n", 1, mtime=0))


def moments(done: list[str], indexes: Path) -> list[str | Callable[[], bool]]:
    """Return when to kill, in order: some of what an undisturbed run has done to files, and sights of the files of others."""

    def seen(folder: Path, pattern: str) -> Callable[[], bool]:
        return lambda: any(folder.glob(pattern))

    sights = {
        # While workers write, the parent is killed in test_interruptions.py and all are in test_score_pass.py.
        "open indexes/web/.words@5.tmp/.thresher.json.tmp": [seen(indexes, ".words@5.*.tmp/_*")],
    }
    steps = [step for step in dict.fromkeys(done) if step.startswith(("open", "os.rename")) and ".lock" not in step]
    found = [moment for step in steps for moment in (*sights.get(step, ()), *[step] * (step == steps[-1]))]
    assert len(found) == KILLS
    return found


def test_killed_again_and_again(tmp_path: Path) -> None:
    """While Java writes its files, and before the last step of the main process."""
    web = Web.make(tmp_path, PAGES, **TIMED)
    write_warc(tmp_path / "crawl.warc.gz")
    assert len(list(open_collection(tmp_path / "crawl.warc.gz").parts(256))) == 3
    web.write(
        collection='path = "crawl.warc.gz"', sweep='scorer = "words"\ncutoffs = [5]', cleaners="", run="workers = 2"
    )
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    log = tmp_path / "steps"
    command = ("run", "../web.toml")
    assert begin(*command, cwd=tmp_path / "whole", steps=log, **SHORT_LIVED_JAVA).wait().code == 0
    assert "open results/web/stages/.measure.json.tmp" in log.read_text()
    results, indexes = (tmp_path / "killed" / name / "web" for name in ("results", "indexes"))
    for moment in moments(log.read_text().splitlines(), indexes):
        if isinstance(moment, str):
            done = begin(*command, cwd=tmp_path / "killed", kill_at=moment, **SHORT_LIVED_JAVA).wait()
        else:
            process = begin(*command, cwd=tmp_path / "killed", **SHORT_LIVED_JAVA)
            process.wait_until(moment)
            done = process.kill()
        assert done.code == -signal.SIGKILL, (moment, done)
    assert thresher(*command, cwd=tmp_path / "killed").code == 0

    whole = tmp_path / "whole" / "results" / "web"
    scores = {name: content for name, content in tree(whole / "scores").items() if name.endswith(".npz")}
    assert len(scores) == 3
    for name, content in scores.items():
        assert (results / "scores" / name).read_bytes() == content, name
    assert tree(results / "runs").keys() == tree(whole / "runs").keys()
    for name, content in tree(whole / "runs").items():
        assert (results / "runs" / name).read_bytes() == content or name.endswith(".yaml"), name
    sizes = {name: len(content) for name, content in tree(indexes).items() if name != ".lock"}
    expected = tree(tmp_path / "whole" / "indexes" / "web").items()
    assert sizes == {name: len(content) for name, content in expected if name != ".lock"}
    assert without_clock(results / "results.csv") == without_clock(whole / "results.csv")
    assert leftovers(results) == leftovers(indexes) == []
