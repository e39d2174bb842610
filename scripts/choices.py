#!/usr/bin/env python3
"""Put the indexes that `thresher choose` recommends into docs/choosing.md.

usage: scripts/choices.py RESULTS_FOLDER...     (such as results/pydoc results/cacm results/postgresql)
"""

import sys
from pathlib import Path

from arguments import parser_of
from fill import JUDGE, put, table
from thresher import ChosenIndex, ModelChoice, measure_header, read_choice

DOCS = Path(__file__).parents[1] / "docs"


def main(folders: list[Path]) -> None:
    rows, main = [], ""
    for folder in folders:
        choice = read_choice(folder)
        if choice is None:
            sys.exit(f"error: {folder}: there is no choice. Fix: run `thresher choose` first.")
        main = measure_header(choice.measure)[0]
        rows.append(row(folder.name, choice.models[0]))
    size = "postings (%)"
    heads = ("collection", "topics", "smallest", size, main, "best", size, main, "conservative", size)
    caption = f"\n{JUDGE}\n" if "web" in [folder.name for folder in folders] else ""
    put(DOCS / "choosing.md", "choices", table(heads, rows, "lrlrrlrrlr") + caption)


def row(name: str, model: ModelChoice) -> tuple[str, ...]:
    """Return a line of the table."""
    return (name, str(model.topics), *named(model.smallest), *named(model.best), *named(model.conservative)[:2])


def named(pick: ChosenIndex | None) -> tuple[str, str, str]:
    """Return the name, the size, and the means of the baseline and of an index."""
    if pick is None:
        return "–", "", ""
    main = pick.effects[0]
    return f"`{pick.variant}`", f"{100 * pick.share:.1f}", f"{main.reference:.3f} → {main.mean:.3f}"


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    main(parser.parse_args().results)
