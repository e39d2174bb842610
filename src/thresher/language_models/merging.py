"""Merging sorted runs on disk in blocks, so that memory does not grow with the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thresher.pages.plain import Ints

BLOCK = 1 << 20
"""How many entries are held at once, about."""


def write_run(path: Path, keys: Ints, counts: Ints) -> None:
    """Write different keys, ascending, and their counts to `path` (`.keys`, `.counts`)."""
    keys.astype(np.int64).tofile(path.with_suffix(".keys"))
    counts.astype(np.int64).tofile(path.with_suffix(".counts"))


def read_array(path: Path) -> Ints:
    """Map a file of 64-bit integers into memory; what is not used for long costs none."""
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=np.int64)
    return np.memmap(path, dtype=np.int64, mode="r")


def merge_runs(runs: Sequence[Path], merged: Path, block: int = BLOCK) -> None:
    """Merge runs that `write_run` wrote into one, adding the counts of equal keys. The runs are removed.

    The keys are cut into ranges at quantiles of a sample of all runs, so that a range has about `block` entries in all runs
    together; then the ranges are merged one after the other.

    Args:
        runs: the paths of the runs.
        merged: the path of the result.
        block: the number of entries to merge at once.
    """
    keys = [read_array(run.with_suffix(".keys")) for run in runs]
    counts = [read_array(run.with_suffix(".counts")) for run in runs]
    step = max(1, block // (8 * max(1, len(runs))))
    sample = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *(run[step - 1 :: step] for run in keys)]))
    pivots = np.unique(sample[max(1, block // step) - 1 :: max(1, block // step)])
    # A range ends after its pivot; the last has none.
    cuts = [np.concatenate(([0], np.searchsorted(run, pivots, side="right"), [len(run)])) for run in keys]
    with merged.with_suffix(".keys").open("wb") as key_file, merged.with_suffix(".counts").open("wb") as count_file:
        for part in range(len(pivots) + 1):
            slices = [slice(cut[part], cut[part + 1]) for cut in cuts]
            some = np.concatenate([run[at] for run, at in zip(keys, slices, strict=True)])
            if not len(some):
                continue
            order = np.argsort(some, kind="stable")
            some = some[order]
            starts = np.flatnonzero(np.concatenate(([True], some[1:] != some[:-1])))
            all_counts = np.concatenate([run[at] for run, at in zip(counts, slices, strict=True)])[order]
            some[starts].tofile(key_file)
            np.add.reduceat(all_counts, starts).tofile(count_file)
    for run in runs:
        run.with_suffix(".keys").unlink()
        run.with_suffix(".counts").unlink()
