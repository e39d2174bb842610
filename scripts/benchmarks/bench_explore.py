"""The time of exploring cutoffs, against building, searching and evaluating an index for each cutoff in turn."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measurements import Measurement, ratio
from passages import PAGES
from thresher import (
    Experiment,
    RetrievalModel,
    Searcher,
    TopicSet,
    build_index,
    cleaned_documents,
    load_experiment,
    parse_cleaner,
    parse_retrieval,
    parse_sweep,
    read_topic_set,
    score_experiment,
)
from thresher.evaluation.evaluating import evaluate
from thresher.experiments.exploring.exploring import Search, explore

BAR = 1 / 8
CUTOFFS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 10.5, 11, 11.5, 12, 12.5, 13, 14)
EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NAMES = ("cacm", "postgresql", "pydoc")


def measure(pages: Path = PAGES, rounds: int = 2) -> Iterator[Measurement]:  # noqa: ARG001, all benchmarks take pages
    """Yield two ratios for each experiment: with Java's start, and with Java running already.

    Exploring and building run in processes of their own. Neither scoring, which both need, nor imports count.
    """
    for name in NAMES:
        experiment = load_experiment(EXPERIMENTS / f"{name}.toml")
        with tempfile.TemporaryDirectory() as folder:
            score_experiment(experiment, Path(folder), False, lambda _: None)
            seconds = {"explore": [float("inf")] * 2, "build": [float("inf")] * 2}
            for _ in range(rounds):
                for side, best in seconds.items():
                    arguments = [sys.executable, __file__, name, folder, side]
                    completed = subprocess.run(arguments, capture_output=True, text=True, check=True)
                    seconds[side] = list(map(min, best, map(float, completed.stdout.split())))
        label = f"exploring {len(CUTOFFS)} cutoffs of {name} / building, searching and evaluating them one by one"
        for place, when in enumerate((", Java's start counted", ", Java running")):
            yield ratio(label + when, seconds["explore"][place], seconds["build"][place], BAR)


def _explore(experiment: Experiment, topics: TopicSet, store: Path, model: RetrievalModel) -> None:
    cleaners = [parse_cleaner(f"density@{cutoff:g}") for cutoff in CUTOFFS]
    search = Search(topics, [model], experiment.index, measures=experiment.evaluation.measures)
    explore(store, [parse_sweep("density")], cleaners, search, 0)


def _build(experiment: Experiment, topics: TopicSet, store: Path, model: RetrievalModel) -> None:
    for cutoff in CUTOFFS:
        pages = cleaned_documents(store, parse_cleaner(f"density@{cutoff:g}"))
        with tempfile.TemporaryDirectory() as folder:
            index = Path(folder) / "index"
            build_index(((page.id, page.text) for page in pages), index, experiment.index)
            with Searcher(index, model, experiment.retrieval.depth) as searcher:
                queries = [(topic, topics.topics[topic].query) for topic in topics.ids]
                hits = searcher.search_topics(queries, warm_up=0).hits
        run = {topic: dict(result) for topic, result in hits.items()}
        evaluate(topics.qrels, run, experiment.evaluation.measures, topics.ids)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        chosen = load_experiment(EXPERIMENTS / f"{sys.argv[1]}.toml")
        asked = read_topic_set(chosen.topics)
        work = _explore if sys.argv[3] == "explore" else _build
        for _ in range(2):
            began = time.perf_counter()
            work(chosen, asked, Path(sys.argv[2]) / "scores", parse_retrieval("qld"))
            print(time.perf_counter() - began)
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--rounds", type=int, default=2)
        for result in measure(rounds=parser.parse_args().rounds):
            print(result.line(), flush=True)
