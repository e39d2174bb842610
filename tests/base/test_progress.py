"""Progress where there is no terminal, or one without a width."""

from __future__ import annotations

import os
from itertools import count

import pytest
from messages import Message, assert_names

import thresher.base.progress
from thresher.base.progress import BYTES, Progress, progress


def test_without_a_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(progress(range(3), "counting", 3, "things")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    # Each look at the clock is 6 s after the one before.
    monkeypatch.setattr(thresher.base.progress, "monotonic", count(0, 6).__next__)
    monkeypatch.setattr(thresher.base.progress, "SECONDS", 10.0)
    with Progress("counting", 2000, "things") as bar:
        for each in (500, 1000, 60, 100):
            bar.advance(each)
    with Progress("counting", None, "things") as bar:
        bar.advance(2)
        bar.advance(4)
    with Progress("reading", 180_000_000, BYTES) as bar:
        bar.advance(1_000_000)
        bar.advance(2_600_000)
        bar.advance(100)
        bar.advance(500_000)
    assert capsys.readouterr().err.splitlines() == [
        Message("counting: ", "1,500 of 2,000 things", "125 a second", "0:00:04"),
        Message("counting: ", "1,660 of 2,000 things", "13 a second", "0:00:26"),
        "counting: 6 things, 0.5 a second",
        Message("reading: ", "3.6 of 180.0 MB", "0.3 a second", "0:09:48"),
        Message("reading: ", "4.1 of 180.0 MB", "0.042 a second", "1:10:21"),
    ]


def test_a_terminal_of_no_columns_gets_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresher.base.progress.sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(thresher.base.progress.sys.stderr, "fileno", lambda: 2)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((0, 0)))
    monkeypatch.setattr(thresher.base.progress, "monotonic", count(0, 6).__next__)
    monkeypatch.setattr(thresher.base.progress, "SECONDS", 10.0)
    with Progress("counting", 4, "things") as bar:
        bar.advance(2)
        bar.advance(2)
    (line,) = capsys.readouterr().err.splitlines()
    assert_names(line, "counting: ", "4 of 4 things", "0.33 a second")
    assert "left" not in line
