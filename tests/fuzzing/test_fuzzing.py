"""A small share of what `scripts/fuzz.py` does, with inputs that are the same every time; and that it would notice."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from fuzzer import failure, fuzz
from messages import Message, assert_names
from mutation import minimised, mutated
from targets import TARGETS
from watching import watched

import thresher
from thresher.base.errors import InputError
from thresher.base.processes import Backend
from thresher.cleaners.scorers.extractor import FileText
from thresher.cleaners.scorers.shallow_features import Words
from thresher.collections import open_collection
from thresher.collections.file_collection import WHOLE_BYTES
from thresher.experiments.starting import starting_file
from thresher.scores.lost_pages import failures
from thresher.scores.score_pass import ScorePlan, score_collection

INPUTS = 1200
SEED = 7


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_every_target_takes_its_inputs(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    numbers = range(INPUTS * target.parts // sum(other.parts for other in TARGETS.values()))
    assert [(result.error, result.kind, result.data) for result in fuzz(target, numbers, SEED, tmp_path)] == []


@pytest.mark.parametrize("name", TARGETS)
def test_sound_inputs_are_taken(name: str, tmp_path: Path) -> None:
    TARGETS[name].prepare(tmp_path)
    for seed in TARGETS[name].seeds:
        assert failure(TARGETS[name], seed, tmp_path) is None


def test_a_parquet_file_at_which_arrow_ends_the_process_costs_its_rows(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Damaged sizes of a column in its last row group; no `except` sees what Arrow throws there."""
    rows = tmp_path / "rows"
    rows.mkdir()
    (rows / "damaged.parquet").write_bytes(TARGETS["parquet"].make(27, 1409))
    (rows / "sound.parquet").write_bytes(TARGETS["parquet"].seeds[0])
    plan = ScorePlan(open_collection(rows), (Words(),))
    sound = score_collection(replace(plan, collection=open_collection(rows / "sound.parquet")), tmp_path / "alone")
    report = score_collection(plan, tmp_path / "store")
    assert report.scored >= sound.scored > 0
    assert report.documents == report.scored + report.emptied + report.failed
    assert {failure.file for failure in failures(tmp_path / "store")} == {"damaged.parquet"}
    # But for progress, which a slow machine shows.
    assert [line for line in capfd.readouterr().err.splitlines() if not line.startswith("scoring: ")] == []


def crashes_its_reader(path: Path) -> Message:
    return Message(f"{path}: ", "its reader crashes", "Fix: ", "write the file again", "out of the folder")


@pytest.mark.parametrize("marked", [True, False], ids=["as it is", "large, without the first mark"])
def test_such_a_file_is_one_line_of_init(tmp_path: Path, capfd: pytest.CaptureFixture[str], marked: bool) -> None:
    data = TARGETS["parquet"].make(27, 1409)
    (tmp_path / "rows").mkdir()
    damaged = tmp_path / "rows" / "damaged.parquet"
    damaged.write_bytes(data if marked else _large_without_mark(data))
    topics, qrels = tmp_path / "topics.tsv", tmp_path / "qrels.txt"
    topics.write_text("1\train\n")
    qrels.write_text("1 0 a 1\n")
    with pytest.raises(InputError) as error:
        starting_file(damaged.parent, topics, qrels, "first", tmp_path / "first.toml")
    assert error.value.lines() == [crashes_its_reader(damaged)]
    assert capfd.readouterr() == ("", "")


def test_such_a_file_is_one_failed_page_of_the_pass_whatever_it_begins_with(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(_large_without_mark(TARGETS["parquet"].make(27, 1409)))
    report = score_collection(ScorePlan(open_collection(damaged), (Words(),)), tmp_path / "store", Backend(workers=1))
    assert (report.documents, report.failed) == (1, 1)
    (failure,) = failures(tmp_path / "store")
    assert_names(failure.reason, "cannot be read", "ended its worker", "exit code -")


def test_such_a_file_of_texts_is_one_line_for_those_who_read_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(TARGETS["parquet"].make(27, 1409))
    text = FileText()
    text.path = damaged
    for read in (text.prepare, lambda: thresher.index_json_lines(damaged, tmp_path / "index")):
        with pytest.raises(InputError) as error:
            read()
        assert error.value.lines() == [crashes_its_reader(damaged)]
    assert capfd.readouterr() == ("", "")


def _large_without_mark(data: bytes) -> bytes:
    """The file with another mark at its beginning, and of a size at which other formats are read by the parent process."""
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return b"XAR1" + data[4:footer] + bytes(WHOLE_BYTES) + data[footer:]


def test_an_input_follows_from_its_numbers() -> None:
    for target in TARGETS.values():
        assert [target.make(1, number) for number in range(20)] == [target.make(1, number) for number in range(20)]
        assert len({target.make(1, number) for number in range(50)}) > 25
        assert target.make(1, 5) != target.make(2, 5)


def test_what_fails_is_found_and_shortened(tmp_path: Path) -> None:
    def check(data: bytes, folder: Path) -> None:
        (folder / "input").write_bytes(data)
        if b"<" in data and b"&" in data:
            raise ValueError("both")

    target = replace(TARGETS["pages"], check=check)
    result = list(fuzz(target, range(60), 1, tmp_path))
    expected = [number for number in range(60) if {*b"<&"} <= {*target.make(1, number)}]
    assert [each.number for each in result] == expected
    assert {each.error for each in result} == {"ValueError: both"}
    assert len({each.kind for each in result}) == 1
    assert sorted(result[0].data) == sorted(b"<&")


def test_minimising_leaves_what_matters() -> None:
    data = random.Random(1).randbytes(500) + b"needle" + random.Random(2).randbytes(300)
    assert minimised(data, lambda shorter: b"needle" in shorter) == b"needle"


def test_mutations_are_bounded() -> None:
    rng = random.Random(3)
    assert max(len(mutated(rng, (b"x" * 60_000,), (b"y" * 5000,))) for _ in range(200)) == 1 << 16


def test_other_files_and_the_network_are_noticed(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.touch()
    other.touch()
    with watched(own):
        own.read_bytes()
    with pytest.raises(AssertionError, match=r"opened .*other"), watched(own):
        other.read_bytes()
    other.read_bytes()
    import socket

    with pytest.raises(AssertionError, match=r"socket\.bind"), watched(own), socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
