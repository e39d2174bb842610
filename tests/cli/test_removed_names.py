"""Commands and options of version 0.2: each ends in one error line with the fix."""

from __future__ import annotations

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
