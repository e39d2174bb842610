"""Killed at twenty moments drawn at random, inside of a big file too: in the end all is as an undisturbed run leaves it."""

from __future__ import annotations

import base64
import gzip
import random
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from small_web import Web, begin, kill, leftovers, thresher, tree, without_clock

from thresher.collections import open_collection

KILLS = 20
PAGES = 240


def write_warc(path: Path) -> None:
    """Write pages with comments that compress badly: some MiB, which are several ranges of one file."""
    chance = random.Random(24)
    with path.open("wb") as out:
        for number in range(PAGES):
            noise = base64.b64encode(chance.randbytes(20_000)).decode()
            body = f"<!-- {noise} --><p>The harvest of barley and the weather of page {number}.</p>".encode()
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: part0/page{number:02}\r\n"
                f"Content-Length: {len(http) + len(body)}\r\n\r\n"
            )
            out.write(gzip.compress(head.encode() + http + body + b"\r\n\r\n", 1, mtime=0))


def test_killed_at_random_moments(tmp_path: Path) -> None:
    web = Web.make(tmp_path, PAGES)
    write_warc(tmp_path / "crawl.warc.gz")
    assert len(list(open_collection(tmp_path / "crawl.warc.gz").parts(256))) == 3
    web.write(collection='path = "crawl.warc.gz"', sweep='scorer = "words"\ncutoffs = [5]', cleaners="")
    begun = time.monotonic()
    assert thresher("run", "web.toml", "--results", "whole", "--indexes", "whole-indexes", cwd=tmp_path).code == 0
    length = time.monotonic() - begun
    chance = random.Random(25)
    kills = finished = 0
    command = ("run", "web.toml", "--results")
    while kills < KILLS or not finished:
        process = begin(*command, f"r{finished}", "--indexes", f"i{finished}", cwd=tmp_path)
        if kills < KILLS:
            # Where that is depends on the machine; what comes of it does not.
            with suppress(subprocess.TimeoutExpired):
                process.wait(chance.random() * length)
            if process.poll() is None:
                kill(process)
                kills += 1
                continue
        process.communicate(timeout=120)
        assert process.returncode == 0
        finished += 1
    whole = tmp_path / "whole" / "web"
    for number in range(finished):
        results, indexes = tmp_path / f"r{number}" / "web", tmp_path / f"i{number}" / "web"
        scores = {name: content for name, content in tree(whole / "scores").items() if name.endswith(".parquet")}
        assert len(scores) == 3
        for name, content in scores.items():
            assert (results / "scores" / name).read_bytes() == content, name
        assert tree(results / "runs").keys() == tree(whole / "runs").keys()
        for name, content in tree(whole / "runs").items():
            assert (results / "runs" / name).read_bytes() == content or name.endswith(".yaml"), name
        sizes = {name: len(content) for name, content in tree(indexes).items() if name != ".lock"}
        expected = tree(tmp_path / "whole-indexes" / "web").items()
        assert sizes == {name: len(content) for name, content in expected if name != ".lock"}
        assert without_clock(results / "results.csv") == without_clock(whole / "results.csv")
        assert leftovers(results) == leftovers(indexes) == []
