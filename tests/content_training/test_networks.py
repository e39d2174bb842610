"""Training networks: the gradient against differences, whole numbers against the float network, what is learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from content_training import networks
from content_training.networks import (
    NetworkSettings,
    Pass,
    feature_groups,
    first_parameters,
    fit_network,
    loss_of,
    scaling_of,
    whole_numbers,
)
from content_training.training_pages import PageToLearn
from thresher.cleaners.content_model.features import features_of
from thresher.cleaners.content_model.network import HIGHEST, STEP_LIMIT, halved
from thresher.pages import Detail, read_html

pytestmark = pytest.mark.slow

SMALL = NetworkSettings(hidden=6, width=4, steps=2, pooled=(1,), blocks=60, rounds=60, rate=0.01)


def page_of(number: int) -> PageToLearn:
    """What comes after a heading is content, up to the next one."""
    generator = np.random.default_rng(number)
    levels = [*generator.permutation([1, 4, 4]).tolist()]
    html = "".join(f"<h{level}>Part</h{level}><p>one two<p>three four five" for level in levels)
    features = features_of(read_html(html, detail=Detail.ELEMENTS))
    labels = np.repeat([float(level == 1) for level in levels], 3)
    return PageToLearn(str(number), str(number), "", features, labels, None)


@pytest.fixture(scope="module")
def pages() -> list[PageToLearn]:
    return [*map(page_of, range(40))]


@pytest.fixture(scope="module")
def network(pages):
    return fit_network(pages, [1.0] * len(pages), scaling_of(pages), SMALL)


@pytest.mark.parametrize("blocks", [1, 3, 11])
def test_the_gradient_is_that_of_differences(blocks):
    generator = np.random.default_rng(blocks)
    settings = NetworkSettings(hidden=7, width=4, steps=3, pooled=(0, 2))
    parameters = {name: value.astype(np.float64) for name, value in first_parameters(9, settings).items()}
    values, words = generator.normal(size=(9, blocks)), generator.integers(0, 30, blocks).astype(np.float64)
    page = networks._Example(
        np.zeros((9, blocks), dtype=np.int8), generator.random(blocks), generator.random(blocks), words
    )

    def loss() -> tuple[float, dict[str, np.ndarray]]:
        masks = np.random.default_rng(1)
        one = Pass(parameters, settings, values, words, lambda shape: masks.integers(0, 2, shape) * 2.0)
        found, of_logits = loss_of(one.logits, page)
        return found, one.gradient(of_logits)

    _, gradient = loss()
    assert gradient.keys() == parameters.keys()
    for name, value in parameters.items():
        for place in np.ndindex(value.shape):
            before = value[place]
            value[place] = before + 1e-6
            above, _ = loss()
            value[place] = before - 1e-6
            below, _ = loss()
            value[place] = before
            assert gradient[name][place] == pytest.approx((above - below) / 2e-6, abs=1e-7), (name, place)


def test_what_is_around_is_learned(network):
    for page in map(page_of, range(100, 120)):
        sums = network.sums(page.features.values, page.features.words)
        assert ((sums > 0) == (page.labels > 0.5)).all()


def test_the_same_network_again(network, pages):
    again = fit_network(pages, [1.0] * len(pages), scaling_of(pages), SMALL)
    assert all((one == other).all() for one, other in zip(network.arrays(), again.arrays(), strict=True))


def test_sums_stay_below_what_float32_adds_exactly(network):
    squeeze, enter, *steps, _ = network.layers
    width = len(enter.weights)
    limits = [np.full(squeeze.weights.shape[1], 127), np.full(len(squeeze.weights), HIGHEST)]
    for around, _ in zip(steps[::2], steps[1::2], strict=True):
        limits += [np.full(around.weights.shape[1], STEP_LIMIT), np.full(width, HIGHEST)]
    limits.append(np.concatenate((np.full(width, STEP_LIMIT), np.full(len(squeeze.weights), HIGHEST))))
    for layer, most in zip(network.layers, limits, strict=True):
        highest = np.abs(layer.weights.astype(np.int64)) @ most + np.abs(layer.biases.astype(np.int64))
        assert highest.max() < 2**24


def test_whole_numbers_say_what_the_network_says(pages):
    scaling, settings = scaling_of(pages), replace(SMALL, steps=3, pooled=(0, 2))
    parameters = first_parameters(len(pages[0].features.values), settings)
    examples = [networks._example(page, 1.0, scaling) for page in pages]
    whole = whole_numbers(parameters, settings, scaling, examples)
    for page, example in zip(pages, examples, strict=True):
        assert (halved(page.features.values, scaling.middles) == example.halves).all()
        expected = Pass(parameters, settings, networks._scaled(example.halves, scaling), page.features.words).logits
        found = whole.sums(page.features.values, page.features.words) * whole.layers[-1].scales[0]
        assert np.abs(found - expected).max() < 0.02


def test_unknown_labels_and_long_pages_are_no_hindrance(pages):
    unknown = [replace(page, labels=np.where(np.arange(len(page.labels)) % 2, page.labels, np.nan)) for page in pages]
    fitted = fit_network(unknown, [2.0] * len(pages), scaling_of(pages), replace(SMALL, rounds=2, longest=5))
    assert np.isfinite(fitted.sums(pages[0].features.values, pages[0].features.words)).all()


def test_features_of_a_kind_are_dropped_together():
    names = "in_tag_p in_post page_words page_forum around1_words around1_li around2_li words".split()
    groups = feature_groups(names)
    assert groups[4] == groups[5]
    assert len({*groups.tolist()}) == len(names) - 1
