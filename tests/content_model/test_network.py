"""Networks over blocks: against whole numbers added one by one, in any order."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.network import HIGHEST, STEP_LIMIT, Layer, Network, halved


def drawn_network(generator: np.random.Generator, features: int, hidden: int, width: int, steps: int) -> Network:
    """Weights of all sizes that keep sums below 2 ** 24; every second step sees the page."""

    def layer(outputs: int, limits: list[int], scale: float) -> Layer:
        weights = generator.normal(size=(outputs, len(limits)))
        weights *= 2**23 / (np.abs(weights) @ limits)[:, None]
        weights = np.trunc(np.clip(weights, -32_000, 32_000)).astype(np.int16)
        biases = generator.integers(-(2**22), 2**22, outputs).astype(np.int32)
        return Layer(weights, biases, (scale * generator.random(outputs) / 2**23).astype(np.float32))

    layers = [layer(hidden, [127] * features, 600), layer(width, [HIGHEST] * hidden, 2500)]
    for step in range(steps):
        layers.append(layer(width, [STEP_LIMIT] * width * (5 if step % 2 == 0 else 3), 600))
        layers.append(layer(width, [HIGHEST] * width, 2500))
    layers.append(layer(1, [STEP_LIMIT] * width + [HIGHEST] * hidden, 1))
    return Network(generator.random(features).astype(np.float32) + np.float32(0.1), tuple(layers))


def one_by_one(network: Network, values: np.ndarray, words: list[float]) -> list[int]:
    """The same by Python's whole numbers; only the scaling of sums is by float32."""

    def apply(layer: Layer, inputs: list[int]) -> list[int]:
        return [
            sum(int(weight) * value for weight, value in zip(row, inputs, strict=True)) + int(bias)
            for row, bias in zip(layer.weights, layer.biases, strict=True)
        ]

    def scaled(layer: Layer, inputs: list[int], low: int, high: int) -> list[int]:
        return [
            min(max(round(float(np.float32(one) * scale)), low), high)
            for one, scale in zip(apply(layer, inputs), layer.scales, strict=True)
        ]

    squeeze, enter, *steps, last = network.layers
    blocks = range(values.shape[1])
    halves = halved(values, network.middles)
    hidden = [scaled(squeeze, [int(one) for one in halves[:, block]], 0, HIGHEST) for block in blocks]
    numbers = [scaled(enter, own, -STEP_LIMIT, STEP_LIMIT) for own in hidden]
    width = len(numbers[0])
    weights = [round(16 * (count + 1) ** 0.5) for count in words]
    for step, (around, mix) in enumerate(zip(steps[::2], steps[1::2], strict=True)):
        columns = [[own[number] for own in numbers] for number in range(width)]
        seen = [round(sum(map(int.__mul__, column, weights)) / sum(weights)) for column in columns] + [
            *map(max, columns)
        ]
        after = []
        for block in blocks:
            beside = [numbers[at] if at in blocks else [0] * width for at in (block - 2**step, block, block + 2**step)]
            inputs = [*chain(*beside), *(seen if step % 2 == 0 else ())]
            added = scaled(mix, scaled(around, inputs, 0, HIGHEST), -(2**24), 2**24)
            after.append(
                [min(max(own + more, -STEP_LIMIT), STEP_LIMIT) for own, more in zip(numbers[block], added, strict=True)]
            )
        numbers = after
    return [apply(last, [max(one, 0) for one in own] + more)[0] for own, more in zip(numbers, hidden, strict=True)]


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 3))
def test_sums_are_those_of_whole_numbers(seed, blocks, steps):
    generator = np.random.default_rng(seed)
    network = drawn_network(generator, 6, 5, 4, steps)
    values = (generator.normal(size=(6, blocks)) * generator.choice([0, 1, 1000])).astype(np.float32)
    words = generator.integers(0, 300, blocks) / 2
    expected = one_by_one(network, values, words.tolist())
    assert network.sums(values, words).tolist() == expected


def test_the_order_of_features_does_not_matter():
    generator = np.random.default_rng(5)
    network = drawn_network(generator, 490, 64, 32, 2)
    values, words = generator.normal(size=(490, 60)).astype(np.float32), generator.integers(0, 99, 60)
    order = generator.permutation(490)
    squeeze = network.layers[0]
    other = Network(
        network.middles[order],
        (Layer(squeeze.weights[:, order], squeeze.biases, squeeze.scales), *network.layers[1:]),
    )
    assert other.sums(values[order], words).tolist() == network.sums(values, words).tolist()


@pytest.mark.parametrize("blocks", [1, 15, 16, 17, 1200])
def test_blocks_are_multiplied_some_at_a_time(blocks):
    generator = np.random.default_rng(7)
    for layer in drawn_network(generator, 490, 64, 32, 2).layers:
        numbers = generator.integers(-127, 128, (layer.weights.shape[1], blocks))
        expected = layer.weights.astype(np.int64) @ numbers + layer.biases[:, None]
        assert layer.sums(numbers.astype(np.float32)).tolist() == expected.tolist()


def test_halves():
    values = np.array([[0, 2, -2, 6, np.float32(1e30)]], dtype=np.float32)
    assert halved(values, np.array([2], dtype=np.float32)).tolist() == [[0, 64, -64, 95, 127]]
