"""Cross-validation of the whole of NCleaner on a gold standard: text, heuristics, and models that have not seen the page.

Source: Evert, StupidOS, WAC 2007, section 4, Tables 1 and 2; NCleaner, LREC 2008, section 4, Table 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from lxml.etree import LxmlError

from thresher.cleaneval.gold import GoldPage, parse_page
from thresher.cleaneval.gold_texts import LabelledText
from thresher.cleaneval.judging import Text, judge_texts
from thresher.cleaneval.learning_curve import CUTOFF, TrainingPage
from thresher.cleaneval.results import CleanerPages, CleanerResult, compare_cleaners
from thresher.errors import ConfigError
from thresher.language_models.characters.alphabet import ALPHABETS
from thresher.language_models.characters.character_counts import Settings, train, usual_settings
from thresher.language_models.characters.scoring import SegmentScorer
from thresher.pages.marked_text import marked_segments, read_marked_text
from thresher.progress import progress
from thresher.scorers.ncleaner import Bars, Mask, bars

HEURISTICS = Bars.name
"""The row of the system without models; those of models are called by their alphabets."""


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
