"""CPU seconds of exploring: with 500 pseudo-topics against 36, by the postings they touch; by three measures against one."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from generated import write_experiment, write_web
from measurements import Measurement, ratio
from passages import PAGES

from thresher.base.numbers import Floats
from thresher.cleaners.cleaner import parse_sweep
from thresher.experiments.config import Experiment, TopicSource, load_experiment
from thresher.experiments.exploring import exploring
from thresher.experiments.exploring.exploring import JudgedTopics, Search, explore
from thresher.experiments.exploring.judged_ranks import RankingJob, evaluated
from thresher.experiments.inputs import TopicSet, read_topic_set, score_experiment
from thresher.indexes.analysis import parse_retrieval
from thresher.pseudo_topics import PseudoOptions, make_pseudo_topics
from thresher.scores.backends import Backend

BAR = 1.5
FEW, MANY = 36, 500
WEB_PAGES = 3_000
ONE = "nDCG@10"
MEASURES = ("RR", ONE, "AP")
_NAMES = ("words", "density", "perplexity(lm=books)")
_MODELS = ("qld", "bm25")
_EXPERIMENTS = Path(__file__).parents[1] / "experiments"


@dataclass(frozen=True)
class _Spent:
    """CPU seconds of ranking and evaluating, and of all; how many topics there were, and what they touch."""

    ranking: float
    whole: float
    topics: int
    postings: int


def measure(pages: Path = PAGES, rounds: int = 3) -> Iterator[Measurement]:
    """Give three ratios for the pages that pydoc makes, and for a web that does not exist.

    Two are of many topics to few, in ranking and in all; one is of several measures to a single one.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_web(folder, pages, WEB_PAGES)
        write_experiment(folder / "web.toml", {name: [10] for name in _NAMES})
        for path in (_EXPERIMENTS / "pydoc.toml", folder / "web.toml"):
            yield from _ratios(load_experiment(path), folder, rounds)


def _ratios(experiment: Experiment, folder: Path, rounds: int) -> Iterator[Measurement]:
    scored = score_experiment(replace(experiment, held_out=None), folder / experiment.name, False, lambda _: None)
    few, many = (_pseudo_topics(experiment, folder / f"{experiment.name}-{count}", count) for count in (FEW, MANY))
    best: dict[int, list[_Spent]] = {FEW: [], MANY: []}
    of_one = []
    # Java starts, and caches fill.
    _explored(scored.store, few, experiment, MEASURES)
    for _ in range(rounds):
        best[FEW].append(_explored(scored.store, few, experiment, MEASURES))
        best[MANY].append(_explored(scored.store, many, experiment, MEASURES))
        of_one.append(_explored(scored.store, many, experiment, (ONE,)))
    for what, chosen in (("ranking and evaluating", "ranking"), ("exploring, all of it", "whole")):
        ours, theirs = (_least(best[count], chosen) for count in (MANY, FEW))
        ours_of, theirs_of = best[MANY][0], best[FEW][0]
        share = (ours / ours_of.postings) / (theirs / theirs_of.postings)
        yield Measurement(
            f"{experiment.name}, {what}, a posting of {ours_of.topics} topics / a posting of {theirs_of.topics}",
            f"{ours:.2f} CPU s for {ours_of.postings:,} / {theirs:.2f} CPU s for {theirs_of.postings:,} = {share:.2f}",
            share,
            BAR,
        )
    name = (
        f"{experiment.name}, ranking and evaluating by {', '.join(MEASURES)} / by {ONE}, {best[MANY][0].topics} topics"
    )
    yield ratio(name, _least(best[MANY], "ranking"), _least(of_one, "ranking"), BAR)


def _least(spent: Sequence[_Spent], which: str) -> float:
    return min(float(getattr(some, which)) for some in spent)


def _pseudo_topics(experiment: Experiment, output: Path, count: int) -> TopicSet:
    make_pseudo_topics(
        Path(str(experiment.collection)),
        output,
        PseudoOptions(topics=count),
        format=experiment.format,
        reading=experiment.reading,
        limits=experiment.limits,
        backend=Backend(workers=1),
    )
    return read_topic_set(TopicSource(output / "topics.tsv", output / "qrels.txt", "title", "relevance"))


def _explored(store: Path, topics: TopicSet, experiment: Experiment, measures: tuple[str, ...]) -> _Spent:
    """Explore in this process, and count seconds."""
    ranking: list[tuple[float, int]] = []

    def timed(job: RankingJob, sweeps: int, backend: Backend | None, folder: Path) -> list[list[Floats]]:
        began, postings = time.process_time(), job.postings()
        values = evaluated(job, sweeps, backend, folder)
        ranking.append((time.process_time() - began, postings))
        return values

    judged = JudgedTopics(topics.topics, topics.qrels, topics.ids, measures)
    began = time.process_time()
    with patch.object(exploring, "evaluated", timed):
        sweeps, models = [*map(parse_sweep, _NAMES)], [*map(parse_retrieval, _MODELS)]
        explore(store, sweeps, [], Search(judged, models, experiment.index))
    whole = time.process_time() - began
    ((seconds, postings),) = ranking
    return _Spent(seconds, whole, len(topics.ids), postings)
