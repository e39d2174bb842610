#!/usr/bin/env python3
"""Compare extractors on six collections, and put the tables into docs/results/extractors.md.

usage: scripts/extractors.py [--read] [NAME...]

Each experiment of the names (all six without any) is explored with the extractors as its variants. With `--read` the results
in results/extractors/ are taken as they are. Needs the extra `extractors`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from statistics import median

from arguments import parser_of
from collection_tables import NAMES, ROOT, interval
from fill import JUDGE, put
from fill import table as markdown
from thresher import (
    BASELINE,
    Comparison,
    Results,
    Treatment,
    Variant,
    VariantTable,
    compare,
    explore,
    load_experiment,
    measure_header,
    parse_treatment,
    read_results,
    shards,
)
from thresher.cleaners.scorers.extractor import packages
from thresher.scores.store import read_cost

RESULTS = ROOT / "results" / "extractors"
PAGE = ROOT / "docs" / "results" / "extractors.md"
CONTENT = "content(headings=keep)@0.3"
EXTRACTORS = (
    CONTENT,
    "content(headings=headline)@0.5",
    "boilerpipe(rules=words)",
    "bte",
    "extractor(trafilatura)",
    "extractor(trafilatura,favor=precision)",
    "extractor(trafilatura,favor=recall)",
    "extractor(resiliparse)",
    "extractor(readability)",
    "extractor(justext)",
    "extractor(boilerpy3)",
    "extractor(boilerpy3,rules=article)",
)
AP = "AP"


@dataclass(frozen=True)
class Collection:
    """A collection of which the extractors were explored."""

    name: str
    results: Results

    @cached_property
    def table(self) -> VariantTable:
        """Its variants."""
        return self.results.table()

    def against(self, name: str, other: str, measure: str) -> Comparison:
        """Return the comparison of two variants, topic by topic."""
        values = self.table.of(measure)
        ours, theirs = (values[self.table.position[one]].tolist() for one in (name, other))
        return compare(ours, theirs, measure)

    def size(self, name: str) -> float:
        """Return the postings of a variant, in per cent of those of the uncleaned pages."""
        return 100 * float(self.table.shares[self.table.position[name]])

    def time(self, name: str) -> float:
        """Return the time of a variant's text or scores, over that of `content`; Thresher's own include reading the pages."""
        return self._seconds(name) / self._seconds(CONTENT)

    @cached_property
    def seconds(self) -> Counter[str]:
        """The seconds that workers spent by scorer and extractor, and on reading the pages."""
        every = Counter[str]()
        for path in shards(RESULTS / self.name / "scores"):
            every.update(read_cost(path).seconds)
        return every

    def _seconds(self, name: str) -> float:
        scorers = parse_treatment(name).cleaner.scorers
        own = {scorer.canonical_name for scorer in scorers} | {
            maker.canonical_name for scorer in scorers for maker in scorer.required_texts
        }
        reads = not any(scorer.required_texts for scorer in scorers)
        return sum(self.seconds[one] for one in own) + reads * self.seconds["pages"]


def collected(name: str, is_read: bool) -> Collection:
    """Return what is known of a collection, after exploring it unless its results are to be taken as they are."""
    if not is_read:
        experiment = load_experiment(ROOT / "experiments" / f"{name}.toml")
        variants = (Variant(Treatment()), *(Variant(parse_treatment(one)) for one in EXTRACTORS))
        criteria = replace(experiment.criteria, families=())
        retrieval = replace(experiment.retrieval, models=experiment.retrieval.models[:1])
        experiment = replace(experiment, variants=variants, families=(), criteria=criteria, retrieval=retrieval)
        print(f"{name}: exploring", file=sys.stderr)
        explore(experiment, RESULTS)
    return Collection(name, read_results(RESULTS / name))


def rows_of(collection: Collection) -> Iterator[list[str]]:
    """Give the lines of a collection's table."""
    table = collection.table
    for name in (BASELINE, *EXTRACTORS):
        row = [f"`{name}`", f"{collection.size(name):.1f}", f"{table.emptied[table.position[name]]:,}"]
        row.append("" if name == BASELINE else f"{collection.time(name):.1f}")
        for measure in (table.main, AP):
            row.append(f"{table.mean(measure)[table.position[name]]:.3f}")
            for other in (BASELINE, CONTENT):
                row.append("" if name in (BASELINE, other) else interval(collection.against(name, other, measure)))
        yield row


def summary(collections: Sequence[Collection]) -> Iterator[list[str]]:
    """Give for each extractor the medians over collections, and on how many it gains and loses."""
    for name in EXTRACTORS:
        found = [f"{median(one.size(name) for one in collections):.1f}"]
        found.append(f"{median(one.time(name) for one in collections):.1f}")
        found.append(f"{sum(int(one.table.emptied[one.table.position[name]]) for one in collections):,}")
        for other in (BASELINE, CONTENT):
            if name == other:
                found += ["", "", ""]
                continue
            every = [one.against(name, other, one.table.main) for one in collections]
            means = [one.table.mean(one.table.main)[one.table.position[other]] for one in collections]
            relative = [100 * one.difference / mean for one, mean in zip(every, means, strict=True)]
            found.append(f"{median(relative):+.1f}".replace("-", "−"))
            found.append(str(sum(one.ci_low > 0 for one in every)))
            found.append(str(sum(one.ci_high < 0 for one in every)))
        yield [f"`{name}`", *found]


def main() -> None:
    """Explore and fill the page."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help=", ".join(NAMES))
    parser.add_argument("--read", action="store_true", help="read finished results instead of making them")
    arguments = parser.parse_args()
    collections = [collected(name, arguments.read) for name in arguments.names or NAMES]
    ndcg = measure_header(collections[0].table.main)[0]
    versions = ", ".join(f"{name} {version(package.distribution)}" for name, package in sorted(packages().items()))
    put(
        PAGE,
        "summary",
        markdown(
            [
                "extractor",
                "index (%)",
                "time",
                "emptied",
                "from none (%)",
                "gains",
                "losses",
                "from content (%)",
                "gains",
                "losses",
            ],
            summary(collections),
        )
        + f"\nPackages: {versions}.\n",
    )
    heads = ["extractor", "index (%)", "emptied", "time", ndcg, "against none", "against content", AP]
    heads += ["against none", "against content"]
    parts = []
    for one in collections:
        facts = f"{one.table.baseline.index.documents:,} pages, {len(one.table.topics)} topics"
        parts.append(f"### {one.name}\n\n{facts}\n\n{markdown(heads, rows_of(one))}")
    put(PAGE, "collections", "\n".join([*parts, JUDGE, ""]))


if __name__ == "__main__":
    main()
