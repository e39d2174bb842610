#!/usr/bin/env python3
"""Compare the best variants of each family at equal sizes, and put tables and pictures into scripts/pages/same-size.md.

usage: scripts/same_size.py RESULTS_FOLDER...     (such as results/pydoc-full results/cacm results/postgresql)

Each folder has the results of `thresher explore` and `thresher choose` for the experiment of its name in experiments/. The
script builds, searches and times the best variants by AP on this machine, which should do no other work meanwhile. It fails
if a run's AP or nDCG@10 differs from the explored value.
"""

import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arguments import parser_of
from fill import collection_of, put
from thresher import (
    BASELINE,
    Experiment,
    Family,
    IndexReport,
    Searcher,
    ThresherError,
    VariantTable,
    chart_data,
    load_experiment,
    parse_treatment,
    read_inputs,
    read_results,
    read_run,
    render_markdown,
    variants_plot,
    write_run,
)
from thresher.base.files import scratch_folder
from thresher.base.repeats import MeasuredTime, compare_times
from thresher.evaluation.evaluating import evaluate
from thresher.experiments.measuring import build_variant, warm_up_indexing
from thresher.indexes.work import INDEX_PARTS
from thresher.reports.columns import Column
from thresher.reports.formats import COUNT, ONE_DECIMAL, PERCENT, TEXT
from thresher.reports.formatting import change_text
from thresher.reports.table import Table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "scripts" / "pages" / "same-size.md"
ROUNDS = 7
MAIN = "AP"
SHOWN_PARTS = 0.5
"""Largest share of the baseline's postings for the pruned index whose parts are shown."""
SHARES = (0.9, 0.75, 0.5, 0.35, 0.25, 0.1)
"""Largest shares of the baseline's postings at which families are compared."""


@dataclass(frozen=True)
class BestOfFamily:
    """The variant of a family with the highest mean up to a size.

    Args:
        family: the family, see `Family`.
        most: the largest size, as a share of the baseline's postings.
        index: the variant's row in the table.
    """

    family: Family
    most: float
    index: int


def same_size(table: VariantTable, measure: str) -> tuple[BestOfFamily, ...]:
    """Return the best variant of each family at each of `SHARES`, the largest first; nothing if there is only one family.

    A share skips a family whose variants are all larger.
    """
    if len(table.families) < 2:
        return ()
    return tuple(
        BestOfFamily(family, most, table.best(measure, inside))
        for most in SHARES
        for family, indices in table.families.items()
        if (inside := [index for index in indices if table.shares[index] <= most])
    )


@dataclass(frozen=True)
class Built:
    """A variant's index: its report, its means by measure, and the time of building it, compared with the baseline's."""

    index: IndexReport
    values: Mapping[str, float]
    time: MeasuredTime


@dataclass(frozen=True, eq=False)
class Row:
    """The best variant of a family up to a size, with its explored table and its built index."""

    best: BestOfFamily
    table: VariantTable
    built: Built
    baseline: Built


def columns(measures: Sequence[str]) -> list[Column[Row]]:
    """Return the columns of a collection's table."""
    return [
        Column("at most", lambda row: 100 * row.best.most, "Largest share.", unit="%", format=COUNT),
        Column("family", lambda row: row.best.family.value, "Family.", TEXT),
        Column("variant", lambda row: row.table.rows[row.best.index].name, "Variant.", TEXT),
        Column(
            "bytes",
            lambda row: row.built.index.bytes / row.baseline.index.bytes,
            "Measured share.",
            unit="%",
            format=PERCENT,
        ),
        *(column for name in measures for column in measure_columns(name)),
        Column(
            "emptied",
            lambda row: row.table.emptied_shares[row.best.index],
            "Pages without text.",
            unit="%",
            format=PERCENT,
        ),
        Column(
            "postings",
            lambda row: row.table.mean_query_postings[row.best.index],
            "Postings per query.",
            unit="per query",
            format=COUNT,
        ),
        Column("building", build_text, "Time of building over the baseline's.", unit="baseline 1"),
    ]


def measure_columns(name: str) -> list[Column[Row]]:
    """Return the columns of a measure's mean and its difference from the baseline's."""
    short = "nDCG@10" if name.startswith("nDCG") else name

    def difference(row: Row) -> str:
        means = row.table.mean(name)
        return change_text(means[row.best.index] - means[0])

    return [
        Column(short, lambda row: row.built.values[name], "Mean."),
        Column(f"{short} less baseline's", difference, "Difference."),
    ]


def build_text(row: Row) -> str:
    ratio = row.built.time.ratio
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})" if row.built.time.measurable else "not measurable"


def part_table(name: str, variant: str, baseline: IndexReport, pruned: IndexReport) -> Table:
    """Return a table of the bytes of each part of the index, for the baseline and a variant."""

    def kilobytes(index: IndexReport, types: Sequence[str]) -> float:
        return sum(index.bytes_by_type.get(kind, 0) for kind in types) / 1000

    rows = [
        (part.name, part.grows_with, before, kilobytes(pruned, part.types))
        for part in INDEX_PARTS
        if (before := kilobytes(baseline, part.types)) or kilobytes(pruned, part.types)
    ]
    rows.append(("all", "", baseline.bytes / 1000, pruned.bytes / 1000))
    shown: list[Column[tuple[str, str, float, float]]] = [
        Column("part", lambda row: row[0], "Part.", TEXT),
        Column("grows with", lambda row: row[1], "What it grows with.", TEXT),
        Column("baseline", lambda row: row[2], "KB.", unit="KB", format=ONE_DECIMAL),
        Column(variant, lambda row: row[3], "KB.", unit="KB", format=ONE_DECIMAL),
        Column("left", lambda row: row[3] / row[2] if row[2] else None, "Share.", unit="%", format=PERCENT),
    ]
    return Table.of(shown, rows, f"{name}: bytes by part of the index")


def build_all(experiment: Experiment, store: Path, names: Sequence[str]) -> dict[str, Built]:
    """Build, search and time the baseline, a copy of it, and variants, in rounds of random order."""
    inputs = read_inputs(experiment)
    queries = [(topic.id, topic.query) for topic in inputs.topics.topics.values()]
    treatments = [parse_treatment(name) for name in (BASELINE, *names)]
    rounds = []
    indexes: dict[str, IndexReport] = {}
    values = {}
    chance = random.Random(experiment.evaluation.seed)
    pieces = [treatments[0], *treatments]
    order = list(range(len(pieces)))
    warm_up_indexing(store, experiment.index)
    with scratch_folder(store.parent / "same-size") as scratch:
        for number in range(ROUNDS):
            chance.shuffle(order)
            spent = [(0.0, 0.0)] * len(pieces)
            for piece in order:
                treatment, folder = pieces[piece], scratch / "index"
                wall, cpu = time.perf_counter(), time.process_time()
                built = build_variant(
                    store, treatment, folder, experiment.index, experiment.pruning.original_statistics
                )
                spent[piece] = time.perf_counter() - wall, time.process_time() - cpu
                if number == 0:
                    with Searcher(folder, experiment.retrieval.models[0], experiment.retrieval.depth) as searcher:
                        write_run(scratch / "run", searcher.search_topics(queries, warm_up=0).hits, "run")
                    run, ids = read_run(scratch / "run"), inputs.topics.ids
                    by_measure = evaluate(inputs.topics.qrels, run, experiment.evaluation.measures, ids)
                    indexes[treatment.name] = built.index
                    values[treatment.name] = {name: float(np.mean([*of.values()])) for name, of in by_measure.items()}
            rounds.append(spent)
            print(f"{experiment.name}: round {number + 1} of {ROUNDS}", file=sys.stderr)
    wall_seconds, cpu_seconds = ([np.array(spent)[None, :, [column]] for spent in rounds] for column in (0, 1))
    times = compare_times(
        [treatment.name for treatment in treatments], wall_seconds, cpu_seconds, experiment.evaluation.seed
    ).times
    return {name: Built(index, values[name], times[name]) for name, index in indexes.items()}


def check_equal(table: VariantTable, measure: str, built: Mapping[str, Built]) -> None:
    """Exit with an error unless each run has its explored mean."""
    for name, index in built.items():
        explored = table.mean(measure)[table.position[name]]
        if abs(index.values[measure] - explored) > 1e-9:
            sys.exit(
                f"error: {name}: {measure} of the run is {index.values[measure]}, the explored value {explored}. "
                "Fix: run `thresher explore` and `thresher choose` again."
            )


def shown_measures(table: VariantTable) -> list[str]:
    """Return the names of AP and nDCG among a table's measures."""
    return [name for prefix in (MAIN, "nDCG") for name in table.measures if name.startswith(prefix)]


def explored(folder: Path) -> tuple[VariantTable, Sequence[BestOfFamily]]:
    table = read_results(folder).table()
    best = same_size(table, MAIN) if MAIN in table.measures else ()
    if not best:
        sys.exit(f"error: {folder}: there are no families to compare by {MAIN}. Fix: run `thresher explore`.")
    return table, best


def main(folders: Sequence[Path]) -> None:
    for folder in folders:
        table, all_best = explored(folder)
        experiment = load_experiment(ROOT / "experiments" / f"{folder.name}.toml")
        names = list(dict.fromkeys(table.rows[best.index].name for best in all_best))
        built = build_all(experiment, folder / "scores", names)
        for measure in shown_measures(table):
            check_equal(table, measure, built)
        name = collection_of(folder.name)
        put(PAGE, f"same size: {name}", tables(name, table, all_best, built))
        plot = variants_plot(chart_data(table))
        plot.save(PAGE.parent / "plots" / f"{name}-same-size.svg")


def tables(name: str, table: VariantTable, all_best: Sequence[BestOfFamily], built: Mapping[str, Built]) -> str:
    """Return a collection's tables: the best variants at each size, and the parts of the best pruned index at half size."""
    baseline, measures = built[BASELINE], shown_measures(table)
    rows = [Row(best, table, built[table.rows[best.index].name], baseline) for best in all_best]
    values = ", ".join(f"{measure} {baseline.values[measure]:.4f}" for measure in measures)
    caption = (
        f"{name}, {table.retrieval}, {len(table.topics)} topics; baseline: {values}, {baseline.index.bytes / 1e6:.2f} MB, "
        f"{table.mean_query_postings[0]:,.0f} postings per query."
    )
    shown = [Table.of(columns(measures), rows, caption)]
    method = next((best for best in all_best if best.family is Family.PRUNING and best.most == SHOWN_PARTS), None)
    if method:
        pruned = table.rows[method.index].name
        shown.append(part_table(name, pruned, baseline.index, built[pruned].index))
    return "\n" + "\n".join(map(render_markdown, shown)) + "\n"


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    arguments = parser.parse_args()
    try:
        main(arguments.results)
    except ThresherError as error:
        sys.exit(f"error: {error}")
