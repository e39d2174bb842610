"""Time, CPU time and memory of each step on crawls of growing size, extrapolated to larger crawls.

Each step runs in a process of its own. To measure the sizes in the documentation and keep all files in a folder:

usage: python scripts/benchmarks/bench_crawl.py FOLDER 50000 200000 1000000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generated import write_experiment, write_web
from measurements import Measurement
from passages import PAGES
from thresher import (
    Cleaner,
    Experiment,
    Searcher,
    build_index,
    cleaned_documents,
    load_experiment,
    read_topic_set,
    score_experiment,
)
from thresher.base.records import RecordFile
from watched_process import Watched, watched

SIZES = (50_000, 200_000)
BAR_MIB = 2000 / 1.048576
BAR_TIME = 1.5
STEPS = ("score", "index", "explore", "choose", "run")
"""Steps, in order.

score: the pass by five scorers, with link texts. index: the baseline's index, built and searched. explore: all cutoffs, and
weights with pruning. choose: `choose` on the explored table. run: an index for one cutoff of each sweep, searched.
"""
CRAWLS = {"ClueWeb12-B13": 52_343_021, "ClueWeb22-B": 200_000_000}
"""Pages of crawls to extrapolate to."""

_STEP = "--step"
"""Before the name of a step, which this program runs in a process of its own."""
_RESUMES = {"score": "results/crawl/scores", "run": "indexes/crawl"}
"""Folder with which each of these steps resumes. If it exists before the step, the step's time is not recorded."""

_CUTOFFS: dict[str, list[float]] = {
    "words": [11],
    "density": [8],
    "perplexity(lm=books)": [8000],
    "links": [0.5],
    "repeated(share,headings=keep)@0.01|weights(title=8,headings=2,anchors=1)|dcp": [0.2],
}


@dataclass(frozen=True)
class Crawl:
    """A crawl of `pages` pages, and the resources of each step on it."""

    pages: int
    steps: Mapping[str, Watched]


_FILE = RecordFile(Watched, "a measured step", "remove it")


def measure(pages: Path = PAGES, sizes: Sequence[int] = SIZES) -> Iterator[Measurement]:
    """Yield the measurements of each size and the extrapolation to larger crawls."""
    with tempfile.TemporaryDirectory() as name:
        yield from measure_in(Path(name), pages, sizes)


def measure_in(folder: Path, pages: Path, sizes: Sequence[int]) -> Iterator[Measurement]:
    """Yield the measurements of `measure`, but reuse the collections and recorded steps in a folder."""
    crawls = []
    for size in sizes:
        place = folder / str(size)
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "qrels.txt").exists():
            write_web(place, pages, size)
        write_experiment(place / "crawl.toml", _CUTOFFS)
        with (place / "crawl.toml").open("a", encoding="utf-8") as experiment:
            experiment.write("[measure]\nseconds = 0\n")
        steps = {}
        for name in STEPS:
            path = place / f"{name}.json"
            if path.exists():
                steps[name] = _FILE.read(path)
                continue
            resumed = name in _RESUMES and (place / _RESUMES[name]).exists()
            step = _step(place, name)
            if resumed:
                yield Measurement(f"{size:,} pages, {name}: not measured, since {_RESUMES[name]} existed already")
            else:
                _FILE.write(path, step)
                steps[name] = step
        crawls.append(Crawl(size, steps))
        yield from _measurements(crawls[-1])
    yield from _slopes(crawls)


def _measurements(crawl: Crawl) -> Iterator[Measurement]:
    for name, step in crawl.steps.items():
        yield Measurement(
            f"{crawl.pages:,} pages, {name}: {step.wall:.1f} s, {step.cpu:.1f} CPU s, {step.written / 1e6:,.0f} MB written; "
            "peak of all processes",
            f"{step.peak:.0f} MiB",
            step.peak,
            BAR_MIB,
            " MiB",
        )
    explored, index = crawl.steps["explore"], crawl.steps["index"]
    name = f"{crawl.pages:,} pages, exploring {len(_CUTOFFS)} sweeps / building and searching one index"
    wall, cpu = explored.wall / index.wall, explored.cpu / index.cpu
    outcome = f"{explored.wall:.1f} s / {index.wall:.1f} s = {wall:.2f}, of CPU {cpu:.2f}"
    yield Measurement(name, outcome, wall, BAR_TIME)


def _slopes(crawls: Sequence[Crawl]) -> Iterator[Measurement]:
    """Yield the resources that each further page needs, and the resources of each step on `CRAWLS`.

    The slope is taken between the smallest and the largest crawl. The extrapolation assumes pages as long as the
    generated pages and cores as fast as this machine's.
    """
    small, large = crawls[0], crawls[-1]
    if small.pages < large.pages:
        for name in [step for step in STEPS if step in small.steps and step in large.steps]:
            first, last, more = small.steps[name], large.steps[name], large.pages - small.pages
            cpu, written = (last.cpu - first.cpu) / more, max(last.written - first.written, 0) / more
            memory = (last.peak - first.peak) / more
            yield Measurement(
                f"{name}, from {small.pages:,} to {large.pages:,} pages: {1000 * cpu:.3f} CPU ms and {written / 1000:.2f} kB "
                f"written a page, {1e6 * memory:.0f} MiB of memory a million pages"
            )
            for crawl, size in CRAWLS.items():
                others = size - large.pages
                yield Measurement(
                    f"    {crawl}, {size:,} pages, extrapolated: {(last.cpu + cpu * others) / 3600:,.0f} core-hours, "
                    f"{(last.written + written * others) / 1e9:,.0f} GB written, "
                    f"{(last.peak + max(memory, 0) * others) / 1024:,.1f} GiB of memory"
                )


def _step(folder: Path, name: str) -> Watched:
    if name in ("explore", "choose", "run"):
        return watched(folder, str(Path(sys.executable).with_name("thresher")), name, "crawl.toml")
    return watched(folder, sys.executable, __file__, _STEP, name)


def _index(experiment: Experiment) -> None:
    """Build the baseline's index and search it. Without exploring, each cutoff takes at least one index."""
    topics = read_topic_set(experiment.topics)
    pages = cleaned_documents(Path("results", experiment.name, "scores"), Cleaner())
    build_index(((page.id, page.text) for page in pages), Path("index"), experiment.index)
    with Searcher(Path("index"), experiment.retrieval.models[0], experiment.retrieval.depth) as searcher:
        searcher.search_topics([(topic, topics.topics[topic].query) for topic in topics.ids], warm_up=0)


def _run_step(name: str) -> None:
    """Score or index the crawl in the working folder."""
    experiment = load_experiment(Path("crawl.toml"))
    if name == "score":
        score_experiment(experiment, Path("results", experiment.name), False, lambda _: None)
    else:
        _index(experiment)


def main() -> None:
    """Read the command line, and measure or run one step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder for all files, which stay")
    parser.add_argument("sizes", type=int, nargs="+", metavar="PAGES", help="the sizes of the crawls, ascending")
    if sys.argv[1:2] == [_STEP]:
        _run_step(sys.argv[2])
        return
    options = parser.parse_args()
    for measured in measure_in(options.folder.absolute(), PAGES, options.sizes):
        print(measured.line(), flush=True)


if __name__ == "__main__":
    main()
