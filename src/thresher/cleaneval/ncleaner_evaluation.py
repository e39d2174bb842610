"""NCleaner on a gold standard with models that have not seen the page: its learning curve, and cross-validation of all of it.

Sources: Evert, NCleaner, LREC 2008, section 5, Fig. 4 (subsets of one gold standard for training, another for testing) and
section 4, Table 2; StupidOS, WAC 2007, section 4, Tables 1 and 2 (cross-validation of text, heuristics and models).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, groupby
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml.etree import LxmlError

from thresher.cleaneval.cleaning_measures import CleaningSummary, PageWords, compare_words, summarize_pages
from thresher.cleaneval.gold import GoldPage, parse_page, read_whole_gold
from thresher.cleaneval.gold_texts import LabelledText, decode_gold, parse_gold
from thresher.cleaneval.judging import Text, judge_texts
from thresher.cleaneval.results import CleanerPages, CleanerResult, compare_cleaners
from thresher.collections.interface import HTML_SUFFIXES
from thresher.errors import ConfigError, InputError
from thresher.files import read_bytes, real_path
from thresher.language_models.characters.alphabet import ALPHABETS
from thresher.language_models.characters.character_counts import CharacterModel, Settings, train, usual_settings
from thresher.language_models.characters.pages import Pairs, find_pairs, segment_texts
from thresher.language_models.characters.scoring import SegmentScorer
from thresher.pages import Detail
from thresher.pages.marked_text import is_bar, marked_segments, read_marked_text
from thresher.progress import progress
from thresher.scorers.ncleaner import Bars, Mask, bars

CUTOFF = 0.0
"""Segments that are more probable under the dirty model are dropped, as in the paper."""
HEURISTICS = Bars.name
"""The row of the system without models; those of models are called by their alphabets."""


class TrainingPage(NamedTuple):
    """The segments of a page, cleaned by hand and raw."""

    clean: list[str]
    raw: list[str]


@dataclass(frozen=True)
class HeldOutPage:
    """A page to test on: the text of its blocks, whether each block is a bar of short fields, and its gold text."""

    text: str
    bars: npt.NDArray[np.bool_]
    gold: str


@dataclass(frozen=True)
class CurvePoint:
    """The quality of a model trained on `pages` pages with `words` words of cleaned text, in the `repeat`-th order from 0.

    `precision`, `recall` and `f1` pool the words of all test pages (micro), `macro_f1` is the mean over pages; all are of
    words by alignment, in [0, 1].
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
    """A measure over the repetitions: mean, minimum and maximum."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class CurveSize:
    """All points of one number of training pages: how many, their mean number of words, their measures."""

    pages: int
    repeats: int
    words: float
    precision: Spread
    recall: Spread
    f1: Spread
    macro_f1: Spread


def measure_curve(
    clean: Path,
    raw: Path,
    gold_folder: Path,
    settings: Settings,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
) -> list[CurvePoint]:
    """Read pages to train on and a gold standard to test on, and return the points of the learning curve.

    Args:
        clean, raw: two files, or two folders with equal names: pages cleaned by hand, and raw.
        gold_folder: a gold standard of other pages.
        settings, repeats, seed: as for `learning_curve`.
        sizes: numbers of training pages; by default `usual_sizes`.

    Raises:
        ConfigError: if the folders overlap, or as `learning_curve` says.
        InputError: if pages or gold are missing or unreadable, or no subset yields a model.
    """
    tested = real_path(gold_folder)
    if any(real_path(path).is_relative_to(tested) or tested.is_relative_to(real_path(path)) for path in (clean, raw)):
        raise ConfigError(
            "a model cannot be tested on the pages that it was trained on", "give another folder", str(gold_folder)
        )
    pairs, standard = find_pairs(clean, raw), read_whole_gold(gold_folder)
    pages = list(progress(training_pages(pairs), "reading", len(pairs.files), "pages"))
    held_out = list(progress(held_out_pages(standard.pages), "reading", len(standard.pages), "pages"))
    sizes = sizes or usual_sizes(len(pages))
    models = learning_curve(pages, held_out, sizes, repeats, settings, seed)
    points = list(progress(models, "training", len(sizes) * repeats, "models"))
    if not points:
        raise InputError("no subset has more raw text than cleaned text", "give larger sizes", "--sizes")
    return points


def training_pages(pairs: Pairs) -> Iterator[TrainingPage]:
    """Read pairs of pages. Cleaned text is parsed like gold text, with CleanEval's markers and character references.

    Raises:
        InputError: if a file is missing or unreadable, or cannot be parsed.
    """
    for clean, raw in pairs.files:
        if clean.name.lower().endswith(HTML_SUFFIXES):
            cleaned = segment_texts(clean)
        else:
            gold = parse_gold(decode_gold(read_bytes(clean)))
            cleaned = [segment.text for part in gold for segment in read_marked_text(part.text)]
        yield TrainingPage(cleaned, segment_texts(raw))


def held_out_pages(pages: Iterable[GoldPage]) -> Iterator[HeldOutPage]:
    """Parse the pages of a gold standard. A page that cannot be parsed counts as emptied.

    Raises:
        InputError: if a page's file cannot be read.
    """
    for page in pages:
        try:
            text = parse_page(page, detail=Detail.HEADINGS).text
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
    """Train on growing subsets of the pages and test each model, at the cutoff 0.

    Each repetition has a random order of the pages, of which each size takes the first: subsets are nested. A subset whose
    cleaned text is not shorter than its raw text yields no model and no point, which happens with single pages.

    Args:
        pages: what to train on, at least one.
        held_out: what to test on, at least one, none of `pages`.
        sizes: numbers of training pages.
        repeats: how many random orders.
        settings: n, q and the alphabet.
        seed: of the orders; fewer repetitions have the first orders of more.

    Raises:
        ConfigError: if a size is below 1 or above the number of pages.
        InputError: if all pages together yield no model.
    """
    if wrong := [size for size in sizes if not 1 <= size <= len(pages)]:
        raise ConfigError(
            f"{wrong[0]} training pages cannot be taken from {len(pages)}",
            f"give sizes from 1 to {len(pages)}",
            "--sizes",
        )
    # For its error: swapped folders must not pass for subsets that yield no model.
    train(pages, settings, "all training pages")
    words = [sum(len(segment.split()) for segment in page.clean) for page in pages]
    judged: dict[frozenset[int], CleaningSummary | None] = {}
    compared: dict[tuple[int, bytes], PageWords] = {}
    for repeat in range(repeats):
        order = np.random.default_rng([seed, repeat]).permutation(len(pages)).tolist()
        for size in sizes:
            chosen = frozenset(order[:size])
            if chosen not in judged:
                model = _model([pages[page] for page in sorted(chosen)], settings)
                judged[chosen] = _judge(model, held_out, compared) if model else None
            if summary := judged[chosen]:
                micro, cleaned_words = summary.micro, sum(words[page] for page in chosen)
                yield CurvePoint(size, cleaned_words, repeat, micro.precision, micro.recall, micro.f1, summary.f1.mean)


def summarize_curve(points: Iterable[CurvePoint]) -> tuple[CurveSize, ...]:
    """Summarise the points by number of training pages, in increasing order."""
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
    """Clean and compare; `compared` caches by page and kept blocks, since models often agree."""
    scorer = SegmentScorer(model)
    words = []
    for number, page in enumerate(held_out):
        # In single precision, in which scores are stored, so that the same blocks are kept.
        keep = (scorer.score(page.text).astype(np.float32) >= CUTOFF) & ~page.bars
        key = number, keep.tobytes()
        if key not in compared:
            compared[key] = compare_words("\n".join(compress(page.text.split("\n"), keep)), page.gold)
        words.append(compared[key])
    return summarize_pages(words)


@dataclass(frozen=True)
class FoldPage:
    """A page: its blocks as labelled text, whether each passes the heuristics, is a bar, and what to train on."""

    blocks: Text
    passes: Mask
    bars: Mask
    training: TrainingPage


def cross_validate(pages: Sequence[GoldPage], folds: int, seed: int = 0, workers: int = 1) -> tuple[CleanerResult, ...]:
    """Measure all text, the heuristics alone, and the models of each alphabet, each page under a model of the other folds.

    Segments are kept that are no less probable under the clean model. A page that cannot be parsed counts as emptied.

    Args:
        pages: those of a gold standard.
        folds: the number of random parts.
        seed: of the random division.
        workers: the number of processes that compare texts.

    Raises:
        ConfigError: if there are fewer pages than folds.
        InputError: if a page's file cannot be read, or the pages of some folds have no text, or no more than their gold.
    """
    if len(pages) < folds:
        raise ConfigError(
            f"{len(pages)} pages are too few for {folds} folds", "give more pages, or fewer folds", "--folds"
        )
    read = [_read(page) for page in progress(pages, "reading", len(pages), "pages")]
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(len(pages)) % folds).tolist()
    kept: dict[str, list[Text]] = {
        "none": [tuple(LabelledText(None, block.text) for block in page.blocks) for page in read],
        HEURISTICS: [tuple(compress(page.blocks, page.passes)) for page in read],
    }
    for alphabet in ALPHABETS:
        kept[f"ncleaner, {alphabet}"] = _by_models(read, fold_of_page, usual_settings(alphabet))
    by_page = list(zip(*kept.values(), strict=True))
    judged = list(progress(judge_texts(by_page, pages, workers), "comparing", len(pages), "pages"))
    return compare_cleaners(
        [CleanerPages(name, quality) for name, quality in zip(kept, zip(*judged, strict=True), strict=True)]
    )


def _read(page: GoldPage) -> FoldPage:
    clean = [segment.text for part in page.segments for segment in read_marked_text(part.text)]
    try:
        segments = parse_page(page)
    except LxmlError:
        none = np.zeros(0, dtype=np.bool_)
        return FoldPage((), none, none, TrainingPage(clean, []))
    blocks = tuple(LabelledText(segment.label, segment.text) for segment in marked_segments(segments))
    return FoldPage(blocks, Bars().score(segments) > 0, bars(segments), TrainingPage(clean, segments.blocks))


def _by_models(pages: Sequence[FoldPage], fold_of_page: Sequence[int], settings: Settings) -> list[Text]:
    """Return what is left of each page by the models of all folds but its own."""
    kept: list[Text] = [()] * len(pages)
    for fold in sorted(set(fold_of_page)):
        others = [page.training for page, of in zip(pages, fold_of_page, strict=True) if of != fold]
        scorer = SegmentScorer(train(others, settings, "the pages of the other folds"))
        for number, page in enumerate(pages):
            if fold_of_page[number] == fold:
                scores = scorer.score("\n".join(block.text for block in page.blocks))
                # In single precision, in which scores are stored, so that the same blocks are kept.
                kept[number] = tuple(compress(page.blocks, (scores.astype(np.float32) >= CUTOFF) & ~page.bars))
    return kept
