#!/usr/bin/env python3
"""Draw samples from large sets of topics, choose an index by each sample, and count wrong choices.

usage: scripts/populations.py FOLDER [--only NAME…] [--samples N] [--conservative N]

Writes the tables of docs/results/choosing-simulated.md. FOLDER gets topics and results, which a later run reuses.
"""

import argparse
import math
from collections.abc import Sequence
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
    explore,
    load_experiment,
    parse_treatment,
    read_results,
)
from thresher.base.defaults import DEFAULT_FAMILIES
from thresher.experiments.choosing.families import parse_family
from thresher.experiments.choosing.gains import best_gain
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import fixed_sequences, order_of_testing, smallest_accepted
from thresher.experiments.locations import TopicSource
from thresher.experiments.results import RESULTS_FILE

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results" / "choosing-simulated.md"
MEASURES = ("nDCG@10", "AP")
TASKS = "man-pages"
"""The population whose topics people wrote. The topics of the others are page titles and link texts."""
WITHOUT_ANCHORS: Sequence[str] = tuple(family.replace("anchors=1", "anchors=0") for family in DEFAULT_FAMILIES)
"""Families for populations whose topics are link texts: anchors would give the answers away."""
SAMPLE_SIZES = {
    "pydoc": (36, 60, 100),
    "sqlite-docs": (36, 60, 100),
    "postgresql": (36, 60, 100),
    "ray-docs": (36, 60, 100, 172),
    TASKS: (36, 60, 150),
}
SCORERS = ("content(headings=keep)", "words", "density", "perplexity(lm=books)")
"""Scorers that are tested as families. An experiment that sweeps one scorer has only its family."""
SCORERS_AS_CLEANERS = ("content(headings=keep)@0.5", "words@5", "density@8", "perplexity(lm=books)@8000")
"""Variants that make the experiment compute each scorer."""
TOPICS = 800
"""The most topics made of pages."""
MARGIN, BAD = 0.05, 0.1
"""The least loss of a wrong and of a badly wrong recommendation."""
SEED = 5
ROUNDING = 1e-9


@dataclass(frozen=True)
class Population:
    """All topics that users ask, with the explored indexes of the families.

    Args:
        name: name of the experiment.
        families: default families.
        table: the baseline and the indexes that families test.
        losses: by variant, the larger of the two measures' losses over all topics, as a share of the baseline's mean.
        gains: by variant, whether the mean of the main measure is higher than the baseline's.
    """

    name: str
    families: Sequence[str]
    table: VariantTable
    losses: Sequence[float]
    gains: Sequence[bool]

    def samples(self, topics: int, count: int) -> list[VariantTable]:
        """Draw samples of topics, with replacement."""
        generator = np.random.default_rng(SEED)
        names = tuple(f"{number:04}" for number in range(topics))
        tables = []
        for _ in range(count):
            drawn = generator.integers(0, len(self.table.topics), topics)
            values, postings = self.table.values[..., drawn], self.table.query_postings[:, drawn]
            tables.append(replace(self.table, topics=names, values=values, query_postings=postings))
        return tables

    def smallest_within_margin(self, families: Sequence[str]) -> float:
        """Return the share of the smallest index of families whose true loss is within the margin."""
        shares = [1.0]
        for family in families:
            for index in order_of_testing(self.table, family):
                if self.losses[index] < MARGIN:
                    shares.append(float(self.table.shares[index]))
        return min(shares)


def explored(experiment: Experiment, topics: TopicSource, defaults: Sequence[str], folder: Path) -> VariantTable:
    """Explore default families and the scorers with all topics, or read the stored results."""
    cleaners = ["none", *SCORERS_AS_CLEANERS]
    for family in defaults:
        cleaners.append(family.partition("|")[0])
    families = (*defaults, *SCORERS)
    experiment = replace(
        experiment,
        topics=topics,
        variants=tuple(Variant(parse_treatment(cleaner)) for cleaner in dict.fromkeys(cleaners)),
        families=tuple(parse_family(family) for family in families),
        criteria=replace(experiment.criteria, families=families),
        evaluation=replace(experiment.evaluation, measures=MEASURES),
    )
    file = folder / experiment.name / RESULTS_FILE
    results = read_results(file.parent) if file.exists() else explore(experiment, folder)
    return results.tables[0]


def population(name: str, folder: Path) -> Population:
    """Return a population, with the indexes that families test."""
    experiment = load_experiment(ROOT / "experiments" / f"{name}.toml")
    topics = experiment.topics
    defaults: Sequence[str] = DEFAULT_FAMILIES
    if name != TASKS:
        topics_folder = folder / f"{name}-topics"
        if not (topics_folder / TOPICS_FILE).exists():
            write_page_topics(experiment.collection.open(), topics_folder, TOPICS)
        topics = TopicSource(topics_folder / TOPICS_FILE, topics_folder / QRELS_FILE, "title")
        defaults = WITHOUT_ANCHORS
    every = explored(experiment, topics, defaults, folder)
    tested = {0}
    for family in (*defaults, *SCORERS):
        tested.update(order_of_testing(every, family))
    chosen = every.only(sorted(tested))
    means = chosen.values.mean(axis=-1)
    losses = (1 - means / means[:, :1]).max(axis=0)
    return Population(name, defaults, chosen, losses.tolist(), (means[0] > means[0, 0]).tolist())


@dataclass(frozen=True)
class Picks:
    """The recommendations of samples.

    Args:
        shares: by sample, the recommended index's share of the baseline's postings; 1 without a recommendation.
        losses: by sample, the true loss of the recommended index.
        none: the number of samples without a recommendation.
    """

    shares: Sequence[float]
    losses: Sequence[float]
    none: int

    @property
    def size(self) -> str:
        """The mean size with its standard error, in per cent."""
        error = np.std(self.shares, ddof=1) / math.sqrt(len(self.shares))
        return f"{100 * np.mean(self.shares):.1f} ± {100 * error:.1f}"

    def share_of_losses(self, margin: float) -> float:
        """Return the share of samples whose recommended index loses a margin or more."""
        return float(np.mean([loss >= margin - ROUNDING for loss in self.losses]))

    @property
    def wrong(self) -> str:
        """The share of wrong recommendations with its standard error, in per cent."""
        share = self.share_of_losses(MARGIN)
        return f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / len(self.losses)):.1f}"


def picks(of: Population, samples: Sequence[VariantTable], families: Sequence[str], conservative: bool) -> Picks:
    """Return the smallest indexes of families that samples recommend."""
    criteria = ChoiceCriteria(families=tuple(families))
    shares: list[float] = []
    losses: list[float] = []
    none = 0
    for sample in samples:
        problem = ChoiceProblem(sample, MEASURES, criteria)
        index = smallest_accepted(problem, fixed_sequences(problem, conservative))
        if index is None:
            none += 1
            index = 0
        shares.append(float(of.table.shares[index]))
        losses.append(of.losses[index])
    return Picks(shares, losses, none)


def best_indexes(of: Population, samples: Sequence[VariantTable]) -> tuple[str, str]:
    """Return the percentages of samples that name a best index, and that name a best index without a true gain."""
    criteria = ChoiceCriteria(families=(*of.families, *SCORERS))
    named, wrong = 0, 0
    for sample in samples:
        gain = best_gain(ChoiceProblem(sample, MEASURES, criteria))
        if gain is not None:
            named += 1
            wrong += not of.gains[gain.variant]
    return f"{100 * named / len(samples):.1f}", f"{100 * wrong / len(samples):.1f}"


def rows_of_defaults(of: Population, samples: int, conservative: int) -> list[tuple[str, ...]]:
    """Return the lines of a population for the default families."""
    rows: list[tuple[str, ...]] = []
    for topics in SAMPLE_SIZES[of.name]:
        drawn = of.samples(topics, samples)
        own = picks(of, drawn, of.families, conservative=False)
        safe = picks(of, drawn[:conservative], of.families, conservative=True)
        within = f"{100 * of.smallest_within_margin(of.families):.1f}"
        first = (of.name, str(len(of.table.topics)), str(topics), within)
        badly = f"{100 * own.share_of_losses(BAD):.1f}"
        none, safe_none = (f"{100 * part.none / len(part.shares):.1f}" for part in (own, safe))
        gains = best_indexes(of, drawn[:conservative])
        rows.append((*first, own.size, own.wrong, badly, none, safe.size, safe.wrong, safe_none, *gains))
    return rows


def rows_of_scorers(of: Population, samples: int) -> list[tuple[str, ...]]:
    """Return the lines of a population for each scorer alone and for all scorers together."""
    rows = []
    for topics in SAMPLE_SIZES[of.name]:
        drawn = of.samples(topics, samples)
        cells = [of.name, str(topics)]
        for families in (*((scorer,) for scorer in SCORERS), SCORERS):
            recommendations = picks(of, drawn, families, conservative=False)
            cells += [f"{100 * np.mean(recommendations.shares):.1f}", recommendations.wrong]
        rows.append(tuple(cells))
    return rows


def main() -> None:
    """Explore the populations, draw the samples, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=SAMPLE_SIZES, default=list(SAMPLE_SIZES))
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--conservative", type=int, default=200)
    arguments = parser.parse_args()
    of_defaults: list[tuple[str, ...]] = []
    of_scorers: list[tuple[str, ...]] = []
    for name in arguments.only:
        of = population(name, arguments.folder)
        of_defaults += rows_of_defaults(of, arguments.samples, arguments.conservative)
        of_scorers += rows_of_scorers(of, arguments.samples)
        print(name, *of_defaults, *of_scorers, sep="\n", flush=True)
    heads = ["topics of", "all", "n", "within (%)", "smallest (%)", "wrong (%)", "badly (%)", "none (%)"]
    heads += ["conservative (%)", "wrong (%)", "none (%)", "best named (%)", "wrong (%)"]
    samples = f"{arguments.samples:,} samples a line; {arguments.conservative} for the conservative choice and the best index."
    put(PAGE, "simulated", f"{table(heads, of_defaults)}\n{samples}\n")
    scorer_heads = ["topics of", "n"]
    for scorer in (*SCORERS, "all four"):
        scorer_heads += [f"{scorer} (%)", "wrong (%)"]
    put(PAGE, "scorers", f"{table(scorer_heads, of_scorers)}\n{arguments.samples:,} samples a line.\n")


if __name__ == "__main__":
    main()
