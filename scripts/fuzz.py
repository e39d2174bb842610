#!/usr/bin/env python3
"""Give the readers and parsers many damaged inputs, and report the inputs on which they fail.

.venv/bin/python scripts/fuzz.py --inputs 100000 --seed 1                  divide the inputs among all targets
.venv/bin/python scripts/fuzz.py --inputs 1000 --seed 1 --target warc.gz   give all inputs to one target
.venv/bin/python scripts/fuzz.py --inputs 100000 --seconds 600             then run the property tests for 600 seconds

Without --seed the script draws a random seed.

The target's name, the seed and the input's number determine an input, so a failing input can be made again on any machine. The
inputs are changed seed files (tests/fuzzing); `--data FOLDER` adds real files to them. Each target runs in a process of its
own, with at most 4 GiB. The script also reports inputs that end the process. The exit code is 1 if an input fails.

Coverage-guided fuzzers such as atheris do not suit this code. They see only its Python part, but C code reads most of the
bytes: libxml2, zlib, zstd, KenLM. They also lack wheels for some systems on which Thresher runs.
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
    """Give a target inputs. Send each number before its input, each finding, and None at the end."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for finding in fuzz(TARGETS[name], numbers, seed, folder, shared, begun=sink.send):
        sink.send(finding)
    sink.send(None)


def run(target: Target, inputs: int, seed: int, folder: Path, shared: tuple[bytes, ...]) -> int:
    """Give a target inputs, print its row and its findings, and return the number of findings."""
    start = time.perf_counter()
    findings: list[Found] = []
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
                message = source.recv()
            except EOFError:
                data = target.make(seed, number, shared)
                process.join()
                error = f"ended its process (exit code {process.exitcode})"
                findings.append(Found(number, error, data, error))
                first = number + 1
                break
            now = time.perf_counter()
            if since is not None and not isinstance(message, Found) and now - since > slowest:
                slowest, slowest_number = now - since, number
            since = None if isinstance(message, Found) else now
            if message is None:
                break
            if isinstance(message, Found):
                findings.append(message)
            else:
                number = message
        process.join()
    seconds = time.perf_counter() - start
    print(
        f"{target.name:12} {inputs:8,} {seconds:8.1f} {slowest * 1000:8.0f} {slowest_number:9} {len(findings):6}",
        flush=True,
    )
    counts = Counter(each.kind for each in findings)
    for kind, count in counts.items():
        each = next(each for each in findings if each.kind == kind)
        print(f"    {count} x {each.error}\n        {kind}")
        print(f"        input {each.number}, {len(each.data)} bytes: {each.data[:400]!r}")
    return len(findings)


def properties(seed: int) -> bool:
    """Run every property test with the examples of a seed, and return whether a test failed. pytest prints its example."""
    print(f"property tests, seed {seed}", flush=True)
    options = ("-m", "hypothesis", "-n", "logical", "--hypothesis-profile", "fuzz", "--hypothesis-seed", str(seed))
    return subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, check=False).returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--seconds", type=float, default=0, help="seconds of repeating the property tests afterwards")
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--data", type=Path, help="folder of shared data, whose files become seeds")
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
