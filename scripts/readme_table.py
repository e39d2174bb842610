#!/usr/bin/env python3
"""Measure the default index on seven collections, for the table of README.md.

usage: scripts/readme_table.py [--write] [NAME...]

For each experiment (all seven without names) the script builds two indexes by Lucene, of the uncleaned pages and of the
weighted, pruned text, and searches and evaluates both. Results are stored in results/readme/NAME. Each name gives one row.
Models of `content` trained without the page's fold score `web`; missing models are trained on the gold standards in
THRESHER_DATA. `--write` puts the rows into README.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arguments import parser_of
from fill import ROOT, difference, put, table
from seven import ASKED_BY_LINKS, QLD, Built, Collection
from thresher import BASELINE, DEFAULT_INDEX, compare, measure_header
from thresher.base.defaults import ALPHA, MAIN_MEASURE

RESULTS = ROOT / "results" / "readme"
PAGES: Mapping[str, str] = {
    "web": "1,295 sites",
    "ray-docs": "site, two thirds navigation",
    "sqlite-docs": "site, little navigation",
    "postgresql": "manual",
    "man-pages": "manual pages",
    "pydoc": "reference",
    "cacm": "abstracts",
}
"""The collections in the table's order, each with a description of its pages."""
NO_BREAK = "\u00a0"
"""A space that keeps figures on one line."""


def measured(name: str) -> tuple[Built, Built]:
    """Return the measured index of the uncleaned pages and of the weighted, pruned text."""
    index = DEFAULT_INDEX.replace("anchors=1", "anchors=0") if name in ASKED_BY_LINKS else DEFAULT_INDEX
    collection = Collection(name, (index,), RESULTS / name)
    built = collection.build([BASELINE, collection.own(index)])
    baseline, pruned = built.values()
    return baseline, pruned


def row(name: str, baseline: Built, index: Built) -> tuple[str, ...]:
    """Return the row of a collection."""
    before, after = baseline.values[QLD][MAIN_MEASURE], index.values[QLD][MAIN_MEASURE]
    size = f"{100 * index.bytes / baseline.bytes:.0f} % ({100 * index.postings / baseline.postings:.0f} %)"
    effectiveness = f"{baseline.means(QLD, MAIN_MEASURE):.3f} → {index.means(QLD, MAIN_MEASURE):.3f}"
    comparison = compare([after[topic] for topic in before], [*before.values()], MAIN_MEASURE)
    figures = [text.replace(" ", NO_BREAK) for text in (size, effectiveness, difference(comparison))]
    if comparison.direction != "none":
        figures[-1] = f"**{figures[-1]}**"
    return name, *figures, f"{PAGES[name]}; {len(before)} topics"


def render(rows: Sequence[tuple[str, ...]]) -> str:
    """Return the table with its caption."""
    title = measure_header(MAIN_MEASURE)[0]
    heads = ("collection", "bytes (postings)", f"{title}, before → after", "change [95 %]", "pages; topics")
    caption = (
        f"`{DEFAULT_INDEX}`; anchors=0 where topics are link texts; `web` out of fold. {title}: gains 2^g − 1. Bold: "
        f"p < {ALPHA:g} by Wilcoxon's test. `scripts/readme_table.py NAME` measures a row again."
    )
    return f"{table(heads, rows, 'lrrrl')}\n{caption}\n"


def main(names: Sequence[str], is_written: bool) -> None:
    """Measure the collections and print or write the table."""
    text = render([row(name, *measured(name)) for name in names])
    if is_written:
        put(ROOT / "README.md", "collections", text)
    print(text, end="")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*PAGES, []], help=", ".join(PAGES))
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    arguments = parser.parse_args()
    main(arguments.names or [*PAGES], arguments.write)
