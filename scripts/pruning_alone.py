#!/usr/bin/env python3
"""Put what each pruning method of index pruning loses, alone, beside the published figures in docs/results/pruning.md.

usage: scripts/pruning_alone.py RESULTS_FOLDER...     (such as results/pydoc-full results/cacm results/postgresql)

Each folder holds what `thresher explore` found; ranking is with the original statistics.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from arguments import parser_of
from fill import put, table
from thresher import Family, VariantTable, read_results

PAGE = Path(__file__).parents[1] / "docs" / "results" / "pruning.md"
SHARES = (0.5, 0.3, 0.1)


def changes(found: VariantTable, sweep: Sequence[int]) -> Iterator[str]:
    """Give the change of AP in per cent at each share of the postings: of the largest index of at most that share."""
    means, kept = found.mean("AP"), found.shares[[*sweep]]
    for share in SHARES:
        inside = np.flatnonzero((kept <= share) & (kept > 0.9 * share))
        if len(inside):
            value = float(means[sweep[inside[np.argmax(kept[inside])]]])
            yield f"{100 * (value / means[0] - 1):+.1f}".replace("-", "−")
        else:
            yield "–"


def main(folders: Sequence[Path]) -> None:
    tables = {folder.name: read_results(folder).tables[0] for folder in folders}
    first = next(iter(tables.values()))
    names = [name for name, members in first.sweeps.items() if first.rows[members[0]].variant.family is Family.PRUNING]
    heads = [f"{name}, {100 * share:.0f} %" for name in tables for share in SHARES]
    rows = [
        (f"`{name.partition('|')[2]}`", *(cell for one in tables.values() for cell in changes(one, one.sweeps[name])))
        for name in names
    ]
    put(PAGE, "pruning methods alone", table(("method", *heads), rows))


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    main(parser.parse_args().results)
