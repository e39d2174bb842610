"""What must hold of compressed pages, of files of texts and of scores of pages, and of what extractors return."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import justext
import numpy as np
import seeds
from texts import Refused, check_segments
from watching import watched

from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.scorer import PageText
from thresher.cleaners.scorers.extractor import EXTRACTORS, FileText
from thresher.cleaners.scorers.pages import PagesOfFile
from thresher.cleaners.scorers.shallow_features import Words
from thresher.collections import Page, ReadOptions, documents, open_collection
from thresher.collections.interface import id_problem
from thresher.collections.sources import PageError
from thresher.pages import Segments
from thresher.scores.scoring import score_page
from thresher.scores.store import EMPTIED, FAILED, SCORED, PageScores

MOST = 4096
PACKED_PAGES = (*seeds.PAGES[:3], b"<p>" + bytes(100_000))


TEXTS = (b'{"id": "a", "contents": "Barley."}\n{"id": "b", "contents": "Rye.\\nOats."}\n{"id": "c", "contents": ""}\n',)
PAGE_SCORES = (b"a\t0.5\nb\t-1e-3\n\xc3\xa9\t7\n", b"a\t1e9\r\n")
RETURNED = (
    "The barley harvest was late.\n\nNobody knew why it rained so much.\n• one\n- two".encode(),
    "a\u2028b\x85c\x0bd\x1ce\ta\xa0b\r\nc  d".encode(),
)
RETURNED_TOKENS = (
    b"\n", b"\r", b"\t", b"\0", b"\x0b", b"\x1c", b"\x7f", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xff",
    b"\xef\xbb\xbf", b"\xef\xbf\xbe", b"\xf4\x8f\xbf\xbf", b"<p>", b"<h>", b"&amp;", b"# ", b"x" * 3000, b" " * 300,
    "\u0301".encode(), "日本語。".encode(), "\u200b".encode(), "\u202e".encode(),
)  # fmt: skip


def packed_page(suffix: str) -> Callable[[bytes, Path], None]:
    """A page in a file of its own, whose name says how it is compressed."""

    def check(data: bytes, folder: Path) -> None:
        path = folder / f"input.html{suffix}"
        path.write_bytes(data)
        with watched(path):
            (source,) = documents(open_collection(path, ReadOptions(max_bytes=MOST)))
            assert source.id == "input"
            if source.problem is not None:
                assert source.problem.isprintable()
                return
            content = None
            with suppress(PageError):
                content = source.page().content
        assert content is None or len(content) <= MOST
        if suffix == ".gz":
            try:
                whole = gzip.decompress(data)
            except (OSError, EOFError, zlib.error):
                return
            assert content == (whole if len(whole) <= MOST else None)

    return check


def read_texts_of_pages(data: bytes, folder: Path) -> None:
    """A file of texts, which `[[text]]` names; Parquet is read in a process apart, and is a target of its own."""
    path = folder / "input.jsonl"
    path.write_bytes(data)
    text = FileText()
    text.path = path
    with watched(path), Refused(path):
        text.prepare()
        for name, made in text.by_id().items():
            assert not id_problem(name)
            _check_text(score_page(Page(name, b"<p>Barley"), _reading(text)), text.canonical_name)
            assert text.make(Page(name, b""), "", _NO_SEGMENTS) == made


_NO_SEGMENTS = Segments.__new__(Segments)


def read_page_scores(data: bytes, folder: Path) -> None:
    """A file of scores of pages."""
    path = folder / "input.tsv"
    path.write_bytes(data)
    scorer = PagesOfFile(file=str(path))
    with watched(path), Refused(path):
        scorer.check("")
        known = dict(line.split("\t", 1) for line in data.decode("utf-8-sig").splitlines())
        for name, value in known.items():
            if not id_problem(name):
                scored = score_page(Page(name, b"<p>Barley"), (scorer,)).scores[scorer.canonical_name]
                assert scored.tolist() == [np.float32(value)], name


class Returned(PageText):
    """An extractor that returns what it is told to."""

    name = "returned"
    returned = ""

    def make(self, page: Page, html: str, segments: Segments) -> str:
        return self.returned


def read_returned(data: bytes, folder: Path) -> None:
    """Whatever text an extractor may return, surrogates included."""
    extractor = Returned()
    extractor.returned = data.decode("utf-8", "surrogateescape")
    with watched(folder):
        _check_text(score_page(Page("1", seeds.PAGES[0]), _reading(extractor)), extractor.canonical_name)


def read_extracted(data: bytes, folder: Path) -> None:
    """A page, read by one of the extractors."""
    name = EXTRACTORS[zlib.crc32(data) % len(EXTRACTORS)]
    with watched(folder, Path(justext.__file__).parent):
        page = score_page(Page("1", data), parse_cleaner(f"{name}+words@2").scorers)
        if page.status != FAILED:
            _check_text(page, name)


@cache
def all_extractors(_folder: Path) -> None:
    """Have the packages imported, and their lists read."""
    for name in EXTRACTORS:
        for page in seeds.PAGES:
            score_page(Page("1", page), parse_cleaner(f"{name}+words@2").scorers)


def _reading(text: PageText) -> tuple[Words]:
    return (Words().with_input(text),)


def _check_text(page: PageScores, name: str) -> None:
    assert page.status != FAILED, page.reason
    made = page.texts[name]
    assert made.segments is not None
    check_segments(made.segments)
    assert made.status == (SCORED if made.segments.text else EMPTIED)
    assert made.reason.isprintable()
    for scores in made.scores.values():
        assert scores.shape == made.segments.block_ends.shape
