"""Commands, options and results of version 0.2: each ends in one error line with the fix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples.commands import thresher

from thresher.base import removed


@pytest.mark.parametrize(("command", "option"), [*removed.OPTIONS])
def test_a_removed_option_says_what_to_use(command: str, option: str) -> None:
    done = thresher(*command.split(), option)
    fix = removed.OPTIONS[command, option]
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: thresher {command}: {removed.removed_text(option)}. Fix: {fix}.\n"


@pytest.mark.parametrize("command", [*removed.COMMANDS])
def test_a_removed_command_says_what_to_use(command: str) -> None:
    done = thresher(*command.split())
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {removed.removed_text(f'`thresher {command}`')}. Fix: {removed.COMMANDS[command]}.\n"


@pytest.mark.parametrize("verb", ["report", "play"])
def test_results_of_version_0_2_say_how_to_make_them_again(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"format": "thresher-results", "version": 1, "experiment": "web", "variants": []}))
    output = ("-o", tmp_path / "try.html") if verb == "play" else ()
    done = thresher(verb, tmp_path, *output)
    assert (done.code, done.out) == (5, "")
    (line,) = done.errors
    what, _, fix = line.partition(" Fix: ")
    assert what.startswith(f"error: {path}: ")
    assert "version 1" in what
    assert "`thresher explore FILE`" in fix
    assert "`thresher run FILE`" in fix
    assert [*tmp_path.iterdir()] == [path]
