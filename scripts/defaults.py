#!/usr/bin/env python3
"""Choose and test the default cleaner and the default index on seven collections.

usage: scripts/defaults.py

Writes the tables of docs/results/defaults.md. `METHOD` prunes `WEIGHTED` at each of `CUTOFFS`, from the mildest to the
strictest. The default index has the strictest cutoff at which it is non-inferior on every collection, as at all milder
cutoffs. The default cleaner has the cutoff of `content` that is non-inferior on most collections; among equals, the one with
the highest mean change. As a test, the other six collections choose for each collection. The script builds no index
(`explore`). It stores scores and results in results/seven, like scripts/weights.py, and reuses them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arguments import parser_of
from fill import JUDGE, ROOT, SEVEN, percent, put, table
from seven import ASKED_BY_LINKS, RESULTS, TREATMENTS
from thresher import (
    DEFAULT_INDEX,
    WEIGHTED,
    MarginComparison,
    RunVerdict,
    VariantTable,
    compare_by_margin,
    parse_cleaner,
    parse_margin,
    parse_treatment,
)
from thresher.base.defaults import LEFT_OUT, MARGIN, PRUNING, SEARCH_CLEANER
from thresher.experiments.exploring.exploring import explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.indexes.pruning.treatments import parse_pruning
from weights import Explored

PAGE = ROOT / "docs" / "results" / "defaults.md"
METHOD = PRUNING.partition("@")[0]
CUTOFFS = (0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3)
"""Shares of each page's terms that pruning keeps."""
CLEANERS = tuple(f"content(headings=keep)@{cutoff}" for cutoff in (0.3, 0.4, 0.5, 0.6, 0.7))
INDEXES = tuple(f"{WEIGHTED}|{METHOD}@{cutoff}" for cutoff in CUTOFFS)
STEP = "defaults"


def explore_defaults(collection: Explored) -> None:
    """Explore the cleaners, and the weighted text pruned at each cutoff."""
    store, search = collection.scored.store, collection.search
    tables = explore(store, [], [parse_cleaner(name).checked() for name in CLEANERS], search)
    weighted = parse_treatment(own_name(collection.name, WEIGHTED))
    method = parse_pruning(METHOD).method
    sweep = PruningSweep(weighted.cleaner.checked(), method, CUTOFFS, points=1, weights=weighted.weights)
    collection.write(STEP, explore_pruning(tables, store, [sweep], search))


@dataclass(frozen=True)
class Outcome:
    """A variant on a collection: its share of the postings, the baseline's mean, its own mean, and their comparison."""

    name: str
    size: float
    before: float
    after: float
    test: MarginComparison

    @property
    def change(self) -> float:
        """The relative difference of the means."""
        return self.test.difference / self.before

    @property
    def shown(self) -> bool:
        """Whether the variant is shown to be non-inferior."""
        return self.test.verdict in (RunVerdict.NON_INFERIOR, RunVerdict.SUPERIOR)


Outcomes = Mapping[str, Mapping[str, Outcome]]
"""Outcomes by collection and variant."""


def own_name(collection: str, name: str) -> str:
    """Return a treatment's name on a collection, with anchors 0 if the collection's topics are link texts."""
    return name.replace("anchors=1", "anchors=0") if collection in ASKED_BY_LINKS else name


def outcome(collection: str, explored: VariantTable, name: str) -> Outcome:
    """Return the outcome of a variant on a collection."""
    index = explored.position[parse_treatment(own_name(collection, name)).name]
    values = explored.of(explored.main)
    test = compare_by_margin(values[index], values[0], parse_margin(MARGIN))
    return Outcome(name, float(explored.shares[index]), float(values[0].mean()), float(values[index].mean()), test)


def safest_cleaner(outcomes: Outcomes) -> str:
    """Return the cleaner that is non-inferior on most collections; among equals, the one with the highest mean change."""

    def rank(name: str) -> tuple[int, float]:
        own = [of[name] for of in outcomes.values()]
        return sum(outcome.shown for outcome in own), float(np.mean([outcome.change for outcome in own]))

    return max(CLEANERS, key=rank)


def smallest_index(outcomes: Outcomes) -> str:
    """Return the strictest pruning that is non-inferior on every collection, as is all milder pruning; else the mildest."""
    smallest = INDEXES[0]
    for name in INDEXES:
        if not all(of[name].shown for of in outcomes.values()):
            break
        smallest = name
    return smallest


def left_out(outcomes: Outcomes, rule: Callable[[Outcomes], str]) -> dict[str, Outcome]:
    """Return each collection's outcome of the variant that a rule chooses on the other collections."""
    chosen: dict[str, Outcome] = {}
    for collection, own in outcomes.items():
        chosen[collection] = own[rule({name: of for name, of in outcomes.items() if name != collection})]
    return chosen


def short(name: str) -> str:
    """Return a treatment's name with `weights` in place of the text and weights of the default index."""
    return name.replace(WEIGHTED, "weights")


def by_collection(chosen: Mapping[str, Outcome]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each collection, and a summary of all."""
    for collection, own in chosen.items():
        means = f"{own.before:.4f} → {own.after:.4f}"
        size, topics = f"{100 * own.size:.1f}", str(own.test.topics)
        change = f"{percent(own.change)} (above {percent(own.test.low / own.before)})"
        yield collection, topics, f"`{short(own.name)}`", size, means, change, own.test.verdict
    size, change, count = summary([*chosen.values()])
    yield "median, mean, count", "", "", size, "", change, count


def summary(outcomes: Sequence[Outcome]) -> tuple[str, str, str]:
    """Return the median size, the mean change, and the number of non-inferior outcomes."""
    size = np.median([outcome.size for outcome in outcomes])
    change = float(np.mean([outcome.change for outcome in outcomes]))
    return f"{100 * size:.1f}", percent(change), f"{sum(outcome.shown for outcome in outcomes)} of {len(outcomes)}"


def by_variant(outcomes: Outcomes, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each variant: its summary over all collections, and its change on each."""
    for name in names:
        own = [of[name] for of in outcomes.values()]
        changes = [f"{percent(outcome.change)}{'' if outcome.shown else ' ✗'}" for outcome in own]
        yield f"`{short(name)}`", *summary(own), *changes


def main() -> None:
    """Measure and fill the page."""
    parser_of(__doc__).parse_args()
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in SEVEN:
        collection = Explored(name, TREATMENTS, RESULTS / name)
        if not collection.is_done(STEP):
            collection.begin("exploring defaults")
            explore_defaults(collection)
        explored = collection.table(STEP)
        outcomes[name] = {variant: outcome(name, explored, variant) for variant in (*CLEANERS, *INDEXES)}
    fill(outcomes)


def fill(outcomes: Outcomes) -> None:
    """Fill the page, and exit with an error if the package has other defaults."""
    heads = ("collection", "topics", "variant", "size, %", "exp-nDCG@10", "change, %", "verdict")
    indexes = left_out(outcomes, smallest_index)
    put(PAGE, "default index", f"{table(heads, by_collection(indexes), 'lrlrrrl')}\n{JUDGE}\n")
    put(PAGE, "default cleaner", table(heads, by_collection(left_out(outcomes, safest_cleaner)), "lrlrrrl"))
    variant_heads = ("variant", "size, %", "change, %", "non-inferior", *outcomes)
    put(PAGE, "indexes", table(variant_heads, by_variant(outcomes, INDEXES), "l"))
    put(PAGE, "cleaners", table(variant_heads, by_variant(outcomes, CLEANERS), "l"))
    changes = {name: round(own.change, 3) for name, own in indexes.items()}
    chosen = (smallest_index(outcomes), safest_cleaner(outcomes), changes)
    for measured, default in zip(chosen, (DEFAULT_INDEX, SEARCH_CLEANER, LEFT_OUT), strict=True):
        if measured != default:
            fix = "change thresher/base/defaults.py"
            sys.exit(f"error: the collections choose {measured}, the default is {default}. Fix: {fix}.")


if __name__ == "__main__":
    main()
