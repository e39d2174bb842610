"""Oblivious trees over features, and the probability of their sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

TREE_ARRAYS = ("features", "borders", "trees", "leaves")
CALIBRATION_ARRAYS = ("sums", "probabilities")
# The answers of so many blocks fit into a core's cache; this also bounds the memory that pages of many blocks take.
_BLOCKS_AT_ONCE = 512
_BITS_OF_A_BYTE = 8


class _Leaves(NamedTuple):
    """The leaves of all trees, in the order of the trees."""

    first: npt.NDArray[Any]
    """The position of each tree's first leaf, in as few bytes as possible; shape (trees, 1)."""
    values: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Trees:
    """Trees of one depth.

    Attributes:
        features: the row of features that each question is about; shape (questions,).
        borders: the answer to a question is yes above its border; shape (questions,).
        trees: the questions of each tree, the first for the lowest bit of the leaf's number; shape (trees, depth).
        leaves: values; shape (trees, 2 ** depth).
    """

    features: npt.NDArray[np.uint16]
    borders: npt.NDArray[np.float32]
    trees: npt.NDArray[np.uint16]
    leaves: npt.NDArray[np.int16]

    def sums(self, values: npt.NDArray[np.float32], rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves of each block, shape (blocks,).

        Args:
            values: features; shape (features, blocks).
            rows: the row in `values` of each feature of these trees; None if all are there in order.
        """
        questions = self.features if rows is None else rows[self.features]
        blocks = values.shape[1]
        sums = np.zeros(blocks, dtype=np.int64)
        for begin in range(0, blocks, _BLOCKS_AT_ONCE):
            part = slice(begin, begin + _BLOCKS_AT_ONCE)
            sums[part] = self._sums_of_part(values[:, part], questions)
        return sums

    def _sums_of_part(
        self, values: npt.NDArray[np.float32], questions: npt.NDArray[np.integer[Any]]
    ) -> npt.NDArray[np.int32]:
        depth = self.trees.shape[1]
        # `take` is faster than indexing. An answer is a byte of 0 or 1.
        answers: npt.NDArray[Any] = (values.take(questions, axis=0) > self.borders[:, None]).view(np.uint8)
        if depth > _BITS_OF_A_BYTE:
            answers = answers.astype(np.uint16)
        leaf = answers.take(self.trees[:, -1], axis=0)
        for level in range(depth - 2, -1, -1):
            leaf += leaf
            leaf |= answers.take(self.trees[:, level], axis=0)
        leaves = self._leaves
        sums: npt.NDArray[np.int32] = leaves.values.take(leaf + leaves.first).sum(axis=0, dtype=np.int32)
        return sums

    @cached_property
    def _leaves(self) -> _Leaves:
        first = np.arange(0, self.leaves.size, self.leaves.shape[1])[:, None]
        return _Leaves(first.astype(np.min_scalar_type(self.leaves.size)), self.leaves.ravel().astype(np.int32))


@dataclass(frozen=True)
class Calibration:
    """Probabilities of sums: linear between knots, constant beyond them.

    Sums ascend, probabilities do not descend, in [0, 1]; shape (knots,).
    """

    sums: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]

    def __call__(self, sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the probabilities of sums; the same shape."""
        return np.interp(sums, self.sums, self.probabilities)
