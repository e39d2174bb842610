"""jusText."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from thresher.pages import Detail, Segments
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scorers.base import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.scorers.languages import spoken
from thresher.scorers.stop_lists import languages, stop_list

Classes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BAD, SHORT, NEAR_GOOD, GOOD = range(4)
_GOOD = bytes((GOOD,))
_DOUBT = re.compile(b"[\1\2]+")
_COPYRIGHT = re.compile("©|&copy")
CLASS_NAMES = ("bad", "short", "near-good", "good")


@dataclass(frozen=True)
class Thresholds:
    """The parameters of the algorithm. Lengths and the distance are in characters, the others are shares from 0 to 1."""

    max_link_density: float = 0.2
    length_low: int = 70
    length_high: int = 200
    stopwords_low: float = 0.30
    stopwords_high: float = 0.32
    max_heading_distance: int = 200
    no_headings: bool = False


@dataclass(frozen=True)
class Features:
    """The paragraphs' features, in the page's order, shape (paragraphs,) each.

    `lengths` are characters, `linked` those of them in A; `copyright`: with a copyright sign; `heading`: in H1 to H6.
    """

    lengths: Ints
    linked: Ints
    copyright: Mask
    heading: Mask


def depends_on_words(features: Features, limits: Thresholds) -> Mask:
    """Return which paragraphs are long enough, and not bad already, so that stop words decide."""
    return (features.lengths >= limits.length_low) & ~_bad(features, limits)


def context_free(features: Features, stopwords: Floats, limits: Thresholds) -> Classes:
    """Return each paragraph's class by itself; `stopwords` has the share of stop words where `depends_on_words`."""
    long = features.lengths > limits.length_high
    many = np.where(long, GOOD, NEAR_GOOD)
    by_words = np.where(
        stopwords >= limits.stopwords_high, many, np.where(stopwords >= limits.stopwords_low, NEAR_GOOD, BAD)
    )
    unlinked = np.where(features.linked > 0, BAD, SHORT)
    classes = np.where(features.lengths < limits.length_low, unlinked, by_words)
    classes[_bad(features, limits)] = BAD
    return classes.astype(np.int8)


def _bad(features: Features, limits: Thresholds) -> Mask:
    bad: Mask = features.copyright | (features.linked > limits.max_link_density * features.lengths)
    return bad


def in_context(classes: Classes, features: Features, limits: Thresholds) -> Classes:
    """Return each paragraph's final class, `GOOD` or `BAD`, from those of `context_free`."""
    first = classes.tobytes()
    # Characters before each paragraph. A heading is near if few are between its end and the next good paragraph.
    before = [*accumulate(features.lengths.tolist(), initial=0)]

    def is_near_good(heading: int, among: bytes) -> bool:
        following = among.find(GOOD, heading + 1)
        return following >= 0 and before[following] - before[heading + 1] <= limits.max_heading_distance

    headings = [] if limits.no_headings else np.flatnonzero(features.heading & (classes != BAD)).tolist()
    revised = bytearray(first)
    for heading in headings:
        if first[heading] == SHORT and is_near_good(heading, first):
            revised[heading] = NEAR_GOOD
    final = without_doubt(bytes(revised))
    kept = bytearray(final)
    for heading in headings:
        # A single pass: headings made good here do not affect others.
        if final[heading] == BAD and is_near_good(heading, final):
            kept[heading] = GOOD
    return np.frombuffer(kept, dtype=np.int8)


def without_doubt(classes: bytes) -> bytes:
    """Return the classes with short and near-good ones decided by their neighbours; the page's edges are bad.

    Between neighbours of the same class they take that class. Between a good and a bad one, the
    near-good one nearest to the bad one is the last good one.
    """
    decided = bytearray(classes)
    fenced = bytes((BAD, *classes, BAD))
    for doubt in _DOUBT.finditer(fenced):
        begin, end = doubt.span()
        above, below, size = fenced[begin - 1 : begin], fenced[end : end + 1], end - begin
        turn = size
        if above != below:
            nearest = doubt[0].rfind(NEAR_GOOD) + 1 if above == _GOOD else doubt[0].find(NEAR_GOOD)
            turn = nearest if nearest >= 0 else size
        decided[begin - 1 : end - 1] = above * turn + below * (size - turn)
    return bytes(decided)


def _threshold(name: str, description: str, high: float | None = None) -> Parameter:
    default = getattr(Thresholds, name)
    low = None if isinstance(default, bool) else 0
    return Parameter(name, type(default), default, description, low=low, high=high, terse=True)


class Justext(Scorer):
    """Paragraphs are good or bad by length, links and stop words, undecided ones by their neighbours.

    A block is kept if its paragraph is good. The page's title and form controls are bad, and not neighbours of paragraphs.
    """

    name = "justext"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    detail = Detail.TAGS
    other_languages = "lang=LANGUAGE"
    source = (
        "Pomikalek: Removing Boilerplate and Duplicate Content from Web Corpora, PhD thesis, Masaryk University 2011"
    )
    parameters = (
        Parameter("lang", str, "English", "whose stop list", choices=languages(), terse=True),
        _threshold("max_link_density", "a paragraph with a higher share of its characters in links is bad"),
        _threshold("length_low", "characters below which a paragraph is short"),
        _threshold("length_high", "characters above which a paragraph can be good"),
        _threshold("stopwords_low", "share of stop words from which a paragraph is near-good", high=1),
        _threshold("stopwords_high", "share of stop words from which a long paragraph is good", high=1),
        _threshold("max_heading_distance", "characters allowed between a heading and its good paragraph"),
        _threshold("no_headings", "whether headings are like any paragraph"),
    )

    @property
    def language(self) -> str:
        """The language of its stop list."""
        return spoken(str(self.values["lang"]))

    def score(self, segments: Segments) -> Scores:
        """Return 1 for the blocks of good paragraphs and 0 for others."""
        paragraph_of_block, _, classes = self._classes(segments)
        # Blocks in no paragraph (-1) take the class at the end.
        good = np.append(classes == GOOD, [False])
        return good[paragraph_of_block].astype(np.float32)

    def classify(self, segments: Segments) -> list[Paragraph]:
        """Return the page's paragraphs with their classes; the title and form controls are left out."""
        paragraph_of_block, first, final = self._classes(segments)
        blocks: list[list[str]] = [[] for _ in first]
        for block, paragraph in zip(segments.blocks, paragraph_of_block.tolist(), strict=True):
            if paragraph >= 0:
                blocks[paragraph].append(block)
        return [
            Paragraph(tuple(texts), CLASS_NAMES[before], CLASS_NAMES[after])
            for texts, before, after in zip(blocks, first.tolist(), final.tolist(), strict=True)
        ]

    def _classes(self, segments: Segments) -> tuple[Ints, Classes, Classes]:
        """Return each block's paragraph, -1 for none, and each paragraph's class without context and within it."""
        limits = Thresholds(**{name: value for name, value in self.values.items() if name != "lang"})  # type: ignore[arg-type]
        paragraphs = _paragraphs(segments)
        features = _features(segments, paragraphs)
        stop_words = stop_list(str(self.values["lang"]))
        shares = np.zeros(len(features.lengths))
        for index, text in paragraphs.texts(segments, depends_on_words(features, limits)):
            words = text.lower().split()
            shares[index] = sum(map(stop_words.__contains__, words)) / len(words)
        first = context_free(features, shares, limits)
        return paragraphs.of_block, first, in_context(first, features, limits)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: its blocks' texts; its class by itself, one of `CLASS_NAMES`; and in context, `good` or `bad`."""

    blocks: tuple[str, ...]
    context_free: str
    final: str


@dataclass(frozen=True)
class _Paragraphs:
    """The paragraph of each block, -1 for none; the blocks that are in one; and where in these each paragraph begins."""

    of_block: Ints
    blocks: Ints
    starts: Ints

    def texts(self, segments: Segments, wanted: Mask) -> Iterator[tuple[int, str]]:
        """Yield the index and the text of each paragraph that is wanted."""
        indices = np.flatnonzero(wanted)
        ends = np.append(self.starts[1:], len(self.blocks))[indices]
        for index, start, end in zip(indices.tolist(), self.starts[indices].tolist(), ends.tolist(), strict=True):
            yield index, "\n".join([segments.blocks[block] for block in self.blocks[start:end].tolist()])


def _paragraphs(segments: Segments) -> _Paragraphs:
    inside = ~segments.marks.is_control & (segments.levels != TITLE_LEVEL)
    blocks = np.flatnonzero(inside)
    starts = np.flatnonzero(np.diff(segments.marks.paragraphs[blocks], prepend=-1))
    of_block = np.full(len(inside), -1, dtype=np.int64)
    of_block[blocks] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(blocks)))
    return _Paragraphs(of_block, blocks, starts)


def _features(segments: Segments, paragraphs: _Paragraphs) -> Features:
    blocks, starts, ends = paragraphs.blocks, paragraphs.starts, segments.block_ends
    if not len(blocks):
        none = np.zeros(0, dtype=np.int64)
        return Features(none, none, none > 0, none > 0)
    # Including the separator after each block, which counts as a space within a paragraph.
    lengths = np.diff(ends, prepend=0)
    lengths[-1] += 1
    signed = np.zeros(len(ends), dtype=np.bool_)
    signs = [sign.start() for sign in _COPYRIGHT.finditer(segments.text)]
    signed[np.searchsorted(ends, signs, side="right")] = True
    return Features(
        np.add.reduceat(lengths[blocks], starts) - 1,
        np.add.reduceat(segments.linked_characters_in_blocks[blocks], starts),
        np.logical_or.reduceat(signed[blocks], starts),
        np.maximum.reduceat(segments.levels[blocks], starts) > 0,
    )
