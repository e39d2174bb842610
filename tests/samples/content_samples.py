"""A content model by hand: one question a stage."""

from __future__ import annotations

import numpy as np

from thresher.content_models.model import (
    FORMAT,
    KIND,
    Calibration,
    ContentCard,
    ContentModel,
    TrainingSet,
    Trees,
    TreeStage,
    digest_of,
)


def stump(name: str, border: float) -> TreeStage:
    """A stage that says .2 up to the border and .9 above."""
    trees = Trees(
        np.array([0], dtype=np.uint16),
        np.array([border], dtype=np.float32),
        np.array([[0]], dtype=np.uint16),
        np.array([[-10, 10]], dtype=np.int16),
    )
    return TreeStage((name,), trees, Calibration(np.array([-10, 10]), np.array([0.2, 0.9])))


def hand_made_model(first: TreeStage | None = None, second: TreeStage | None = None) -> ContentModel:
    """A model whose first stage asks for six words, and whose second asks what the first says of the block before.

    Pages are forums' if an element that speaks for all of the page says so.
    """
    forum = stump("page_forum", 0.5)
    first = first or stump("words", 5.5)
    second = second or stump("first_before1", 500)
    card = ContentCard(
        FORMAT,
        KIND,
        (TrainingSet("by hand", 1, 2),),
        forum.names,
        first.names,
        second.names,
        0.5,
        {"by hand": 1.0},
        {"folds": 2.0},
        {"first_before1": 100.0},
        digest_of(forum, first, second),
    )
    return ContentModel(card, forum, first, second)
