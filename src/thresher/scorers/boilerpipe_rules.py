"""The rules of Kohlschuetter et al. that decide from a block and its two neighbours: pure functions over arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# As the paper prints them: 1/3 is above the first, 5/9 below the second.
MOST_LINKED, MOST_LINKED_BEFORE = 0.333333, 0.555556


@dataclass(frozen=True)
class Neighbourhood:
    """A feature of each block, of the block before it and of the block after it; shape (blocks,) each."""

    previous: Floats
    current: Floats
    next: Floats


def neighbourhood(values: npt.NDArray[Any], parted: Mask) -> Neighbourhood:
    """Look at the neighbours of every block; beyond an edge all values are 0.

    Args:
        values: the feature; shape (blocks,).
        parted: for each block but the first, whether an edge parts it from the block before; shape (blocks - 1,).
    """
    current = values.astype(np.float64)
    previous, following = np.zeros_like(current), np.zeros_like(current)
    np.copyto(previous[1:], current[:-1], where=~parted)
    np.copyto(following[:-1], current[1:], where=~parted)
    return Neighbourhood(previous, current, following)


def link_densities(words: npt.NDArray[Any], linked: npt.NDArray[Any]) -> Floats:
    """Return the share of each block's words that are linked, 0 where there are none (section 3.3); range 0 to 1."""
    density: Floats = linked / np.maximum(words, 1)
    return density


def by_words(words: Neighbourhood, links: Neighbourhood) -> Mask:
    """Return which blocks are content by the number of words (Algorithm 2)."""
    after_text = (words.current > 16) | (words.next > 15) | (words.previous > 4)
    after_links = (words.current > 40) | (words.next > 17)
    return _unlinked(links) & np.where(links.previous <= MOST_LINKED_BEFORE, after_text, after_links)


def by_density(density: Neighbourhood, links: Neighbourhood) -> Mask:
    """Return which blocks are content by text density (Algorithm 1)."""
    thin = (density.next > 10) | (density.previous > 4)
    after_text = np.where(density.current <= 9, thin, density.next > 0)
    return _unlinked(links) & np.where(links.previous <= MOST_LINKED_BEFORE, after_text, density.next > 11)


def by_cleaneval_rule(density: Floats, links: Floats) -> Mask:
    """Return which blocks are content by the rule learnt from CleanEval (section 4.3.2); it looks at no neighbour."""
    return (density >= 7) & (links <= 0.35)


def _unlinked(links: Neighbourhood) -> Mask:
    return links.current <= MOST_LINKED
