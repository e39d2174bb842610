"""Killed, interrupted, run twice at once, out of disk: the same command then finishes with the same runs."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from commands import SHORT_LIVED_JAVA, Done, Process, begin, thresher
from messages import assert_names
from small_web import Finished, Web, leftovers

pytestmark = pytest.mark.slow

Call = Callable[..., Done]

# Enough for three shards of scores.
MANY = 150

INTERRUPTED = ("--results", "interrupted", "--indexes", "interrupted-indexes")


def runs(results: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (results / "runs").glob("*.trec")}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Web:
    """A web that was run once, undisturbed, into `undisturbed/`."""
    web = Web.make(tmp_path_factory.mktemp("many"), MANY)
    web.write(sweep='scorer = "words"\ncutoffs = [20]', cleaners="", run="workers = 2")
    done = thresher("run", "web.toml", "--results", "undisturbed", "--indexes", "undisturbed-indexes", cwd=web.folder)
    assert done.code == 0
    return web


def test_workers_outlive_a_killed_parent_without_harm(many: Web, call: Call) -> None:
    """Only the main process is killed: its workers may still be writing when the next run begins."""
    results = many.folder / "orphans" / "web"
    process = begin(
        "run", "web.toml", "--results", "orphans", "--indexes", "orphans-indexes", cwd=many.folder, **SHORT_LIVED_JAVA
    )
    process.wait_until(lambda: any((results / "scores").glob("shard-*")))
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait().code == -signal.SIGKILL
    done = call("run", "web.toml", "--results", "orphans", "--indexes", "orphans-indexes", cwd=many.folder)
    assert done.code == 0
    assert runs(results) == runs(many.folder / "undisturbed" / "web")


def test_interrupted_by_ctrl_c(many: Web) -> None:
    """While workers score: later than that, below."""
    process = begin("run", "web.toml", *INTERRUPTED, cwd=many.folder)
    process.wait_until((many.folder / "interrupted" / "web" / "scores" / "store.json").exists)
    interrupt(process, many.folder)


def test_a_second_run_at_the_same_time_is_refused(many: Web, call: Call) -> None:
    """Whether both folders are shared or only one of them. The first goes on, is interrupted once it indexes, and finished."""
    # Stopped once it has both locks, the first cannot end before the others have looked.
    shutil.rmtree(many.folder / "interrupted", ignore_errors=True)
    process = begin(
        "run",
        "web.toml",
        *INTERRUPTED,
        cwd=many.folder,
        stop_at="os.mkdir interrupted/web/scores",
        **SHORT_LIVED_JAVA,
    )
    state = psutil.Process(process.pid)
    process.wait_until(lambda: state.status() == psutil.STATUS_STOPPED)
    for results, indexes in (("interrupted", "elsewhere"), ("elsewhere", "interrupted-indexes"), INTERRUPTED[1::2]):
        done = call("run", "web.toml", "--results", results, "--indexes", indexes, cwd=many.folder)
        folder = f"{indexes if results == 'elsewhere' else results}/web"
        told = (many.folder / folder / ".lock").read_text()
        assert told.startswith(f"`thresher run web.toml {' '.join(INTERRUPTED)}`, process {process.pid} on ")
        assert (done.code, done.out) == (5, "")
        (line,) = done.err.splitlines()
        assert_names(line, f"error: {folder}: another run ", told, "Fix: wait")
    os.killpg(process.pid, signal.SIGCONT)
    process.wait_until((many.folder / "interrupted" / "web" / "stages" / "index-none.json").exists)
    interrupt(process, many.folder)
    assert call("run", "web.toml", *INTERRUPTED, cwd=many.folder).code == 0
    assert runs(many.folder / "interrupted" / "web") == runs(many.folder / "undisturbed" / "web")


def interrupt(process: Process, folder: Path) -> None:
    """Send Ctrl-C to a command; check what it says, and that nothing unfinished stays."""
    done = process.kill(signal.SIGINT)
    assert (done.code, done.out) == (130, "")
    (line,) = done.errors
    assert_names(line, "error: interrupted. ", "Fix: run the same command again")
    # Not those of other tests in the folder: a worker that ends with its killed parent may leave one.
    assert [path for name in INTERRUPTED[1::2] for path in leftovers(folder / name)] == []


NAMESPACE = ("unshare", "-rm")
"""Where a user may mount file systems of their own."""


def may_mount() -> bool:
    """Whether this user may mount a small file system in a namespace of their own."""
    if not (shutil.which("unshare") and shutil.which("nsenter")):
        return False
    script = "mount -t tmpfs -o size=64k tmpfs /mnt"
    return subprocess.run([*NAMESPACE, "sh", "-c", script], capture_output=True, check=False).returncode == 0


def runs_on_a_growing_disk(web: Web, *sizes: str) -> tuple[list[tuple[int, str, int]], list[str]]:
    """Run the experiment on a disk of these sizes, one after the other; copy the runs of the last from it.

    Return for all but the last the exit code, what was printed and how many temporary files left; and what the errors are
    about. The last must end well.
    """
    if not may_mount():
        pytest.skip("no file system can be mounted here: user namespaces are not allowed")
    (web.folder / "disk").mkdir()
    with subprocess.Popen(
        [*NAMESPACE, "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin
        assert holder.stdout
        # Once it has spoken, its namespace is made; it ends with its input.
        holder.stdout.readline()
        inside = ("nsenter", "--preserve-credentials", "-U", "-m", "-t", str(holder.pid), "sh", "-ec")
        ended = _run_inside(inside, web, sizes)
        holder.stdin.close()
    return ended


def _run_inside(
    inside: tuple[str, ...], web: Web, sizes: tuple[str, ...]
) -> tuple[list[tuple[int, str, int]], list[str]]:
    def there(script: str) -> str:
        command = [*inside, f'cd "$0"; {script}', str(web.folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout

    there(f"mount -t tmpfs -o size={sizes[0]} tmpfs disk")
    ended: list[tuple[int, str, int]] = []
    where = []
    arguments = ("run", "web.toml", "--results", "disk/results", "--indexes", "disk/indexes")
    for size in sizes:
        there(f"mount -o remount,size={size} disk")
        done = begin(*arguments, within=(*inside, 'cd "$0"; exec "$@"', str(web.folder)), **SHORT_LIVED_JAVA).wait()
        if size == sizes[-1]:
            assert done.code == 0, done
            break
        ended.append((done.code, done.out, len(there("find disk -name '*.tmp'").splitlines())))
        assert len(done.errors) == 1, done
        (error,) = done.errors
        path, _, message = error.removeprefix("error: ").partition(": ")
        assert_names(message, "on the disk", "Fix: ", "same command again")
        where.append(path.removeprefix(f"{web.folder}/"))
    there("cp -r disk/results/web/runs runs; umount disk")
    return ended, where


def test_no_disk_space(finished: Finished, web: Web) -> None:
    """On disks that are too small at several stages, among them those of the model of the collection itself, whose
    sentences are written before it is estimated; then the disk grows and the same command finishes.
    """
    web.write(sweep='scorer = "words"\ncutoffs = [5]', cleaners='names = ["perplexity(lm=self)@p80"]')
    numbers, where = runs_on_a_growing_disk(web, "400k", "500k", "20m")
    assert numbers == [(6, "", 0)] * 2
    # The folder of the model, not a temporary file for it.
    model = "disk/results/web/scores/models/self-[0-9a-f]+"
    for path, expected in zip(where, (model, "disk/(indexes|results)/.*"), strict=True):
        assert re.fullmatch(expected, path)
    undisturbed = runs(finished.results)
    assert runs(web.folder).items() >= {name: undisturbed[name] for name in ("none.trec", "words@5.trec")}.items()
    assert len(runs(web.folder)) == 3
