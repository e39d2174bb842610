"""Two-sided paired tests of a mean difference: Student's t, and the randomisation test."""

from __future__ import annotations

import math

import numpy as np

from thresher.base.numbers import Floats
from thresher.base.student import t_tail

DRAWS = 100_000
"""The draws of the randomisation test; Smucker et al. (2007) draw as many."""
MOST_EXACT = 16
"""With at most this many differing pairs all 2^n signs are tried: fewer than `DRAWS`."""
_ROUNDING = 1e-12
"""A sum of differences that falls short of the observed one by less than this share of their sizes equals it."""
_BLOCK = 4_000_000
"""Signs of a block of draws; bounds the memory, not the result."""


def student_p(differences: Floats) -> float:
    """Return p of the paired t-test (Student 1908), as `scipy.stats.ttest_rel` computes it.

    t = mean / (sd / √n), with n − 1 degrees of freedom; p = 2·P(T ≥ |t|). A single pair has p = 1, for it says nothing of the
    variance; equal differences, which have none, have p = 0, or 1 if they are zero.
    """
    n = len(differences)
    largest = float(np.abs(differences).max(initial=0.0))
    if n < 2 or largest == 0:
        return 1.0
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    if error <= _ROUNDING * largest:
        return 0.0
    return min(1.0, 2 * t_tail(abs(float(differences.mean())) / error, n - 1))


def randomisation_p(differences: Floats, seed: int = 0) -> float:
    """Return p of the paired randomisation test (Fisher 1935; for retrieval Smucker, Allan & Carterette 2007).

    If the two systems are equally effective, each difference has either sign with probability 1/2. p is the share of
    signs that put the mean difference at least as far from 0 as observed: of all 2^n signs, or of `DRAWS` random signs
    and the observed signs, which keeps p above 0 (Davison & Hinkley 1997, eq. 4.11). Zeros have no sign.
    """
    sizes = np.abs(differences[differences != 0])
    if len(sizes) == 0:
        return 1.0
    least = abs(float(differences.sum())) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= MOST_EXACT:
        return float(np.mean(np.abs(_all_sums(sizes)) >= least))
    extreme = 0
    generator = np.random.default_rng(seed)
    block = max(1, _BLOCK // len(sizes))
    for start in range(0, DRAWS, block):
        is_positive = generator.integers(0, 2, size=(min(block, DRAWS - start), len(sizes)), dtype=np.int8)
        # Positive differences less negative ones: twice the positive ones less all.
        sums = 2 * (is_positive @ sizes) - sizes.sum()
        extreme += int((np.abs(sums) >= least).sum())
    return (extreme + 1) / (DRAWS + 1)


def _all_sums(sizes: Floats) -> Floats:
    """Return the sums of the sizes with each of the 2^n possible signs."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate((sums + size, sums - size))
    return sums
