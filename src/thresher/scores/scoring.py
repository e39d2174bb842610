"""A page is parsed once and scored by every scorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import perf_counter

import numpy as np
from isal.isal_zlib import crc32
from lxml.etree import LxmlError

from thresher.base.errors import ThresherError
from thresher.base.files import fit_text
from thresher.cleaners.cleaner import CleanedText
from thresher.cleaners.scorer import (
    PageText,
    Scorer,
    Scores,
    TextMaker,
    input_names,
    own_block_scorers,
    text_makers,
)
from thresher.collections import Page
from thresher.collections.sources import PageError
from thresher.pages import DEFAULT_OPTIONS, Detail, PageOptions, Segments, read_page, read_text_page
from thresher.pages.decoding import Decoded
from thresher.scores.block_kinds import kinds_of
from thresher.scores.cutting import left_by
from thresher.scores.page_at_work import guarded
from thresher.scores.store import EMPTIED, FAILED, SCORED, PageScores


@dataclass(frozen=True)
class _OtherText:
    """Another text of a page; without segments' text if it could not be made, with the reason."""

    segments: Segments
    problem: str = ""


@dataclass
class _Laps:
    """The seconds of each step, from the end of the step before."""

    seconds: dict[str, float] = field(default_factory=dict)
    begin: float = field(default_factory=perf_counter)

    def end(self, step: str) -> None:
        end = perf_counter()
        self.seconds[step] = end - self.begin
        self.begin = end


def score_page(
    page: Page,
    scorers: Sequence[Scorer],
    options: PageOptions = DEFAULT_OPTIONS,
    with_kinds: bool = False,
    with_html: bool = False,
    with_references: bool = False,
) -> PageScores:
    """Parse a page once and score its segments by every scorer.

    A page without any text is emptied. A page that is no text or cannot be parsed has failed, with the reason.

    Args:
        page: HTML or text.
        scorers: scorers of the page's blocks or sentences, or of other texts of the page.
        options: how the page becomes blocks.
        with_kinds: whether to return the kinds of the blocks; the page is then read with its elements.
        with_html: whether to keep the decoded page.
        with_references: whether its segments have the page's references.
    """
    laps = _Laps()
    makers = text_makers(scorers)
    own_scorers = own_block_scorers(scorers)
    try:
        detail = _detail(chain(scorers, own_scorers.values()), with_kinds)
        segments, decoded = read_page(page, options, detail, with_references)
    except (LxmlError, PageError) as error:
        return _failed(page, error)
    kinds = kinds_of(segments) if with_kinds else None
    html = decoded.utf8.decode() if makers or with_html else ""
    laps.end("pages")
    other_texts: dict[str, _OtherText] = {}
    for number, (name, maker) in enumerate(makers.items()):
        other_texts[name] = _make_text(maker, number, page, html, segments, options)
        laps.end(name)
    segments_of_texts = {name: text.segments for name, text in other_texts.items()}
    segments = replace(segments, texts=segments_of_texts, page_id=page.id)
    scores: dict[str, Scores] = {}
    for name, scorer in own_scorers.items():
        scores[name] = scorer.score(segments)
        laps.end(_step(name, makers))
    texts = _score_texts(page.id, scorers, other_texts, laps)
    return replace(
        _without_scores(page, segments, decoded),
        scores=scores,
        seconds=laps.seconds,
        kinds=kinds,
        html=html if with_html and not page.is_text else "",
        texts=texts,
    )


def _detail(scorers: Iterable[Scorer], with_kinds: bool) -> Detail:
    """Return the detail with which a page is read for scorers, and for the kinds of its blocks."""
    detail = Detail.ELEMENTS if with_kinds else Detail.HEADINGS
    for scorer in scorers:
        detail = max(detail, scorer.detail)
    return detail


def _step(scorer: str, makers: Mapping[str, TextMaker]) -> str:
    """Return the step of a scorer's scores; the decisions of a maker are no cost of its text."""
    if scorer in makers:
        return f"{scorer} (decisions)"
    return scorer


def _failed(page: Page, error: LxmlError | PageError) -> PageScores:
    if isinstance(error, PageError):
        reason = error.what
    else:
        reason = f"cannot be parsed: {error}".splitlines()[0]
    return PageScores(page.id, FAILED, reason, url=page.url, bytes=len(page.content), checksum=crc32(page.content))


def _without_scores(page: Page, segments: Segments, decoded: Decoded) -> PageScores:
    """Return a page that was read, before it is scored."""
    status = SCORED
    reason = ""
    if not segments.text:
        status = EMPTIED
        reason = "the page holds no text"
    return PageScores(
        page.id,
        status,
        reason,
        url=page.url,
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        replaced=decoded.replaced,
        bytes=len(page.content),
        checksum=crc32(page.content),
        segments=segments,
    )


def _score_texts(
    page_id: str, scorers: Sequence[Scorer], texts: Mapping[str, _OtherText], laps: _Laps
) -> dict[str, PageScores]:
    """Return the scores of a page's other texts that scorers cut, by their names."""
    scored: dict[str, PageScores] = {}
    for name in input_names(scorers):
        segments = texts[name].segments
        scores: dict[str, Scores] = {name: np.ones(len(segments.block_ends), dtype=np.float32)}
        for scorer in scorers:
            if scorer.input_text is not None and scorer.input_name == name:
                scores[scorer.canonical_name] = scorer.score(segments)
                laps.end(scorer.canonical_name)
        status = SCORED if segments.text else EMPTIED
        problem = texts[name].problem
        scored[name] = PageScores(page_id, status, problem, segments=segments.without_tags(), scores=scores)
    return scored


def _make_text(
    maker: TextMaker, number: int, page: Page, html: str, segments: Segments, options: PageOptions
) -> _OtherText:
    """Return another text of a page; errors that the user can fix are raised."""
    text = ""
    problem = ""
    try:
        if isinstance(maker, PageText):
            with guarded(number):
                text = maker.make(page, html, segments)
        elif isinstance(maker, CleanedText):
            text = left_by(maker.cleaner, segments)
    except PageError as error:
        problem = error.what
    except ThresherError:
        raise
    except Exception as error:  # other packages may raise any error
        reason = f"{type(error).__name__}: {str(error) or error.__cause__ or ''}"
        problem = fit_text(" ".join(reason.split()).removesuffix(":"))
    return _OtherText(replace(read_text_page(text, options), page_id=page.id), problem)
