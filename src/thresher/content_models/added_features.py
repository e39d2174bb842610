"""Features of blocks from other scores: other scorers', and for the second stage those of the first for the blocks around."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from thresher.content_models.features import (
    LEVELS,
    BlockFeatures,
    Floats,
    Rows,
    Wide,
    empty_page,
    running_sum,
    shifted,
    window_sums,
)

SCORE = "score_"
"""The beginning of these features' names; a scorer's canonical name follows."""
THOUSAND = 1000
"""Probabilities are whole thousandths here."""
MANY = 500
"""Longer blocks count as having this many words."""
NEIGHBOURS = (1, 2, 3, 4, 5)
WINDOWS = (2, 5, 15, 40)
_FEATURES = 47
_STEPS = [by for step in NEIGHBOURS for by in (-step, step)]
_BESIDE = [f"first_{'before' if by < 0 else 'after'}{abs(by)}" for by in _STEPS]
_WINDOWS = [f"first_window{width}" for width in WINDOWS]
_AROUND = [f"first_around{level + 1}{what}" for level in range(LEVELS) for what in ("", "_share", "_others")]


def with_scores(features: BlockFeatures, scores: Mapping[str, npt.NDArray[np.float32]]) -> BlockFeatures:
    """Return the features of a page with the scores of its blocks, by scorer, shape (blocks,) each."""
    if not scores:
        return features
    names = (*features.names, *(f"{SCORE}{name}" for name in scores))
    return replace(features, names=names, values=np.concatenate((features.values, np.stack([*scores.values()]))))


def scorers_in(names: Iterable[str]) -> tuple[str, ...]:
    """Return the scorers among the names of features, each once, in the order of names.

    >>> scorers_in(["words", "score_perplexity(lm=books)", "score_bars", "score_bars"])
    ('bars', 'perplexity(lm=books)')
    """
    return tuple(sorted({name.removeprefix(SCORE) for name in names if name.startswith(SCORE)}))


def sequence_features(first: Wide, features: BlockFeatures) -> tuple[tuple[str, ...], Floats]:
    """first: the first stage's probabilities in whole thousandths."""
    blocks = len(first)
    rows = Rows(_FEATURES, blocks)
    rows["first"] = first
    weight = features.words + 1
    weighted = first * weight
    rows.extend(_BESIDE, np.array(shifted(first, _STEPS, -1)))
    both = np.array((weighted, weight))
    rows.extend(_WINDOWS, np.array([content / words for content, words in window_sums(both, WINDOWS)]))
    sums = running_sum(both)
    mass, total = sums
    whole, content = max(total[-1], 1.0), max(mass[-1], 1.0)
    rows["first_page"] = mass[-1] / whole
    rows["first_before"] = mass[:-1] / np.maximum(total[:-1], 1)
    rows["first_after"] = (mass[-1] - mass[1:]) / np.maximum(whole - total[1:], 1)
    rows["first_mass_before"] = mass[:-1] / content
    in_element, words = sums.take(features.ends, axis=1) - sums.take(features.begins, axis=1)
    words = np.maximum(words, 1)
    others = (in_element - weighted) / np.maximum(words - weight, 1)
    around = np.array((in_element / words, in_element / content, others))
    rows.extend(_AROUND, around.transpose(1, 0, 2).reshape(len(_AROUND), blocks))
    for name, which in zip(("path", "exact_path"), features.paths, strict=True):
        rows[f"first_{name}"] = (np.bincount(which, weights=weighted) / np.bincount(which, weights=weight))[which]
    index = np.arange(blocks)
    # In whole words: how much content there is besides comments, and before the list that the block is in.
    outside = float(weighted[~features.comments].sum()) / THOUSAND
    rows["first_outside_comments"] = min(outside, MANY)
    rows["first_comments"] = min(mass[-1] / THOUSAND - outside, MANY)
    first_comment = int(np.argmax(features.comments)) if features.comments.any() else blocks
    rows["first_before_comments"] = min(mass[first_comment] / THOUSAND, MANY)
    in_list, before_list = features.lists >= 0, mass[features.lists]
    rows["first_before_list"] = np.where(in_list, np.minimum(before_list / THOUSAND, MANY), -1)
    rows["first_before_list_share"] = np.where(in_list, before_list / content, -1)
    sure = (first > 500) & (features.words > 8)
    before = np.maximum.accumulate(np.where(sure, index, -1000))
    after = np.minimum.accumulate(np.where(sure, index, blocks + 1000)[::-1])[::-1]
    rows["since_sure"], rows["to_sure"] = np.minimum(index - before, 1000), np.minimum(after - index, 1000)
    rows["first_highest"] = first.max()
    return rows.matrix()


@cache
def sequence_names() -> tuple[str, ...]:
    """Return the names of the second stage's own features."""
    features = empty_page()
    return sequence_features(np.zeros(len(features.words)), features)[0]
