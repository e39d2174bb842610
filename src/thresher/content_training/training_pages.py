"""Pages with gold as training sees them: features, labels, words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from lxml.etree import LxmlError

from thresher.cleaneval.gold import GoldPage, parse_page
from thresher.content_models.features import BlockFeatures, features_of
from thresher.content_models.scores_as_features import with_scores
from thresher.content_training.folds import domain
from thresher.content_training.labels import Labels, labels_of_snippets, labels_of_text
from thresher.pages import Detail, Segments
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import progress
from thresher.scorers.base import Scorer
from thresher.scorers.content import block_scores

BATCH = 8
FORUM = "forum"
"""The type of pages whose content is what readers write, as gold names it."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Bags:
    """The words of a page's blocks and of its gold text, numbered.

    Attributes:
        words: those of all blocks in order; shape (words,).
        ends: where each block's end; shape (blocks,).
        gold: how often the gold text has each number; shape (numbers,).
    """

    words: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    gold: npt.NDArray[np.int32]

    def f1(self, kept: npt.NDArray[np.bool_]) -> float:
        """Return the word F1 of the kept blocks: bags of `\\w+` in lower case, as WCXB and `cleaneval` count."""
        mask = np.repeat(kept, np.diff(self.ends, prepend=0))
        counts = np.bincount(self.words[mask], minlength=len(self.gold))
        shared, words, gold = int(np.minimum(counts, self.gold).sum()), int(counts.sum()), int(self.gold.sum())
        if not words and not gold:
            return 1.0
        return 2 * shared / (words + gold)


@dataclass(frozen=True)
class PageToLearn:
    """A page with gold.

    Attributes:
        stem: its name in its set.
        domain: of its address; the stem if it has none.
        page_type: as the gold says; may be empty.
        features: of its blocks.
        labels: the blocks' shares of content, NaN where unknown; shape (blocks,).
        bags: the words, None if only snippets are known.
    """

    stem: str
    domain: str
    page_type: str
    features: BlockFeatures
    labels: Labels
    bags: Bags | None

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The blocks' weights: the root of their share of the page's words, so that pages count much the same."""
        words = np.maximum(self.features.words, 0.25)
        weights: npt.NDArray[np.float64] = np.sqrt(words / max(float(words.sum()), 20.0))
        return weights


def read_training_pages(
    pages: Sequence[GoldPage], workers: int, scorers: Sequence[Scorer] = ()
) -> tuple[list[PageToLearn], list[str]]:
    """Return the pages that have text, in order; and the stems of those that have none, or no gold text, or cannot be parsed.

    A gold text without a word says more often that it is missing than that nothing on the page is content. Scores by `scorers`
    are features, too.
    """
    batches = [(pages[first : first + BATCH], scorers) for first in range(0, len(pages), BATCH)]
    tasks = run_tasks(
        Backend(workers=workers), _read_batch, batches, "reading pages", str(pages[0].path.parent), ordered=True
    )
    read = [page for batch in progress(tasks, "features", len(batches), "batches") for page in batch]
    good = [page for page in read if isinstance(page, PageToLearn)]
    return good, [page for page in read if isinstance(page, str)]


def features_for(segments: Segments, scorers: Sequence[Scorer]) -> BlockFeatures:
    """Return the features of a page, with the scores of its blocks by `scorers`."""
    return with_scores(features_of(segments), block_scores(scorers, segments))


def _read_batch(pages: Sequence[GoldPage], scorers: Sequence[Scorer]) -> list[PageToLearn | str]:
    return [*_read(pages, scorers)]


def _read(pages: Sequence[GoldPage], scorers: Sequence[Scorer]) -> Iterator[PageToLearn | str]:
    for page in pages:
        try:
            segments = parse_page(page, Detail.ELEMENTS)
        except LxmlError:
            yield page.stem
            continue
        if not segments.text or not (page.is_partial or page.text):
            yield page.stem
            continue
        blocks = segments.blocks
        if page.is_partial:
            labels, bags = labels_of_snippets(blocks, page.required, page.forbidden), None
        else:
            labels, bags = labels_of_text(blocks, page.text), bags_of(blocks, page.text)
        features = features_for(segments, scorers)
        yield PageToLearn(page.stem, domain(page.url) or page.stem, page.page_type, features, labels, bags)


def bags_of(blocks: Sequence[str], gold: str) -> Bags:
    """Number the words of a page's blocks and of its gold text."""
    numbers: dict[str, int] = {}
    words = [[numbers.setdefault(word, len(numbers)) for word in _WORD.findall(block.lower())] for block in blocks]
    wanted = Counter(numbers.setdefault(word, len(numbers)) for word in _WORD.findall(gold.lower()))
    counts = np.zeros(len(numbers), dtype=np.int32)
    for number, count in wanted.items():
        counts[number] = count
    return Bags(
        np.array([number for block in words for number in block], dtype=np.int32),
        np.cumsum([len(block) for block in words], dtype=np.int32),
        counts,
    )
