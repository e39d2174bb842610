"""The work of the pass on a part: its pages are scored, or refused, and written as a shard."""

from __future__ import annotations

import base64
import json
import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from thresher.base.files import digest, fit_text
from thresher.base.repeats import Times
from thresher.cleaners.scorer import Scorer, input_names, own_block_scorers
from thresher.cleaners.site_scorer import page_scorers
from thresher.collections import Collection, Part, Source
from thresher.collections.sources import Span, unpacked_name
from thresher.pages import DEFAULT_OPTIONS, PageOptions, Segments
from thresher.pages.links import NO_LINKS, PageLinks, links_of, page_address
from thresher.pages.references import References
from thresher.scores import store as stores
from thresher.scores.limits import DEFAULT_LIMITS, Limits
from thresher.scores.scoring import score_page
from thresher.scores.store import FAILED, LINKS, PageScores, ScoringCost, ShardReport


@dataclass(frozen=True)
class ScoredPart:
    """A part's pages in order, the reader's span, the seconds that reading took, and the cost of all."""

    part: Part
    pages: list[PageScores]
    span: Span
    reading_seconds: float
    times: Times


@dataclass(frozen=True)
class ScoreWork:
    """Scores pages and writes each part as a shard of the store `folder`.

    It is pickled to workers; those on other machines must see `folder` and the collection under the same path.
    """

    collection: Collection
    folder: Path
    limits: Limits = DEFAULT_LIMITS

    scorers: tuple[Scorer, ...] = ()
    options: PageOptions = DEFAULT_OPTIONS
    kinds: bool = True
    further: tuple[str, ...] = ()

    @property
    def is_noisy(self) -> bool:
        """Whether other packages are at work, whose C code prints."""
        return any(scorer.required_texts for scorer in self.scorers)

    def output(self, part: Part) -> Path:
        """Return the part's shard."""
        return stores.shard_path(self.folder, part)

    def take(self, source: Source, document_id: str) -> PageScores:
        """Return the scores of a page."""
        page = score_page(
            source.page(),
            page_scorers(self.scorers),
            self.options,
            self.kinds,
            with_html="html" in self.further,
            with_references=LINKS in self.further,
        )
        # A part's pages are held until it is written.
        if page.segments:
            page = replace(page, segments=page.segments.without_tags(), links=self._links(page.segments, source))
        if source.members and "members" in self.further:
            page = replace(page, members=json.dumps(source.members, default=_as_json))
        return _located(page, source, document_id)

    def _links(self, segments: Segments, source: Source) -> PageLinks:
        """Return the links of a page, resolved; none if they were not asked for. Plain text has none, but an address."""
        if LINKS not in self.further:
            return NO_LINKS
        folder = f"{self.collection.options.rule.prefix.strip('/')}/"
        path = unpacked_name(source.name).removeprefix(folder) if source.name else None
        return links_of(segments.references or References(), page_address(source.url, path))

    def refuse(self, source: Source, document_id: str, reason: str) -> PageScores:
        """Return a page that failed."""
        return _located(PageScores("", FAILED, reason, bytes=source.size), source, document_id)

    def write(self, scored: ScoredPart) -> None:
        """Write the part's shard, with its report and its times, and a shard for each other text that scorers cut."""
        pages = scored.pages
        seconds = Counter({"pages": scored.reading_seconds})
        for page in pages:
            seconds.update(page.seconds)
        report = _report(scored)
        path = self.output(scored.part)
        for text in input_names(self.scorers):
            self._write_text(path, text, pages, report)
        cost = ScoringCost(dict(seconds), scored.times, socket.gethostname())
        # Written last: this shard marks the part as finished.
        stores.write_shard(path, pages, list(own_block_scorers(self.scorers)), report, cost, self.further)

    def _write_text(self, path: Path, text: str, pages: Sequence[PageScores], report: ShardReport) -> None:
        columns = [text]
        for scorer in self.scorers:
            if scorer.input_text and scorer.input_name == text:
                columns.append(scorer.canonical_name)
        pages_of_text = [page.of(text) for page in pages]
        report_of_text = replace(
            report,
            words=_words(pages_of_text),
            **stores.count(pages_of_text),  # type: ignore[arg-type]
        )
        shard = stores.text_store(self.folder, text) / path.name
        shard.parent.mkdir(parents=True, exist_ok=True)
        stores.write_shard(shard, pages_of_text, columns, report_of_text, stores.NO_COST)


def _as_json(value: Any) -> str:
    """Return a value that JSON has no form for as text: bytes in base 64, as BigQuery writes them; times and decimals."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


def _report(scored: ScoredPart) -> ShardReport:
    pages = scored.pages
    raw_bytes = 0
    checksums: list[list[int]] = []
    for page in pages:
        raw_bytes += page.bytes
        checksums.append([page.bytes, page.checksum])
    return ShardReport(
        len(pages),
        **stores.count(pages),
        words=_words(pages),
        bytes=raw_bytes,
        begin=scored.part.begin if scored.part.exact else None,
        first=scored.span.first,
        after=scored.span.after,
        content=digest(checksums),
    )


def _words(pages: Sequence[PageScores]) -> int:
    words = 0
    for page in pages:
        if page.segments:
            words += int(page.segments.words_in_sentences.sum())
    return words


def _located(page: PageScores, source: Source, document_id: str) -> PageScores:
    url = fit_text(source.url) if source.url else None
    return replace(page, id=document_id, file=source.file, offset=source.offset, url=url)
