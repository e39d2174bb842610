"""An index built by one process, against two that build half of it each and a merge: seconds, memory, sizes and rankings.

usage: python scripts/benchmarks/bench_shards.py FOLDER/200000      # a crawl with scores that bench_crawl.py keeps
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from measurements import Measurement, ratio
from thresher.cleaners.cleaner import Cleaner
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.inputs import read_topic_set
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import build_index, open_index
from thresher.indexes.jvm import java_cast, java_class, java_folder, start
from thresher.indexes.searching import Searcher
from thresher.indexes.work import IndexStatistics, index_statistics
from thresher.scores.cutting import cut_shard, shard_columns
from thresher.scores.store import read_shard, shards
from watching import Watched, watched

WAYS = ("one", "merged")
_HALVES = ("half0", "half1")
_MERGING = "merging.txt"


def measure_in(folder: Path, rounds: int = 3) -> Iterator[Measurement]:
    """Give the two ways, taken in turns, the best of several rounds of each; and what differs."""
    done: dict[str, list[Watched]] = {way: [] for way in WAYS}
    merging = []
    for _ in range(rounds):
        for way, every in done.items():
            every.append(watched(folder, sys.executable, __file__, way, way))
        merging.append(float((folder / _MERGING).read_text(encoding="utf-8")))
    for way, every in done.items():
        cpu, peak = min(one.cpu for one in every), max(one.peak for one in every)
        yield Measurement(f"{way}: {cpu:.1f} CPU s; peak of all processes: {peak:.0f} MiB")
    one, merged = (min(one.wall for one in every) for every in done.values())
    yield ratio("halves and merging / one", merged, one)
    yield ratio("merging alone / one", min(merging), one)
    first, second = (_content(folder, way) for way in WAYS)
    for number, what in enumerate(("statistics", "rankings", "bytes of files")):
        yield Measurement(f"{what}: {'the same' if first[number] == second[number] else 'not the same'}")


def _content(folder: Path, index: str) -> tuple[IndexStatistics, list[Any], list[int]]:
    topics = read_topic_set(load_experiment(folder / "crawl.toml").topics)
    queries = [(topic, topics.topics[topic].query) for topic in topics.ids]
    hits = []
    for model in ("qld", "bm25"):
        with Searcher(folder / index, parse_retrieval(model), 1000) as searcher:
            hits.append(searcher.search_topics(queries, warm_up=0).hits)
    with open_index(folder / index) as reader:
        statistics = index_statistics(reader)
    sizes = sorted(path.stat().st_size for path in (folder / index).glob("_*"))
    return statistics, hits, sizes


def _build(experiment: Experiment, paths: Sequence[Path], index: str) -> None:
    """Build the baseline's index of some shards of the scores."""
    cleaner = Cleaner()
    pages = (page for path in paths for _, page, _ in cut_shard(read_shard(path, shard_columns([cleaner])), cleaner))
    build_index(((page.id, page.text) for page in pages), Path(index), experiment.index)


def _build_halves(index: str) -> None:
    """Build halves in processes of their own, while Java starts in this one, and merge them."""
    working = [subprocess.Popen([sys.executable, __file__, half, half]) for half in _HALVES]
    start()
    codes = [process.wait() for process in working]
    if any(codes):
        raise SystemExit("building halves failed")
    began = time.perf_counter()
    _merge(_HALVES, Path(index))
    Path(_MERGING).write_text(str(time.perf_counter() - began), encoding="utf-8")


def _merge(parts: Sequence[str], index: Path) -> None:
    """Merge indexes to one segment, with the documents of the first before those of the second."""
    shutil.rmtree(index, ignore_errors=True)
    # This policy merges neighbours only, so documents keep their order.
    policy = java_class("org.apache.lucene.index.LogDocMergePolicy")()
    policy.setNoCFSRatio(0.0)
    config = java_class("org.apache.lucene.index.IndexWriterConfig")()
    config.setMergePolicy(policy)
    folder_of = java_class("org.apache.lucene.store.FSDirectory").open
    with closing(java_class("org.apache.lucene.index.IndexWriter")(folder_of(java_folder(index)), config)) as writer:
        halves = (java_cast("org.apache.lucene.store.Directory", folder_of(java_folder(Path(part)))) for part in parts)
        writer.addIndexes(*halves)
        writer.forceMerge(1)


def _main(way: str, index: str) -> None:
    if way == "merged":
        _build_halves(index)
        return
    experiment = load_experiment(Path("crawl.toml"))
    every = shards(Path("results", experiment.name, "scores"))
    middle = len(every) // 2
    parts = dict(zip(("one", *_HALVES), (every, every[:middle], every[middle:]), strict=True))
    _build(experiment, parts[way], index)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _main(*sys.argv[1:])
    else:
        for result in measure_in(Path(sys.argv[1]).absolute()):
            print(result.line(), flush=True)
