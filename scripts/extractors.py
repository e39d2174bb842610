#!/usr/bin/env python3
"""Compare extractors on seven collections, and put the leaderboard into docs/results/extractors.md.

usage: scripts/extractors.py [NAME...]
       scripts/extractors.py --row FOLDER [NAME...]

Without names, all seven collections are compared. Lucene indexes and searches each extractor's text. Models trained without
the page's fold score `web` (scripts/seven.py). Each folder in results/texts becomes a row of the table: its files
NAME.jsonl, one for each collection, are JSON lines with `id` and `contents`, as scripts/other_texts.py writes them. With
`--row` the script prints the row of a folder of texts and does not change the page. Needs the extra `extractors`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from arguments import parser_of
from fill import JUDGE, ROOT, SEVEN, percent, put, relative
from fill import table as markdown
from seven import CONTENT, EXTRACTORS, QLD, Built, Collection, collection_of_seven, commits
from thresher import BASELINE, WEIGHTED, Comparison, compare, parse_treatment, shards
from thresher.base.defaults import MAIN_MEASURE
from thresher.cleaners.scorers.extractor import packages
from thresher.scores.store import read_cost

PAGE = ROOT / "docs" / "results" / "extractors.md"
TEXTS = ROOT / "results" / "texts"
ROWS_FOLDER = ROOT / "results" / "row"
"""Folder of the measurements for `--row`, which needs no scores."""
TIMES = "times.json"
"""File in a folder of texts: by collection, the extractor's time over that of `content`."""

WEIGHTS = "`weights`"
ROWS: Mapping[str, str] = {
    WEIGHTS: WEIGHTED,
    f"`{CONTENT}`": CONTENT,
    **EXTRACTORS,
}
"""Treatments by label. Labels of Thresher's own cleaners are code."""


@dataclass
class Row:
    """An extractor: by collection, its index, and its time over that of `content` if measured."""

    label: str
    indexes: dict[str, Built] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Leaderboard:
    """The collections, the indexes of their unchanged text, and the rows of the extractors."""

    collections: Sequence[Collection]
    baselines: Mapping[str, Built]
    rows: Sequence[Row]

    @property
    def names(self) -> list[str]:
        """The names of the collections."""
        return [collection.name for collection in self.collections]

    def comparison(self, row: Row, name: str) -> Comparison:
        """Return the comparison of an extractor's text with the unchanged text, topic by topic."""
        ours, theirs = (built.values[QLD][MAIN_MEASURE] for built in (row.indexes[name], self.baselines[name]))
        return compare([ours[topic] for topic in theirs], [*theirs.values()], MAIN_MEASURE)

    def effectiveness(self) -> Iterator[list[str]]:
        """Yield the line of the unchanged text, then each extractor's changes by collection, the best mean first."""
        means = {name: index.means(QLD, MAIN_MEASURE) for name, index in self.baselines.items()}
        yield ["no cleaning", "", *(f"{mean:.3f}" for mean in means.values())]
        lines: list[tuple[float, list[str]]] = []
        for row in self.rows:
            cells: list[str] = []
            changes: list[float] = []
            for name in self.names:
                if name not in row.indexes:
                    cells.append("")
                    continue
                comparison = self.comparison(row, name)
                cells.append(relative(comparison, means[name], "<br>"))
                changes.append(comparison.difference / means[name])
            mean = float(np.mean(changes))
            lines.append((mean, [row.label, percent(mean) if len(changes) == len(self.names) else "", *cells]))
        for _, line in sorted(lines, key=lambda line: -line[0]):
            yield line

    def sizes(self) -> Iterator[list[str]]:
        """Yield each extractor's bytes and postings in per cent of the unchanged text's, its emptied pages and its time."""
        for row in self.rows:
            pairs = [(index, self.baselines[name]) for name, index in row.indexes.items()]
            by_bytes = [100 * index.bytes / base.bytes for index, base in pairs]
            postings = [100 * index.postings / base.postings for index, base in pairs]
            emptied = sum(base.documents - index.documents for index, base in pairs)
            times = [*row.times.values()]
            yield [
                row.label,
                spread(by_bytes, 0),
                spread(postings, 0),
                f"{emptied:,}",
                spread(times, 1) if times else "",
            ]


def spread(values: Sequence[float], digits: int) -> str:
    """Return a median with the least and the greatest value."""
    return f"{median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


class ScoredPages:
    """The seconds of a collection's pass: each page is read once and then extracted by each extractor in turn."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    @cached_property
    def seconds(self) -> Counter[str]:
        """The seconds by scorer and extractor, and the seconds of reading the pages."""
        every = Counter[str]()
        for path in shards(self.collection.scored.store):
            every.update(read_cost(path).seconds)
        return every

    def of(self, name: str) -> float:
        """Return a treatment's seconds. The seconds of Thresher's own cleaners include reading the pages."""
        scorers = parse_treatment(name).cleaner.scorers
        own = {scorer.canonical_name for scorer in scorers}
        own |= {maker.canonical_name for scorer in scorers for maker in scorer.required_texts}
        reads = not any(scorer.required_texts for scorer in scorers)
        return sum(self.seconds[name] for name in own) + reads * self.seconds["pages"]


def measured(collections: Sequence[Collection]) -> Leaderboard:
    """Return the leaderboard. Indexes without stored measurements are built."""
    baselines: dict[str, Built] = {}
    rows = {label: Row(label) for label in ROWS}
    for collection in collections:
        names = {label: collection.own(name) for label, name in ROWS.items()}
        built = collection.build([BASELINE, *names.values()])
        baselines[collection.name] = built[BASELINE]
        passed = ScoredPages(collection)
        for label, name in names.items():
            rows[label].indexes[collection.name] = built[name]
            if label != WEIGHTS:
                rows[label].times[collection.name] = passed.of(name) / passed.of(CONTENT)
    folders = sorted(folder for folder in TEXTS.glob("*") if folder.is_dir())
    return Leaderboard(collections, baselines, [*rows.values(), *(row_of(folder, collections) for folder in folders)])


def row_of(folder: Path, collections: Sequence[Collection]) -> Row:
    """Return the row of a folder of texts. Stored measurements of unchanged files are reused."""
    row = Row(folder.name)
    for collection in collections:
        texts = folder / f"{collection.name}.jsonl"
        if texts.exists():
            built = collection.read_built()
            name = f"{texts} {texts.stat().st_mtime_ns}"
            if name not in built:
                collection.begin(f"indexing {texts}")
                built[name] = collection.index_texts(texts)
                collection.write_built(built)
            row.indexes[collection.name] = built[name]
    if (folder / TIMES).exists():
        row.times = json.loads((folder / TIMES).read_text(encoding="utf-8"))
    return row


def tables(board: Leaderboard) -> tuple[str, str]:
    """Return the table of effectiveness, and the table of sizes and times."""
    heads = ["extractor", "mean", *board.names]
    costs = ["extractor", "bytes (%)", "postings (%)", "emptied pages", "time by `content`"]
    return markdown(heads, board.effectiveness()), markdown(costs, board.sizes())


def main() -> None:
    """Measure and fill the page, or print a row."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*SEVEN, []], help=", ".join(SEVEN))
    parser.add_argument("--row", type=Path, metavar="FOLDER", help="print the row of a folder of texts")
    arguments = parser.parse_args()
    if arguments.row:
        folder: Path = arguments.row
        names = [name for name in arguments.names or SEVEN if (folder / f"{name}.jsonl").exists()]
        if not names:
            sys.exit(f"error: {folder} has no file of texts. Fix: name the files {'.jsonl, '.join(SEVEN)}.jsonl.")
        collections = [Collection(name, (), ROWS_FOLDER / name) for name in names]
        baselines = {collection.name: collection.build([BASELINE])[BASELINE] for collection in collections}
        print(*tables(Leaderboard(collections, baselines, [row_of(folder, collections)])), sep="\n", end="")
        return
    collections = [collection_of_seven(name) for name in arguments.names or SEVEN]
    board = measured(collections)
    effectiveness, sizes = tables(board)
    put(PAGE, "effectiveness", f"{effectiveness}\n{JUDGE}\n")
    installed = {package.distribution for package in packages().values()}
    versions = ", ".join(f"{name} {version(name)}" for name in sorted(installed))
    put(PAGE, "sizes", f"{sizes}\nPackages: {versions}. Measured by commit {commits()}.\n")


if __name__ == "__main__":
    main()
