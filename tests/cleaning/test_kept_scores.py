"""A killed `clean` continues where it stopped, and nothing of it stays after the next success."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import begin, thresher
from messages import assert_names
from temporary_names import number_on_this_machine

from thresher.base.errors import InputError, StateError
from thresher.scores import score_pass
from thresher.scores.cleaning import Extras, clean_collection, whole_collections
from thresher.scores.cleaning.whole_collections import begun_outputs, kept_scores


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    lines = ({"id": str(number), "html": f"<p>Page {number} is here."} for number in range(5))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_a_killed_command_is_finished_by_the_next(tmp_path: Path, pages: Path) -> None:
    arguments = ("clean", "pages.jsonl", "-c", "words@2", "-o", "o.jsonl", "--failures", "f.jsonl", "--workers", "1")
    begin(*arguments, cwd=tmp_path, kill_at="os.rename o.jsonl").wait()
    left = names(tmp_path)
    assert ".o.jsonl.scores" in left
    assert [name for name in left if name.endswith(".tmp")]
    assert "o.jsonl" not in left
    # What was to be written may be there; other files are nobody's to replace.
    (tmp_path / "mine.jsonl").write_text("precious")
    refused = thresher(*(part.replace("f.jsonl", "mine.jsonl") for part in arguments), cwd=tmp_path)
    assert_names(refused.err, "error: mine.jsonl: it exists already", "Fix: ", "--replace.\n")
    (tmp_path / "mine.jsonl").unlink()
    (tmp_path / "f.jsonl").write_text("of the killed command")
    assert thresher(*arguments, cwd=tmp_path).code == 0
    assert names(tmp_path) == {"pages.jsonl", "o.jsonl", "f.jsonl"}
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 5


def test_what_was_scored_is_not_scored_again(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "o.jsonl"

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(whole_collections, "cut_to_records", interrupt)
        with pytest.raises(KeyboardInterrupt):
            clean_collection(pages, "words@2", output)
    assert names(tmp_path) == {"pages.jsonl", ".o.jsonl.scores"}
    with monkeypatch.context() as patch:
        patch.setattr(score_pass, "run_parts", interrupt)
        # Another cutoff needs the same scores; another scorer others.
        assert clean_collection(pages, "words@3", output).kept == 5
        with pytest.raises(KeyboardInterrupt):
            clean_collection(pages, "density@3", output)
    assert clean_collection(pages, "words@3", output).documents == 5
    assert names(tmp_path) == {"pages.jsonl", "o.jsonl"}


@pytest.mark.parametrize("content", [b"", b'{"x"', b"\xff", b"7", b"{}", b"[7]", b"[" * 10_000])
def test_a_damaged_list_of_what_was_begun_is_none(tmp_path: Path, pages: Path, content: bytes) -> None:
    folder = tmp_path / ".o.jsonl.scores"
    folder.mkdir()
    (folder / "outputs.json").write_bytes(content)
    assert begun_outputs(tmp_path / "o.jsonl") == []
    assert clean_collection(pages, "words@2", tmp_path / "o.jsonl").documents == 5
    assert names(tmp_path) == {"pages.jsonl", "o.jsonl"}


def test_errors_of_the_input_leave_nothing(tmp_path: Path, pages: Path) -> None:
    pages.write_text("{}\n")
    with pytest.raises(Exception, match="its only page failed"):
        clean_collection(pages, "words@2", tmp_path / "o.jsonl")
    assert names(tmp_path) == {"pages.jsonl"}


def test_before_the_first_scores_an_error_leaves_nothing(tmp_path: Path, pages: Path) -> None:
    with pytest.raises(InputError) as error:
        clean_collection(pages, "words@2", tmp_path / "o.jsonl", extras=Extras(failures="/proc/f.jsonl"))
    assert error.value.where == "/proc/f.jsonl"
    assert names(tmp_path) == {"pages.jsonl"}


def test_a_file_that_cannot_be_written_leaves_the_scores(tmp_path: Path) -> None:
    """The limit of files is above what the scores take, and below what the output takes."""
    text = " ".join(f"word{number % 7}" for number in range(20_000))
    (tmp_path / "page.jsonl").write_text(json.dumps({"id": "p", "html": f"<p>{text}"}))
    arguments = ("clean", "page.jsonl", "-c", "words@2", "-o", "o.jsonl", "--workers", "1")
    limited = begin(*arguments, cwd=tmp_path, within=("sh", "-c", 'ulimit -f 100; exec "$0" "$@"')).wait()
    assert limited.code == InputError.exit_code
    assert names(tmp_path) == {"page.jsonl", ".o.jsonl.scores"}
    (shard,) = (tmp_path / ".o.jsonl.scores" / "scores").glob("shard-*.npz")
    assert shard.stat().st_size < 50_000
    assert thresher(*arguments, cwd=tmp_path).code == 0
    assert names(tmp_path) == {"page.jsonl", "o.jsonl"}
    assert (tmp_path / "o.jsonl").stat().st_size > 100_000


def test_two_at_once_are_refused_and_files_of_the_living_stay(tmp_path: Path, pages: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    number = number_on_this_machine(ended.pid)
    dead, other = tmp_path / f".r.jsonl.{number}.tmp", tmp_path / f".x.jsonl.{number}.tmp"
    living = tmp_path / f".o.jsonl.{number_on_this_machine(os.getppid())}.tmp"
    for path in (dead, living, other):
        path.touch()
    output = tmp_path / "o.jsonl"
    with kept_scores(output, [output]), pytest.raises(StateError, match="another run is at work here"):
        clean_collection(pages, "words@2", output)
    clean_collection(pages, "words@2", output, extras=Extras(removed=tmp_path / "r.jsonl"))
    assert names(tmp_path) == {"pages.jsonl", "o.jsonl", "r.jsonl", living.name, other.name}
