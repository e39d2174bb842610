"""A network over a page's blocks, in whole numbers, so that its results are equal on every machine.

Each block has a vector of numbers, and each step adds the output of a layer to the vector. The layer's inputs are the block's
own numbers, the numbers of two blocks that are farther away at each step, and at some steps the mean and the highest numbers
of the page. These are dilated convolutions (Yu and Koltun, Multi-Scale Context Aggregation by Dilated Convolutions, ICLR 2016)
with shortcuts (He et al., Deep Residual Learning, CVPR 2016). Weights and numbers are whole (Jacob et al., Quantization and
Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, CVPR 2018). Sums stay below 2 ** 24, and smaller
whole numbers are added exactly by float32, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.floating[Any]]
Floats32 = npt.NDArray[np.float32]

HIGHEST, STEP_LIMIT = 255, 1023
"""The limits of the numbers of a hidden layer, and of the numbers that steps add to."""
NETWORK_ARRAYS = ("middles", "shapes", "weights", "biases", "scales")
_HALF = 127
# Up to this many multiplications OpenBLAS uses one thread. Further threads, once woken, wait at full load.
_ONE_THREAD = 2**19 - 1
# The numbers in a vector register.
_COLUMNS = 16
# The layers outside the steps: from the features, to the blocks' numbers, and the last.
_FEWEST_LAYERS = 3


class _SingleLayer(NamedTuple):
    """A layer as float32; biases and scales are columns, shape (outputs, 1)."""

    weights: Floats32
    biases: Floats32
    scales: Floats32


@dataclass(frozen=True)
class Layer:
    """A linear layer.

    Attributes:
        weights: whole; shape (outputs, inputs).
        biases: whole; shape (outputs,).
        scales: the factors of the sums; shape (outputs,).
    """

    weights: npt.NDArray[np.int16]
    biases: npt.NDArray[np.int32]
    scales: Floats32

    @cached_property
    def _single(self) -> _SingleLayer:
        biases = self.biases.astype(np.float32)[:, None]
        return _SingleLayer(self.weights.astype(np.float32), biases, self.scales[:, None])

    def sums(self, inputs: Floats32, page_inputs: Floats32 | None = None) -> Floats32:
        """Return the weighted sums of each block; shape (outputs, blocks).

        Args:
            inputs: the inputs of each block; shape (inputs, blocks).
            page_inputs: further inputs that all blocks share, whose weights come last; None for none.
        """
        weights, biases = self._single.weights, self._single.biases
        if page_inputs is not None:
            page_weights = weights[:, len(inputs) :]
            weights = weights[:, : len(inputs)]
            biases = biases + (page_weights @ page_inputs)[:, None]
        sums = _products(weights, inputs)
        sums += biases
        return sums

    def scaled_sums(self, inputs: Floats32, page_inputs: Floats32 | None = None) -> Floats32:
        """Return the sums times the scales, as whole numbers."""
        sums = self.sums(inputs, page_inputs)
        sums *= self._single.scales
        return np.rint(sums, out=sums)


def _products(weights: Floats32, inputs: Floats32) -> Floats32:
    """Return the product of two matrices, in parts of so few columns that OpenBLAS uses one thread."""
    products = np.empty((len(weights), inputs.shape[1]), dtype=np.float32)
    at_once = max(_ONE_THREAD // weights.size // _COLUMNS, 1) * _COLUMNS
    in_parts = inputs.shape[1] // at_once * at_once
    if in_parts:
        np.matmul(weights, _parts(inputs[:, :in_parts], at_once), out=_parts(products[:, :in_parts], at_once))
    np.matmul(weights, inputs[:, in_parts:], out=products[:, in_parts:])
    return products


def _parts(values: Floats32, columns: int) -> Floats32:
    """Return views of so many columns each; shape (parts, rows, columns)."""
    return values.reshape(len(values), -1, columns).transpose(1, 0, 2)


@dataclass(frozen=True)
class Network:
    """A network.

    Attributes:
        middles: the value of each feature that is half-way from 0 to its highest.
        layers: from the features, to the blocks' numbers, two for each step, and the last.
    """

    middles: Floats32
    layers: tuple[Layer, ...]

    def sums(self, values: Floats32, words: Numbers) -> npt.NDArray[np.int64]:
        """Return the sum of each block, which rises with its probability; from features, shape (features, blocks)."""
        squeeze, enter = self.layers[:2]
        steps = self.layers[2:-1]
        last = self.layers[-1]
        weights = block_weights(words)
        hidden = _clipped(squeeze.scaled_sums(halved(values, self.middles)), 0, HIGHEST)
        numbers = _clipped(enter.scaled_sums(hidden), -STEP_LIMIT, STEP_LIMIT)
        for step in range(len(steps) // 2):
            around = steps[2 * step]
            mix = steps[2 * step + 1]
            inputs = shifted_both_ways(numbers, 2**step)
            sees_page = around.weights.shape[1] > len(inputs)
            page_inputs = None
            if sees_page:
                page_inputs = of_whole_page(numbers, weights)
            step_hidden = _clipped(around.scaled_sums(inputs, page_inputs), 0, HIGHEST)
            numbers += mix.scaled_sums(step_hidden)
            _clipped(numbers, -STEP_LIMIT, STEP_LIMIT)
        both = np.concatenate((np.maximum(numbers, 0), hidden))
        sums: npt.NDArray[np.int64] = last.sums(both)[0].astype(np.int64)
        return sums

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """Return the network as `NETWORK_ARRAYS`."""
        return (
            self.middles,
            np.array([layer.weights.shape for layer in self.layers]),
            np.concatenate([layer.weights.ravel() for layer in self.layers]),
            np.concatenate([layer.biases for layer in self.layers]),
            np.concatenate([layer.scales for layer in self.layers]),
        )


def network_of(arrays: Sequence[npt.NDArray[Any]]) -> Network:
    """Return the network of `Network.arrays`.

    Raises:
        ValueError: if the arrays do not fit each other.
    """
    middles, shapes, weights, biases, scales = arrays
    weight_ends = np.cumsum(shapes.prod(axis=1))[:-1]
    output_ends = np.cumsum(shapes[:, 0])[:-1]
    parts = zip(
        shapes.tolist(),
        np.split(weights, weight_ends),
        np.split(biases, output_ends),
        np.split(scales, output_ends),
        strict=True,
    )
    layers = []
    for shape, layer_weights, layer_biases, layer_scales in parts:
        layers.append(Layer(layer_weights.reshape(shape), layer_biases, layer_scales))
    if len(layers) < _FEWEST_LAYERS or len(middles) != layers[0].weights.shape[1]:
        raise ValueError("the network's layers do not fit its features")
    return Network(middles, tuple(layers))


def _clipped(numbers: Floats32, low: int, high: int) -> Floats32:
    """Return the numbers, changed in place, within [low, high]."""
    return np.minimum(np.maximum(numbers, low, out=numbers), high, out=numbers)


def halved(values: Floats32, middles: Floats32) -> Floats32:
    """Return features as whole numbers from -127 to 127, half of that at the middle; shape (features, blocks)."""
    sizes = np.abs(values)
    sizes += middles[:, None]
    np.divide(values, sizes, out=sizes)
    sizes *= _HALF
    return np.rint(sizes, out=sizes)


def block_weights(words: Numbers) -> Numbers:
    """Return the weights of blocks in the mean over a page, whole: 16 times the root of their words and one."""
    weights: Numbers = np.rint(16 * np.sqrt(words + 1))
    return weights


def of_whole_page(numbers: Floats32, weights: Numbers) -> Floats32:
    """Return the mean over a page's blocks by weight, and the highest; shape (2 * numbers,)."""
    # For the product of a matrix and a vector, OpenBLAS uses all threads from far fewer multiplications on.
    means = np.rint(np.einsum("nb,b->n", numbers, weights) / weights.sum())
    return np.concatenate((means, numbers.max(axis=1))).astype(np.float32)


def shifted_both_ways(numbers: Numbers, distance: int) -> Numbers:
    """Return for each block the numbers of the block at a distance before it, its own, and of the block after it.

    Numbers beyond the page are 0. Shape (3 * numbers, blocks).
    """
    width = len(numbers)
    shifted = np.zeros((3 * width, numbers.shape[1]), dtype=numbers.dtype)
    shifted[:width, distance:] = numbers[:, :-distance]
    shifted[width : 2 * width] = numbers
    shifted[2 * width :, :-distance] = numbers[:, distance:]
    return shifted
