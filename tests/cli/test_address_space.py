"""Limits of address space (`ulimit -v`), as batch systems set: exit code 6 and a line, or all goes well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import THRESHER
from messages import assert_names

pytestmark = pytest.mark.slow

JAVA = (
    "from thresher.indexes import jvm\njvm.start()\nprint(jvm.java_class('java.lang.Runtime').getRuntime().maxMemory())"
)
CHARTS = "from thresher.reports.drawing import converter\nconverter()"


def limited(mib: int, *command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command with a limit of address space."""
    script = f'ulimit -v {mib * 1024}; exec "$0" "$@"'
    return subprocess.run(
        ["sh", "-c", script, *map(str, command)], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("mib", [155, 180, 400])
def test_cleaning(tmp_path: Path, mib: int) -> None:
    """Somewhere among these imports, threads and arrays fail, each with an error of another class."""
    (tmp_path / "pages.jsonl").write_text('{"id": "p", "html": "<p>A page of a few words."}\n')
    command = (THRESHER, "clean", "pages.jsonl", "-c", "words@2", "-o", "o.jsonl", "--workers", "1")
    done = limited(mib, *command, cwd=tmp_path)
    assert done.returncode in (0, 6), done.stderr
    if done.returncode:
        assert len(done.stderr.splitlines()) == 1
        assert "ulimit -v" in done.stderr


def test_java_that_has_no_room(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "p", "text": "A page of a few words."}\n')
    done = limited(1000, THRESHER, "index", "docs.jsonl", "-o", "index", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (6, "")
    (line,) = done.stderr.splitlines()
    assert_names(line, "Java", "2.5 GiB", "address space")
    assert [path.name for path in tmp_path.iterdir()] == ["docs.jsonl"]


def test_java_fits_into_a_limit() -> None:
    done = limited(4000, sys.executable, "-c", JAVA)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1000 * 2**20


def test_charts_that_have_no_room() -> None:
    done = limited(4000, sys.executable, "-c", CHARTS)
    assert_names(done.stderr, "ResourceError: charts", "36 GiB", "address space")
