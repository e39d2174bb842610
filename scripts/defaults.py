#!/usr/bin/env python3
"""Measure the default cleaner and the default index on seven collections: docs/results/defaults.md.

usage: scripts/defaults.py

`WEIGHTED` is pruned by `METHOD` at each of `CUTOFFS`, from the mildest to the strictest. The default index has the strictest
cutoff at which it, and each milder one, is non-inferior on every collection. The default cleaner has, of five cutoffs of
`content`, the one that is non-inferior on most collections, of equals the one with the highest mean change. For each
collection both are also taken from the other six. Nothing is indexed (`explore`). Scores and results are in results/seven, as
those of scripts/weights.py, and are taken from there when the command is run again.
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
    WEIGHTED,
    MarginComparison,
    RunVerdict,
    VariantTable,
    compare_by_margin,
    parse_cleaner,
    parse_margin,
    parse_treatment,
)
from thresher.base.defaults import DEFAULT_INDEX, LEFT_OUT, MARGIN, PRUNING, SEARCH_CLEANER
from thresher.experiments.exploring.exploring import explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.indexes.pruning.treatments import parse_pruning
from weights import Explored

PAGE = ROOT / "docs" / "results" / "defaults.md"
METHOD = PRUNING.partition("@")[0]
CUTOFFS = (0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3)
"""Shares of each page's terms."""
CLEANERS = tuple(f"content(headings=keep)@{cutoff}" for cutoff in (0.3, 0.4, 0.5, 0.6, 0.7))
INDEXES = tuple(f"{WEIGHTED}|{METHOD}@{cutoff}" for cutoff in CUTOFFS)
STEP = "defaults"


def explore_defaults(collection: Explored) -> None:
    """Explore the cleaners, and the weighted text at each cutoff of pruning."""
    store, search = collection.scored.store, collection.search
    tables = explore(store, [], [parse_cleaner(name).checked() for name in CLEANERS], search)
    weighted = parse_treatment(own_name(collection.name, WEIGHTED))
    method = parse_pruning(METHOD).method
    sweep = PruningSweep(weighted.cleaner.checked(), method, CUTOFFS, points=1, weights=weighted.weights)
    collection.write(STEP, explore_pruning(tables, store, [sweep], search))


@dataclass(frozen=True)
class Outcome:
    """A variant on a collection: its share of the postings, the means, and its comparison with the baseline."""

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
        """Whether it is non-inferior."""
        return self.test.verdict in (RunVerdict.NON_INFERIOR, RunVerdict.SUPERIOR)


Outcomes = Mapping[str, Mapping[str, Outcome]]
"""By collection and variant."""


def own_name(collection: str, name: str) -> str:
    """Return a treatment's name on a collection: without texts of links where topics are such texts."""
    return name.replace("anchors=1", "anchors=0") if collection in ASKED_BY_LINKS else name


def outcome(collection: str, one: VariantTable, name: str) -> Outcome:
    """Return what a variant does on a collection."""
    index, values = one.position[parse_treatment(own_name(collection, name)).name], one.of(one.main)
    test = compare_by_margin(values[index], values[0], parse_margin(MARGIN))
    return Outcome(name, float(one.shares[index]), float(values[0].mean()), float(values[index].mean()), test)


def safest_cleaner(known: Outcomes) -> str:
    """Return the cleaner that is non-inferior on most collections, of equals the one with the highest mean change."""

    def worth(name: str) -> tuple[int, float]:
        found = [of[name] for of in known.values()]
        return sum(one.shown for one in found), float(np.mean([one.change for one in found]))

    return max(CLEANERS, key=worth)


def smallest_index(known: Outcomes) -> str:
    """Return the strictest pruning that is non-inferior on every collection, as is each milder one; the mildest if none is."""
    smallest = INDEXES[0]
    for name in INDEXES:
        if not all(of[name].shown for of in known.values()):
            break
        smallest = name
    return smallest


def left_out(outcomes: Outcomes, rule: Callable[[Outcomes], str]) -> dict[str, Outcome]:
    """Return for each collection what a rule chooses on the others."""
    chosen: dict[str, Outcome] = {}
    for collection, own in outcomes.items():
        chosen[collection] = own[rule({name: of for name, of in outcomes.items() if name != collection})]
    return chosen


def short(name: str) -> str:
    """Return a name with `weights` for the text and weights of the default index."""
    return name.replace(WEIGHTED, "weights")


def by_collection(chosen: Mapping[str, Outcome]) -> Iterator[tuple[str, ...]]:
    """Give a line for each collection, and a last one for all."""
    for collection, one in chosen.items():
        means = f"{one.before:.4f} → {one.after:.4f}"
        size, topics = f"{100 * one.size:.1f}", str(one.test.topics)
        change = f"{percent(one.change)} (above {percent(one.test.low / one.before)})"
        yield collection, topics, f"`{short(one.name)}`", size, means, change, one.test.verdict
    size, change, count = summary([*chosen.values()])
    yield "median, mean, count", "", "", size, "", change, count


def summary(found: Sequence[Outcome]) -> tuple[str, str, str]:
    """Return the median size, the mean change, and on how many collections it is non-inferior."""
    size, change = np.median([one.size for one in found]), float(np.mean([one.change for one in found]))
    return f"{100 * size:.1f}", percent(change), f"{sum(one.shown for one in found)} of {len(found)}"


def by_variant(outcomes: Outcomes, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Give a line for each variant: what it is over all collections, and its change on each."""
    for name in names:
        found = [of[name] for of in outcomes.values()]
        changes = [f"{percent(one.change)}{'' if one.shown else ' ✗'}" for one in found]
        yield f"`{short(name)}`", *summary(found), *changes


def main() -> None:
    """Measure and fill the page."""
    parser_of(__doc__).parse_args()
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in SEVEN:
        collection = Explored(name, TREATMENTS, RESULTS / name)
        if not collection.is_done(STEP):
            collection.begin("exploring defaults")
            explore_defaults(collection)
        found = collection.table(STEP)
        outcomes[name] = {variant: outcome(name, found, variant) for variant in (*CLEANERS, *INDEXES)}
    fill(outcomes)


def fill(outcomes: Outcomes) -> None:
    """Fill the page, and check the defaults that the package has."""
    heads = ("collection", "topics", "variant", "size, %", "exp-nDCG@10", "change, %", "verdict")
    indexes = left_out(outcomes, smallest_index)
    put(PAGE, "default index", f"{table(heads, by_collection(indexes), 'lrlrrrl')}\n{JUDGE}\n")
    put(PAGE, "default cleaner", table(heads, by_collection(left_out(outcomes, safest_cleaner)), "lrlrrrl"))
    variant_heads = ("variant", "size, %", "change, %", "non-inferior", *outcomes)
    put(PAGE, "indexes", table(variant_heads, by_variant(outcomes, INDEXES), "l"))
    put(PAGE, "cleaners", table(variant_heads, by_variant(outcomes, CLEANERS), "l"))
    changes = {name: round(one.change, 3) for name, one in indexes.items()}
    found = (smallest_index(outcomes), safest_cleaner(outcomes), changes)
    for measured, default in zip(found, (DEFAULT_INDEX, SEARCH_CLEANER, LEFT_OUT), strict=True):
        if measured != default:
            fix = "change thresher/base/defaults.py"
            sys.exit(f"error: collections give {measured}, the default is {default}. Fix: {fix}.")


if __name__ == "__main__":
    main()
