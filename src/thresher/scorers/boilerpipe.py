"""Boilerpipe: decisions from words, text density and link density of a block and its neighbours."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scorers.base import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.scorers.boilerpipe_filters import article, between_title_and_comments, largest_content
from thresher.scorers.boilerpipe_rules import (
    Mask,
    by_cleaneval_rule,
    by_density,
    by_words,
    link_densities,
    neighbourhood,
)
from thresher.scorers.density import densities


class Boilerpipe(Scorer):
    """Decides by words or text density and by linked words, of the block, the one before it and the one after it."""

    name = "boilerpipe"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    uses_marks = True
    unit = "decision"
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, Algorithms 1 and 2, "
        "section 4.3.2"
    )
    parameters = (
        Parameter(
            "rules",
            str,
            "words",
            "the tree over words (Algorithm 2) or over text density (Algorithm 1), or the rule learnt from CleanEval",
            choices=("words", "density", "cleaneval"),
        ),
        Parameter(
            "filter",
            str,
            "none",
            "of what the rules keep, only the run of blocks with the most words (largest), looked for between the title "
            "above and the comments below (main), or the article with its headline (article)",
            choices=("none", "largest", "main", "article"),
            terse=True,
        ),
    )

    def score(self, segments: Segments) -> Scores:
        """Return 1 for each block that is content, else 0."""
        title = segments.levels == TITLE_LEVEL
        content = self._content(segments, title)
        if self.values["filter"] != "none":
            body = np.flatnonzero(~title)
            found, words = content[body], segments.words_in_blocks[body]
            blocks = [segments.blocks[at] for at in body]
            content[:] = False
            if self.values["filter"] == "article":
                content[body] = article(found, words, blocks, segments.title)
            elif self.values["filter"] == "main":
                content[body] = largest_content(between_title_and_comments(found, words, blocks, segments.title), words)
            else:
                content[body] = largest_content(found, words)
        return content.astype(np.float32)

    def _content(self, segments: Segments, title: Mask) -> Mask:
        words = segments.words_in_blocks
        links = link_densities(words, segments.linked_words_in_blocks)
        if self.values["rules"] == "cleaneval":
            return by_cleaneval_rule(densities(segments), links)
        # The title stands in no reader's way from block to block: it is nobody's neighbour.
        parted = title[1:] != title[:-1]
        if self.values["rules"] == "density":
            return by_density(neighbourhood(densities(segments), parted), neighbourhood(links, parted))
        return by_words(neighbourhood(words, parted), neighbourhood(links, parted))
