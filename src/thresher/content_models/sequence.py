"""The second stage's features: what the first stage says of the blocks around."""

from __future__ import annotations

from functools import cache

import numpy as np

from thresher.content_models.features import BlockFeatures, Floats, Wide, empty_page, running_sum, shifted, window_sum

THOUSAND = 1000
"""Probabilities are whole thousandths here."""
MANY = 500
"""More words count as so many."""
NEIGHBOURS = (1, 2, 3, 4, 5)
WINDOWS = (2, 5, 15, 40)


def sequence_features(first: Wide, features: BlockFeatures) -> tuple[tuple[str, ...], Floats]:
    """first: the first stage's probabilities in whole thousandths."""
    blocks = len(first)
    rows: dict[str, Wide] = {"first": first}
    weight = features.words + 1
    weighted = first * weight
    for step in NEIGHBOURS:
        rows[f"first_before{step}"] = shifted(first, -step, -1)
        rows[f"first_after{step}"] = shifted(first, step, -1)
    both = np.array((weighted, weight))
    for width in WINDOWS:
        content, words = window_sum(both, width)
        rows[f"first_window{width}"] = content / words
    mass, total = running_sum(both)
    whole = max(total[-1], 1.0)
    rows["first_page"] = np.full(blocks, mass[-1] / whole)
    rows["first_before"] = mass[:-1] / np.maximum(total[:-1], 1)
    rows["first_after"] = (mass[-1] - mass[1:]) / np.maximum(whole - total[1:], 1)
    rows["first_mass_before"] = mass[:-1] / max(mass[-1], 1.0)
    in_element = mass[features.ends] - mass[features.begins]
    words = np.maximum(total[features.ends] - total[features.begins], 1)
    means, shares = in_element / words, in_element / max(mass[-1], 1.0)
    others = (in_element - weighted) / np.maximum(words - weight, 1)
    for level in range(len(means)):
        rows[f"first_around{level + 1}"] = means[level]
        rows[f"first_around{level + 1}_share"] = shares[level]
        rows[f"first_around{level + 1}_others"] = others[level]
    for name, which in zip(("path", "exact_path"), features.paths, strict=True):
        rows[f"first_{name}"] = (np.bincount(which, weights=weighted) / np.bincount(which, weights=weight))[which]
    index = np.arange(blocks)
    # In whole words: how much content there is besides comments, and before the list that the block is in.
    outside = float(weighted[~features.comments].sum()) / THOUSAND
    rows["first_outside_comments"] = np.full(blocks, min(outside, MANY))
    rows["first_comments"] = np.full(blocks, min(mass[-1] / THOUSAND - outside, MANY))
    first_comment = int(np.argmax(features.comments)) if features.comments.any() else blocks
    rows["first_before_comments"] = np.full(blocks, min(mass[first_comment] / THOUSAND, MANY))
    rows["first_before_list"] = np.where(features.lists >= 0, np.minimum(mass[features.lists] / THOUSAND, MANY), -1)
    rows["first_before_list_share"] = np.where(features.lists >= 0, mass[features.lists] / max(mass[-1], 1.0), -1)
    sure = (first > 500) & (features.words > 8)
    before = np.maximum.accumulate(np.where(sure, index, -1000))
    after = np.minimum.accumulate(np.where(sure, index, blocks + 1000)[::-1])[::-1]
    rows["since_sure"], rows["to_sure"] = np.minimum(index - before, 1000), np.minimum(after - index, 1000)
    rows["first_highest"] = np.full(blocks, first.max())
    return tuple(rows), np.array([*rows.values()], dtype=np.float32)


@cache
def sequence_names() -> tuple[str, ...]:
    """Return the names of the second stage's own features."""
    features = empty_page()
    return sequence_features(np.zeros(len(features.words)), features)[0]
