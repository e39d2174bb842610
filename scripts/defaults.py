#!/usr/bin/env python3
"""Measure the default cleaner and the default index on several collections: docs/results/defaults.md.

usage: scripts/defaults.py RESULTS_FOLDER...     (such as results/pydoc results/cacm results/postgresql)

Each folder holds what `thresher explore` found, of an experiment with the sweeps that the page names. How much an index is
pruned follows from sizes alone: the largest share of the terms that leaves at most `SIZE` of the postings, median over the
collections. Of the cutoffs of `content` the default cleaner and the default index have the one that is non-inferior on most
collections, of equals the one with the highest mean change. For each collection all is taken from the others.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arguments import parser_of
from fill import put, table
from thresher import MarginComparison, RunVerdict, VariantTable, compare_by_margin, parse_margin, read_results
from thresher.base.defaults import DEFAULT_INDEX, LEFT_OUT, MARGIN, SEARCH_CLEANER

PAGE = Path(__file__).parents[1] / "docs" / "results" / "defaults.md"
SIZE = 0.4
PRUNED = "|dcp@"
RULES = "boilerpipe(rules=words,headings=keep)"
CUTOFFS = 5
CLEANERS = (
    *(f"content(headings=keep)@{cutoff}" for cutoff in (0.3, 0.4, 0.5, 0.6, 0.7)),
    *(f"content(headings=score)@{cutoff}" for cutoff in (0.3, 0.5, 0.7)),
    RULES,
)
BEFORE_PRUNING = (*(name for name in CLEANERS if "headings=keep" in name), "none")


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


Tables = Mapping[str, VariantTable]


def outcome(one: VariantTable, name: str) -> Outcome:
    index, values = one.position[name], one.of(one.main)
    test = compare_by_margin(values[index], values[0], parse_margin(MARGIN))
    return Outcome(name, float(one.shares[index]), float(values[0].mean()), float(values[index].mean()), test)


def pruned(tables: Iterable[VariantTable], cleaner: str) -> str:
    """Return the cleaner with the mildest pruning that leaves `SIZE` of the postings in the median."""
    tables = [*tables]
    shared = set.intersection(*(set(one.position) for one in tables))
    inside = [
        name
        for name in shared
        if name.startswith(cleaner + PRUNED) and np.median([one.shares[one.position[name]] for one in tables]) <= SIZE
    ]
    return max(inside, key=lambda name: float(name.rpartition("@")[2]))


def safest(tables: Sequence[VariantTable], names: Sequence[str]) -> str:
    """Return the variant that is non-inferior on most collections, of equals the one with the highest mean change."""
    found = {name: [outcome(one, name) for one in tables] for name in names}

    def worth(name: str) -> tuple[int, float]:
        return sum(one.shown for one in found[name]), float(np.mean([one.change for one in found[name]]))

    return max(names, key=worth)


def signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def with_bound(one: Outcome) -> str:
    return f"{signed(one.change)} (above {signed(one.test.low / one.before)})"


def by_collection(outcomes: Mapping[str, Outcome]) -> Iterator[tuple[str, ...]]:
    """Give a line for each collection, and a last one for all."""
    for collection, one in outcomes.items():
        means = f"{one.before:.4f} → {one.after:.4f}"
        size, topics = f"{100 * one.size:.1f}", str(one.test.topics)
        yield collection, topics, f"`{one.name}`", size, means, with_bound(one), one.test.verdict
    size, change, count = summary([*outcomes.values()])
    yield "median, mean, count", "", "", size, "", change, count


def summary(outcomes: Sequence[Outcome]) -> tuple[str, str, str]:
    """Return the median size, the mean change, and on how many collections it is non-inferior."""
    size, change = np.median([one.size for one in outcomes]), float(np.mean([one.change for one in outcomes]))
    return f"{100 * size:.1f}", signed(change), f"{sum(one.shown for one in outcomes)} of {len(outcomes)}"


def by_variant(tables: Tables, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Give a line for each variant: what it is over all collections, and its change on each."""
    for name in names:
        found = [outcome(one, name) for one in tables.values()]
        changes = [f"{signed(one.change)}{'' if one.shown else ' ✗'}" for one in found]
        size, change, count = summary(found)
        yield f"`{name}`", size, change, count, *changes


def main(folders: Sequence[Path]) -> None:
    tables = {folder.name: read_results(folder).table() for folder in folders}

    def cleaners(_known: Sequence[VariantTable]) -> Sequence[str]:
        return CLEANERS[:CUTOFFS]

    def indexes(known: Sequence[VariantTable]) -> Sequence[str]:
        return [pruned(known, cleaner) for cleaner in CLEANERS[:CUTOFFS]]

    def left_out(collection: str, names: Callable[[Sequence[VariantTable]], Sequence[str]]) -> Outcome:
        others = [one for name, one in tables.items() if name != collection]
        return outcome(tables[collection], safest(others, names(others)))

    heads = ("collection", "topics", "variant", "size, %", "exp-nDCG@10", "change, %", "verdict")
    cleaned = {name: left_out(name, cleaners) for name in tables}
    put(PAGE, "default cleaner", table(heads, by_collection(cleaned), "lrlrrrl"))
    each = {name: left_out(name, indexes) for name in tables}
    put(PAGE, "default index", table(heads, by_collection(each), "lrlrrrl"))
    changes = {name: round(one.change, 3) for name, one in each.items()}
    if changes != LEFT_OUT:
        sys.exit(f"error: left out, collections show {changes}, not {LEFT_OUT}. Fix: change LEFT_OUT.")
    for names, default in ((cleaners, SEARCH_CLEANER), (indexes, DEFAULT_INDEX)):
        chosen = safest([*tables.values()], names([*tables.values()]))
        if chosen != default:
            sys.exit(
                f"error: collections give {chosen}, the default is {default}. Fix: change thresher/base/defaults.py."
            )
    variant_heads = ("variant", "size, %", "change, %", "non-inferior", *tables)
    put(PAGE, "cleaners", table(variant_heads, by_variant(tables, CLEANERS), "l"))
    pruned_names = [pruned(tables.values(), cleaner) for cleaner in BEFORE_PRUNING]
    put(PAGE, "indexes", table(variant_heads, by_variant(tables, pruned_names), "l"))


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    main(parser.parse_args().results)
