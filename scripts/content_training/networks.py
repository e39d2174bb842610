"""Training a network over a page's blocks: its gradient, Adam's steps, and rounding its weights to whole numbers.

The gradient is back-propagation in NumPy (Rumelhart, Hinton, Williams, Nature 323, 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from content_training.training_pages import PageToLearn
from thresher.cleaners.content_model.network import (
    HIGHEST,
    STEP_LIMIT,
    Layer,
    Network,
    block_weights,
    halved,
    shifted_both_ways,
)
from thresher.cleaners.content_model.page_tree import FAMILIES

Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.floating]
Parameters = dict[str, Numbers]
# float32 adds whole numbers exactly up to 2 ** 24.
_EXACT = 2.0**24 * 0.99
_GROUPS = "around1 around2 around3 around4 after repeated words_ index prose place".split()


@dataclass(frozen=True)
class NetworkSettings:
    """Settings of training a network.

    Attributes:
        rounds: training rounds over all pages.
        rate, decay: Adam's highest rate, and the decay of weights (Loshchilov and Hutter, Decoupled Weight Decay
            Regularization, ICLR 2019). The rate rises over the first seventh of the steps and then falls to zero.
        hidden: the size of the first layer.
        width: the numbers of each block after the first layer.
        steps: the number of steps at which blocks see their neighbours.
        pooled: the steps at which blocks see the whole page.
        drop, drop_features, drop_groups: the shares of numbers, features and groups of features that are dropped for a
            page (Srivastava et al., Dropout, JMLR 15, 2014).
        blocks: the least number of blocks in a batch of pages.
        longest: the most blocks of a page in a batch. From a longer page a part is drawn.
        mean: the weight of the earlier mean in the running mean of the parameters.
    """

    rounds: int = 14
    rate: float = 2e-3
    decay: float = 0.05
    hidden: int = 64
    width: int = 32
    steps: int = 5
    pooled: tuple[int, ...] = (0, 3)
    drop: float = 0.2
    drop_features: float = 0.1
    drop_groups: float = 0.3
    blocks: int = 5000
    longest: int = 1200
    mean: float = 0.98
    seed: int = 1


@dataclass(frozen=True)
class Scaling:
    """The scaling of features: `middles` for `halved`, and means and standard deviations of its results; shape (features,)."""

    middles: Numbers
    means: Numbers
    spreads: Numbers


@dataclass(frozen=True)
class _Example:
    """A page: its scaled features, shape (features, blocks); labels, weights and words of its blocks, shape (blocks,).

    A block without a label has the label 0 and the weight 0.
    """

    halves: npt.NDArray[np.int8]
    labels: Numbers
    weights: Numbers
    words: Doubles

    def part(self, first: int, size: int) -> _Example:
        part = slice(first, first + size)
        return _Example(self.halves[:, part], self.labels[part], self.weights[part], self.words[part])


def scaling_of(pages: Sequence[PageToLearn]) -> Scaling:
    """Return the scaling of the pages' features, estimated on every seventh block."""
    sample = np.concatenate([page.features.values[:, ::7] for page in pages], axis=1)
    middles = np.array([np.median(np.abs(row[row != 0])) if row.any() else 1 for row in sample], dtype=np.float32)
    halves = halved(sample, middles)
    spreads = halves.std(axis=1, dtype=np.float64)
    # Features that hardly vary become 0.
    spreads[spreads < 1] = np.inf
    return Scaling(middles, halves.mean(axis=1, dtype=np.float64).astype(np.float32), spreads.astype(np.float32))


def feature_groups(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the group number of each feature. Training drops the features of a group together."""
    groups = []
    for name in names:
        prefix, _, rest = name.partition("_")
        if prefix == "in":
            kind = "in tag" if rest.startswith("tag_") else "in family"
        elif prefix == "page":
            kind = "page family" if rest in FAMILIES else "page"
        else:
            kind = next((group for group in _GROUPS if name.startswith(group)), name)
        groups.append(kind)
    return np.unique(groups, return_inverse=True)[1]


def first_parameters(features: int, settings: NetworkSettings) -> Parameters:
    """Return random weights and biases, uniform up to the inverse square root of the number of inputs."""
    generator = np.random.default_rng(settings.seed)
    hidden, width = settings.hidden, settings.width
    shapes = {"squeeze": (hidden, features), "enter": (width, hidden)}
    for step in range(settings.steps):
        shapes[f"around{step}"] = width, width * (5 if step in settings.pooled else 3)
        shapes[f"mix{step}"] = width, width
    shapes["out"] = 1, width + hidden
    parameters: Parameters = {}
    for name, shape in shapes.items():
        bound = shape[1] ** -0.5
        parameters[f"{name}_w"] = generator.uniform(-bound, bound, shape).astype(np.float32)
        parameters[f"{name}_b"] = generator.uniform(-bound, bound, shape[0]).astype(np.float32)
    return parameters


class Pass:
    """A pass of a page through a network, forwards and backwards.

    `values` are scaled features, shape (features, blocks). `dropout` returns a mask of a shape: 0 for dropped numbers, and
    a factor above 1 for the others, which preserves means.
    """

    def __init__(
        self,
        parameters: Parameters,
        settings: NetworkSettings,
        values: Numbers,
        words: Doubles,
        dropout: Callable[[tuple[int, ...]], Numbers] | None = None,
    ) -> None:
        self.settings, self.parameters, self.values = settings, parameters, values
        dropout = dropout or (lambda shape: np.ones(shape, dtype=values.dtype))
        self.weights = block_weights(words).astype(values.dtype)
        self.weights /= self.weights.sum()
        self.mask = dropout((settings.hidden, values.shape[1]))
        self.squeezed = self._linear("squeeze", values)
        self.hidden = np.maximum(self.squeezed, 0) * self.mask
        h = self._linear("enter", self.hidden)
        self.states, self.inputs, self.used, self.masks = [h], [], [], []
        for step in range(settings.steps):
            x = shifted_both_ways(h, 2**step)
            if step in settings.pooled:
                around = np.concatenate((h @ self.weights, h.max(axis=1)))
                x = np.concatenate((x, np.broadcast_to(around[:, None], (len(around), x.shape[1]))))
            used = np.maximum(self._linear(f"around{step}", x), 0)
            mask = dropout(h.shape)
            h = h + self._linear(f"mix{step}", used) * mask
            self.states.append(h)
            self.inputs.append(x)
            self.used.append(used)
            self.masks.append(mask)
        self.last = np.concatenate((np.maximum(h, 0), self.hidden))
        self.logits = self._linear("out", self.last)[0]

    def _linear(self, name: str, x: Numbers) -> Numbers:
        values: Numbers = self.parameters[f"{name}_w"] @ x + self.parameters[f"{name}_b"][:, None]
        return values

    def gradient(self, of_logits: Numbers) -> Parameters:
        """Return the loss's gradient by all parameters from its gradient by the logits."""
        gradient: Parameters = {}

        def back(name: str, x: Numbers, above: Numbers) -> Numbers:
            gradient[f"{name}_w"], gradient[f"{name}_b"] = above @ x.T, above.sum(axis=1)
            below: Numbers = self.parameters[f"{name}_w"].T @ above
            return below

        width = self.settings.width
        above = back("out", self.last, of_logits[None])
        of_h, of_hidden = above[:width] * (self.states[-1] > 0), above[width:]
        for step in reversed(range(self.settings.steps)):
            h, distance = self.states[step], 2**step
            of_used = back(f"mix{step}", self.used[step], of_h * self.masks[step])
            of_x = back(f"around{step}", self.inputs[step], of_used * (self.used[step] > 0))
            of_h = of_h + of_x[width : 2 * width]
            of_h[:, :-distance] += of_x[:width, distance:]
            of_h[:, distance:] += of_x[2 * width : 3 * width, :-distance]
            if step in self.settings.pooled:
                of_mean, of_highest = of_x[3 * width :].sum(axis=1).reshape(2, width)
                of_h += of_mean[:, None] * self.weights
                of_h[np.arange(width), h.argmax(axis=1)] += of_highest
        of_hidden = of_hidden + back("enter", self.hidden, of_h)
        back("squeeze", self.values, of_hidden * self.mask * (self.squeezed > 0))
        return gradient


def loss_of(logits: Numbers, page: _Example) -> tuple[float, Numbers]:
    """Return a page's loss, a third of the weighted cross-entropy, and its gradient by the logits."""
    loss = float(((np.logaddexp(0, logits) - page.labels * logits) * page.weights).sum()) / 3
    gradient = (1 / (1 + np.exp(-logits)) - page.labels) * page.weights / 3
    return loss, gradient.astype(logits.dtype)


def fit_network(
    pages: Sequence[PageToLearn], weights: Sequence[float], scaling: Scaling, settings: NetworkSettings
) -> Network:
    """Return a network trained on pages, each with the weight of its set. Equal pages in equal order give equal networks."""
    generator = np.random.default_rng(settings.seed)
    examples = [_example(page, weight, scaling) for page, weight in zip(pages, weights, strict=True)]
    groups = feature_groups(pages[0].features.names)
    parameters = first_parameters(len(groups), settings)
    moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in parameters.items()}
    means = {name: value.copy() for name, value in parameters.items()}
    blocks = sum(min(len(example.labels), settings.longest) for example in examples)
    total, taken = settings.rounds * (blocks / settings.blocks), 0
    for _ in range(settings.rounds):
        for batch in _batches(examples, settings, generator):
            gradient: Parameters = {name: np.zeros_like(value) for name, value in parameters.items()}
            for page in batch:
                values = _scaled(page.halves, scaling)
                values *= _mask(generator, settings.drop_features, (len(values), 1))
                values *= (generator.random(groups.max() + 1) >= settings.drop_groups)[groups][:, None]

                def dropout(shape: tuple[int, ...]) -> Numbers:
                    return _mask(generator, settings.drop, shape)

                forward = Pass(parameters, settings, values, page.words, dropout)
                _, of_logits = loss_of(forward.logits, page)
                for name, part in forward.gradient(of_logits / len(batch)).items():
                    gradient[name] += part
            taken += 1
            _adam(parameters, gradient, moments, taken, _rate(taken / total, settings.rate), settings.decay)
            for name, value in parameters.items():
                means[name] += (1 - settings.mean) * (value - means[name])
    return whole_numbers(means, settings, scaling, examples)


def _example(page: PageToLearn, weight: float, scaling: Scaling) -> _Example:
    labelled = ~np.isnan(page.labels)
    return _Example(
        halved(page.features.values, scaling.middles).astype(np.int8),
        np.where(labelled, page.labels, 0).astype(np.float32),
        np.where(labelled, page.weights * weight, 0).astype(np.float32),
        page.features.words,
    )


def _scaled(halves: npt.NDArray[np.int8], scaling: Scaling) -> Numbers:
    values: Numbers = (halves - scaling.means[:, None]) / scaling.spreads[:, None]
    return values


def _mask(generator: np.random.Generator, share: float, shape: tuple[int, ...]) -> Numbers:
    return (generator.random(shape, dtype=np.float32) >= share).astype(np.float32) / np.float32(1 - share)


def _batches(
    examples: Sequence[_Example], settings: NetworkSettings, generator: np.random.Generator
) -> Iterator[list[_Example]]:
    batch: list[_Example] = []
    for number in generator.permutation(len(examples)).tolist():
        page = examples[number]
        if len(page.labels) > settings.longest:
            page = page.part(int(generator.integers(len(page.labels) - settings.longest + 1)), settings.longest)
        batch.append(page)
        if sum(len(example.labels) for example in batch) >= settings.blocks:
            yield batch
            batch = []
    if batch:
        yield batch


def _rate(done: float, highest: float) -> float:
    """Return the rate after a share of the steps: it rises by half a cosine and falls by another.

    Source: Smith and Topin, Super-Convergence, 2019.
    """
    up = 0.15
    if done < up:
        return highest * (0.04 + 0.96 * (1 - float(np.cos(np.pi * done / up))) / 2)
    return highest * (1 + float(np.cos(np.pi * min((done - up) / (1 - up), 1)))) / 2


def _adam(
    parameters: Parameters,
    gradient: Parameters,
    moments: dict[str, tuple[Numbers, Numbers]],
    taken: int,
    rate: float,
    decay: float,
) -> None:
    """Take a step (Kingma and Ba, Adam, ICLR 2015) by the gradient, shortened to a length of at most 1."""
    length = float(np.sqrt(sum(float((part.astype(np.float64) ** 2).sum()) for part in gradient.values())))
    shorter = np.float32(1 / max(length, 1.0))
    for name, value in parameters.items():
        first, second = moments[name]
        part = gradient[name] * shorter
        first += np.float32(0.1) * (part - first)
        second += np.float32(0.001) * (part * part - second)
        change = (first / (1 - 0.9**taken)) / (np.sqrt(second / (1 - 0.999**taken)) + 1e-8)
        value -= (rate * (change + decay * value)).astype(value.dtype)


def whole_numbers(
    parameters: Parameters, settings: NetworkSettings, scaling: Scaling, examples: Sequence[_Example]
) -> Network:
    """Return the network in whole numbers, so that all its sums are exact.

    On about 300 pages, each layer's numbers are scaled so that one in 10,000 exceeds `HIGHEST`. Weights take as many bits
    as sums below 2 ** 24 allow.
    """
    sample = [
        Pass(parameters, settings, _scaled(page.halves, scaling), page.words)
        for page in examples[:: max(len(examples) // 300, 1)]
    ]

    def high_quantile(numbers: Iterator[Numbers]) -> Doubles:
        quantile: Doubles = np.maximum(np.quantile(np.concatenate([*numbers], axis=1), 0.9999, axis=1), 1e-6)
        return quantile

    hidden = high_quantile(page.hidden for page in sample) / HIGHEST
    states = (np.abs(page.states[number]) for page in sample for number in (0, -1))
    step = float(high_quantile(states).max()) / STEP_LIMIT
    wide = {name: value.astype(np.float64) for name, value in parameters.items()}
    squeeze = wide["squeeze_w"] / scaling.spreads
    bias = wide["squeeze_b"] - squeeze @ scaling.means.astype(np.float64)
    layers = [
        _layer(squeeze, bias, np.full(squeeze.shape[1], 127), hidden),
        _layer(wide["enter_w"] * hidden, wide["enter_b"], np.full(len(hidden), HIGHEST), step),
    ]
    for number in range(settings.steps):
        used = high_quantile(page.used[number] for page in sample) / HIGHEST
        around = wide[f"around{number}_w"] * step
        layers.append(_layer(around, wide[f"around{number}_b"], np.full(around.shape[1], STEP_LIMIT), used))
        layers.append(_layer(wide[f"mix{number}_w"] * used, wide[f"mix{number}_b"], np.full(len(used), HIGHEST), step))
    scales = np.concatenate((np.full(settings.width, step), hidden))
    limits = np.concatenate((np.full(settings.width, STEP_LIMIT), np.full(settings.hidden, HIGHEST)))
    layers.append(_layer(wide["out_w"] * scales, wide["out_b"], limits, 1.0))
    return Network(scaling.middles, tuple(layers))


def _layer(weights: Doubles, biases: Doubles, limits: npt.NDArray[np.int64], unit: Doubles | float) -> Layer:
    """Return a layer in whole numbers, for inputs up to `limits` and outputs in multiples of `unit`."""
    most = np.abs(weights) @ limits + np.abs(biases)
    factors = np.minimum(_EXACT / most, 32_000 / np.maximum(np.abs(weights).max(axis=1), 1e-12))
    return Layer(
        np.trunc(weights * factors[:, None]).astype(np.int16),
        np.trunc(biases * factors).astype(np.int32),
        (1 / (factors * unit)).astype(np.float32),
    )
