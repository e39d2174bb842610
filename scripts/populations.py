#!/usr/bin/env python3
"""Draw samples from large sets of topics, choose an index by each, and put how often that was wrong into
docs/results/choosing-simulated.md.

usage: scripts/populations.py FOLDER [QUESTIONS] [--only NAME…] [--samples N] [--conservative N]

FOLDER gets topics and results, which are used again. QUESTIONS is datasets/embedding_qa.json of ray-project/llm-applications.
"""

import argparse
import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fill import put, table
from page_topics import QRELS_FILE, TOPICS_FILE, write_page_topics
from thresher import (
    ChoiceCriteria,
    Experiment,
    Variant,
    VariantTable,
    documents,
    explore,
    load_experiment,
    parse_treatment,
    read_results,
)
from thresher.base.defaults import DEFAULT_FAMILIES
from thresher.base.files import write_text
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import fixed_sequences, order_of_testing, smallest_accepted
from thresher.experiments.locations import TopicSource
from thresher.experiments.results import RESULTS_FILE

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results" / "choosing-simulated.md"
MEASURES = ("nDCG@10", "AP")
QUESTIONS = "ray-docs"
NAMES = {
    "pydoc": (36, 60, 100),
    "sqlite-docs": (36, 60, 100),
    "postgresql": (36, 60, 100),
    QUESTIONS: (36, 60, 100, 172),
}
"""The experiments, and how many topics a sample has."""
TOPICS, ASKED = 800, 2300
"""The most topics made of pages, and the most questions."""
SEED = 5


def questions(experiment: Experiment, path: Path, folder: Path) -> None:
    """Write topics and qrels of a random part of the questions that have their page, each text once."""
    pages = {source.id for source in documents(experiment.collection.open())}
    found: dict[str, str] = {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        page = re.sub(r"#.*", "", entry["source"]).partition("/master/")[2]
        if page in pages:
            found.setdefault(" ".join(entry["question"].split()), page)
    drawn = sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())[:ASKED]
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / TOPICS_FILE, "".join(f"{number}\t{text}\n" for number, text in enumerate(drawn)))
    write_text(folder / QRELS_FILE, "".join(f"{number} 0 {found[text]} 1\n" for number, text in enumerate(drawn)))


def population(name: str, folder: Path, asked: Path | None) -> VariantTable:
    """Explore the default families with all topics, and return the indexes on their paths."""
    experiment, topics = load_experiment(ROOT / "experiments" / f"{name}.toml"), folder / f"{name}-topics"
    if not (topics / TOPICS_FILE).exists():
        if name == QUESTIONS and asked:
            questions(experiment, asked, topics)
        else:
            write_page_topics(experiment.collection.open(), topics, TOPICS)
    cleaners = [family.partition("|")[0] for family in DEFAULT_FAMILIES]
    experiment = replace(
        experiment,
        topics=TopicSource(topics / TOPICS_FILE, topics / QRELS_FILE, "title"),
        variants=tuple(Variant(parse_treatment(cleaner)) for cleaner in dict.fromkeys(["none", *cleaners])),
        evaluation=replace(experiment.evaluation, measures=MEASURES),
    )
    known = folder / experiment.name / RESULTS_FILE
    (found,) = (read_results(known.parent) if known.exists() else explore(experiment, folder)).tables
    return found.only([0, *(index for family in DEFAULT_FAMILIES for index in order_of_testing(found, family))])


@dataclass(frozen=True)
class Picks:
    """What samples recommended: sizes, the largest true losses as shares of the baseline's means, whether anything was."""

    sizes: list[float]
    losses: list[float]
    none: int

    def cells(self) -> tuple[str, ...]:
        """Return size, wrong and badly wrong."""
        error = np.std(self.sizes, ddof=1) / math.sqrt(len(self.sizes))
        shares = [float(np.mean([loss >= margin - 1e-9 for loss in self.losses])) for margin in (0.05, 0.1)]
        wrong = 100 * math.sqrt(shares[0] * (1 - shares[0]) / len(self.losses))
        return (
            f"{100 * np.mean(self.sizes):.1f} ± {100 * error:.1f}",
            f"{100 * shares[0]:.1f} ± {wrong:.1f}",
            f"{100 * shares[1]:.1f}",
            f"{100 * self.none / len(self.sizes):.1f}",
        )


def picks(every: VariantTable, losses: list[float], topics: int, samples: int, conservative: bool) -> Picks:
    """Draw samples, and return what each recommends."""
    dice, found = np.random.default_rng(SEED), []
    names = tuple(f"{number:04}" for number in range(topics))
    for _ in range(samples):
        drawn = dice.integers(0, len(every.topics), topics)
        table = replace(
            every, topics=names, values=every.values[..., drawn], query_postings=every.query_postings[:, drawn]
        )
        problem = ChoiceProblem(table, MEASURES, ChoiceCriteria())
        found.append(smallest_accepted(problem, fixed_sequences(problem, conservative)))
    taken = [index or 0 for index in found]
    shares = every.shares.tolist()
    return Picks([shares[index] for index in taken], [losses[index] for index in taken], found.count(None))


def rows(name: str, every: VariantTable, samples: int, conservative: int) -> Iterator[tuple[str, ...]]:
    """Yield a line of the table for each number of topics."""
    means = every.values.mean(axis=-1)
    losses = (1 - means / means[:, :1]).max(axis=0).tolist()
    best = min(share for share, loss in zip(every.shares.tolist(), losses, strict=True) if loss < 0.05)
    for topics in NAMES[name]:
        own = picks(every, losses, topics, samples, False).cells()
        safe = picks(every, losses, topics, conservative, True).cells()
        yield name, str(len(every.topics)), str(topics), f"{100 * best:.1f}", *own, *safe[:2], safe[3]


def main() -> None:
    """Read the arguments, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=Path, nargs="?")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--conservative", type=int, default=200)
    arguments = parser.parse_args()
    found = []
    for name in arguments.only:
        every = population(name, arguments.folder, arguments.questions)
        found += [*rows(name, every, arguments.samples, arguments.conservative)]
        print(table([""] * 11, found[-len(NAMES[name]) :]), flush=True)
    heads: tuple[str, ...] = ("topics of", "all", "n", "best (%)", "index (%)", "wrong (%)", "badly (%)", "none (%)")
    heads += ("conservative: index (%)", "wrong (%)", "none (%)")
    samples = f"{arguments.samples:,} samples a line, {arguments.conservative} for the conservative choice.\n"
    put(PAGE, "simulated", f"{table(heads, found)}\n{samples}")


if __name__ == "__main__":
    main()
