"""Progress where there is no terminal."""

from __future__ import annotations

import pytest

import thresher.progress
from thresher.progress import Progress, progress


def test_without_a_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(progress(range(3), "counting", 3, "things")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(thresher.progress, "SECONDS", 0.0)
    with Progress("counting", 2000, "things") as bar:
        bar.advance(1500)
    with Progress("counting", None, "things") as bar:
        bar.advance()
    assert capsys.readouterr().err.splitlines() == ["counting: 1,500 of 2,000 things", "counting: 1 things"]
