"""How well measured times repeat in new processes: for a copy of the baseline, for equal indexes, and for savings."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from measurements import Measurement
from passages import PAGES
from thresher import Experiment, Results, Row, load_experiment, read_results
from thresher.experiments.runner import measure_experiment, run_experiment
from thresher.experiments.table import Built
from thresher.indexes.pruning.treatments import BAR

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DATA = PAGES.parents[2]
COPIES, REPEATS = 20, 4
# Seconds of measuring by experiment: too few to repeat the building of indexes, which does not affect search times.
SECONDS = {"pydoc": 8.0, "cacm": 40.0, "postgresql": 15.0}
QUERIES = 1_000_000
WITHIN = 0.10
_SOME = (
    "ncleaner@-0.2",
    "perplexity(lm=books)@6000",
    "words@2",
    "words@5",
    "words@11",
    "justext",
    "bte",
    "boilerpipe(rules=words)",
)
# An empty tuple stands for all cleaners without pruning. Many of CACM's indexes equal the baseline's, so all are measured.
VARIANTS = {"pydoc": _SOME, "cacm": (), "postgresql": _SOME}


def measure(pages: Path = PAGES) -> Iterator[Measurement]:
    """Yield the counts and deviations; CACM and the manual only if their files are in the data folder."""
    del pages  # These experiments have their own collections.
    for name in VARIANTS:
        if name != "pydoc" and not (DATA / "retrieval").is_dir():
            print(f"{name}: skipped, since its files are missing", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield from _repeated(name, Path(folder), COPIES if name == "pydoc" else REPEATS)


def _repeated(name: str, folder: Path, repeats: int) -> Iterator[Measurement]:
    first = run_experiment(replace(_experiment(name), measure_seconds=0.0), folder / "results", folder / "indexes")
    base, *others = first.table("qld").rows
    same = [row.name for row in others if _equal(row, base)]
    results = [_again(name, folder) for _ in range(repeats)]
    ratios = [repeat.facts.noise[0].copy.ratio for repeat in results]
    covering = sum(interval.low <= 1 <= interval.high for interval in ratios)
    widest = max(max(1 - interval.low, interval.high - 1) for interval in ratios)
    outcome = f"{covering} of {repeats} (the widest reaches {100 * widest:.1f} % from 1)"
    yield Measurement(
        f"times of {name}: intervals of the copy that contain 1", outcome, covering / repeats, 0.95, least=True
    )
    rows = [{row.name: row.built for row in repeat.table().rows if row.built} for repeat in results]
    if same:
        points = [built[variant].break_even for built in rows for variant in same]
        paid = sum(bool(point and point.queries) for point in points)
        outcome = f"{paid} of {repeats} repeats of {len(same)} variants"
        yield Measurement(f"times of {name}: indexes equal to the baseline's with a break-even", outcome, paid, 0)
    yield from _savings(name, [variant for variant in rows[0] if variant != base.name], rows)


def _savings(name: str, variants: Sequence[str], rows: Sequence[dict[str, Built]]) -> Iterator[Measurement]:
    """Print the savings of each repeat, and yield the number of variants whose savings repeat."""
    good = 0
    for variant in variants:
        times = [built[variant].query for built in rows[:REPEATS]]
        saved = [QUERIES * time.saved.value for time in times if time and time.measurable]
        middle = median(saved) if saved else 0.0
        repeats = all(abs(seconds - middle) <= WITHIN * abs(middle) for seconds in saved)
        good += repeats and len(saved) in (0, REPEATS)
        shown = ", ".join(f"{seconds:.1f}" for seconds in saved) or "never"
        print(
            f"    times of {name}, {variant}: {QUERIES:,} queries save seconds, where measurable: {shown}", flush=True
        )
    outcome = f"{good} of {len(variants)} (within {100 * WITHIN:.0f} % of their median, or not measurable each time)"
    yield Measurement(
        f"times of {name}: variants whose savings repeat {REPEATS} times",
        outcome,
        good / len(variants),
        1.0,
        least=True,
    )


def _equal(row: Row, base: Row) -> bool:
    """Return whether an index has as many words, postings and bytes of each file type as the baseline's."""
    assert row.built is not None
    assert base.built is not None
    return (row.index, row.built.bytes_by_type) == (base.index, base.built.bytes_by_type)


def _experiment(name: str) -> Experiment:
    experiment = load_experiment(EXPERIMENTS / f"{name}.toml")
    names = VARIANTS[name] or [variant.name for variant in experiment.variants if BAR not in variant.name]
    chosen = [variant for variant in experiment.variants if variant.name in names]
    baseline = experiment.variants[0]
    return replace(
        experiment,
        variants=(baseline, *(variant for variant in chosen if variant is not baseline)),
        measure_seconds=SECONDS[name],
    )


def _again(name: str, folder: Path) -> Results:
    """Measure an experiment in a new process and return its results."""
    command = [sys.executable, __file__, name, str(folder)]
    subprocess.run(command, check=True, env=dict(os.environ))
    return read_results(folder / "results" / name)


def _main(name: str, folder: Path) -> Results:
    return measure_experiment(_experiment(name), folder / "results", folder / "indexes")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
