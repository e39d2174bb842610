"""The time of exploring pruning methods against scorers, and of building pruned against plain indexes, to 200,000 pages."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench_explore import EXPERIMENTS, NAMES
from bench_scale import LARGE
from generated import write_web
from measurements import Measurement, interleaved, ratio
from passages import PAGES
from thresher import (
    Backend,
    Cleaner,
    Experiment,
    IndexOptions,
    ScorePlan,
    Searcher,
    build_index,
    cleaned_documents,
    load_experiment,
    open_collection,
    parse_retrieval,
    parse_scorer,
    parse_sweep,
    parse_treatment,
    read_qrels,
    read_topic_set,
    read_topics,
    score_collection,
    score_experiment,
)
from thresher.evaluation.evaluating import JudgedTopics, topic_set
from thresher.experiments.exploring.exploring import Search, explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.indexes.exact_ranking import ExactRanking
from thresher.indexes.pruning.pruned_index import PrunedIndexOptions, build_pruned
from thresher.indexes.pruning.treatments import methods, parse_pruning
from thresher.indexes.searching import LuceneRanking
from watched_process import watched

BAR_EXPLORE, BAR_BUILD, BAR_SEARCH, BAR_MEMORY = 1.0, 1.5, 1.1, 2.0
_PRUNING, _SCORER, _PRUNED = "dcp", "words", "none|dcp@0.5"
_MODEL = parse_retrieval("qld")
_TASKS = ("plain", "pruned", "scorer", "method")


def measure(pages: Path = PAGES, count: int = LARGE, rounds: int = 3) -> Iterator[Measurement]:
    """Yield the ratios of each experiment, then the ratios of generated pages."""
    for name in NAMES:
        experiment = load_experiment(EXPERIMENTS / f"{name}.toml")
        yield from _of_experiment(name, experiment, rounds)
    yield from _at_scale(pages, count)


def _of_experiment(name: str, experiment: Experiment, rounds: int) -> Iterator[Measurement]:
    topics = read_topic_set(experiment.topics)
    with tempfile.TemporaryDirectory() as folder:
        store = score_experiment(experiment, Path(folder), False, lambda _: None).store
        search = Search(topics, [_MODEL], experiment.index, measures=experiment.evaluation.measures)
        work = _work(store, Path(folder) / "index", search)
        every = [PruningSweep(Cleaner(), parse_pruning(method).method) for method in methods()]
        tables = explore(store, [], [], search)
        all_methods = {"methods": lambda: explore_pruning(tables, store, every, search)}
        best = interleaved(work | all_methods, rounds)
        searched = _search_seconds(
            store, Path(folder), experiment, [topics.topics[topic].query for topic in topics.ids]
        )
    yield ratio(f"100 cutoffs of {_PRUNING} of {name} / 100 of {_SCORER}", best["method"], best["scorer"], BAR_EXPLORE)
    per_method = best["methods"] / len(every)
    yield ratio(
        f"100 cutoffs of a pruning method of {name}, of {len(every)} at once / 100 of {_SCORER}",
        per_method,
        best["scorer"],
    )
    yield ratio(f"building {_PRUNED} of {name} / the unpruned index", best["pruned"], best["plain"], BAR_BUILD)
    label = f"searching {_PRUNED} of {name} with the original statistics / the index's own"
    yield ratio(label, searched["original"], searched["own"], BAR_SEARCH)


def _search_seconds(store: Path, folder: Path, experiment: Experiment, queries: Sequence[str]) -> dict[str, float]:
    """Return the seconds of all queries over a pruned index, ranked with the original or with its own statistics."""
    pruning = parse_treatment(_PRUNED).pruning
    assert pruning is not None
    with ExitStack() as stack:
        work = {}
        for name in ("original", "own"):
            options = PrunedIndexOptions(experiment.index, original_statistics=name == "original")
            build_pruned(store, Cleaner(), pruning, folder / name, options)
            searcher = stack.enter_context(Searcher(folder / name, _MODEL, experiment.retrieval.depth))
            work[name] = partial(_search, searcher.ranking, queries)
        return interleaved(work, 20)


def _search(ranking: LuceneRanking | ExactRanking, queries: Sequence[str]) -> None:
    for query in queries:
        ranking.search(query)
        ranking.forget()


def _work(store: Path, folder: Path, search: Search) -> dict[str, Callable[[], object]]:
    """Return the timed functions by their name in `_TASKS`."""
    pruned = parse_treatment(_PRUNED)
    assert pruned.pruning is not None
    pruning = pruned.pruning
    options = search.options
    tables = explore(store, [], [], search)
    return {
        "plain": lambda: build_index(
            ((page.id, page.text) for page in cleaned_documents(store, Cleaner())), folder, options
        ),
        "pruned": lambda: build_pruned(store, Cleaner(), pruning, folder, PrunedIndexOptions(options)),
        "scorer": lambda: explore(store, [parse_sweep(_SCORER)], [], search),
        "method": lambda: explore_pruning(
            tables, store, [PruningSweep(Cleaner(), parse_pruning(_PRUNING).method)], search
        ),
    }


def _at_scale(pages: Path, count: int) -> Iterator[Measurement]:
    """Yield times and memory over generated pages. Each task runs in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_web(folder, pages, count)
        plan = ScorePlan(open_collection(folder / "web.warc.gz"), (parse_scorer(_SCORER).scorer,))
        score_collection(plan, folder / "scores", Backend(workers=2))
        seconds: dict[str, float] = {}
        peaks: dict[str, float] = {}
        for task in _TASKS:
            began = time.perf_counter()
            peaks[task] = watched(folder, sys.executable, __file__, task, str(folder)).peak
            seconds[task] = time.perf_counter() - began
    label = f"of {count:,} generated pages"
    yield ratio(f"building {_PRUNED} {label} / the unpruned index", seconds["pruned"], seconds["plain"], BAR_BUILD)
    yield ratio(
        f"100 cutoffs of {_PRUNING} {label} / 100 of {_SCORER}", seconds["method"], seconds["scorer"], BAR_EXPLORE
    )
    for ours, theirs, task_name in (("pruned", "plain", "building"), ("method", "scorer", "exploring")):
        value = peaks[ours] / peaks[theirs]
        outcome = f"{peaks[ours]:.0f} MiB / {peaks[theirs]:.0f} MiB = {value:.2f}"
        yield Measurement(f"peak of {task_name} {label}: {ours} / {theirs}", outcome, value, BAR_MEMORY)


def _do(task: str, folder: Path) -> None:
    topics, qrels = read_topics(folder / "topics.tsv"), read_qrels(folder / "qrels.txt")
    judged = JudgedTopics(topics, qrels, tuple(topic_set(topics, qrels)[0]))
    _work(folder / "scores", folder / f"index-{task}", Search(judged, [_MODEL], IndexOptions()))[task]()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] in _TASKS:
        _do(sys.argv[1], Path(sys.argv[2]))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--rounds", type=int, default=3)
        parser.add_argument("--count", type=int, default=LARGE)
        options = parser.parse_args()
        for result in measure(count=options.count, rounds=options.rounds):
            print(result.line(), flush=True)
