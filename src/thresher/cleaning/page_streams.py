"""Cleaning pages one after another, as they come: for loops, pipelines and the maps of Dask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thresher.collections import Page
from thresher.collections.sources import too_large
from thresher.defaults import PAGE_MIB
from thresher.errors import ThresherError
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.scorers.cleaners import Cleaner, parse_cleaner
from thresher.scoring.cutting import CleanedDocument, clean_page
from thresher.scoring.percentiles import resolved_without_collection
from thresher.scoring.store import FAILED, PageScores, score_page


def clean_pages(
    pages: Iterable[str | bytes | Page], cleaner: str, options: PageOptions = DEFAULT_OPTIONS, mib: float = PAGE_MIB
) -> Iterator[CleanedDocument]:
    """Clean pages one at a time: one document for each page, in their order, with the text that `thresher clean` keeps.

    Holds no more than a page and the cleaner's models. A page that fails has no text and a `problem`. Nothing stops a page
    that takes long; `thresher clean` does. The function can be pickled, and has no state but models read once a process:
    `bag.map_partitions(lambda pages: list(clean_pages(pages, "content@0.5")))` cleans a bag of Dask.

    Args:
        pages: HTML as text or bytes, whose ids are their positions from 0, or `thresher.collections.Page`, with its id.
        cleaner: a canonical name.
        options: how pages become blocks.
        mib: larger pages fail.
    """
    parsed = resolved_without_collection(parse_cleaner(cleaner).checked())
    return (_cleaned(page_of(page, str(number)), parsed, options, mib) for number, page in enumerate(pages))


def page_of(html: str | bytes | Page, page_id: str = "") -> Page:
    """Return HTML as a page."""
    if isinstance(html, Page):
        return html
    if isinstance(html, str):
        return Page(page_id, html.encode("utf-8", "replace"), charset="utf-8")
    return Page(page_id, html)


def _cleaned(page: Page, cleaner: Cleaner, options: PageOptions, mib: float) -> CleanedDocument:
    if len(page.content) > mib * 2**20:
        scored = PageScores(page.id, FAILED, too_large(len(page.content), mib * 2**20), url=page.url)
        return clean_page(scored, cleaner)
    try:
        return clean_page(score_page(page, cleaner.scorers, options), cleaner)
    except ThresherError:
        raise
    except Exception as error:  # one bad page must not end the loop over millions
        reason = f"cannot be scored: {type(error).__name__}: {error}"
        return clean_page(PageScores(page.id, FAILED, reason, url=page.url), cleaner)
