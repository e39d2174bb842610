"""Sums over oblivious decision trees, in which all nodes of a level ask the same question.

Source: Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, NeurIPS 2018, section 4. A block's leaf
in a tree is the number whose bits are the answers, so a page goes through all trees at once by whole-array operations, and
the leaves' values are integers, so that sums are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

# Blocks, whose answers fit into a core's cache; bounds the memory that pages of many blocks take.
_AT_ONCE = 128
# Of the smallest numbers.
_BITS = 8
# Trees, so that sums fit into 32 bits.
_MOST = 60_000

Values = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Trees:
    """Trees of one depth.

    Attributes:
        features: the row of features that each question is about; shape (questions,).
        borders: the answer is yes above; shape (questions,).
        trees: the questions of each tree, the first for the lowest bit of the leaf's number; shape (trees, depth).
        leaves: values; shape (trees, 2 ** depth).
    """

    features: npt.NDArray[np.uint16]
    borders: Values
    trees: npt.NDArray[np.uint16]
    leaves: npt.NDArray[np.int16]

    def check(self, features: int) -> None:
        """Check that the arrays belong together and that the trees ask for no more than that many features."""
        questions, (count, depth) = len(self.features), self.trees.shape
        kinds = [array.dtype for array in (self.features, self.borders, self.trees, self.leaves)]
        if (
            kinds != [np.uint16, np.float32, np.uint16, np.int16]
            or self.features.shape != self.borders.shape
            or self.leaves.shape != (count, 2**depth)
            or not (count and depth and questions)
            or count > _MOST
            or self.features.max() >= features
            or self.trees.max() >= questions
            or np.isnan(self.borders).any()
        ):
            raise ValueError("the arrays do not fit each other")

    def sums(
        self, values: Sequence[Values] | Values, rows: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return the sum of the leaves of each block.

        Args:
            values: features, in one matrix or several below each other; shape (features, blocks).
            rows: where these trees' features are in `values`; by default they are all of them, in order.

        Returns:
            shape (blocks,).
        """
        matrices = (values,) if isinstance(values, np.ndarray) else tuple(values)
        indices = self.features if rows is None else rows[self.features]
        parts = []
        for first in range(0, matrices[0].shape[1], _AT_ONCE):
            part = [matrix[:, first : first + _AT_ONCE] for matrix in matrices]
            parts.append(self._part(part[0] if len(part) == 1 else np.concatenate(part), indices))
        return np.concatenate([*parts, np.zeros(0, dtype=np.int64)], dtype=np.int64)

    def _part(self, values: Values, indices: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        depth = self.trees.shape[1]
        # `take` is faster than indexing. An answer is a byte of 0 or 1.
        answers: npt.NDArray[Any] = (values.take(indices, axis=0) > self.borders[:, None]).view(np.uint8)
        if depth > _BITS:
            answers = answers.astype(np.uint16)
        leaf = answers.take(self.trees[:, -1], axis=0)
        for level in range(depth - 2, -1, -1):
            leaf += leaf
            leaf |= answers.take(self.trees[:, level], axis=0)
        first, leaves = self._all_leaves
        sums: npt.NDArray[np.int32] = leaves.take(leaf + first).sum(axis=0, dtype=np.int32)
        return sums

    @cached_property
    def _all_leaves(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
        """The number of each tree's first leaf, in as few bytes as will do, and the values of all leaves of all trees."""
        first = np.arange(0, self.leaves.size, self.leaves.shape[1])[:, None]
        return first.astype(np.min_scalar_type(self.leaves.size)), self.leaves.ravel().astype(np.int32)
