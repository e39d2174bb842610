#!/usr/bin/env python3
"""Measure the effect of `floor` on effectiveness if a strict cutoff empties pages, for scripts/pages/retrieval.md.

usage: scripts/floors.py EXPERIMENT... [--output FOLDER]     (such as experiments/cacm.toml experiments/pydoc.toml)

Runs each experiment's collection, topics and qrels with the baseline, a strict cutoff, and this cutoff with a floor.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fill import put, table
from thresher import Results, Variant, load_experiment, parse_treatment, run

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "scripts" / "pages" / "retrieval.md"
MEASURES = ("nDCG@10", "AP")
CLEANERS = ("none", "words@72", "words(floor=50)@72")


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    table = results.tables[0]
    for index, row in enumerate(table.rows):
        means = (f"{table.mean(measure)[index]:.4f}" for measure in MEASURES)
        emptied = f"{table.emptied[index]:,} of {results.facts.pages.documents:,}"
        yield results.facts.experiment, row.name, emptied, f"{100 * table.bytes_shares[index]:.1f}", *means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "floors")
    arguments = parser.parse_args()
    variants = tuple(Variant(parse_treatment(name)) for name in CLEANERS)
    lines: list[tuple[str, ...]] = []
    for path in arguments.experiments:
        experiment = load_experiment(path)
        evaluation = replace(experiment.evaluation, measures=MEASURES)
        experiment = replace(experiment, variants=variants, evaluation=evaluation, held_out=None)
        lines += rows(run(experiment, arguments.output, arguments.output / "indexes", fresh=True))
    heads = ("collection", "cleaner", "pages emptied", "index (% of baseline)", *MEASURES)
    put(PAGE, "floors", table(heads, lines, "ll"))


if __name__ == "__main__":
    main()
