"""Known-item topics for a crawl that nobody judged, from titles and the text of links. `make_pseudo_topics` makes them."""

from __future__ import annotations

from thresher.pseudo_topics.making import make_pseudo_topics
from thresher.pseudo_topics.records import ANCHORS, SOURCES, TITLES, Made, PseudoOptions, PseudoTopic

__all__ = ["ANCHORS", "SOURCES", "TITLES", "Made", "PseudoOptions", "PseudoTopic", "make_pseudo_topics"]
