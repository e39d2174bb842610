#!/usr/bin/env python3
"""Kill commands at random times, repeat them until they finish, and compare their files with undisturbed ones.

.venv/bin/python scripts/kills.py --kills 100 --seed 1                    divide the kills among all commands
.venv/bin/python scripts/kills.py --kills 25 --seed 1 --command explore   kill one command only

Each command begins with the files of undisturbed earlier commands. It is killed a few times, alone or with its workers, and
then finishes. Its runs, scores, measures by topic and choice must equal an undisturbed command's files by bytes; results.csv
must be equal except for its times. Index files must have equal sizes (Lucene gives each segment a random id), and no temporary
file may remain. The exit code is 1 if a file differs.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "samples"), str(ROOT / "tests" / "end_to_end")]
sys.dont_write_bytecode = True

from commands import begin, installed  # noqa: E402
from small_web import Web, leftovers, tree, without_clock  # noqa: E402

COMMANDS = {
    "run": ("run", "../web.toml", "--quiet"),
    "explore": ("explore", "../web.toml", "--quiet"),
    "choose": ("choose", "../web.toml", "--margin", "50%", "--quiet"),
    "run --chosen": ("run", "../web.toml", "--chosen", "--quiet"),
}
BEGINNING = {"run": "", "explore": "", "choose": "explore", "run --chosen": "choose"}
"""For each command, the earlier command whose results it begins with; empty for none."""
EXACT = ("per_topic.csv", "choice.json", "choice.csv", "topics.tsv", "qrels.txt")
MOST = 5
"""The most kills before a command may finish."""


def left(folder: Path) -> dict[str, object]:
    """Return by file the value that must be equal in two folders."""
    values: dict[str, object] = {}
    for name, content in tree(folder).items():
        path = folder / name
        if name.startswith("indexes/"):
            values[name] = len(content) if path.name not in (".lock", "thresher.json") else ""
        elif path.name in EXACT or (
            path.suffix in (".trec", ".npz", ".parquet", ".gz") and path.name != "variants.parquet"
        ):
            values[name] = content
        elif path.name == "results.csv":
            values[name] = without_clock(path)
        else:
            values[name] = ""
    values.update(dict.fromkeys(leftovers(folder), "is left over"))
    return values


def killed(command: tuple[str, ...], folder: Path, after: float, with_workers: bool) -> bool:
    """Start a command, kill it after some seconds, and return whether it was still running."""
    process = begin(*command, cwd=folder)
    end, main = time.monotonic() + after, psutil.Process(process.pid)
    while time.monotonic() < end:
        if main.status() == psutil.STATUS_ZOMBIE:
            return bool(process.wait().code == -signal.SIGKILL)
        time.sleep(0.02)
    children = main.children(recursive=True)
    if with_workers:
        done = process.kill()
    else:
        os.kill(process.pid, signal.SIGKILL)
        done = process.wait()
    alive = psutil.wait_procs(children, timeout=30)[1]
    assert not alive, f"{alive} outlive {command}"
    return bool(done.code == -signal.SIGKILL)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--pages", type=int, default=240)
    parser.add_argument("--command", choices=COMMANDS, action="append")
    options = parser.parse_args()
    chosen = options.command or [*COMMANDS]
    kills_of_command = -(-options.kills // len(chosen))
    rng = random.Random(options.seed)
    print(f"seed {options.seed}")
    differing = total = 0
    with tempfile.TemporaryDirectory() as folder:
        web = Web.make(Path(folder), options.pages)
        cleaners = 'names = ["density@8", "none|dcp@0.5", "words@5|2n2p@2"]'
        web.write(sweep='scorer = "words"\ncutoffs = [5, 20]', cleaners=cleaners, run="workers = 2")
        states = {"": Path(folder) / "empty"}
        states[""].mkdir()
        for name, command in COMMANDS.items():
            first = BEGINNING[name]
            if name not in chosen and name not in BEGINNING.values():
                continue
            states[name] = Path(folder) / f"undisturbed-{len(states)}"
            shutil.copytree(states[first], states[name])
            start = time.monotonic()
            done = installed(*command, cwd=states[name])
            seconds = time.monotonic() - start
            assert done.code == 0, done
            if name in chosen:
                undisturbed = Undisturbed(name, states[first], states[name], seconds)
                differing += kill_often(undisturbed, kills_of_command, Path(folder) / "killed", rng)
                total += kills_of_command
    print(f"{total} kills, {differing} ends differ")
    return 1 if differing else 0


class Undisturbed(NamedTuple):
    """A command's name, the folders before and after it, and the seconds that it takes."""

    name: str
    before: Path
    after: Path
    seconds: float


def kill_often(undisturbed: Undisturbed, kills: int, place: Path, rng: random.Random) -> int:
    """Kill a command many times, in `place`; return how many ends differ from the undisturbed end."""
    name, before, after, seconds = undisturbed
    command = COMMANDS[name]
    expected = left(after)
    kills_so_far = ends = differing = 0
    while kills_so_far < kills:
        shutil.copytree(before, place)
        for _ in range(min(MOST, kills - kills_so_far)):
            start = time.monotonic()
            if killed(command, place, rng.uniform(0.1, seconds), rng.random() < 0.5):
                kills_so_far += 1
            else:
                # The command finished before the kill, so kill earlier from now on.
                seconds = time.monotonic() - start
        done = installed(*command, cwd=place)
        actual = left(place)
        files = actual.keys() | expected.keys()
        wrong = sorted(file for file in files if actual.get(file) != expected.get(file))
        if done.code or wrong:
            differing += 1
            print(f"    after {kills_so_far} kills of {name}: exit code {done.code}, {done.err[-300:]}, {wrong[:9]}")
        ends += 1
        shutil.rmtree(place)
    print(f"{name:22} {seconds:5.1f} s undisturbed, {kills} kills, ended {ends} times", flush=True)
    return differing


if __name__ == "__main__":
    sys.exit(main())
