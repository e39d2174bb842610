#!/usr/bin/env python3
"""Compare the estimated bytes of indexes with the bytes of built indexes, or fit the coefficients of the estimate.

usage: scripts/index_bytes.py RESULTS_FOLDER...     (such as results/pydoc results/cacm results/postgresql)

Writes the tables of scripts/pages/index-bytes.md. Each folder has the results of `thresher run`. There are three estimates: by
coefficients fitted to the other collections, by the package's coefficients, and by the package's coefficients scaled to the
measured files of the baseline. `--fit` instead prints the coefficients of `thresher.indexes.size_estimates`, fitted to all
indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arguments import parser_of
from fill import collection_of, put, table
from thresher import Row, read_results
from thresher.indexes.size_estimates import (
    BYTES_OF_AMOUNTS,
    CountedIndex,
    IndexContents,
    amounts,
    estimated_bytes,
    scaled_bytes,
)

PAGE = Path(__file__).parent / "pages" / "index-bytes.md"
FITTED = {
    ".doc": (".doc",),
    ".tim": (".tim", ".tip", ".tmd"),
    ".dvd": (".dvd",),
    ".fdt": (".fdt",),
    ".parquet": (".parquet",),
}
"""The fitted coefficients, each with its file types. The other coefficients follow from the file format."""

Coefficients = Mapping[str, tuple[float, ...]]
Estimate = Callable[["BuiltIndex"], float]


@dataclass(frozen=True)
class BuiltIndex:
    """A built index, with the baseline of its collection."""

    collection: str
    row: Row
    baseline: Row
    contents: IndexContents

    def counted(self) -> CountedIndex:
        """Return the counts that the estimate needs."""
        return counted(self.row, self.baseline)

    def sizes(self) -> Mapping[str, int]:
        """Return the measured bytes by type."""
        return sizes(self.row)


def counted(row: Row, baseline: Row) -> CountedIndex:
    """Return the counts that the estimate of an index needs."""
    removed = max(baseline.index.postings - row.index.postings, 0)
    return CountedIndex(row.index, row.words, row.variant.pruning is not None, removed)


def sizes(row: Row) -> Mapping[str, int]:
    """Return the measured bytes of an index by type."""
    assert row.built is not None
    return row.built.bytes_by_type


def read(folders: Sequence[Path]) -> list[BuiltIndex]:
    """Return the built indexes of results, without repetitions of equal indexes."""
    indexes = []
    for folder in folders:
        results = read_results(folder)
        rows = [row for row in results.table().rows if row.built is not None]
        different = {(row.index, row.bytes): row for row in reversed(rows)}
        for row in reversed(different.values()):
            indexes.append(BuiltIndex(collection_of(folder.name), row, rows[0], results.facts.contents))
    return indexes


def fitted(indexes: Sequence[BuiltIndex]) -> Coefficients:
    """Return coefficients by least squares of errors, as shares of the whole index's bytes."""
    coefficients = dict(BYTES_OF_AMOUNTS)
    for kind, types in FITTED.items():
        having = [index for index in indexes if kind in amounts(index.counted(), index.contents)]
        weights = np.array([1 / sum(index.sizes().values()) for index in having])
        of_kind = np.array([amounts(index.counted(), index.contents)[kind] for index in having])
        measured = np.array([sum(index.sizes().get(name, 0) for name in types) for index in having])
        varies = of_kind.any(axis=0)
        solved, *_ = np.linalg.lstsq(of_kind[:, varies] * weights[:, None], measured * weights, rcond=None)
        of_amounts = np.array(BYTES_OF_AMOUNTS[kind])
        of_amounts[varies] = solved
        coefficients[kind] = tuple(of_amounts.tolist())
    return coefficients


def error(index: BuiltIndex, estimate: float) -> float:
    """Return an estimate's difference from the measured bytes, as a share of the measured bytes."""
    return estimate / sum(index.sizes().values()) - 1


def by_package(index: BuiltIndex) -> float:
    """Return the package's estimate."""
    return sum(estimated_bytes(index.counted(), index.contents).values())


def by_baseline(index: BuiltIndex) -> float:
    """Return the package's estimate, scaled to the measured files of the built baseline."""
    estimate = estimated_bytes(index.counted(), index.contents)
    of_baseline = estimated_bytes(counted(index.baseline, index.baseline), index.contents)
    return sum(scaled_bytes(estimate, of_baseline, sizes(index.baseline)).values())


def without_collection(indexes: Sequence[BuiltIndex]) -> Estimate:
    """Return a function that estimates by coefficients fitted to the other collections."""
    of_collection = {}
    for name in {index.collection for index in indexes}:
        of_collection[name] = fitted([index for index in indexes if index.collection != name])

    def estimate(index: BuiltIndex) -> float:
        coefficients = of_collection[index.collection]
        of_types = amounts(index.counted(), index.contents).items()
        return sum(float(np.dot(coefficients[kind], of_kind)) for kind, of_kind in of_types)

    return estimate


def lines(indexes: Sequence[BuiltIndex]) -> Iterable[tuple[str, ...]]:
    """Yield a line for each index."""
    left_out = without_collection(indexes)
    for index in indexes:
        others = "–" if index.row is index.baseline else f"{100 * error(index, by_baseline(index)):+.1f}"
        yield (
            index.collection,
            f"`{index.row.name}`",
            f"{index.row.index.postings:,}",
            f"{index.row.index.vocabulary:,}",
            f"{sum(index.sizes().values()):,}",
            f"{100 * error(index, left_out(index)):+.1f}",
            f"{100 * error(index, by_package(index)):+.1f}",
            others,
        )


def summary(indexes: Sequence[BuiltIndex]) -> str:
    """Return the table of mean and largest errors by estimate."""
    pruned = [index for index in indexes if index.row is not index.baseline]
    estimates = {
        "without the collection": (without_collection(indexes), indexes),
        "by the package": (by_package, indexes),
        "with the baseline built": (by_baseline, pruned),
    }
    rows = []
    for name, (estimate, of_indexes) in estimates.items():
        errors = [abs(error(index, estimate(index))) for index in of_indexes]
        within = sum(value <= 0.1 for value in errors)
        rows.append(
            (name, f"{100 * sum(errors) / len(errors):.1f}", f"{100 * max(errors):.1f}", f"{within} of {len(errors)}")
        )
    return table(("estimate", "mean error (%)", "largest (%)", "within 10 %"), rows, "l")


def main(folders: Sequence[Path], fit: bool) -> None:
    indexes = read(folders)
    if fit:
        for kind, coefficients in fitted(indexes).items():
            print(f'    "{kind}": ({", ".join(f"{value:.3f}" for value in coefficients)}),')
        return
    heads = ("collection", "index", "postings", "terms", "bytes", "left out (%)", "package (%)", "baseline built (%)")
    put(PAGE, "errors", summary(indexes))
    put(PAGE, "indexes", table(heads, lines(indexes), "ll"))


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--fit", action="store_true", help="print the fitted coefficients")
    parser.add_argument("results", nargs="+", type=Path)
    arguments = parser.parse_args()
    main(arguments.results, arguments.fit)
