#!/usr/bin/env python3
"""Compare extractors on seven collections, and put the leaderboard into docs/results/extractors.md.

usage: scripts/extractors.py [NAME...]
       scripts/extractors.py --row FOLDER [NAME...]

Each extractor's text of the collections (all seven without names) is indexed by Lucene, searched and judged alike; `web` is
scored by models that do not know its pages (scripts/seven.py). Each folder below results/texts is one more row: it has
NAME.jsonl of some collections, JSON lines with `id` and `contents`, as scripts/other_texts.py writes them. With `--row` the
row of any such folder is printed, and the page stays. Needs the extra `extractors`.
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
"""Where single rows are measured, which need no scores."""
TIMES = "times.json"
"""In a folder of texts: by collection, the time by that of `content`."""

WEIGHTS = "`weights`"
ROWS: Mapping[str, str] = {
    WEIGHTS: WEIGHTED,
    f"`{CONTENT}`": CONTENT,
    **EXTRACTORS,
}
"""The treatments by their labels: Thresher's own in code."""


@dataclass
class Row:
    """An extractor: its indexes by collection, and its times by those of `content`, where they are known."""

    label: str
    indexes: dict[str, Built] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Leaderboard:
    """The collections with their unchanged text, and the extractors."""

    collections: Sequence[Collection]
    baselines: Mapping[str, Built]
    rows: Sequence[Row]

    @property
    def names(self) -> list[str]:
        """The names of the collections."""
        return [one.name for one in self.collections]

    def comparison(self, row: Row, name: str) -> Comparison:
        """Return the comparison of a row with the unchanged text, topic by topic."""
        ours, theirs = (one.values[QLD][MAIN_MEASURE] for one in (row.indexes[name], self.baselines[name]))
        return compare([ours[topic] for topic in theirs], [*theirs.values()], MAIN_MEASURE)

    def effectiveness(self) -> Iterator[list[str]]:
        """Give the line of the unchanged text, then each extractor's changes by collection, the best mean first."""
        means = {name: one.means(QLD, MAIN_MEASURE) for name, one in self.baselines.items()}
        yield ["no cleaning", "", *(f"{mean:.3f}" for mean in means.values())]
        lines: list[tuple[float, list[str]]] = []
        for row in self.rows:
            cells: list[str] = []
            changes: list[float] = []
            for name in self.names:
                if name not in row.indexes:
                    cells.append("")
                    continue
                found = self.comparison(row, name)
                cells.append(relative(found, means[name], "<br>"))
                changes.append(found.difference / means[name])
            mean = float(np.mean(changes))
            lines.append((mean, [row.label, percent(mean) if len(changes) == len(self.names) else "", *cells]))
        for _, line in sorted(lines, key=lambda line: -line[0]):
            yield line

    def sizes(self) -> Iterator[list[str]]:
        """Give of each extractor the bytes and postings by those of the unchanged text, the emptied pages, and the time."""
        for row in self.rows:
            pairs = [(one, self.baselines[name]) for name, one in row.indexes.items()]
            by_bytes = [100 * one.bytes / base.bytes for one, base in pairs]
            postings = [100 * one.postings / base.postings for one, base in pairs]
            emptied = sum(base.documents - one.documents for one, base in pairs)
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
    """The seconds of a collection's pass over its pages: each page is read once, then given to the extractors in turn."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    @cached_property
    def seconds(self) -> Counter[str]:
        """The seconds by scorer and extractor, and of reading the pages."""
        every = Counter[str]()
        for path in shards(self.collection.scored.store):
            every.update(read_cost(path).seconds)
        return every

    def of(self, name: str) -> float:
        """Return a treatment's seconds; Thresher's own include reading the pages."""
        scorers = parse_treatment(name).cleaner.scorers
        own = {scorer.canonical_name for scorer in scorers}
        own |= {maker.canonical_name for scorer in scorers for maker in scorer.required_texts}
        reads = not any(scorer.required_texts for scorer in scorers)
        return sum(self.seconds[one] for one in own) + reads * self.seconds["pages"]


def measured(collections: Sequence[Collection]) -> Leaderboard:
    """Return the leaderboard, and index what is not indexed yet."""
    baselines: dict[str, Built] = {}
    rows = {label: Row(label) for label in ROWS}
    for one in collections:
        names = {label: one.own(name) for label, name in ROWS.items()}
        built = one.build([BASELINE, *names.values()])
        baselines[one.name] = built[BASELINE]
        passed = ScoredPages(one)
        for label, name in names.items():
            rows[label].indexes[one.name] = built[name]
            if label != WEIGHTS:
                rows[label].times[one.name] = passed.of(name) / passed.of(CONTENT)
    folders = sorted(folder for folder in TEXTS.glob("*") if folder.is_dir())
    return Leaderboard(collections, baselines, [*rows.values(), *(row_of(folder, collections) for folder in folders)])


def row_of(folder: Path, collections: Sequence[Collection]) -> Row:
    """Return the row of a folder of texts; what is known of unchanged files is taken from results/seven."""
    row = Row(folder.name)
    for one in collections:
        texts = folder / f"{one.name}.jsonl"
        if texts.exists():
            known = one.read_built()
            name = f"{texts} {texts.stat().st_mtime_ns}"
            if name not in known:
                one.begin(f"indexing {texts}")
                known[name] = one.index_texts(texts)
                one.write_built(known)
            row.indexes[one.name] = known[name]
    if (folder / TIMES).exists():
        row.times = json.loads((folder / TIMES).read_text(encoding="utf-8"))
    return row


def tables(board: Leaderboard) -> tuple[str, str]:
    """Return the table of effectiveness and that of sizes and times."""
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
            sys.exit(f"error: {folder} has no file of texts. Fix: name files as collections: {', '.join(SEVEN)}.jsonl.")
        collections = [Collection(name, (), ROWS_FOLDER / name) for name in names]
        baselines = {one.name: one.build([BASELINE])[BASELINE] for one in collections}
        print(*tables(Leaderboard(collections, baselines, [row_of(folder, collections)])), sep="\n", end="")
        return
    collections = [collection_of_seven(name) for name in arguments.names or SEVEN]
    board = measured(collections)
    effectiveness, sizes = tables(board)
    put(PAGE, "effectiveness", f"{effectiveness}\n{JUDGE}\n")
    installed = {package.distribution for package in packages().values()}
    found = ", ".join(f"{name} {version(name)}" for name in sorted(installed))
    put(PAGE, "sizes", f"{sizes}\nPackages: {found}. Measured by commit {commits()}.\n")


if __name__ == "__main__":
    main()
