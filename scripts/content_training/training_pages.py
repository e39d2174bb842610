"""Pages with gold for training: features, labels, words, and folds by domain, so that no site is in two folds."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
from lxml.etree import LxmlError

from content_training.marks import MarkedPage, read_marks, shares_of_marks
from content_training.snippets import SnippetPage
from thresher import Backend, Detail, GoldPage, matching_blocks, parse_gold_page
from thresher.base.numbers import Ints
from thresher.base.processes import compute
from thresher.base.progress import progress
from thresher.cleaners.content_model.features import BlockFeatures, features_of

FOLDS = 5
# The most characters of a second-level domain under which names are registered, such as "co" of co.uk.
_SHORT = 3
Labels = npt.NDArray[np.float64]
# In scripts without spaces each character is a token, so that texts with different line breaks align.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
BATCH = 8
FORUM = "forum"
"""The gold's type of pages whose content is readers' posts."""
_WORD = re.compile(r"\w+")


def domain(url: str) -> str:
    """Return the registered domain of an address, by the lengths of its labels; the host itself if it has no dot.

    A public-suffix list would be exact. Folds need only whole sites, and joining two sites does no harm.

    >>> domain("https://www.example.co.uk/a"), domain("http://blog.example.com:80/"), domain("")
    ('example.co.uk', 'example.com', '')
    """
    try:
        host = (urlsplit(url if "//" in url else f"//{url}").hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    labels = host.split(".")
    keep = 3 if len(labels) > 2 and len(labels[-2]) <= _SHORT and len(labels[-1]) == 2 else 2
    return ".".join(labels[-keep:])


def folds_of(domains: Sequence[str], folds: int = FOLDS) -> Ints:
    """Return the fold of each page, from 0, by a hash of its domain. The fold does not depend on other pages."""
    digests = (hashlib.sha256(name.encode("utf-8", "replace")).digest() for name in domains)
    return np.array([int.from_bytes(digest[:8], "big") % folds for digest in digests], dtype=np.int64)


def tokens(text: str) -> list[str]:
    """Return the words of a text without case and punctuation.

    >>> tokens("It's 3.5 kg, 東京")
    ['it', 's', '3', '5', 'kg', '東', '京']
    """
    return _TOKEN.findall(text.lower())


def labels_of_text(blocks: Sequence[str], gold: str) -> Labels:
    """Return the share of each block's words that align with the gold text; shape (blocks,), range 0 to 1.

    As in `cleaning_measures`, longest matching runs of words align. Blocks without words have the share 0.
    """
    indices, block_of_word, counts = align_words(blocks, tokens(gold))
    return np.bincount(block_of_word[indices >= 0], minlength=len(blocks)) / np.maximum(counts, 1)


def align_words(
    blocks: Sequence[str], gold: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each word's index in the gold's words (-1 if none), each word's block, and the number of words by block."""
    words = [tokens(block) for block in blocks]
    counts = np.array([len(each) for each in words], dtype=np.int64)
    block_of_word = np.repeat(np.arange(len(blocks)), counts)
    indices = np.full(len(block_of_word), -1)
    for match in matching_blocks([word for each in words for word in each], gold):
        indices[match.a : match.a + match.size] = np.arange(match.b, match.b + match.size)
    return indices, block_of_word, counts


def labels_of_snippets(blocks: Sequence[str], required: Sequence[str], forbidden: Sequence[str]) -> Labels:
    """Return 1 for blocks with a required snippet, 0 for blocks with a forbidden snippet, NaN for others; shape (blocks,).

    Case, punctuation and spacing do not count. A block with both gets 1.
    """
    texts = [_padded(block) for block in blocks]
    labels = np.full(len(blocks), np.nan)
    for snippets, label in ((forbidden, 0.0), (required, 1.0)):
        for snippet in map(_padded, snippets):
            if snippet.strip():
                labels[[snippet in text for text in texts]] = label
    return labels


def _padded(text: str) -> str:
    # Spaces at both ends make snippets match whole words only.
    return f" {' '.join(tokens(text))} "


@dataclass(frozen=True)
class Bags:
    """The words of a page and of its gold text, as numbers.

    Attributes:
        words: the words of the blocks in order; shape (words,).
        ends: the end of each block's words; shape (blocks,).
        gold: the frequency of each number in the gold text; shape (numbers,).
    """

    words: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]
    gold: npt.NDArray[np.int32]

    def f1(self, kept: npt.NDArray[np.bool_]) -> float:
        """Return the word F1 of the kept blocks over bags of lower-case `\\w+`, as WCXB and `cleaneval` count."""
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
        stem: the page's name in its set.
        domain: the registered domain of its address; the stem if it has no address.
        page_type: the gold's type, may be empty.
        features: the blocks' features.
        labels: the blocks' shares of content, NaN if unknown; shape (blocks,).
        bags: the words; None for synthetic pages and for pages whose gold is snippets.
    """

    stem: str
    domain: str
    page_type: str
    features: BlockFeatures
    labels: Labels
    bags: Bags | None

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The blocks' weights: the square roots of their shares of the page's words, so that pages count nearly equally."""
        words = np.maximum(self.features.words, 0.25)
        return np.sqrt(words / max(float(words.sum()), 20.0))


def read_training_pages(pages: Sequence[GoldPage], workers: int) -> tuple[list[PageToLearn], list[str]]:
    """Return the pages with text, in order, and the stems of the pages without text or gold text or that do not parse.

    Pages with an empty gold text are skipped: more often the gold is missing than the page has no content.
    """
    batches = [(pages[first : first + BATCH],) for first in range(0, len(pages), BATCH)]
    tasks = compute(
        Backend(workers=workers), _read_batch, batches, "reading pages", str(pages[0].path.parent), ordered=True
    )
    read = [page for batch in progress(tasks, "features", len(batches), "batches") for page in batch]
    learnable = [page for page in read if isinstance(page, PageToLearn)]
    return learnable, [page for page in read if isinstance(page, str)]


def _read_batch(pages: Sequence[GoldPage]) -> list[PageToLearn | str]:
    return [_read(page) or page.stem for page in pages]


def _read(page: GoldPage) -> PageToLearn | None:
    try:
        segments = parse_gold_page(page, Detail.ELEMENTS)
    except LxmlError:
        return None
    if not segments.text or not (page.text or isinstance(page, SnippetPage | MarkedPage)):
        return None
    blocks = segments.blocks
    bags: Bags | None
    if isinstance(page, SnippetPage):
        labels, bags = labels_of_snippets(blocks, page.required, page.forbidden), None
    elif isinstance(page, MarkedPage):
        labels = shares_of_marks(read_marks()[page.stem].runs, [len(tokens(block)) for block in blocks])
        bags = bags_of(blocks, "\n".join(block for block, label in zip(blocks, labels, strict=True) if label >= 0.5))
    else:
        labels, bags = labels_of_text(blocks, page.text), bags_of(blocks, page.text)
    features = features_of(segments)
    return PageToLearn(page.stem, domain(page.url) or page.stem, page.page_type, features, labels, bags)


def bags_of(blocks: Sequence[str], gold: str) -> Bags:
    """Return the words of a page's blocks and of its gold text as numbers."""
    numbers: dict[str, int] = {}
    words = [[numbers.setdefault(word, len(numbers)) for word in _WORD.findall(block.lower())] for block in blocks]
    frequencies = Counter(numbers.setdefault(word, len(numbers)) for word in _WORD.findall(gold.lower()))
    counts = np.zeros(len(numbers), dtype=np.int32)
    for number, count in frequencies.items():
        counts[number] = count
    return Bags(
        np.array([number for block in words for number in block], dtype=np.int32),
        np.cumsum([len(block) for block in words], dtype=np.int32),
        counts,
    )
