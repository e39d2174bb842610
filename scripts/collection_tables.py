#!/usr/bin/env python3
"""Put the table of six collections and the picture of two into docs/results/collections.md.

usage: scripts/collection_tables.py [--read] [NAME...]

Each experiment of the names (all six without any) is explored, an index is chosen, and the texts of two other packages
(extra `extractors`) are indexed and searched beside it. With `--read` the experiments' results are taken as they are. Texts of
other packages are kept in collections/extracted/NAME and made anew when they are missing.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import thresher
from arguments import parser_of
from fill import JUDGE, put
from fill import table as markdown
from thresher import (
    BASELINE,
    Comparison,
    Experiment,
    Plot,
    VariantTable,
    compare,
    load_experiment,
    measure_header,
    read_choice,
    read_inputs,
    read_results,
)
from thresher.reports.charts import INK, layer, number

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
EXTRACTED = ROOT / "collections" / "extracted"
NAMES = ("web", "ray-docs", "sqlite-docs", "postgresql", "cacm", "pydoc")
DRAWN = {"web": "1,497 pages of the web", "ray-docs": "The documentation of Ray"}
CONTENT = "content(headings=keep)@0.3"
PACKAGES = {"trafilatura": "Trafilatura", "resiliparse": "Resiliparse"}


@dataclass(frozen=True)
class Index:
    """An index of a collection: its name, postings, documents, and values by measure and topic."""

    name: str
    postings: int
    documents: int
    values: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Collected:
    """What is known of a collection: the explored variants, the recommended one, and the packages' texts."""

    name: str
    table: VariantTable
    recommended: str
    packages: tuple[Index, ...]

    @property
    def shown(self) -> dict[str, Index]:
        """The indexes of the table, by their names there; the baseline is first."""
        names = {
            "no cleaning": BASELINE,
            f"recommended: `{self.recommended}`": self.recommended,
            f"`{CONTENT}`": CONTENT,
        }
        return {
            **{shown: of_variant(self.table, name) for shown, name in names.items()},
            **{f"{PACKAGES[index.name]}'s text": index for index in self.packages},
        }


def of_variant(table: VariantTable, name: str) -> Index:
    """Return an explored variant."""
    at = table.position[name]
    values = {measure: table.of(measure)[at].tolist() for measure in table.measures}
    return Index(name, int(table.sizes[at]), table.rows[at].index.documents, values)


def collected(name: str, is_read: bool) -> Collected:
    """Return what is known of a collection, after exploring it unless its results are to be taken as they are."""
    experiment = load_experiment(ROOT / "experiments" / f"{name}.toml")
    if not is_read:
        print(f"{name}: exploring", file=sys.stderr)
        thresher.explore(experiment, RESULTS, fresh=True)
        thresher.choose(experiment, RESULTS)
    folder = RESULTS / experiment.name
    choice = read_choice(folder)
    pick = choice.models[0].first if choice else None
    table = read_results(folder).table()
    packages = tuple(package_index(experiment, package, table) for package in PACKAGES)
    return Collected(name, table, pick.variant if pick else BASELINE, packages)


def package_index(experiment: Experiment, package: str, table: VariantTable) -> Index:
    """Return the index of a package's text, searched for the experiment's topics and judged by its measures."""
    texts = EXTRACTED / experiment.name / f"{package}-{version(package)}.jsonl"
    if not texts.exists():
        extract(experiment, texts, package)
    topics = read_inputs(experiment).topics
    index = texts.with_suffix(".index")
    report = thresher.index_json_lines(texts, index, **asdict(experiment.index))
    queries = {topic.id: topic.query for topic in topics.topics.values()}
    run = thresher.search(index, queries, table.retrieval, experiment.retrieval.depth)
    shutil.rmtree(index)
    found = thresher.evaluate(topics.qrels, run, table.measures)
    values = {measure: [found[measure][topic] for topic in table.topics] for measure in table.measures}
    return Index(package, report.statistics.postings, report.documents, values)


def extract(experiment: Experiment, texts: Path, package: str) -> None:
    """Write the text that a package extracts of each page as JSON lines; where it fails or takes too long there is none."""
    texts.parent.mkdir(parents=True, exist_ok=True)
    source, name = str(experiment.collection.location), f"extractor({package})"
    keys = asdict(experiment.document.collection)
    del keys["path"]
    counts = thresher.clean_collection(source, name, texts, **keys)
    print(f"{experiment.name}: {', '.join(counts.warnings) or 'no page failed'}", file=sys.stderr)


def rows_of(collection: Collected) -> Iterator[tuple[str, ...]]:
    """Give the lines of a collection."""
    main = collection.table.main
    shown = collection.shown
    baseline = next(iter(shown.values()))
    for place, (name, index) in enumerate(shown.items()):
        cells = [f"{collection.name} ({len(collection.table.topics)} topics)" if not place else "", name]
        cells.append(f"{100 * index.postings / baseline.postings:.1f}")
        for measure in (main, "AP"):
            cells.append(f"{np.mean(index.values[measure]):.3f}")
            cells.append(interval(compare(index.values[measure], baseline.values[measure], measure)) if place else "")
        yield *cells, f"{baseline.documents - index.documents:,}"


def interval(comparison: Comparison) -> str:
    """Return a difference with its interval; one that excludes zero is in bold type."""
    text = f"{signed(comparison.difference)} [{signed(comparison.ci_low)}, {signed(comparison.ci_high)}]"
    return f"**{text}**" if comparison.ci_low > 0 or comparison.ci_high < 0 else text


def signed(value: float) -> str:
    """Return a number with its sign, which is a minus, not a hyphen."""
    return f"{value:+.3f}".replace("-", "−")


def render(collections: Sequence[Collected]) -> str:
    """Return the table with its caption."""
    main = measure_header(collections[0].table.main)[0]
    heads = ("collection", "text", "index (%)", main, "difference", "AP", "difference", "emptied (pages)")
    rows = [row for collection in collections for row in rows_of(collection)]
    packages = " and ".join(f"{name} {version(package)}" for package, name in PACKAGES.items())
    caption = (
        f"Index: postings, % of those of the uncleaned pages. {main}: nDCG@10 whose gain of a grade g is 2^g − 1, not g. "
        "Differences from no cleaning with 95 % intervals over topics (percentile bootstrap), bold where they exclude zero. "
        f"The recommended index was chosen on these topics. {packages}, their texts indexed and searched alike. {JUDGE}"
    )
    return f"{markdown(heads, rows, 'llrrrrrr')}\n{caption}\n"


LINES = {
    "content(headings=keep)": "content",
    "content(headings=keep)|dcp": "content, pruned (dcp)",
    "none|dcp": "pruned (dcp)",
}


MARK = {"filled": True, "size": 90, "fill": INK, "opacity": 1}


def picture(collections: Sequence[Collected]) -> Plot:
    """Return size against effectiveness of the collections, a panel for each."""
    panels = []
    points: list[dict[str, object]] = []
    main = measure_header(collections[0].table.main)[0]
    for collection in collections:
        own = [*drawn(collection)]
        where = f"datum.panel == '{collection.name}'"
        best = [float(row["value"]) for row in own]  # type: ignore[arg-type]
        axes: dict[str, Any] = {
            "x": number("share", "index (% of postings)", (0, 105)),
            "y": number("value", main, (max(0.0, max(best) * 0.8), max(best) * 1.02)),
        }
        colour = {"field": "kind", "type": "nominal", "title": None, "sort": [*LINES.values()]}
        shapes = {"field": "kind", "type": "nominal", "title": None}
        line = layer("line", {"clip": True, "point": False}, where=f"{where} && datum.line", **axes, color=colour)
        dots = layer(
            "point",
            {"filled": True, "size": 90, "fill": INK, "opacity": 1},
            where=f"{where} && !datum.line",
            **axes,
            shape=shapes,
        )
        panels.append({"height": 260, "title": DRAWN[collection.name], "layer": [line, dots], "width": 560})
        points += own
    description = "Index size against effectiveness of cleaned and pruned indexes, and of other packages' texts"
    spec = {"description": description, "vconcat": panels, "resolve": {"scale": {"y": "independent"}}}
    return Plot({**spec, "data": {"values": points}})


def drawn(collection: Collected) -> Iterator[dict[str, object]]:
    """Give the points of a collection: the best of each line by size, and the indexes of the table."""
    table = collection.table
    base = table.sizes[0]
    for sweep, kind in LINES.items():
        for at in table.frontier(table.main, table.sweeps.get(sweep, ())):
            share, value = 100 * table.sizes[at] / base, table.mean(table.main)[at]
            yield {"panel": collection.name, "kind": kind, "line": True, "share": float(share), "value": float(value)}
    for name, index in collection.shown.items():
        kind = name.partition(":")[0].strip("`")
        share, value = 100 * index.postings / base, np.mean(index.values[table.main])
        yield {"panel": collection.name, "kind": kind, "line": False, "share": float(share), "value": float(value)}


def main(names: Sequence[str], is_read: bool) -> None:
    """Fill the pages."""
    collections = [collected(name, is_read) for name in names]
    put(ROOT / "docs" / "results" / "collections.md", "collections", render(collections))
    picture([one for one in collections if one.name in DRAWN]).save(
        ROOT / "docs" / "results" / "plots" / "collections.svg"
    )


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help=", ".join(NAMES))
    parser.add_argument("--read", action="store_true", help="read finished results instead of making them")
    arguments = parser.parse_args()
    main(arguments.names or NAMES, arguments.read)
