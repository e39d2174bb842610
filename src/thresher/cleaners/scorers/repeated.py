"""The number of a site's pages that have a block's text."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.cleaners.scorer import KEEP_LOW, Parameter, Scorer, Scores
from thresher.cleaners.site_scorer import SiteScorer
from thresher.pages import Detail

LEAST_PAGES = 3
"""A text on fewer pages does not repeat, however few pages the site has."""
REPEATED_SHARE = 0.01
"""A text on more than this share of a site's pages repeats."""
PAGES = "pages"
SHARE = "share"


class Repeated(SiteScorer):
    """Number of the site's pages with the block's text in any case, or their share (0 for fewer than 3 pages). A site is a
    host, or the collection if pages have no address. In a title, the rarest part counts (`Install | Site`)."""

    name = "repeated"
    keep = KEEP_LOW
    unit = "pages"
    low = 1
    grid: ClassVar[tuple[float, ...]] = (2, 3, 5, 10, 20, 50, 100)
    detail = Detail.HEADINGS
    source = (
        "this project's; after Bar-Yossef, Rajagopalan: Template Detection via Data Mining and its Applications, WWW 2002, "
        "and Fernandes et al.: Computing Block Importance for Searching on Web Sites, CIKM 2007"
    )
    parameters = (Parameter("of", str, PAGES, "the unit of scores", choices=(PAGES, SHARE), terse=True, bare=True),)

    @classmethod
    def variant_for(cls, arguments: str, where: str) -> type[Scorer]:  # noqa: ARG003, every error is found later
        """Return the class of the unit that the parentheses name."""
        items = arguments.replace(" ", "").split(",")
        if SHARE in items or f"of={SHARE}" in items:
            return RepeatedShare
        return cls

    def score_counts(self, pages: Ints, site_pages: Ints) -> Scores:  # noqa: ARG002, see the subclass
        """Return the numbers of pages."""
        return pages.astype(np.float32)


class RepeatedShare(Repeated):
    """The share of the site's pages on which the block's text stands."""

    in_registry = False
    unit = "share"
    low = 0
    high = 1
    grid = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    usual = REPEATED_SHARE

    def __init__(self, **values: object) -> None:
        super().__init__(**{"of": SHARE, **values})

    def score_counts(self, pages: Ints, site_pages: Ints) -> Scores:
        """Return the shares; 0 for texts on fewer than `LEAST_PAGES` pages."""
        return np.where(pages >= LEAST_PAGES, pages / site_pages, 0).astype(np.float32)


def repeats(pages: Ints, site_pages: Ints) -> npt.NDArray[np.bool_]:
    """Return which texts repeat, given on how many pages of its site each stands, and how many pages the site has."""
    return (pages >= LEAST_PAGES) & (pages / site_pages > REPEATED_SHARE)
