"""A content model by hand: one question about the page, and a network that sees the words of each block."""

from __future__ import annotations

import numpy as np

from thresher.cleaners.content_model.features import feature_names
from thresher.cleaners.content_model.model import (
    FORMAT,
    KIND,
    ContentCard,
    ContentModel,
    NetworkStage,
    TrainingSet,
    TreeStage,
    digest_of,
)
from thresher.cleaners.content_model.network import Layer, Network
from thresher.cleaners.content_model.trees import Calibration, Trees


def stump(name: str, border: float) -> TreeStage:
    """A stage that says .2 up to the border and .9 above."""
    trees = Trees(
        np.array([0], dtype=np.uint16),
        np.array([border], dtype=np.float32),
        np.array([[0]], dtype=np.uint16),
        np.array([[-10, 10]], dtype=np.int16),
    )
    return TreeStage((name,), trees, Calibration(np.array([-10, 10]), np.array([0.2, 0.9])))


def layer(*rows: dict[int, int], inputs: int, scale: float = 1.0) -> Layer:
    """A layer of one input, or some, for each output."""
    weights = np.zeros((len(rows), inputs), dtype=np.int16)
    for output, row in enumerate(rows):
        weights[output, [*row]] = [*row.values()]
    return Layer(weights, np.zeros(len(rows), dtype=np.int32), np.full(len(rows), scale, dtype=np.float32))


def network_stage() -> NetworkStage:
    """A stage whose sums are the words of a block, as 127 w / (w + 5), and twice those of the block before it."""
    names = feature_names()
    network = Network(
        np.full(len(names), 5, dtype=np.float32),
        (
            layer({names.index("words"): 1}, inputs=len(names)),
            layer({0: 1}, inputs=1),
            layer({0: 2}, inputs=3),
            layer({0: 1}, inputs=1),
            layer({0: 1}, inputs=2),
        ),
    )
    return NetworkStage(names, network, Calibration(np.array([0, 254]), np.array([0.0, 1.0])))


def hand_made_model() -> ContentModel:
    """A model with this network, and trees for which a page is a forum's if an element says so for all of the page."""
    forum, network = stump("page_forum", 0.5), network_stage()
    card = ContentCard(
        FORMAT,
        KIND,
        (TrainingSet("by hand", 1, 2),),
        forum.names,
        network.names,
        0.5,
        {"by hand": 1.0},
        {"folds": 2.0},
        digest_of(forum, network),
    )
    return ContentModel(card, forum, network)
