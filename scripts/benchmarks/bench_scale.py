"""Large collections: the cost of reading WARC, the speed-up of a second worker, memory and time at 200,000 pages."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from generated import write_experiment, write_real, write_web
from measurements import Measurement, all_scorers, interleaved, ratio
from thresher import (
    Backend,
    ScorePlan,
    ScoreReport,
    documents,
    load_experiment,
    open_collection,
    parse_scorer,
    score_collection,
    score_page,
)
from thresher.experiments.runner import run_experiment

SMALL, LARGE = 10_000, 200_000
BAR_READING = 1 / 0.9
BAR_WORKERS = 1 / 1.8
BAR_MEMORY = 1.25
# ClueWeb12-B13: number of pages, assumed bytes of a page, core-hours of tag removal and perplexity in the perplexity paper.
CLUEWEB_PAGES, CLUEWEB_BYTES, PAPER_CORE_HOURS = 52_343_021, 37_000, 450
_NAMES = ("words", "density", "perplexity(lm=books)")
_CUTOFFS = {"perplexity(lm=books)": [2000, 8000], "words": [5, 11]}


@dataclass(frozen=True)
class Pass:
    """A scoring pass: its report, its wall seconds, and the bytes of its store."""

    report: ScoreReport
    wall: float
    stored: int

    @property
    def page_bytes(self) -> float:
        """Raw bytes per page."""
        return self.report.bytes / self.report.documents

    @property
    def page_seconds(self) -> float:
        """CPU seconds per page."""
        return self.report.times.cpu / self.report.documents


def measure(pages: Path, count: int = LARGE) -> Iterator[Measurement]:
    """Yield the measurements one by one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        real = folder / "real"
        small, large = folder / "small", folder / "large"
        for place in (real, small, large):
            place.mkdir()
        write_real(real / "web.warc.gz", pages)
        yield from _reading(real / "web.warc.gz")
        write_web(small, pages, SMALL)
        write_web(large, pages, count)
        passes = {place: _pass(place / "web.warc.gz", place / "scores", 2) for place in (real, small, large)}
        yield _workers(small)
        yield from _memory(passes[small].report, passes[large].report)
        yield from _speed(passes[large], passes[real])
        yield from _sweep(large)


def _reading(warc: Path, rounds: int = 5) -> Iterator[Measurement]:
    """Time reading and scoring the pages of a WARC file against scoring them from memory, by three and by all scorers."""
    in_memory = [source.page() for source in documents(open_collection(warc))]
    for label, chosen in (
        ("three scorers", tuple(parse_scorer(name).scorer for name in _NAMES)),
        ("all scorers", all_scorers()),
    ):

        def alone(chosen: tuple = chosen) -> None:  # type: ignore[type-arg]
            for page in in_memory:
                score_page(page, chosen)

        def read(chosen: tuple = chosen) -> None:  # type: ignore[type-arg]
            for source in documents(open_collection(warc)):
                score_page(source.page(), chosen)

        best = interleaved({"read": read, "alone": alone}, rounds)
        name = f"reading {len(in_memory)} pages from WARC and scoring by {label} / scoring alone"
        yield ratio(name, best["read"], best["alone"], BAR_READING)


def _pass(warc: Path, store: Path, workers: int) -> Pass:
    plan = ScorePlan(open_collection(warc), tuple(parse_scorer(name).scorer for name in _NAMES), kinds=False)
    for scorer in plan.scorers:
        scorer.prepare()
    began = time.perf_counter()
    report = score_collection(plan, store, Backend(workers=workers))
    wall = time.perf_counter() - began
    return Pass(report, wall, sum(path.stat().st_size for path in store.glob("*.npz")))


def _workers(small: Path) -> Measurement:
    seconds = {1: float("inf"), 2: float("inf")}
    for turn in range(3):
        for workers in seconds:
            spent = _pass(small / "web.warc.gz", small / f"scores-{workers}-{turn}", workers).wall
            seconds[workers] = min(seconds[workers], spent)
    return ratio(f"scoring {SMALL:,} generated pages by 2 workers / by 1", seconds[2], seconds[1], BAR_WORKERS)


def _memory(small: ScoreReport, large: ScoreReport) -> Iterator[Measurement]:
    value = large.times.peak / small.times.peak
    yield Measurement(
        f"peak of a worker over {large.documents:,} generated pages / over {small.documents:,}",
        f"{large.times.peak:.0f} MiB / {small.times.peak:.0f} MiB = {value:.2f}",
        value,
        BAR_MEMORY,
    )
    yield Measurement(f"peak of the parent process so far: {getrusage(RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def _speed(generated: Pass, real: Pass) -> Iterator[Measurement]:
    for name, scored in (("generated", generated), ("real", real)):
        pages = scored.report.documents
        yield Measurement(
            f"{pages:,} {name} pages of {scored.page_bytes / 1000:.1f} kB, by 2 workers: {scored.wall:.1f} s, "
            f"{pages / scored.wall:,.0f} pages a second, {1000 * scored.page_seconds:.2f} CPU ms a page, "
            f"{scored.stored / pages / 1000:.2f} kB a page in the store"
        )
    # Assume a cost per page and a cost per byte: a line through both passes.
    share = (CLUEWEB_BYTES - generated.page_bytes) / (real.page_bytes - generated.page_bytes)
    seconds = generated.page_seconds + share * (real.page_seconds - generated.page_seconds)
    stored = (1 - share) * generated.stored / generated.report.documents + share * real.stored / real.report.documents
    hours = CLUEWEB_PAGES * seconds / 3600
    yield Measurement(
        f"ClueWeb12-B13, {CLUEWEB_PAGES:,} pages of {CLUEWEB_BYTES / 1000:g} kB (assumed), interpolated: "
        f"{hours:,.0f} core-hours of scoring by {', '.join(_NAMES)} "
        f"(the paper's tag removal and perplexity: {PAPER_CORE_HOURS}), "
        f"{CLUEWEB_PAGES * stored / 1e9:,.0f} GB of store, {generated.report.times.peak:.0f} MiB a worker"
    )


def _sweep(folder: Path) -> Iterator[Measurement]:
    write_experiment(folder / "scale.toml", _CUTOFFS)
    began = time.perf_counter()
    results = run_experiment(load_experiment(folder / "scale.toml"), folder / "results", folder / "indexes")
    wall = time.perf_counter() - began
    rows = results.table().rows
    yield Measurement(
        f"an experiment over {results.facts.pages.documents:,} pages, scored, {len(rows)} variants indexed, "
        f"{len(results.facts.topics)} topics searched in each and evaluated: {wall:.0f} s"
    )
    for row in rows:
        assert row.built is not None
        yield Measurement(
            f"    {row.name}: indexing {row.built.index.wall:.0f} s, {(row.bytes or 0) / 1e6:.1f} MB, "
            f"searching {row.built.search.wall:.2f} s"
        )
