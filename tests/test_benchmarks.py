"""Benchmarks that take every scorer run to their end, whatever scorers there are."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[1] / "scripts" / "benchmarks"
PAGE = (
    "<title>Herons</title><p>Herons stand in the shallows for hours. They wait for fish.<ul><li><a href=/>Home</a></ul>"
)


@pytest.mark.parametrize("name", ["memory", "justext", "profile", "sites"])
def test_benchmarks_of_all_scorers(tmp_path, name):
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(PAGE * (number + 1))
    command = [sys.executable, str(BENCHMARKS / "run.py"), name, "--pages", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "failed" not in done.stdout
    assert len(done.stdout.splitlines()) > 3
