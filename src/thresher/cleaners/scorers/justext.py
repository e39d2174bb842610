"""jusText."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.files import digest
from thresher.base.numbers import Floats, Ints
from thresher.cleaners.languages import VARIANTS, languages, own_stop_list, stop_list
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.pages import Detail, Segments
from thresher.pages.parsing import TITLE_LEVEL

Classes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

BAD, SHORT, NEAR_GOOD, GOOD = range(4)
_GOOD = bytes((GOOD,))
_DOUBT = re.compile(b"[\1\2]+")
_COPYRIGHT = re.compile("©|&copy")
CLASS_NAMES = ("bad", "short", "near-good", "good")
PACKAGE = "package"
DOCUMENT = "document"
"""The rules of the Python package, and the rules of the Java document."""


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
    no_headlines: bool = False


@dataclass(frozen=True)
class Features:
    """The paragraphs' features, in the page's order, shape (paragraphs,) each.

    `lengths` counts characters, `linked` characters in A; `copyright`: with a copyright sign; `heading`: in H1 to H6. By the
    rules of the Java document, `headline`: in H1; `image`: an image without text; `select`: in SELECT.
    """

    lengths: Ints
    linked: Ints
    copyright: Mask
    heading: Mask
    headline: Mask
    image: Mask
    select: Mask


def depends_on_words(features: Features, limits: Thresholds) -> Mask:
    """Return which paragraphs are long enough, and not bad already, so that stop words decide."""
    decided = _bad(features, limits) | features.select | _headlines(features, limits)
    return (features.lengths >= limits.length_low) & ~decided


def context_free(features: Features, stopwords: Floats, limits: Thresholds) -> Classes:
    """Return each paragraph's class by itself; `stopwords` has the share of stop words where `depends_on_words`."""
    with_many_stopwords = np.where(features.lengths > limits.length_high, GOOD, NEAR_GOOD)
    with_fewer_stopwords = np.where(stopwords >= limits.stopwords_low, NEAR_GOOD, BAD)
    long = np.where(stopwords >= limits.stopwords_high, with_many_stopwords, with_fewer_stopwords)
    short = np.where(features.linked > 0, BAD, SHORT)
    classes = np.where(features.lengths < limits.length_low, short, long)
    classes[features.select] = BAD
    classes[_headlines(features, limits)] = GOOD
    classes[_bad(features, limits)] = BAD
    return classes.astype(np.int8)


def _bad(features: Features, limits: Thresholds) -> Mask:
    many_links = features.linked > limits.max_link_density * features.lengths
    return features.image | features.copyright | many_links


def _headlines(features: Features, limits: Thresholds) -> Mask:
    return features.headline & (not limits.no_headlines)


def in_context(classes: Classes, features: Features, limits: Thresholds) -> Classes:
    """Return each paragraph's final class, `GOOD` or `BAD`, from the classes of `context_free`."""
    first = classes.tobytes()
    characters_before = list(accumulate(features.lengths.tolist(), initial=0))

    def is_near_good(heading: int, paragraphs: bytes) -> bool:
        """Return whether few characters are between the end of a heading and the next good paragraph."""
        following = paragraphs.find(GOOD, heading + 1)
        if following < 0:
            return False
        distance: int = characters_before[following] - characters_before[heading + 1]
        return distance <= limits.max_heading_distance

    headings: list[int] = []
    if not limits.no_headings:
        headings = np.flatnonzero(features.heading & (classes != BAD)).tolist()
    revised = bytearray(first)
    for heading in headings:
        if first[heading] == SHORT and is_near_good(heading, first):
            revised[heading] = NEAR_GOOD
    final = without_doubt(bytes(revised))
    with_headings = bytearray(final)
    for heading in headings:
        # A single pass: headings made good here do not affect others.
        if final[heading] == BAD and is_near_good(heading, final):
            with_headings[heading] = GOOD
    return np.frombuffer(with_headings, dtype=np.int8)


def without_doubt(classes: bytes) -> bytes:
    """Return the classes with short and near-good ones decided by their neighbours; the page's edges are bad.

    Between neighbours of the same class they take that class. Between a good and a bad one, the
    near-good one nearest to the bad one is the last good one.
    """
    decided = bytearray(classes)
    fenced = bytes((BAD, *classes, BAD))
    for doubt in _DOUBT.finditer(fenced):
        begin, end = doubt.span()
        above = fenced[begin - 1 : begin]
        below = fenced[end : end + 1]
        size = end - begin
        # The number of paragraphs that take the class above.
        as_above = size
        if above == _GOOD and below != _GOOD:
            as_above = doubt[0].rfind(NEAR_GOOD) + 1
        elif above != below:
            nearest = doubt[0].find(NEAR_GOOD)
            if nearest >= 0:
                as_above = nearest
        decided[begin - 1 : end - 1] = above * as_above + below * (size - as_above)
    return bytes(decided)


def _threshold(name: str, description: str, high: float | None = None) -> Parameter:
    default = getattr(Thresholds, name)
    low = None if isinstance(default, bool) else 0
    return Parameter(name, type(default), default, description, low=low, high=high, terse=True)


class Justext(Scorer):
    """Keeps good paragraphs: good by length, links and stop words or, if these leave it open, by the neighbours.

    The title is bad and no neighbour; so are form controls by the rules of the Python package. By the rules of the Java
    document, SELECT and images without text are bad paragraphs, and H1 is good.
    """

    name = "justext"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    detail = Detail.TAGS
    other_languages = "lang=LANGUAGE"
    source = (
        "Pomikalek: Removing Boilerplate and Duplicate Content from Web Corpora, PhD thesis, Masaryk University 2011; jusText "
        "(Java), 2016 (rules=document)"
    )
    parameters = (
        Parameter("lang", str, "English", "the language of the stop list", choices=languages(), terse=True),
        Parameter("stopwords", str, "", "the path of your own stop list, one word per line, instead", terse=True),
        Parameter(
            "rules",
            str,
            PACKAGE,
            "the rules of the Python package, or of the Java document, which has rules for headlines, images and controls",
            choices=(PACKAGE, DOCUMENT),
            terse=True,
        ),
        _threshold("max_link_density", "a paragraph with a higher share of its characters in links is bad"),
        _threshold("length_low", "characters below which a paragraph is short"),
        _threshold("length_high", "characters above which a paragraph can be good"),
        _threshold("stopwords_low", "share of stop words that makes a paragraph near-good", high=1),
        _threshold("stopwords_high", "share of stop words that makes a long paragraph good", high=1),
        _threshold("max_heading_distance", "characters allowed between a heading and its good paragraph"),
        _threshold("no_headings", "whether headings are like any paragraph"),
        _threshold("no_headlines", "whether H1 is like any heading; without rules=document it always is"),
    )

    def check(self, where: str) -> None:  # noqa: ARG002, the path is named
        """Read the stop list, if it is the user's."""
        _ = self._stop_words

    @property
    def fingerprint(self) -> str:
        """The digest of the user's stop list; empty for a known one."""
        if not self.values["stopwords"]:
            return ""
        return digest(sorted(self._stop_words))

    @property
    def language(self) -> str:
        """The language of its stop list; none if it is the user's."""
        if self.values["stopwords"]:
            return ""
        lang = str(self.values["lang"])
        return VARIANTS.get(lang, lang)

    def score(self, segments: Segments) -> Scores:
        """Return 1 for the blocks of good paragraphs and 0 for others."""
        paragraphs = _paragraphs(segments, self._by_document)
        features = _features(segments, paragraphs, self._by_document)
        shares = self._stop_word_shares(segments, paragraphs, depends_on_words(features, self._limits))
        classes = in_context(context_free(features, shares, self._limits), features, self._limits)
        # Blocks in no paragraph (-1) take the class at the end.
        good = np.append(classes == GOOD, [False])
        return good[paragraphs.of_block].astype(np.float32)

    def classify(self, segments: Segments) -> list[Paragraph]:
        """Return the page's paragraphs with their classes, in order; blocks in none are left out."""
        paragraphs = _paragraphs(segments, self._by_document)
        features = _features(segments, paragraphs, self._by_document)
        shares = self._stop_word_shares(segments, paragraphs, features.lengths > 0)
        first = context_free(features, shares, self._limits)
        final = in_context(first, features, self._limits)
        texts: list[list[str]] = [[] for _ in first]
        for block, number in zip(segments.blocks, paragraphs.of_block.tolist(), strict=True):
            if number >= 0:
                texts[number].append(block)
        classified = []
        for number, blocks in enumerate(texts):
            length = int(features.lengths[number])
            classified.append(
                Paragraph(
                    blocks=tuple(blocks),
                    context_free=CLASS_NAMES[first[number]],
                    final=CLASS_NAMES[final[number]],
                    length=length,
                    link_density=int(features.linked[number]) / max(length, 1),
                    stop_word_density=float(shares[number]),
                    heading=bool(features.heading[number]),
                    headline=bool(features.headline[number]),
                    image=bool(features.image[number]),
                    select=bool(features.select[number]),
                    copyright=bool(features.copyright[number]),
                )
            )
        return classified

    @property
    def _by_document(self) -> bool:
        return self.values["rules"] == DOCUMENT

    @property
    def _limits(self) -> Thresholds:
        return Thresholds(**{field.name: self.values[field.name] for field in fields(Thresholds)})  # type: ignore[arg-type]

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        path = str(self.values["stopwords"])
        if path:
            return own_stop_list(Path(path))
        return stop_list(str(self.values["lang"]))

    def _stop_word_shares(self, segments: Segments, paragraphs: _Paragraphs, mask: Mask) -> Floats:
        """Return the share of stop words of each paragraph that a mask marks, 0 for others; shape (paragraphs,)."""
        stop_words = self._stop_words
        shares = np.zeros(len(paragraphs.starts))
        for index, text in paragraphs.texts(segments, mask):
            words = text.lower().split()
            shares[index] = sum(map(stop_words.__contains__, words)) / len(words)
        return shares


@dataclass(frozen=True)
class Paragraph:
    """A paragraph with its classes, and the features that decide them.

    Attributes:
        blocks: the texts of its blocks; none for an image or an empty SELECT.
        context_free: its class by itself, one of `CLASS_NAMES`.
        final: its class in context, `good` or `bad`.
        length: the number of characters.
        link_density: the share of the characters in links; in [0, 1].
        stop_word_density: the share of the words, separated by white space, in the stop list; in [0, 1].
        heading: whether it is in H1 to H6.
        headline, image, select: whether it is in H1, an image without text, in SELECT; False by the package's rules.
        copyright: whether it has a copyright sign.
    """

    blocks: tuple[str, ...]
    context_free: str
    final: str
    length: int
    link_density: float
    stop_word_density: float
    heading: bool
    headline: bool
    image: bool
    select: bool
    copyright: bool


@dataclass(frozen=True)
class _Paragraphs:
    """The paragraphs of a page.

    Attributes:
        of_block: the paragraph of each block, -1 for none; shape (blocks,).
        blocks: the blocks that are in paragraphs, ascending.
        starts: the place in `blocks` where each paragraph begins; shape (paragraphs,). A paragraph without blocks begins at
            the place of the next paragraph; it is an image or a SELECT.
        images: which paragraphs are images; shape (paragraphs,).
    """

    of_block: Ints
    blocks: Ints
    starts: Ints
    images: Mask

    def texts(self, segments: Segments, mask: Mask) -> Iterator[_ParagraphText]:
        """Yield the text of each paragraph that a mask marks."""
        indices = np.flatnonzero(mask)
        ends = np.append(self.starts[1:], len(self.blocks))[indices]
        for index, start, end in zip(indices.tolist(), self.starts[indices].tolist(), ends.tolist(), strict=True):
            blocks = [segments.blocks[block] for block in self.blocks[start:end].tolist()]
            yield _ParagraphText(index, "\n".join(blocks))


class _ParagraphText(NamedTuple):
    """The index of a paragraph, and its text."""

    paragraph: int
    text: str


def _paragraphs(segments: Segments, by_document: bool) -> _Paragraphs:
    """Return the paragraphs of a page by the rules of the Java document, or else of the Python package."""
    in_body = segments.levels != TITLE_LEVEL
    if by_document:
        stretches = segments.marks.stretches
        blocks = np.flatnonzero(in_body)
        paragraph_of_block = stretches.of_block[blocks]
        images = np.setdiff1d(stretches.images, stretches.of_block)
        empty_selects = np.setdiff1d(stretches.selects, stretches.of_block)
        paragraphs = np.union1d(paragraph_of_block, np.union1d(images, empty_selects))
    else:
        blocks = np.flatnonzero(in_body & ~segments.marks.is_control)
        paragraph_of_block = segments.marks.paragraphs[blocks]
        images = paragraph_of_block[:0]
        paragraphs = np.unique(paragraph_of_block)
    index_of_block = np.full(len(in_body), -1, dtype=np.int64)
    index_of_block[blocks] = np.searchsorted(paragraphs, paragraph_of_block)
    starts = np.searchsorted(paragraph_of_block, paragraphs)
    return _Paragraphs(index_of_block, blocks, starts, np.isin(paragraphs, images))


def _features(segments: Segments, paragraphs: _Paragraphs, by_document: bool) -> Features:
    blocks = paragraphs.blocks
    ends = segments.block_ends
    filled = np.diff(paragraphs.starts, append=len(blocks)) > 0
    starts = paragraphs.starts[filled]
    # Including the separator after each block, which counts as a space within a paragraph.
    lengths = np.diff(ends, prepend=0)
    lengths[-1:] += 1
    signed = np.zeros(len(ends), dtype=np.bool_)
    signs = [sign.start() for sign in _COPYRIGHT.finditer(segments.text)]
    signed[np.searchsorted(ends, signs, side="right")] = True

    def of_paragraphs(operation: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        result = np.zeros(len(filled), dtype=values.dtype)
        if len(starts):
            result[filled] = operation.reduceat(values[blocks], starts)
        return result

    headline = select = np.zeros(len(filled), dtype=np.bool_)
    if by_document:
        headline = of_paragraphs(np.logical_or, segments.levels == 1)
        has_select = of_paragraphs(np.logical_or, segments.marks.is_in_select)
        is_empty_select = ~filled & ~paragraphs.images
        select = has_select | is_empty_select
    return Features(
        lengths=of_paragraphs(np.add, lengths) - filled,
        linked=of_paragraphs(np.add, segments.linked_characters_in_blocks),
        copyright=of_paragraphs(np.logical_or, signed),
        heading=of_paragraphs(np.maximum, segments.levels) > 0,
        headline=headline,
        image=paragraphs.images,
        select=select,
    )
