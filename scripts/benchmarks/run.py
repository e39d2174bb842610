"""Run all benchmarks or the named ones, and print each measurement with its bar. At the end, repeat the missed bars.

usage: make bench [NAME=index] [PAGES=folder of HTML pages]
"""

from __future__ import annotations

import argparse
import importlib
import sys
import traceback
from pathlib import Path

from measurements import Measurement
from passages import PAGES

# Benchmarks in modules `bench_<name>`. Benchmarks with workers run before Java starts: see thresher.indexes.jvm.
BENCHMARKS = (
    "memory",
    "explore",
    "choose",
    "scale",
    "crawl",
    "pruning",
    "pages",
    "justext",
    "boilerpipe",
    "ncleaner",
    "content",
    "sites",
    "models",
    "profile",
    "index",
    "search",
    "times",
)

ASKED = ("engines",)
"""Benchmarks that run only by name, since they need packages that the test environment lacks."""


def run(names: list[str], pages: Path) -> int:
    """Print every measurement at once, at the end the missed bars and failed benchmarks; return an exit code."""
    measured: list[Measurement] = []
    failed = []
    for name in names:
        try:
            for measurement in importlib.import_module(f"bench_{name}").measure(pages):
                print(measurement.line(), flush=True)
                measured.append(measurement)
        except (Exception, SystemExit):
            traceback.print_exc()
            failed.append(name)
    bars = [measurement for measurement in measured if measurement.bar is not None]
    missed = [measurement for measurement in bars if measurement.misses]
    print(
        f"\n{len(bars) - len(missed)} of {len(bars)} measurements are within their bars{', all except:' * bool(missed)}"
    )
    for measurement in missed:
        print(f"    {measurement.line()}")
    for name in failed:
        print(f"    the benchmark {name} failed")
    return 1 if failed else 0


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"benchmarks to run, of {', '.join((*BENCHMARKS, *ASKED))} [default: all but {ASKED[0]}]",
    )
    parser.add_argument("--pages", type=Path, default=PAGES, help="a folder of HTML pages")
    options = parser.parse_args()
    if unknown := set(options.names) - {*BENCHMARKS, *ASKED}:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}: choose from {', '.join(BENCHMARKS)}")
    if not any(options.pages.rglob("*.html")):
        parser.error(
            f"{options.pages}: there are no HTML pages. Fix: give a folder: make bench PAGES=collections/pydoc."
        )
    print(f"pages: {options.pages.name if options.pages != PAGES else 'dragnet-300'}", flush=True)
    return run(options.names or [*BENCHMARKS], options.pages)


if __name__ == "__main__":
    sys.exit(main())
