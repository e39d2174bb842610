"""WARC files with every kind of damage: what is reported of each, that the rest is read, and that nothing grows or hangs."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from commands import Done
from isal import isal_zlib
from messages import Message, assert_names
from small_web import Web

from thresher.collections.interface import UNFIT_ID
from thresher.experiments.results import read_results

pytestmark = pytest.mark.slow

Call = Callable[..., Done]

MIB = 2**20
PEAK_MIB = 700
"""What a worker may hold. Python with the libraries takes 200, a page of 16 MiB some of them several times over."""

UNREAD = Message("the rest", "skipped", "decompresses beyond the limit")


def http(body: bytes, *fields: bytes) -> bytes:
    return b"\r\n".join((b"HTTP/1.1 200 OK", *(fields or (b"Content-Type: text/html",)), b"", body))


def record(block: bytes, *, length: int | None = None, **fields: str | None) -> bytes:
    """A record; a field given as None is left out."""
    lines: dict[str, str | None] = {
        "WARC-Type": "response",
        "WARC-Date": "2026-01-01T00:00:00Z",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block) if length is None else length),
    }
    lines |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def zeros(size: int, before: bytes = b"", after: bytes = b"") -> bytes:
    """A gzip member of that many MiB of zeros between two texts."""
    packer = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
    pieces = (before, *[bytes(MIB)] * size, after)
    return b"".join([*map(packer.compress, pieces), packer.flush()])


@dataclass
class Folder:
    """A folder of WARC files in the making, and what of them must fail."""

    path: Path
    failures: list[dict[str, object]] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    emptied: int = 0

    def add(
        self, file: str, id: str, block: bytes, reason: str | Message = "", listed: str | None = None, **fields: Any
    ) -> None:
        """Append a record; it fails for the reason if there is one, and is listed under `listed` if not its id."""
        fields.setdefault("WARC_TREC_ID", id)
        self.append(file, record(block, **fields), id if listed is None else listed, reason)

    def append(self, file: str, content: bytes, id: str = "", reason: str | Message = "") -> None:
        """Append bytes, packed as a member if the file is."""
        path = self.path / file
        path.parent.mkdir(exist_ok=True)
        offset = self.size(file)
        packed = gzip.compress(content, mtime=0) if file.endswith(".gz") and content[:2] != b"\x1f\x8b" else content
        with path.open("ab") as handle:
            handle.write(packed)
        if reason:
            self.failures.append({"file": file, "offset": offset, "id": id, "reason": reason})
        elif id:
            self.pages.append(id)

    def size(self, file: str) -> int:
        """How many bytes a file has so far."""
        path = self.path / file
        return path.stat().st_size if path.exists() else 0


def page(text: str) -> bytes:
    return http(f"<html><body><p>{text}</p></body></html>".encode())


def add_clipped(made: Folder) -> None:
    clipped = "a-clipped.warc.gz"
    made.add(clipped, "clipped-1", page("before the clip"))
    whole = gzip.compress(record(page("within the clip " * 50), WARC_TREC_ID="clipped-2"), mtime=0)
    made.append(clipped, whole[: len(whole) // 2], "", Message("clipped: ", "gzip member"))


def add_lengths(made: Folder) -> None:
    lengths = "b-lengths.warc"
    made.add(lengths, "long", page("a length too long"), length=10_000)
    made.add(lengths, "short", page("a length too short by far"), length=30)
    made.add(lengths, "negative", page("a negative length"), length=-5)
    made.add(lengths, "huge", page("a length beyond all"), length=10**15)
    made.add(lengths, "none", page("no length"), Content_Length=None)
    made.add(lengths, "sound", page("a sound record"))
    made.append(lengths, b"junk between records " * 3 + b"\r\n\r\n", "", "67 bytes that are no WARC record")
    made.add(lengths, "after", page("behind the junk"))


def add_chunks(made: Folder) -> None:
    chunks = "c-chunks.warc.gz"
    chunked = (b"Content-Type: text/html", b"Transfer-Encoding: chunked")
    made.add(chunks, "chunks-size", http(b"9\r\n<p>a chun\r\nffff\r\nk whose size is wrong\r\n0\r\n\r\n", *chunked))
    made.add(chunks, "chunks-none", http(b"<p>no chunks after all", *chunked))
    made.add(chunks, "chunks-open", http(b"1c\r\n<p>the last chunk is missing\r\n", *chunked))


def add_ids(made: Folder) -> None:
    ids = "d-ids.warc.gz"
    made.add(ids, "", page("no id"), "the record has no id", WARC_TREC_ID=None)
    begun = made.size(ids)
    made.add(ids, "twice", page("the first of two"))
    made.add(ids, "twice", page("the second"), Message("id occurs twice", f"{ids} at byte {begun}"))
    unfit = f"{UNFIT_ID}: 'a b'"
    made.add(ids, "a b", page("an id that no run can hold"), unfit)
    for number, date in enumerate(("9999-99-99T99:99:99Z", "-1", "yesterday", "")):
        made.add(ids, f"date-{number}", page(f"an absurd date {number}"), WARC_Date=date)


def add_kinds(made: Folder) -> None:
    kinds = "e-kinds.warc.gz"
    made.append(kinds, record(b"software: x\r\n", WARC_Type="warcinfo"))
    made.append(kinds, record(b"GET / HTTP/1.0\r\n\r\n", WARC_Type="request", WARC_TREC_ID="r"))
    made.add(kinds, "image", http(b"\x89PNG\r\n", b"Content-Type: image/png"), "not HTML: image/png")
    made.add(kinds, "odd", page("x"), Message("a record of", "kind 'poem'"), WARC_Type="poem")
    made.add(kinds, "missing", http(b"", b"A: b").replace(b"200 OK", b"404 Not Found"), "HTTP status 404")
    made.add(kinds, "empty-body", http(b""))
    made.add(kinds, "empty-block", b"")
    made.emptied += 2


def add_large(made: Folder) -> None:
    large = "f-large.warc.gz"
    hundred = b"<p>" + b"a large page " * (100 * MIB // 13)
    made.add(large, "large", http(hundred), Message("too large: ", f"{len(hundred) / MIB:.1f} MiB", "16 MiB"))
    made.failures.append(made.failures[-1] | {"id": "", "reason": UNREAD})
    made.add(large, "after-large", page("behind a large page"))


def add_bombs(made: Folder) -> None:
    bombs = "g-bombs.warc.gz"
    too_large = Message("too large: ", "more than 16.0 MiB", "after decoding", "16 MiB")
    encoded = (b"Content-Type: text/html", b"Content-Encoding: gzip")
    made.add(bombs, "bomb-body", http(zeros(1024), *encoded), too_large)
    length = 1024 * MIB + 60
    block = record(b"", WARC_TREC_ID="bomb-member", length=length).removesuffix(b"\r\n\r\n") + http(b"")
    too_large = Message("too large: ", f"{(length - len(http(b''))) / MIB:.1f} MiB", "16 MiB")
    made.append(bombs, zeros(1024, block), "bomb-member", too_large)
    made.failures.append(made.failures[-1] | {"id": "", "reason": UNREAD})
    made.add(bombs, "after-bombs", page("behind the bombs"))


def add_pages(made: Folder, secret: Path) -> None:
    pages = "h-pages.warc.gz"
    lie = "<p>Der Größenwahn lügt</p>".encode("latin-1")
    made.add(pages, "charset-lie", http(lie, b"Content-Type: text/html; charset=utf-8"))
    made.add(pages, "charset-odd", http("<p>naïve</p>".encode(), b"Content-Type: text/html; charset=klingon"))
    made.add(pages, "deep", http(b"<div>" * 200_000 + b"at the bottom" + b"</div>" * 200_000))
    for number, declared in enumerate((f"file://{secret}", str(secret), "file:///etc/passwd")):
        doctype = f'<!DOCTYPE html [<!ENTITY s SYSTEM "{declared}"><!ENTITY % p SYSTEM "{declared}"> %p;]>'
        xhtml = f'<?xml version="1.0"?>{doctype}<html xmlns="http://www.w3.org/1999/xhtml"><p>told: &s; over</p></html>'
        made.add(pages, f"entity-{number}", http(xhtml.encode(), b"Content-Type: application/xhtml+xml"))


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = Folder(tmp_path_factory.mktemp("damaged") / "warc")
    secret = made.path.parent / "secret.txt"
    secret.write_text("winnowed")
    for add in (add_clipped, add_lengths, add_chunks, add_ids, add_kinds, add_large, add_bombs):
        add(made)
    add_pages(made, secret)
    return made


def listed(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def contents(path: Path) -> dict[str, str]:
    return {line["id"]: line["contents"] for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


TEXTS = {
    "clipped-1": "before the clip",
    "long": "a length too long",
    "short": "a length too short by far",
    "negative": "a negative length",
    "huge": "a length beyond all",
    "none": "no length",
    "after": "behind the junk",
    "chunks-size": "a chunk whose size is wrong 0",
    "chunks-none": "no chunks after all",
    "chunks-open": "the last chunk is missing",
    "twice": "the first of two",
    "a b": "an id that no run can hold",
    "date-0": "an absurd date 0",
    "date-3": "an absurd date 3",
    "empty-body": "",
    "empty-block": "",
    "after-large": "behind a large page",
    "after-bombs": "behind the bombs",
    "charset-lie": "Der Größenwahn lügt",
    "charset-odd": "naïve",
    "deep": "at the bottom",
    # An entity stays as it is written, wherever it leads.
    **{f"entity-{number}": "%p;]>\ntold: &s; over" for number in range(3)},
}


def test_each_defect_is_told_and_the_rest_is_cleaned(damaged: Folder, call: Call, tmp_path: Path) -> None:
    failed = tmp_path / "failures.jsonl"
    done = call("clean", damaged.path, "-c", "none", "-o", "o.jsonl", "--failures", failed, cwd=tmp_path)
    assert (done.code, done.errors) == (0, [])
    # Cleaned text may have any id; experiments refuse this one.
    failures = [failure for failure in damaged.failures if failure["id"] != "a b"]
    assert len(failures) == len(damaged.failures) - 1
    pages = damaged.pages.copy()
    pages.insert(pages.index("twice") + 1, "a b")
    assert listed(failed) == failures
    kept = len(pages) - damaged.emptied
    total = len(pages) + len(failures)
    counts, *notes = done.err.splitlines()
    assert counts.startswith(
        f"o.jsonl: {total} pages = {kept} with text + {damaged.emptied} emptied + {len(failures)} failed; "
    )
    (unfit,) = (note for note in notes if "TREC run" in note)
    assert unfit.startswith("1 id ")
    assert "--escape-ids" in unfit
    result = contents(tmp_path / "o.jsonl")
    assert list(result) == pages
    assert {id: result[id] for id in TEXTS} == TEXTS
    assert not any("winnowed" in text or "root:" in text for text in result.values())


def test_an_experiment_over_them(damaged: Folder, web: Web, call: Call) -> None:
    shutil.copytree(damaged.path, web.folder / "warc")
    (web.folder / "topics.tsv").write_text("1\tbehind the bombs\n")
    (web.folder / "qrels.txt").write_text("1 0 after-bombs 1\n")
    # The peak of this process would count what other tests left in it.
    web.write(collection='path = "warc"', sweep='scorer = "words"\ncutoffs = [3]', cleaners="", run="workers = 2")
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    results = web.folder / "results" / "web"
    assert listed(results / "failures.jsonl") == damaged.failures
    rows = list(csv.DictReader((results / "results.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["variant"] for row in rows] == ["none", "words@3"]
    for row in rows:
        assert int(row["documents"]) + int(row["emptied"]) == len(damaged.pages) - damaged.emptied
    pages = read_results(results).facts.pages
    assert pages.documents == len(damaged.pages) + len(damaged.failures) == pages.scored + pages.emptied + pages.failed
    assert (pages.emptied, pages.failed) == (damaged.emptied, len(damaged.failures))
    assert (results / "runs" / "none.trec").read_text().startswith("1 Q0 after-bombs 1 ")
    report = json.loads((results / "scores" / "complete.json").read_text(encoding="utf-8"))
    assert 0 < report["times"]["peak"] < PEAK_MIB


@pytest.mark.parametrize("suffix", [".warc", ".jsonl"])
def test_records_longer_than_ranges_in_several_files(tmp_path: Path, call: Call, suffix: str) -> None:
    """A file is cut every 2 MiB: some ranges lie within a record, and where one file ends says nothing of the next."""
    (tmp_path / "docs").mkdir()
    ids = []
    for file in "ab":
        with (tmp_path / "docs" / f"{file}{suffix}").open("wb") as handle:
            for number in range(300):
                ids.append(f"{file}-{number}")
                text = "long words " * (500_000 if number == 100 else 700)
                if suffix == ".warc":
                    handle.write(record(page(text), WARC_TREC_ID=ids[-1]))
                else:
                    handle.write(json.dumps({"id": ids[-1], "contents": text}).encode() + b"\n")
    done = call("clean", "docs", "-c", "none", "-o", "o.jsonl", "--failures", "f.jsonl", cwd=tmp_path)
    assert (done.code, done.errors) == (0, [])
    assert listed(tmp_path / "f.jsonl") == []
    assert list(contents(tmp_path / "o.jsonl")) == ids


def test_the_shared_files(shared_data: Path, tmp_path: Path, call: Call) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    for path in (shared_data / "warc").iterdir():
        # Two are named as something else: a damaged one, and one that is no WARC at all.
        shutil.copy(path, folder / (path.name if path.suffix in (".gz", ".warc") else f"{path.name}.warc"))
    done = call("clean", "shared", "-c", "none", "-o", "o.jsonl", "--failures", "f.jsonl", cwd=tmp_path)
    assert (done.code, done.errors) == (0, [])
    # Captures of one address.
    again = ("http://example.com/", Message("id occurs twice", "example-bad-non-chunked.warc.gz at byte 1197"))
    clipped = (
        "http://www.houstonpress.com/music/a-humble-chance-the-rapper-leads-a-spiritual-awakening-at-revention-8866723"
    )
    expected = [
        (
            "anserini-cw12.warc.gz",
            408,
            "clueweb09-az0000-00-00000",
            Message("id occurs twice", "anserini-cw09.warc.gz at byte 408"),
        ),
        ("anserini-trecweb.txt.warc", 0, "", "553 bytes that are no WARC record"),
        (
            "clipped.warc.gz",
            0,
            clipped,
            Message("clipped: ", "gzip member", "75,207 of 88,275 bytes"),
        ),
        ("example-bad.warc.gz.bad.warc", 4771, "http://www.iana.org/domains/example", "HTTP status 302"),
        ("example-resource.warc.gz", 802, *again),
        ("example-trunc.warc", 1197, *again),
        ("example-wrong-chunks.warc.gz", 0, *again),
        ("example.warc.gz", 784, *again),
    ]
    assert [tuple(failure.values()) for failure in listed(tmp_path / "f.jsonl")] == expected
    assert_names(done.err.splitlines()[0], "o.jsonl: ", "58 pages", "50 with text", "0 emptied", "8 failed")
