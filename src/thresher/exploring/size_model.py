"""Estimates the bytes of an index from its counts, fitted to indexes that were built.

A linear model with non-negative prices per document, posting, term and repeated occurrence, fitted to relative errors, times
a correction by how far off similar indexes were (Gaussian-process regression on logarithms: Rasmussen and Williams, "Gaussian
Processes for Machine Learning", 2006, Eq. 2.25). Prices hold for one collection and one set of options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.exploring.similarity import Floats
from thresher.lucene.work import IndexStatistics
from thresher.pruning_methods.treatments import Family
from thresher.variants.results import SizeErrors
from thresher.variants.table import Row, VariantTable

FEWEST = 8
"""Fewest different indexes to fit a model to."""

COUNTED_SHARE = 0.1
"""Errors are reported for indexes with at least this share of the largest one's bytes."""

# Bytes of headers and field lists in any index.
_FIXED = 1700.0
# Length scale (in logarithms), prior deviation and noise of the regression: the linear model is off by about 10 %, and files
# of the same counts differ by 0.3 %.
_DISTANCE, _OFF, _NOISE = 2.0, 0.1, 0.003


@dataclass(frozen=True)
class BuiltIndex:
    """The counts and bytes of an index that was built."""

    size: IndexStatistics
    bytes: int


class SizeModel:
    """Estimates bytes from counts.

    Args:
        built: at least one index with tokens.
    """

    def __init__(self, built: Sequence[BuiltIndex]) -> None:
        sizes = [index.size for index in built]
        held = np.array([index.bytes for index in built], dtype=np.float64)
        parts = _parts(sizes)
        # Imported late: loading SciPy takes as long as exploring a small collection.
        from scipy.optimize import nnls

        self._prices: Floats = nnls(parts / held[:, None], np.ones(len(built)))[0]
        self._features = _features(sizes)
        covariance = _kernel(self._features, self._features) + _NOISE**2 * np.eye(len(built))
        self._off: Floats = np.linalg.solve(covariance, np.log(held / (parts @ self._prices)))

    def bytes(self, size: IndexStatistics) -> int:
        """Return the bytes of an index, 0 for one without tokens."""
        if not size.tokens:
            return 0
        correction = _kernel(_features([size]), self._features) @ self._off
        return round(float((_parts([size]) @ self._prices * np.exp(correction))[0]))


def fit(built: Sequence[BuiltIndex]) -> SizeModel | None:
    """Return the model of indexes of one collection and one set of options; None with fewer than `FEWEST`."""
    different = _different(built)
    return SizeModel(different) if len(different) >= FEWEST else None


def leave_one_out(kinds: Sequence[Sequence[BuiltIndex]]) -> SizeErrors | None:
    """Return the errors of estimating each index from the others of its kind; None without `FEWEST` of any kind."""
    different = [some for kind in kinds if len(some := _different(kind)) >= FEWEST]
    if not different:
        return None
    least = COUNTED_SHARE * max(index.bytes for some in different for index in some)
    errors = [
        abs(SizeModel(some[:left_out] + some[left_out + 1 :]).bytes(index.size) / index.bytes - 1)
        for some in different
        for left_out, index in enumerate(some)
        if index.bytes >= least
    ]
    return SizeErrors(len(errors), float(np.mean(errors)), max(errors))


def with_bytes(
    tables: Sequence[VariantTable], built: Mapping[str, int]
) -> tuple[tuple[VariantTable, ...], SizeErrors | None]:
    """Return tables of the same variants with the bytes of all of them, estimated from those that were built, by name.

    Pruned indexes have files and postings of their own for the original statistics, so they are estimated from pruned ones,
    and all others from unpruned ones; from all that were built where too few of a kind were.
    """
    kinds: dict[bool, list[BuiltIndex]] = {True: [], False: []}
    rows = tables[0].rows
    for row in rows:
        if row.name in built:
            kinds[_is_pruned(row)].append(BuiltIndex(row.index, built[row.name]))
    every = fit([*kinds[True], *kinds[False]])
    models = {pruned: fit(some) or every for pruned, some in kinds.items()}
    estimated = [
        replace(row, bytes=model.bytes(row.index) if (model := models[_is_pruned(row)]) else None) for row in rows
    ]
    return tuple(table.with_rows(estimated) for table in tables), leave_one_out([*kinds.values()])


def _is_pruned(row: Row) -> bool:
    return row.variant.family is not Family.CLEANERS


def _different(built: Sequence[BuiltIndex]) -> list[BuiltIndex]:
    """Return the indexes with tokens, one of each set of counts: cutoffs may keep the same text."""
    return list({index.size: index for index in built if index.size.tokens}.values())


def _parts(sizes: Sequence[IndexStatistics]) -> Floats:
    return np.array(
        [[_FIXED, size.documents, size.postings, size.vocabulary, size.tokens - size.postings] for size in sizes],
        dtype=np.float64,
    )


def _features(sizes: Sequence[IndexStatistics]) -> Floats:
    """Return log features of indexes: size, terms per document, df per term, tf per posting."""
    ratios = [
        [
            size.postings,
            size.postings / size.documents,
            size.postings / max(size.vocabulary, 1),
            size.tokens / size.postings,
        ]
        for size in sizes
    ]
    features: Floats = np.log(np.array(ratios))
    return features


def _kernel(points: Floats, others: Floats) -> Floats:
    distances = ((points[:, None] - others[None]) ** 2).sum(axis=-1)
    covariance: Floats = _OFF**2 * np.exp(-distances / (2 * _DISTANCE**2))
    return covariance
