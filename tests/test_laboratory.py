"""Every command of the laboratory starts and says what it makes."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
CHILDREN = {"pydoc_renderer.py", "bench_times.py"}
"""Programs that a command starts as processes of its own."""


def is_command(path: Path) -> bool:
    """Return whether a file does something when it is run."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.If) and "__name__" in ast.dump(node.test) for node in tree.body)


COMMANDS = sorted(path for path in SCRIPTS.rglob("*.py") if path.name not in CHILDREN and is_command(path))


@pytest.mark.slow
@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: str(path.relative_to(SCRIPTS)))
def test_a_command_starts_and_shows_its_help(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    # As Python does for a program, its folder comes first; the tests' own path and imports hide nothing that is missing.
    elsewhere = [folder for folder in sys.path if not Path(folder).resolve().is_relative_to(SCRIPTS)]
    monkeypatch.setattr(sys, "path", [str(path.parent), *elsewhere])
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").is_relative_to(SCRIPTS):
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    assert ended.value.code in (0, None)
    assert "--help" in capsys.readouterr().out


def test_the_commands_are_there() -> None:
    assert len(COMMANDS) > 35
    assert SCRIPTS / "papers" / "gold_tables.py" in COMMANDS
