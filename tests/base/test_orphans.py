"""Workers end with their parent, whenever it is killed: while they start, import, wait for work or work."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.slow

HELPERS = [Path(__file__).parents[1] / name for name in ("samples",)]
MOMENTS = 4
SECONDS = 1.0
PAUSE = 0.02
"""Between looks at all processes of the machine, which take milliseconds."""

PARENTS = {
    "pool": """
        from thresher.base.isolation import run_isolated
        next(run_isolated(2, time.sleep, [600] * 4, None))
    """,
    "joblib": """
        from thresher.base.processes import Backend, compute
        next(compute(Backend(workers=2), time.sleep, [(600,)] * 4, "", ""))
    """,
    "training": """
        from thresher.cleaners.words import training
        training.PORTION = 2_000
        pages = [[f"a few words of page {page} that are much the same on each"] for page in range(50_000)]
        training.learn(lambda: pages, Path(sys.argv[1], "model"), "en", 2)
    """,
}


def killed(name: str, moment: float, folder: Path) -> list[str]:
    """Kill a parent that many seconds after its first worker was seen; return which of its processes are left for long."""
    folder.mkdir()
    body = "\n".join(f"    {line.strip()}" for line in PARENTS[name].strip().splitlines())
    paths = [str(path) for path in HELPERS]
    (folder / "main.py").write_text(
        f"import sys, time\nfrom pathlib import Path\nsys.path[:0] = {paths!r}\nif __name__ == '__main__':\n{body}\n"
    )
    command = [sys.executable, str(folder / "main.py"), str(folder)]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as parent:
        process = psutil.Process(parent.pid)
        while not process.children(recursive=True):
            assert parent.poll() is None, (folder / "log").read_text()
            time.sleep(PAUSE)
        # What is started up to the end is looked for all along: those of a dead parent have another one.
        seen: set[psutil.Process] = set()
        end = time.monotonic() + moment
        while True:
            with suppress(psutil.NoSuchProcess):
                seen.update(process.children(recursive=True))
            if time.monotonic() >= end:
                break
            time.sleep(PAUSE)
        process.suspend()
        seen.update(process.children(recursive=True))
        parent.kill()
    # On a machine with much else to do, what has just been started takes long to see that its parent is gone.
    deadline = time.monotonic() + 60
    while (alive := [other for other in seen if works(other)]) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    left = [str(other) for other in alive]
    for other in alive:
        other.kill()
    return left


def works(process: psutil.Process) -> bool:
    """Return whether a process has not ended; one that nobody has asked for its exit code has."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("name", PARENTS)
def test_no_process_is_left_of_a_parent_that_is_killed_at_any_moment(name: str, tmp_path: Path) -> None:
    moments = [SECONDS * number / MOMENTS for number in range(MOMENTS if name == "pool" else 2)]
    if name != "pool":
        # Their workers start later.
        moments = [moment + 0.5 for moment in moments]
    with ThreadPoolExecutor(4) as threads:
        left = threads.map(lambda moment: killed(name, moment, tmp_path / f"{moment:g}"), moments)
        assert dict(zip(moments, left, strict=True)) == {moment: [] for moment in moments}
