"""How much training text NCleaner needs: its measures on other pages, by the number of pages it was trained on.

Source: Evert, NCleaner, LREC 2008, section 5, Fig. 4: subsets of one gold standard for training, another for testing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, groupby
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml.etree import LxmlError

from thresher.cleaneval.gold import GoldPage, decode_gold, parse_gold
from thresher.cleaneval.measures import CleaningSummary, PageWords, compare_words, summarize_pages
from thresher.collections import Page
from thresher.collections.base import HTML_SUFFIXES
from thresher.errors import ConfigError, InputError
from thresher.files import user_error
from thresher.language_models.characters.counts import CharacterModel, Settings, train
from thresher.language_models.characters.pages import Pairs, segment_texts
from thresher.language_models.characters.scoring import SegmentScorer
from thresher.pages import read_page
from thresher.pages.marked_text import is_bar, read_marked_text

CUTOFF = 0.0
"""Segments that the dirty model gives the higher probability are dropped, as in the paper."""


class TrainingPage(NamedTuple):
    """The segments of a page as it was cleaned by hand and as it was."""

    clean: list[str]
    raw: list[str]


@dataclass(frozen=True)
class HeldOutPage:
    """A page to test on: its blocks' text, whether each block is a bar of short fields, and its gold text."""

    text: str
    bars: npt.NDArray[np.bool_]
    gold: str


@dataclass(frozen=True)
class CurvePoint:
    """What a model comes to that was trained on `pages` pages with `words` words of cleaned text.

    `precision`, `recall` and `f1` pool the words of all pages tested (micro), `macro_f1` is the mean over pages; all are of
    words by alignment, in [0, 1]. `repeat` counts the random orders of training pages from 0.
    """

    pages: int
    words: int
    repeat: int
    precision: float
    recall: float
    f1: float
    macro_f1: float


@dataclass(frozen=True)
class Spread:
    """A measure over the repetitions: mean, least and most."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class CurveSize:
    """All points of one number of training pages: how many, their mean words, their measures."""

    pages: int
    repeats: int
    words: float
    precision: Spread
    recall: Spread
    f1: Spread
    macro_f1: Spread


def training_pages(pairs: Pairs) -> Iterator[TrainingPage]:
    """Read pairs of pages. Cleaned text is read as gold is: CleanEval's markers and character references mean what they say.

    Raises:
        InputError: if a file is missing or unreadable, or cannot be parsed.
    """
    for clean, raw in pairs.files:
        if clean.name.lower().endswith(HTML_SUFFIXES):
            cleaned = segment_texts(clean)
        else:
            try:
                gold = parse_gold(decode_gold(clean.read_bytes()))
            except OSError as error:
                raise user_error(error, clean) from error
            cleaned = [segment.text for part in gold for segment in read_marked_text(part.text)]
        yield TrainingPage(cleaned, segment_texts(raw))


def held_out_pages(pages: Iterable[GoldPage]) -> Iterator[HeldOutPage]:
    """Parse the pages of a gold standard. A page that cannot be parsed has no text, as if it were emptied.

    Raises:
        InputError: if a page's file cannot be read.
    """
    for page in pages:
        try:
            text = read_page(Page(page.stem, page.path.read_bytes()), detailed=False)[0].text
        except OSError as error:
            raise user_error(error, page.path) from error
        except LxmlError:
            text = ""
        bars = ["|" in block and is_bar(block) for block in text.split("\n")] if text else []
        yield HeldOutPage(text, np.array(bars, dtype=np.bool_), page.text)


def usual_sizes(pages: int) -> tuple[int, ...]:
    """Return the numbers of training pages to try: 1, 2, 5, 10, 20, 50 and so on, and all.

    >>> usual_sizes(58), usual_sizes(2)
    ((1, 2, 5, 10, 20, 50, 58), (1, 2))
    """
    steps = (step * 10**power for power in range(len(str(pages))) for step in (1, 2, 5))
    return (*(size for size in steps if size < pages), pages)


def learning_curve(
    pages: Sequence[TrainingPage],
    held_out: Sequence[HeldOutPage],
    sizes: Sequence[int],
    repeats: int,
    settings: Settings,
    seed: int = 0,
) -> Iterator[CurvePoint]:
    """Train on growing subsets and test each model, at the cutoff 0.

    For each repetition the pages have one random order, and each size takes its first pages: subsets are nested. A subset
    whose cleaned text is not shorter than its raw text makes no model and has no point; one page may be like that.

    Args:
        pages: what to train on, at least one.
        held_out: what to test on, at least one, none of `pages`.
        sizes: numbers of training pages.
        repeats: how many random orders.
        settings: n, q and the alphabet.
        seed: of the orders; those of fewer repetitions are the first of more.

    Raises:
        ConfigError: if a size is below 1 or above the number of pages.
        InputError: if all pages together make no model.
    """
    if wrong := [size for size in sizes if not 1 <= size <= len(pages)]:
        raise ConfigError(
            f"{wrong[0]} training pages cannot be taken from {len(pages)}",
            f"give sizes from 1 to {len(pages)}",
            "--sizes",
        )
    # Here for its error: that the folders are swapped must be said, and not be taken for a subset that makes no model.
    train(pages, settings, "all training pages")
    words = [sum(len(segment.split()) for segment in page.clean) for page in pages]
    judged: dict[frozenset[int], CleaningSummary | None] = {}
    compared: dict[tuple[int, bytes], PageWords] = {}
    for repeat in range(repeats):
        order = np.random.default_rng([seed, repeat]).permutation(len(pages)).tolist()
        for size in sizes:
            chosen = frozenset(order[:size])
            if chosen not in judged:
                model = _model([pages[place] for place in sorted(chosen)], settings)
                judged[chosen] = _judge(model, held_out, compared) if model else None
            found = judged[chosen]
            if found:
                micro = found.micro
                taken = sum(words[place] for place in chosen)
                yield CurvePoint(size, taken, repeat, micro.precision, micro.recall, micro.f1, found.f1.mean)


def summarize_curve(points: Iterable[CurvePoint]) -> tuple[CurveSize, ...]:
    """Return the points by number of training pages, rising."""
    groups = groupby(sorted(points, key=lambda point: point.pages), key=lambda point: point.pages)
    return tuple(_summarize(pages, [*group]) for pages, group in groups)


def _summarize(pages: int, points: Sequence[CurvePoint]) -> CurveSize:
    measures = ([getattr(point, name) for point in points] for name in ("precision", "recall", "f1", "macro_f1"))
    spreads = (Spread(fmean(values), min(values), max(values)) for values in measures)
    return CurveSize(pages, len(points), fmean(point.words for point in points), *spreads)


def _model(pages: Sequence[TrainingPage], settings: Settings) -> CharacterModel | None:
    try:
        return train(pages, settings, "a subset")
    except InputError:
        return None


def _judge(
    model: CharacterModel, held_out: Sequence[HeldOutPage], compared: dict[tuple[int, bytes], PageWords]
) -> CleaningSummary:
    """Clean and compare; `compared` remembers what was, by the page's place and the blocks kept: models often agree."""
    scorer = SegmentScorer(model)
    words = []
    for place, page in enumerate(held_out):
        # In single precision as scores are stored, so that the same blocks stay.
        keep = (scorer.score(page.text).astype(np.float32) >= CUTOFF) & ~page.bars
        key = place, keep.tobytes()
        if key not in compared:
            compared[key] = compare_words("\n".join(compress(page.text.split("\n"), keep)), page.gold)
        words.append(compared[key])
    return summarize_pages(words)
