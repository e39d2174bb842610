"""Pages that are huge, deep, empty or broken stay in the count, and none of them stops the others."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done
from messages import Message, assert_names
from small_web import PAGES, Finished, Web

from thresher.experiments.results import read_results

Call = Callable[..., Done]


def row(results: Path, variant: str) -> dict[str, str]:
    rows = csv.DictReader((results / "results.csv").read_text().splitlines())
    return next(result for result in rows if result["variant"] == variant)


def failed(results: Path) -> list[tuple[str, str]]:
    return [*read_results(results).facts.pages.reasons]


@pytest.fixture(scope="module")
def large() -> bytes:
    """A page of 18 MB, most of it before its text: more than is read unless a limit allows it."""
    paragraph = b"<p>" + b"The albatross follows the ship over the grey sea. " * 20 + b"</p>\n"
    return b"<html><body><!--" + b" grey" * 3_200_000 + b"-->" + paragraph * 2000 + b"</body></html>"


def test_hard_pages_stay_in_the_count(finished: Finished, web: Web, call: Call, large: bytes) -> None:
    hard: dict[str, bytes] = {
        "empty": b"",
        "blank": b"<html><head></head><body> \n\t </body></html>",
        "short": b"<p>Just three words</p>",
        "script": b"<script>var words = 'many words that nobody sees';</script>",
        "large": large,
        "deep": b"<div>" * 100_000 + b"a deep albatross" + b"</div>" * 100_000,
        "unclosed": b"<div><b><i>" * 50_000 + b"an unclosed albatross",
        "nul": b"<p>an alba\x00tross of \x00 NUL bytes</p>\x00\x00",
        "latin": '<meta charset="utf-8"><p>Der Größenwahn des Albatrosses</p>'.encode("latin-1"),
        "utf16": "<p>Ein Albatross in UTF-16</p>".encode("utf-16"),
        "lies": b'<meta charset="klingon"><p>An albatross of unknown charset</p>',
        "bytes": bytes(range(256)) * 40,
        "entities": b"<p>" + b"&amp;&#x110000;&#0;&nosuch;" * 2000 + b" albatross</p>",
        "attribute": b'<p title="' + b"x" * 200_000 + b'">albatross</p>',
    }
    for name, content in hard.items():
        (web.folder / "pages" / f"{name}.html").write_bytes(content)
    web.write(sweep='scorer = "words"\ncutoffs = [5]', cleaners="")
    done = call("run", "web.toml", cwd=web.folder)
    assert done.code == 0
    results = web.folder / "results" / "web"
    total = PAGES + len(hard)
    for variant in ("none", "words@5"):
        counts, pages = row(results, variant), read_results(results).facts.pages
        assert pages.documents == total == pages.scored + pages.emptied + pages.failed
        assert int(counts["documents"]) + int(counts["emptied"]) == pages.scored, variant
    reasons = dict(failed(results))
    assert reasons["large"] == Message("too large: ", f"{len(large) / 2**20:.1f} MiB", "16 MiB")
    assert reasons["bytes"] == "not HTML: control bytes"
    assert set(reasons) <= {"bytes", "large", "deep", "unclosed"}
    assert pages.emptied >= 3
    assert (row(results, "none")["emptied"], int(row(results, "words@5")["emptied"]) > 0) == ("0", True)
    assert_names(done.out, f"{len(reasons)} of {total} pages failed", "failures.jsonl")
    assert f"{len(reasons)} of {total} pages failed" in (results / "report.html").read_text()
    # The pages that are fine are found as without the others, if with other scores.
    for line in (finished.results / "runs" / "none.trec").read_text().splitlines():
        topic, _, document, *_ = line.split()
        assert re.search(rf"^{topic} Q0 {document} ", (results / "runs" / "none.trec").read_text(), re.MULTILINE)


def test_what_is_left_of_hard_pages(web: Web, call: Call) -> None:
    pages = {
        "nul": (b"<p>an alba\x00tross of \x00 NUL bytes</p>\x00", "an alba tross of NUL bytes"),
        "latin": ('<meta charset="iso-8859-1"><p>Größe</p>'.encode("latin-1"), "Größe"),
        "utf16": ("<p>Ein Albatross</p>".encode("utf-16"), "Ein Albatross"),
        "mark": (b"\xef\xbb\xbf<p>caf\xc3\xa9</p>", "café"),
        "lies": ('<meta charset="klingon"><p>naïve café, déjà vu</p>'.encode(), "naïve café, déjà vu"),
    }
    folder = web.folder / "hard"
    folder.mkdir()
    for name, (content, _) in pages.items():
        (folder / f"{name}.html").write_bytes(content)
    assert call("clean", "hard", "-c", "none", "-o", "out.jsonl", cwd=web.folder).code == 0
    documents = [json.loads(line) for line in (web.folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    result = {document["id"]: document["contents"] for document in documents}
    assert set(result) == set(pages)
    for name, (_, text) in pages.items():
        if name != "nul":
            assert result[name] == text, name
    assert "\0" not in result["nul"]
    assert "NUL bytes" in result["nul"]


@pytest.mark.slow
def test_a_large_page_is_read_where_the_limit_allows(web: Web, call: Call, large: bytes) -> None:
    folder = web.folder / "large"
    folder.mkdir()
    (folder / "large.html").write_bytes(large)
    (folder / "small.html").write_text("<p>Another albatross</p>")
    (web.folder / "topics.tsv").write_text("1\talbatross\n")
    (web.folder / "qrels.txt").write_text("1 0 large 1\n")
    web.write(
        collection='path = "large"\nmax_page_mib = 64\npage_seconds = 100',
        sweep="",
        cleaners="",
    )
    done = call("run", "web.toml", cwd=web.folder)
    assert done.code == 0
    results = web.folder / "results" / "web"
    assert failed(results) == []
    counts = row(results, "none")
    assert (counts["documents"], counts["emptied"]) == ("2", "0")
    paragraphs = large.count(b"<p>")
    assert int(counts["words"]) == paragraphs * 20 * 9 + 2
