"""What is said of pages that were lost: all of them, or more than a few."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from many_languages import PARAGRAPHS
from messages import assert_names

from thresher.base.errors import InputError
from thresher.collections.interface import UNFIT_ID
from thresher.scores.cleaning import Extras, clean_collection
from thresher.scores.cleaning.clean_counts import kind_of_failure


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_all_pages_failing_is_an_error_with_the_likely_fix(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pages.jsonl",
        *({"docno": f"d{number}", "body": {"text": "Rain is expected."}, "link": "x"} for number in range(3)),
    )
    failed = tmp_path / "failed.jsonl"
    with pytest.raises(InputError) as error:
        clean_collection(path, "words@2", tmp_path / "o.jsonl", extras=Extras(failures=failed))
    assert_names(
        error.value,
        f"{path}: ",
        "all 3",
        "3",
        "`id`",
        "Fix: ",
        "--id-field docno --text-field body.text",
        "docno, body.text, link",
    )
    # Its member is named rightly, and holds a number.
    wrong = write(tmp_path / "numbers.jsonl", {"id": "1", "html": 5})
    with pytest.raises(InputError) as error:
        clean_collection(wrong, "words@2", tmp_path / "o.jsonl")
    assert_names(error.value, "page is not a string", "Fix: ", "--failures")
    assert not (tmp_path / "o.jsonl").exists()
    assert len(failed.read_text().splitlines()) == 3
    # Other files of the folder, and its hidden ones, do not count.
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / ".gitattributes").write_text("*.jsonl filter=lfs")
    (tmp_path / "data" / "README.md").write_text("{}")
    path.rename(tmp_path / "data" / "train.jsonl")
    with pytest.raises(InputError) as error:
        clean_collection(tmp_path / "data", "words@2", tmp_path / "o.jsonl")
    assert_names(error.value, "Fix: ", "--id-field docno --text-field body.text")
    page = tmp_path / "page.warc"
    page.write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    with pytest.raises(InputError) as error:
        clean_collection(page, "words@2", tmp_path / "o.jsonl")
    assert_names(error.value, f"{page}: ", "1", "has no id", "Fix: ", "--failures FILE")


def test_more_than_a_twentieth_is_told_by_kind_and_language(tmp_path: Path) -> None:
    def told(cleaner: str, *records: object) -> tuple[str, ...]:
        return clean_collection(write(tmp_path / "p.jsonl", *records), cleaner, tmp_path / "o.jsonl").warnings

    good = [{"id": f"g{number}", "html": f"<p>{PARAGRAPHS['English']}"} for number in range(18)]
    empty, broken = {"id": "e", "html": "<p></p>"}, {"id": "n"}
    assert told("words@1", *good, good[0] | {"id": "h"}, broken) == ()
    (warning,) = told("words@1", *good, broken, {"id": "g1", "html": "x"})
    assert_names(warning, "2 of 20 pages (10.0 %) failed", "1 ", "id occurs twice", "1 ", "`html` nor `contents`")
    assert told("words@1", *good, good[0] | {"id": "h"}, empty) == ()
    (warning,) = told("words@1", *good, empty, empty | {"id": "f"})
    assert_names(warning, "2 of 20 pages (10.0 %)", "without text", "2 no text")
    (warning,) = told("words@1000", good[0], empty, {"id": "g", "html": f"<p>{PARAGRAPHS['Russian']}"})
    assert_names(warning, "3 of 3 pages (100.0 %)", "without text", "1 English, 1 Russian, 1 no text")


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("too large: 17.0 MiB, the limit is 16 MiB", "too large"),
        ("HTTP status 404", "HTTP status"),
        ("not HTML: image/png", "not HTML"),
        ("took longer than 30 s", "took longer than 30 s"),
        ("ended its worker (exit code -9)", "ended its worker"),
        ("the line is not UTF-8 (at its byte 7)", "the line is not UTF-8"),
        ("the document id occurs twice, first in a at byte 7", "the document id occurs twice"),
        (
            f"{UNFIT_ID}: 'a b'",
            UNFIT_ID,
        ),
        ("the line has neither `html` nor `contents`", "the line has neither `html` nor `contents`"),
        ("cannot be scored: ValueError: x", "cannot be scored"),
        ("7", "7"),
    ],
)
def test_kinds(reason: str, kind: str) -> None:
    assert kind_of_failure(reason) == kind
