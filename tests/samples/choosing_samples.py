"""Tables to choose from: families with the sizes and values that a test gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import variant

from thresher.base.numbers import Floats
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.table import Row, VariantTable
from thresher.indexes.work import IndexStatistics

POSTINGS, PAGES = 100_000, 1000
DCP, BOILERPIPE, SECOND, THIRD = "none|dcp", "boilerpipe(rules=words,headings=keep)|dcp", "none|2n2p", "none|prp"
FAMILIES = (DCP, BOILERPIPE, SECOND, THIRD)
CRITERIA = ChoiceCriteria(families=FAMILIES)
"""The default criteria, but for families with short names."""
MEASURES = ("nDCG@10", "AP")


def row(name: str, postings: int, emptied: int = 0) -> Row:
    share = postings / POSTINGS
    counts = IndexStatistics(PAGES - emptied, 2 * postings, postings, 500)
    return Row(variant(name), counts, round(50_000 * share), round(400_000 * share), True)


def table_of(
    baseline: Floats,
    families: Mapping[str, Mapping[float, Floats]],
    emptied: Mapping[str, int] | None = None,
    held_out: bool = False,
) -> VariantTable:
    """Return a table.

    Args:
        baseline: values, shape (measures, topics) or (topics,) for the same values in both measures.
        families: by sweep, then by size as a share of the baseline's postings, values of the shape of the baseline's.
        emptied: pages, by variant.
        held_out: whether the values are those of held-out topics, too.
    """
    empties = emptied or {}
    rows, values = [row("none", POSTINGS)], [np.broadcast_to(baseline, (2, baseline.shape[-1]))]
    for sweep, members in families.items():
        for share, of in members.items():
            name = f"{sweep}@{share:g}"
            rows.append(row(name, round(POSTINGS * share), empties.get(name, 0)))
            values.append(np.broadcast_to(of, values[0].shape))
    stacked = np.stack(values, axis=1)
    topics = tuple(f"{number:04}" for number in range(stacked.shape[-1]))
    postings = np.outer([row.index.postings / 1000 for row in rows], np.ones(len(topics)))
    others = (tuple(f"h{topic}" for topic in topics), stacked) if held_out else ((), stacked[:, :, :0])
    return VariantTable("qld", MEASURES, topics, tuple(rows), stacked, postings, *others)


def problem_of(table: VariantTable, **criteria: Any) -> ChoiceProblem:
    """Return the choice among a table's variants by its first two measures."""
    return ChoiceProblem(table, table.measures[:2], replace(CRITERIA, **criteria))


def reordered(table: VariantTable, topics: Sequence[int], rows: Sequence[int]) -> VariantTable:
    """Return the table with its topics and its rows behind the baseline in another order."""
    order = [0, *(row + 1 for row in rows)]
    return VariantTable(
        table.retrieval,
        table.measures,
        tuple(table.topics[topic] for topic in topics),
        tuple(table.rows[row] for row in order),
        table.values[:, order][:, :, list(topics)],
        table.query_postings[order][:, list(topics)],
        (),
        table.held_out[:, order],
    )


def drawn_again(table: VariantTable, drawn: Sequence[int]) -> VariantTable:
    """Return the table with a sample of its topics, which may have some of them twice."""
    chosen = list(drawn)
    return replace(
        table,
        topics=tuple(f"{number:04}" for number in range(len(chosen))),
        values=table.values[:, :, chosen],
        query_postings=table.query_postings[:, chosen],
    )


def explored(name: str) -> VariantTable:
    """The paths of the four families over a collection, explored with its topics; of pydoc also some neighbours.

    A posting has four bytes.
    """
    kept = np.load(Path(__file__).parents[1] / "choosing" / f"{name}.npz")
    counts = zip(kept["names"].tolist(), kept["postings"].tolist(), kept["documents"].tolist(), strict=True)
    rows = tuple(
        Row(variant(name), IndexStatistics(documents, 0, postings, 0), 0, 4 * postings, True)
        for name, postings, documents in counts
    )
    values = kept["values"].astype(np.float64)
    topics = tuple(kept["topics"].tolist())
    none = np.zeros((len(rows), len(topics)))
    return VariantTable("qld", MEASURES, topics, rows, values, none, (), values[:, :, :0])
