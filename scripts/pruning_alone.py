#!/usr/bin/env python3
"""Measure the loss of each pruning method without a cleaner, for the table in docs/results/pruning.md.

usage: scripts/pruning_alone.py RESULTS_FOLDER...     (such as results/pydoc-full results/cacm results/postgresql)

Each folder has the results of `thresher explore`, ranked with the original statistics.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from arguments import parser_of
from fill import put, table
from thresher import Family, VariantTable, read_results

PAGE = Path(__file__).parents[1] / "docs" / "results" / "pruning.md"
SHARES = (0.5, 0.3, 0.1)


def changes(explored: VariantTable, sweep: Sequence[int]) -> Iterator[str]:
    """Yield the change of AP in per cent at each share of the postings, of the largest index up to that share."""
    means, shares = explored.mean("AP"), explored.shares[[*sweep]]
    for share in SHARES:
        inside = np.flatnonzero((shares <= share) & (shares > 0.9 * share))
        if len(inside):
            value = float(means[sweep[inside[np.argmax(shares[inside])]]])
            yield f"{100 * (value / means[0] - 1):+.1f}".replace("-", "−")
        else:
            yield "–"


def main(folders: Sequence[Path]) -> None:
    tables = {folder.name: read_results(folder).tables[0] for folder in folders}
    first = next(iter(tables.values()))
    names = [name for name, members in first.sweeps.items() if first.rows[members[0]].variant.family is Family.PRUNING]
    heads = [f"{name}, {100 * share:.0f} %" for name in tables for share in SHARES]
    rows = [
        (f"`{name.partition('|')[2]}`", *(cell for own in tables.values() for cell in changes(own, own.sweeps[name])))
        for name in names
    ]
    put(PAGE, "pruning methods alone", table(("method", *heads), rows))


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    main(parser.parse_args().results)
