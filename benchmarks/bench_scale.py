"""Large collections: what reading WARC adds to scoring, what a second worker brings, memory and time at 200,000 pages."""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generated import write_web
from passages import PAGES
from ratios import Ratio, interleaved

from thresher.collections import documents, open_collection
from thresher.experiments.config import load_experiment
from thresher.experiments.runner import run_experiment
from thresher.pruning.backends import Backend
from thresher.pruning.page_scores import score_page
from thresher.pruning.score_pass import ScorePlan, ScoreReport, score_collection
from thresher.pruning.worker import peak_mib
from thresher.scorers.cleaners import parse_scorer
from thresher.scorers.registry import scorers

SMALL, LARGE = 10_000, 200_000
BAR_READING = 1 / 0.9
BAR_WORKERS = 1 / 1.8
BAR_MEMORY = 1.25
# ClueWeb12-B13, from the perplexity paper: pages; core-hours of tag removal and perplexity; and its raw bytes.
CLUEWEB_PAGES, PAPER_CORE_HOURS = 52_343_021, 450
_NAMES = ("words", "density", "perplexity(lm=books)")
_SWEEP = """[experiment]
name = "scale"
[collection]
path = "web.warc.gz"
[topics]
path = "topics.tsv"
[qrels]
path = "qrels.txt"
[[sweep]]
scorer = "perplexity(lm=books)"
cutoffs = [2000, 8000]
[[sweep]]
scorer = "words"
cutoffs = [5, 11]
[run]
workers = 2
"""


@dataclass(frozen=True)
class Fact:
    """A measurement that is no ratio."""

    text: str

    def line(self) -> str:
        """Return the measurement in one line."""
        return self.text


def measure(pages: Path, count: int = LARGE) -> Iterator[Ratio | Fact]:
    """Give the measurements as they are made."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _reading(pages, folder)
        small, large = folder / "small", folder / "large"
        reports = {}
        for place, size in ((small, SMALL), (large, count)):
            place.mkdir()
            write_web(place, pages, size)
            reports[place] = _pass(place / "web.warc.gz", place / "scores", 2)
        yield _workers(small, reports[small][0])
        yield from _memory(reports[small][1], reports[large][1])
        yield from _speed(reports[large])
        yield from _sweep(large)


def _reading(pages: Path, folder: Path, rounds: int = 5) -> Iterator[Ratio]:
    """Time pages of a WARC file, read and scored, against the same pages at hand; with three scorers and with all."""
    warc = folder / "pages.warc.gz"
    with warc.open("wb") as out:
        for number, path in enumerate(sorted(pages.rglob("*.html"))):
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            body = path.read_bytes()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: page-{number}\r\n"
                f"Content-Length: {len(http) + len(body)}\r\n\r\n"
            )
            out.write(gzip.compress(head.encode() + http + body + b"\r\n\r\n", mtime=0))
    at_hand = [source.page() for source in documents(open_collection(warc))]
    for what, chosen in (
        ("three scorers", tuple(parse_scorer(name).scorer for name in _NAMES)),
        ("all scorers", tuple(kind() for kind in scorers().values())),
    ):

        def alone(chosen: tuple = chosen) -> None:  # type: ignore[type-arg]
            for page in at_hand:
                score_page(page, chosen)

        def read(chosen: tuple = chosen) -> None:  # type: ignore[type-arg]
            for source in documents(open_collection(warc)):
                score_page(source.page(), chosen)

        best = interleaved({"read": read, "alone": alone}, rounds)
        name = f"reading {len(at_hand)} pages from WARC and scoring by {what} / scoring alone"
        yield Ratio(name, best["read"], best["alone"], BAR_READING)


def _pass(warc: Path, store: Path, workers: int) -> tuple[ScoreReport, float, float]:
    """Score a WARC file; return the report, the largest worker's peak in MiB, and the wall seconds."""
    plan = ScorePlan(open_collection(warc), tuple(parse_scorer(name).scorer for name in _NAMES))
    for scorer in plan.scorers:
        scorer.prepare()
    began = time.perf_counter()
    report = score_collection(plan, store, Backend(workers=workers))
    return report, report.peak_mib, time.perf_counter() - began


def _workers(small: Path, report: ScoreReport) -> Ratio:
    seconds = {1: float("inf"), 2: float("inf")}
    for turn in range(3):
        for workers in seconds:
            spent = _pass(small / "web.warc.gz", small / f"scores-{workers}-{turn}", workers)[2]
            seconds[workers] = min(seconds[workers], spent)
    return Ratio(f"scoring {report.documents:,} pages by 2 workers / by 1", seconds[2], seconds[1], BAR_WORKERS)


def _memory(small: float, large: float) -> Iterator[Fact]:
    verdict = "within" if large / small <= BAR_MEMORY else "ABOVE"
    yield Fact(
        f"peak of a worker over {LARGE:,} generated pages / over {SMALL:,}: {large:.0f} MiB / {small:.0f} MiB = "
        f"{large / small:.2f}, {verdict} the bar of {BAR_MEMORY:g}"
    )
    yield Fact(f"peak of the parent process so far: {peak_mib():.0f} MiB")


def _speed(measured: tuple[ScoreReport, float, float]) -> Iterator[Fact]:
    report, _, wall = measured
    hours = CLUEWEB_PAGES / report.documents * report.cpu_seconds / 3600
    per_byte = report.cpu_seconds / report.bytes
    yield Fact(
        f"{report.documents:,} pages of {report.bytes / report.documents / 1000:.1f} kB by 2 workers: {wall:.0f} s, "
        f"{report.documents / wall:,.0f} pages a second, {report.cpu_seconds:.0f} CPU seconds"
    )
    yield Fact(
        f"ClueWeb12-B13's {CLUEWEB_PAGES:,} pages of that size: {hours:,.0f} core-hours; "
        f"by bytes {per_byte * 1e9 / 3600:.3f} core-hours a GB (the paper: {PAPER_CORE_HOURS} core-hours)"
    )


def _sweep(folder: Path) -> Iterator[Fact]:
    (folder / "scale.toml").write_text(_SWEEP, encoding="utf-8")
    began = time.perf_counter()
    results = run_experiment(load_experiment(folder / "scale.toml"), folder / "results", folder / "indexes")
    wall = time.perf_counter() - began
    baseline = next(row for row in results.rows if row.is_baseline)
    yield Fact(
        f"an experiment over {baseline.documents:,} pages, scored, {len(results.rows)} variants indexed, "
        f"{results.topics} topics searched in each and evaluated: {wall:.0f} s"
    )
    for row in results.rows:
        yield Fact(
            f"    {row.variant}: indexing {row.index.wall_seconds:.0f} s, {row.index_bytes / 1e6:.1f} MB, "
            f"searching {row.search.wall_seconds:.2f} s"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, default=PAGES, help="a folder of HTML files")
    parser.add_argument("--count", type=int, default=LARGE, help="pages of the large collection")
    arguments = parser.parse_args()
    for found in measure(arguments.pages, arguments.count):
        print(found.line(), flush=True)
