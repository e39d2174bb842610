"""Scorers of blocks by the pages of their site, which score only when all pages are there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from thresher.base.errors import ConfigError
from thresher.base.numbers import Ints
from thresher.cleaners.scorer import BLOCK, Scorer, Scores
from thresher.pages import Segments


class SiteScorer(Scorer):
    """Scores blocks by the number of their site's pages that have the same text: see `thresher.scores.sites`.

    These numbers are only there after the pass over all pages; `score` is for single pages, and refuses them.
    """

    segment = BLOCK

    @property
    def needs_collection(self) -> bool:
        """Always."""
        return True

    def score(self, segments: Segments) -> Scores:  # noqa: ARG002, of every scorer
        """Raise an error, since one page is no site."""
        raise ConfigError(
            "it compares the pages of a collection, and there is a single page",
            "clean a collection, or choose another cleaner",
            self.canonical_name,
        )

    @abstractmethod
    def score_counts(self, pages: Ints, site_pages: Ints) -> Scores:
        """Return the score of each block.

        Args:
            pages: on how many pages of its site each block's text stands, at least 1.
            site_pages: how many pages the site of each block has.
        """


def page_scorers(scorers: Sequence[Scorer]) -> tuple[Scorer, ...]:
    """Return the scorers of single pages; in place of a scorer by site, the maker of the text that it scores, if any."""
    chosen: list[Scorer] = []
    for scorer in scorers:
        if not isinstance(scorer, SiteScorer):
            chosen.append(scorer)
        elif scorer.input_text is not None:
            chosen.append(scorer.input_text)
    return tuple(chosen)
