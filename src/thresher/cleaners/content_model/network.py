"""A network over a page's blocks, in whole numbers, so that it says the same on every machine.

Each block has some numbers, and at each step adds what follows from its own, from those of two blocks further and further
away, and at some steps from the mean and the highest over the page: dilated convolutions (Yu and Koltun, Multi-Scale Context
Aggregation by Dilated Convolutions, ICLR 2016) with shortcuts (He et al., Deep Residual Learning, CVPR 2016). Weights and
numbers are whole (Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
Inference, CVPR 2018), and sums below 2 ** 24, up to which float32 adds exactly in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.floating[Any]]
Singles = npt.NDArray[np.float32]

HIGHEST, STEP_LIMIT = 255, 1023
"""Of the numbers of a hidden layer, and of those that steps add to."""
_HALF = 127
# Up to so many multiplications OpenBLAS uses one thread: others, once woken, wait at full load. Vectors hold 16 numbers.
_ONE_THREAD, _COLUMNS = 2**19 - 1, 16
NETWORK_ARRAYS = ("middles", "shapes", "weights", "biases", "scales")


@dataclass(frozen=True)
class Layer:
    """A linear layer: whole weights, shape (outputs, inputs), and biases; what its sums are multiplied by, (outputs,)."""

    weights: npt.NDArray[np.int16]
    biases: npt.NDArray[np.int32]
    scales: Singles

    @cached_property
    def _single(self) -> tuple[Singles, Singles, Singles]:
        return self.weights.astype(np.float32), self.biases.astype(np.float32)[:, None], self.scales[:, None]

    def sums(self, inputs: Singles, of_page: Singles | None = None) -> Singles:
        """Return the weighted sums of inputs, shape (inputs, blocks), and of those that all blocks share, (inputs,)."""
        weights, biases, _ = self._single
        if of_page is not None:
            weights, shared = weights[:, : len(inputs)], weights[:, len(inputs) :]
            biases = biases + (shared @ of_page)[:, None]
        sums = np.empty((len(weights), inputs.shape[1]), dtype=np.float32)
        at_once = max(_ONE_THREAD // weights.size // _COLUMNS, 1) * _COLUMNS
        even = inputs.shape[1] // at_once * at_once

        def parts(values: Singles) -> Singles:
            return values[:, :even].reshape(len(values), -1, at_once).transpose(1, 0, 2)

        if even:
            np.matmul(weights, parts(inputs), out=parts(sums))
        np.matmul(weights, inputs[:, even:], out=sums[:, even:])
        sums += biases
        return sums

    def whole(self, inputs: Singles, of_page: Singles | None = None) -> Singles:
        """Return the sums times the scales, whole."""
        sums = self.sums(inputs, of_page)
        sums *= self._single[2]
        return np.rint(sums, out=sums)


@dataclass(frozen=True)
class Network:
    """A network: where features are half-way from 0 to their highest, and its layers.

    Layers: from the features, to the blocks' numbers, two for each step, and the last.
    """

    middles: Singles
    layers: tuple[Layer, ...]

    def sums(self, values: Singles, words: Numbers) -> npt.NDArray[np.int64]:
        """Return the sum of each block, which rises with its probability; from features, shape (features, blocks)."""
        squeeze, enter, *steps, last = self.layers
        weights = block_weights(words)
        hidden = _within(squeeze.whole(halved(values, self.middles)), 0, HIGHEST)
        numbers = _within(enter.whole(hidden), -STEP_LIMIT, STEP_LIMIT)
        for step, (around, mix) in enumerate(zip(steps[::2], steps[1::2], strict=True)):
            inputs = shifted_both_ways(numbers, 2**step)
            sees_all = around.weights.shape[1] > len(inputs)
            seen = around.whole(inputs, of_whole_page(numbers, weights) if sees_all else None)
            numbers += mix.whole(_within(seen, 0, HIGHEST))
            _within(numbers, -STEP_LIMIT, STEP_LIMIT)
        both = np.concatenate((np.maximum(numbers, 0), hidden))
        sums: npt.NDArray[np.int64] = last.sums(both)[0].astype(np.int64)
        return sums

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """Return it as `NETWORK_ARRAYS`."""
        parts = zip(*((one.weights.ravel(), one.biases, one.scales) for one in self.layers), strict=True)
        return (self.middles, np.array([one.weights.shape for one in self.layers]), *map(np.concatenate, parts))


def network_of(arrays: Sequence[npt.NDArray[Any]]) -> Network:
    """Return a network as it was before `Network.arrays`.

    Raises:
        ValueError: if the arrays do not fit each other.
    """
    middles, shapes, *numbers = arrays
    outputs = np.cumsum(shapes[:, 0])[:-1]
    weights, biases, scales = (
        np.split(array, ends)
        for array, ends in zip(numbers, (np.cumsum(shapes.prod(axis=1))[:-1], outputs, outputs), strict=True)
    )
    layers = [
        Layer(flat.reshape(shape), *rest)
        for flat, shape, *rest in zip(weights, shapes.tolist(), biases, scales, strict=True)
    ]
    if len(layers) < 3 or len(middles) != layers[0].weights.shape[1]:
        raise ValueError("the network's layers do not fit its features")
    return Network(middles, tuple(layers))


def _within(numbers: Singles, low: int, high: int) -> Singles:
    return np.minimum(np.maximum(numbers, low, out=numbers), high, out=numbers)


def halved(values: Singles, middles: Singles) -> Singles:
    """Return features as whole numbers from -127 to 127: half of that at the middle; shape (features, blocks)."""
    sizes = np.abs(values)
    sizes += middles[:, None]
    np.divide(values, sizes, out=sizes)
    sizes *= _HALF
    return np.rint(sizes, out=sizes)


def block_weights(words: Numbers) -> Numbers:
    """Return the weights of blocks in the mean over a page, whole: 16 times the root of their words and one."""
    weights: Numbers = np.rint(16 * np.sqrt(words + 1))
    return weights


def of_whole_page(numbers: Singles, weights: Numbers) -> Singles:
    """Return the mean over a page's blocks by weight, and the highest; shape (2 * numbers,)."""
    # Matrix by vector, OpenBLAS uses all threads for far fewer multiplications.
    means = np.rint(np.einsum("nb,b->n", numbers, weights) / weights.sum())
    return np.concatenate((means, numbers.max(axis=1))).astype(np.float32)


def shifted_both_ways(numbers: Numbers, distance: int) -> Numbers:
    """Return the numbers of the block so far before each, of each, and of that so far after, 0 beyond the page's edges."""
    width, blocks = numbers.shape
    found = np.zeros((3 * width, blocks), dtype=numbers.dtype)
    found[:width, distance:] = numbers[:, :-distance]
    found[width : 2 * width] = numbers
    found[2 * width :, :-distance] = numbers[:, distance:]
    return found
