#!/usr/bin/env python3
"""Measure weights and pruning on collections, and put README's table of them there.

usage: scripts/readme_table.py [--write | --text FILE] [NAME...]

For each experiment (all six without names) the uncleaned pages and the weighted, pruned text are indexed by Lucene, searched
and judged: see results/readme/NAME. Each name gives one row of README's table. `--write` puts the rows into README.md.
`--text` measures a file of texts, JSON lines with `id` and `contents` from any extractor, instead.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import thresher
from arguments import parser_of
from collection_tables import interval
from fill import put, table
from thresher import (
    WEIGHTED,
    Treatment,
    Variant,
    VariantTable,
    compare,
    load_experiment,
    measure_header,
    parse_treatment,
)

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "readme"
INDEXES = ROOT / "indexes" / "readme"
PAGES: Mapping[str, str] = {
    "ray-docs": "site, two thirds navigation",
    "sqlite-docs": "site, little navigation",
    "postgresql": "manual",
    "man-pages": "manual pages",
    "pydoc": "reference",
    "cacm": "abstracts",
}
"""The collections of the table in its order, each with what its pages are."""
INDEX = f"{WEIGHTED}|dcp@0.5"
"""The weights that six of seven collections have from the other six (scripts/weights.py), and half of each page's terms."""
ASKED_BY_LINKS = ("sqlite-docs", "postgresql")
"""Their topics are texts of links, so that texts of links would be the answers."""
KEPT = ("collection", "pages", "topics", "qrels", "index", "retrieval", "evaluation")
"""The tables of an experiment that do not say what is compared."""
NO_BREAK = "\u00a0"
"""Figures stay on one line."""


def index_of(name: str) -> Treatment:
    """Return the index of a collection: without texts of links where they cannot be judged."""
    if name in ASKED_BY_LINKS:
        return parse_treatment(INDEX.replace("anchors=1", "anchors=0"))
    return parse_treatment(INDEX)


def measured(name: str) -> VariantTable:
    """Return the baseline and the index of an experiment, built and searched by its first retrieval model."""
    experiment = load_experiment(ROOT / "experiments" / f"{name}.toml")
    experiment = replace(
        experiment,
        variants=(Variant(Treatment()), Variant(index_of(name))),
        families=(),
        criteria=replace(experiment.criteria, families=()),
        retrieval=replace(experiment.retrieval, models=experiment.retrieval.models[:1]),
        held_out=None,
        systems=(),
    )
    return thresher.run(experiment, RESULTS, INDEXES, seconds=0).table()


def measured_text(name: str, texts: Path) -> VariantTable:
    """Return the baseline and the index of a file of texts, built and searched by an experiment's first retrieval model."""
    file = ROOT / "experiments" / f"{name}.toml"
    declared = tomllib.loads(file.read_text(encoding="utf-8"))
    tables = {key: declared[key] for key in KEPT if key in declared}
    tables["experiment"] = {"name": f"{name}-text"}
    tables["cleaners"] = {"names": ["text(own)"]}
    tables["text"] = [{"name": "own", "path": str(texts.resolve())}]
    # Paths of tables are relative to the working folder.
    with chdir(file.parent):
        return thresher.run(tables, RESULTS, INDEXES, fresh=True, seconds=0).tables[0]


def row(name: str, variants: VariantTable) -> tuple[str, ...]:
    """Return the row of a collection."""
    baseline, index = variants.rows
    before, after = variants.of(variants.main)
    assert baseline.bytes is not None
    assert index.bytes is not None
    size = f"{100 * index.bytes / baseline.bytes:.0f} % ({100 * index.index.postings / baseline.index.postings:.0f} %)"
    effectiveness = f"{before.mean():.3f} → {after.mean():.3f}"
    change = interval(compare(after.tolist(), before.tolist(), variants.main))
    figures = (text.replace(" ", NO_BREAK) for text in (size, effectiveness, change))
    return name, *figures, f"{PAGES[name]}; {len(variants.topics)} topics"


def render(rows: Sequence[tuple[str, ...]], measure: str, index: str) -> str:
    """Return the table of an index with its caption."""
    title = measure_header(measure)[0]
    heads = ("collection", "bytes (postings)", f"{title}, before → after", "change [95 %]", "pages; topics")
    caption = (
        f"{index}. {title}: gains 2^g − 1. Bold: the bootstrap interval excludes zero. "
        "`scripts/readme_table.py NAME` measures a row again."
    )
    return f"{table(heads, rows, 'lrrrl')}\n{caption}\n"


def main(names: Sequence[str], is_written: bool, texts: Path | None) -> None:
    """Measure the collections and print or write the table."""
    tables = {name: measured_text(name, texts) if texts else measured(name) for name in names}
    index = f"the texts of {texts}" if texts else f"`{INDEX}`; anchors=0 where topics are link texts"
    text = render([row(name, variants) for name, variants in tables.items()], next(iter(tables.values())).main, index)
    if is_written:
        put(ROOT / "README.md", "collections", text)
    print(text, end="")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*PAGES, []], help=", ".join(PAGES))
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--write", action="store_true", help="put the table into README.md")
    instead.add_argument("--text", type=Path, help="a file of texts to measure instead")
    arguments = parser.parse_args()
    main(arguments.names or [*PAGES], arguments.write, arguments.text)
