"""Known-item topics for a collection without judgments, from titles and anchor texts."""

from __future__ import annotations

from thresher.pseudo_topics.making import ANCHORS, SOURCES, TITLES, Made, PseudoOptions, PseudoTopic, make_pseudo_topics

__all__ = ["ANCHORS", "SOURCES", "TITLES", "Made", "PseudoOptions", "PseudoTopic", "make_pseudo_topics"]
