#!/usr/bin/env python3
"""Put the results of experiments, or the output of benchmarks, into the documentation.

usage: scripts/results.py RESULTS_FOLDER...     (such as results/pydoc-full results/cacm results/postgresql)
       make bench | scripts/results.py -

Folders fill the tables and plots of scripts/pages/retrieval.md, and the table of noise in docs/results/costs.md. Pruning
methods and combinations are in scripts/pages/same-size.md instead. Each table is between `<!-- table: NAME -->` and
`<!-- end -->`, where NAME is the experiment. With `-` the script reads the output of `make bench`. All of it goes into
docs/results/benchmarks.md, also lines on exploring alone; lines on times into costs.md, on pruning into pruning.md, and on
the scorer `content` into scripts/pages/content.md.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arguments import parser_of
from fill import collection_of, put, table
from thresher import Family, Results, chart_data, findings, main_table, read_results, render_markdown, variants_plot

DOCS = Path(__file__).parents[1] / "docs" / "results"
PAGES = Path(__file__).parent / "pages"
_CONTENT = ("whole pass with words", "content alone", "of content,", "content, peak")
_PRUNING = ("100 cutoffs of", "building none|", "searching none|", "peak of building", "peak of exploring")


def main(folders: list[Path]) -> None:
    every = [cleaners_of(read_results(folder)) for folder in folders]
    put(DOCS / "costs.md", "noise", noise(every))
    for results in every:
        name, table = collection_of(results.facts.experiment), results.tables[0]
        put(PAGES / "retrieval.md", f"table: {name}", render_markdown(main_table(results)))
        # Other pages show the explored variants.
        sentences = [line for line in findings(results) if "explored without indexes" not in line]
        put(PAGES / "retrieval.md", f"summary: {name}", "".join(f"- {line}\n" for line in sentences))
        variants_plot(chart_data(table)).save(PAGES / "plots" / f"{name}-trade-off.svg")


def cleaners_of(results: Results) -> Results:
    """Return the built variants of results, without pruning methods and combinations."""
    tables = []
    for built in results.only_built().tables:
        cleaning = [index for index, row in enumerate(built.rows) if row.variant.family is Family.CLEANERS]
        tables.append(built.only(cleaning))
    return replace(results, tables=tuple(tables))


def noise(every: Sequence[Results]) -> str:
    """Return a table of the times of the baseline's copy over the baseline's."""
    rows = []
    for results in every:
        for floor in results.facts.noise:
            ratio = floor.copy.ratio
            work = "a query" if floor.retrieval else "indexing"
            copy = f"{ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"
            rows.append((results.facts.experiment, work, copy, floor.restarts, floor.rounds))
    heads = ("collection", "time of", "copy by baseline (95 % interval)", "restarts", "rounds")
    return table(heads, rows, "ll")


def put_benchmarks(printed: str) -> None:
    """Put the lines of `make bench` into their pages."""
    # Drop the command, which make prints first.
    printed = "pages: " + printed.partition("pages: ")[2]
    if "peak of a worker" in printed and "indexing 20,000 documents" in printed:
        put(DOCS / "benchmarks.md", "bench", f"```\n{printed}```\n")
    exploring = [line for line in printed.splitlines(keepends=True) if line.startswith(("exploring ", "peak of all"))]
    if exploring:
        put(DOCS / "benchmarks.md", "exploring", f"```\n{''.join(exploring)}```\n")
    lines = [line for line in printed.splitlines(keepends=True) if line.strip().startswith("times of ")]
    # Drop the indented savings of single variants. The other lines count them.
    times = [line for line in lines if not line.startswith(" ")]
    if times:
        put(DOCS / "costs.md", "repeats", f"```\n{''.join(times)}```\n")
    pruning = [line for line in printed.splitlines(keepends=True) if line.startswith(_PRUNING)]
    if pruning:
        put(DOCS / "pruning.md", "bench", f"```\n{''.join(pruning)}```\n")
    content = [line for line in printed.splitlines(keepends=True) if line.strip().startswith(_CONTENT)]
    if content:
        put(PAGES / "content.md", "bench", f"```\n{''.join(content)}```\n")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path, help="folders; `-` reads the lines of `make bench`")
    folders = parser.parse_args().results
    if folders == [Path("-")]:
        put_benchmarks(sys.stdin.read())
    else:
        main(folders)
