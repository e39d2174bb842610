#!/usr/bin/env python3
"""Give the readers and parsers many damaged inputs, and say which they could not take.

.venv/bin/python scripts/fuzz.py --inputs 100000 --seed 1                  share them out among all targets
.venv/bin/python scripts/fuzz.py --inputs 1000 --seed 1 --target warc.gz   give all to one
.venv/bin/python scripts/fuzz.py --inputs 100000 --seconds 600             then the property tests, for that long

The seed is another one each time unless it is given.

An input follows from the target's name, the seed and its number alone, so that one that fails can be made again on any machine
with the same seeds; `--data FOLDER` adds real files to them. Each target works in a process of its own, which may be ended by
what it reads, or by taking more than 4 GiB; that is found too. The exit code is 1 if anything is found.

Inputs are sound files changed at random (tests/fuzzing). A fuzzer that is led by coverage, such as atheris, would see only the
part of this that is Python, while most of what meets the bytes is C: libxml2, zlib, zstd, KenLM; and it has no wheels for
every system that this runs on.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "fuzzing"), str(ROOT / "tests" / "samples")]
sys.dont_write_bytecode = True

from fuzzer import Found, fuzz  # noqa: E402
from targets import TARGETS, Target  # noqa: E402

MEMORY = 4 * 2**30


def work(name: str, numbers: range, seed: int, folder: Path, shared: tuple[bytes, ...], sink: Connection) -> None:
    """Give a target inputs, and send the number of each before and what was found; None at the end."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for found in fuzz(TARGETS[name], numbers, seed, folder, shared, begun=sink.send):
        sink.send(found)
    sink.send(None)


def run(target: Target, inputs: int, seed: int, folder: Path, shared: tuple[bytes, ...]) -> int:
    """Give a target inputs, print its row and what was found, and return how much that was."""
    start = time.perf_counter()
    found: list[Found] = []
    slowest, slowest_number, first = 0.0, 0, 0
    while first < inputs:
        source, sink = multiprocessing.Pipe(duplex=False)
        arguments = (target.name, range(first, inputs), seed, folder, shared, sink)
        process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
        process.start()
        sink.close()
        number, since = first, None
        first = inputs
        while True:
            try:
                told = source.recv()
            except EOFError:
                data = target.make(seed, number, shared)
                process.join()
                error = f"ended its process (exit code {process.exitcode})"
                found.append(Found(number, error, data, error))
                first = number + 1
                break
            now = time.perf_counter()
            if since is not None and not isinstance(told, Found) and now - since > slowest:
                slowest, slowest_number = now - since, number
            since = None if isinstance(told, Found) else now
            if told is None:
                break
            if isinstance(told, Found):
                found.append(told)
            else:
                number = told
        process.join()
    seconds = time.perf_counter() - start
    print(
        f"{target.name:12} {inputs:8,} {seconds:8.1f} {slowest * 1000:8.0f} {slowest_number:9} {len(found):6}",
        flush=True,
    )
    counts = Counter(each.kind for each in found)
    for kind, count in counts.items():
        each = next(each for each in found if each.kind == kind)
        print(f"    {count} x {each.error}\n        {kind}")
        print(f"        input {each.number}, {len(each.data)} bytes: {each.data[:400]!r}")
    return len(found)


def properties(seed: int) -> bool:
    """Run every property test with the examples of a seed, and return whether one failed; what it failed on is printed."""
    print(f"property tests, seed {seed}", flush=True)
    options = ("-m", "hypothesis", "-n", "logical", "--hypothesis-profile", "fuzz", "--hypothesis-seed", str(seed))
    return subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, check=False).returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument(
        "--seconds", type=float, default=0, help="then run the property tests, again and again, for this long"
    )
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--data", type=Path, help="the folder of shared data, whose files are seeds too")
    options = parser.parse_args()
    chosen = [TARGETS[name] for name in options.target or TARGETS]
    parts = sum(target.parts for target in chosen)
    failed = 0
    print(f"seed {options.seed}")
    print(f"{'target':12} {'inputs':>8} {'seconds':>8} {'ms most':>8} {'by input':>9} {'found':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for target in chosen:
            shared = target.shared_seeds(options.data) if options.data else ()
            failed += run(target, -(-options.inputs * target.parts // parts), options.seed, Path(folder), shared)
    end = time.monotonic() + options.seconds
    seed = options.seed
    while time.monotonic() < end and not failed:
        failed += properties(seed)
        seed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
