"""Known-item topics for a collection without judgments, from titles and anchor texts."""

from __future__ import annotations

from thresher.pseudo_topics.making import make_pseudo_topics
from thresher.pseudo_topics.topic_files import ANCHORS, SOURCES, TITLES, Made, PseudoOptions, PseudoTopic

__all__ = ["ANCHORS", "SOURCES", "TITLES", "Made", "PseudoOptions", "PseudoTopic", "make_pseudo_topics"]
