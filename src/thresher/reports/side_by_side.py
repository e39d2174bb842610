"""A page that shows what a cleaner removes from each document: the whole text on the left, the kept text on the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from thresher.scoring.removed import JudgedPage, JudgedSegment


@dataclass(frozen=True)
class Shown:
    """A document on the page: its segments by block, how many are kept, and how many there are."""

    id: str
    blocks: tuple[tuple[JudgedSegment, ...], ...]
    kept: int
    segments: int


def write_side_by_side(pages: Iterable[JudgedPage], cleaner: str, path: Path) -> None:
    """Write the HTML page to `path`, one document at a time, so that memory holds only one.

    The page is self-contained. The template engine escapes all text.
    """
    loader = PackageLoader("thresher.reports", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    css = loader.get_source(environment, "side_by_side.css")[0].strip()
    stream = environment.get_template("side_by_side.html.j2").stream(cleaner=cleaner, style=css, pages=_shown(pages))
    stream.enable_buffering(100)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(stream)


def _shown(pages: Iterable[JudgedPage]) -> Iterator[Shown]:
    for page in pages:
        blocks = tuple(tuple(group) for _, group in groupby(page.segments, lambda segment: segment.block))
        yield Shown(page.id, blocks, sum(segment.kept for segment in page.segments), len(page.segments))
