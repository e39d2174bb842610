"""One page scored: what the score store keeps of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from lxml.etree import LxmlError

from thresher.collections import Page
from thresher.pages import DEFAULT_OPTIONS, PageOptions, Segments, read_page
from thresher.scorers.base import Scorer, Scores

SCORED, EMPTIED, FAILED = "scored", "emptied", "failed"


@dataclass(frozen=True)
class PageScores:
    """A page's segments with their scores, or why there are none.

    `file` and `offset` say where its record lies: see `thresher.collections.records.Source`. `scores` has one array for each
    scorer, by canonical name; `seconds` the time each took, and `pages` the time to decode, parse and cut the page.
    """

    id: str
    status: str
    reason: str = ""
    file: str = ""
    offset: int | None = None
    url: str | None = None
    encoding: str = ""
    encoding_source: str = ""
    replaced: int = 0
    bytes: int = 0
    segments: Segments | None = None
    scores: dict[str, Scores] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def score_page(
    page: Page, scorers: Sequence[Scorer], options: PageOptions = DEFAULT_OPTIONS, labels: bool = False
) -> PageScores:
    """Parse a page once and score its segments by every scorer; `labels` says that list items will be asked for.

    A page without any text is emptied; one that cannot be parsed has failed, with the parser's reason.
    """
    start = perf_counter()
    try:
        segments, decoded = read_page(page, options, detailed=labels or any(scorer.uses_marks for scorer in scorers))
    except LxmlError as error:
        reason = f"cannot be parsed: {error}".splitlines()[0]
        return PageScores(page.id, FAILED, reason, url=page.url, bytes=len(page.content))
    scores: dict[str, Scores] = {}
    begin = perf_counter()
    seconds = {"pages": begin - start}
    for scorer in scorers:
        scores[scorer.canonical_name] = scorer.score(segments)
        end = perf_counter()
        seconds[scorer.canonical_name] = end - begin
        begin = end
    return PageScores(
        page.id,
        SCORED if segments.text else EMPTIED,
        "" if segments.text else "the page holds no text",
        url=page.url,
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        replaced=decoded.replaced,
        bytes=len(page.content),
        segments=segments,
        scores=scores,
        seconds=seconds,
    )
