"""Filters of whole pages for Thresher, as an example of a package that adds scorers by entry points."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from thresher import KEEP_LOW, Detail, PageScorer, Segments, TrainingData, scorer

C4_PHRASES = (
    "javascript",
    "terms of use",
    "privacy policy",
    "cookie policy",
    "uses cookies",
    "use of cookies",
    "use cookies",
)
C4_ENDS = (".", "!", "?", '"', "”")
C4_LEAST_SENTENCES = 3
C4_LEAST_WORDS = 5
GOPHER_STOP_WORDS = frozenset(("the", "be", "to", "of", "and", "that", "have", "with"))
GOPHER_BULLETS = ("•", "‣", "▪", "●", "-", "*")
GOPHER_ELLIPSES = re.compile(r"\.\.\.|…")
CONTENT_CUTOFF = 0.5
PAGE_WEIGHT = 0.9
"""The weight of the page's words in `divergence`; the collection's words have the rest."""


class C4(PageScorer):
    """C4's rules of pages; the text that they remove of a page only counts here. Languages, bad words and duplicates are
    not filtered."""

    name = "c4"
    decides = True
    unit = "decision"
    source = (
        "Raffel et al.: Exploring the limits of transfer learning with a unified text-to-text transformer, JMLR 2020"
    )

    def score_page(self, page: Segments) -> float:
        """Return 1 for a page without `{` and "lorem ipsum" that has at least three sentences in lines that C4 keeps, else 0.

        The numbers are those of arXiv 1910.10683v4 and of the code; JMLR prints 5 sentences and 3 words.
        """
        text = page.text.lower()
        if "{" in text or "lorem ipsum" in text:
            return 0.0
        sentences_in_blocks = np.bincount(page.block_of_sentence, minlength=len(page.blocks))
        sentences = 0
        for block, count in zip(page.blocks, sentences_in_blocks.tolist(), strict=True):
            if keeps_line(block):
                sentences += count
        return float(sentences >= C4_LEAST_SENTENCES)


def keeps_line(line: str) -> bool:
    """Return whether C4 keeps a line: it ends like a sentence, has five words or more, and none of the phrases."""
    lower = line.lower()
    if any(phrase in lower for phrase in C4_PHRASES):
        return False
    return line.endswith(C4_ENDS) and len(line.split()) >= C4_LEAST_WORDS


class Gopher(PageScorer):
    """Gopher's rules of quality, without those of repetition; a block is a line."""

    name = "gopher"
    decides = True
    unit = "decision"
    source = (
        "Rae et al.: Scaling language models: Methods, analysis & insights from training Gopher, arXiv 2112.11446, A1.1"
    )

    def score_page(self, page: Segments) -> float:
        """Return 1 for a page that passes all rules, else 0."""
        words = page.text.split()
        return float(has_usual_words(words) and has_few_symbols(page.text, len(words)) and has_few_lists(page.blocks))


def has_usual_words(words: list[str]) -> bool:
    """Return whether a page has 50 to 100,000 words of 3 to 10 characters on average, 80 % of them with a letter, and two
    stop words."""
    count = len(words)
    if not 50 <= count <= 100_000:
        return False
    mean_length = sum(len(word) for word in words) / count
    with_letter = sum(any(character.isalpha() for character in word) for word in words)
    stop_words = GOPHER_STOP_WORDS & {word.lower() for word in words}
    return 3 <= mean_length <= 10 and with_letter >= 0.8 * count and len(stop_words) >= 2


def has_few_symbols(text: str, words: int) -> bool:
    """Return whether a text has at most a tenth as many hashes, and as many ellipses, as words."""
    most = 0.1 * words
    return text.count("#") <= most and len(GOPHER_ELLIPSES.findall(text)) <= most


def has_few_lists(lines: list[str]) -> bool:
    """Return whether at most 90 % of the lines begin with a bullet, and at most 30 % end with an ellipsis."""
    bullets = sum(line.startswith(GOPHER_BULLETS) for line in lines)
    ellipses = sum(line.endswith(("...", "…")) for line in lines)
    return bullets <= 0.9 * len(lines) and ellipses <= 0.3 * len(lines)


class Distinct(PageScorer):
    """Share of distinct words among all words: low on pages that repeat themselves."""

    name = "distinct"
    unit = "distinct over all words"
    low, high = 0.0, 1.0
    grid = (0.1, 0.2, 0.3, 0.4, 0.5)
    source = "the type-token ratio: Johnson, Studies in language behavior, Psychological Monographs 1944"

    def score_page(self, page: Segments) -> float:
        """Return the number of distinct words over the number of words, in (0, 1]; case does not count."""
        words = page.text.lower().split()
        return len(set(words)) / len(words)


class ContentShare(PageScorer):
    """Share of the page's words in blocks whose probability of main content is at least 0.5, by the scorer `content`."""

    name = "content-share"
    detail = Detail.ELEMENTS
    unit = "share of words"
    low, high = 0.0, 1.0
    grid = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    source = "this project's"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model, on which the scores depend."""
        return scorer("content").fingerprint

    def prepare(self) -> None:
        """Read the model, as a check."""
        scorer("content").prepare()

    def score_page(self, page: Segments) -> float:
        """Return the share of the words, in [0, 1]."""
        words = page.words_in_blocks
        is_content = scorer("content").score(page) >= CONTENT_CUTOFF
        return float(words[is_content].sum() / words.sum())


class Divergence(PageScorer):
    """Divergence of the collection's words from the page's words: the collection-document distance."""

    name = "divergence"
    keep = KEEP_LOW
    unit = "bits"
    low = 0.0
    grid = (1.0, 1.5, 2.0, 2.5, 3.0)
    source = "Zhou, Croft: Document quality models for web ad hoc retrieval, CIKM 2005"
    counts: Path | None = None

    @property
    def learns(self) -> bool:
        """Always: words are counted in the collection's long, dense blocks."""
        return True

    def for_collection(self, data: TrainingData, folder: Path) -> Divergence:
        """Return this scorer with the collection's word counts, which `folder` keeps as a JSON file."""
        learnt = Divergence()
        learnt.counts = folder / "word-counts.json"
        if not learnt.counts.is_file():
            counts: Counter[str] = Counter()
            for sentences in data.sentences():
                for sentence in sentences:
                    counts.update(sentence.lower().split())
            folder.mkdir(parents=True, exist_ok=True)
            learnt.counts.write_text(json.dumps(counts, ensure_ascii=False), encoding="utf-8")
        return learnt

    def score_page(self, page: Segments) -> float:
        """Return Σ_w P(w|C) log2(P(w|C) / (λ P(w|D) + (1 − λ) P(w|C))) over the collection's words w, with λ = 0.9.

        P(w|D) and P(w|C) are the words' relative frequencies in the page D and in the collection C.
        """
        if self.counts is None:
            raise ValueError("divergence needs a collection: clean a folder or a file of pages")
        in_collection = word_shares(self.counts)
        words = page.text.lower().split()
        total, unseen_share = 0.0, 1.0
        for word, count in Counter(words).items():
            share = in_collection.get(word, 0.0)
            if share:
                mixed = PAGE_WEIGHT * count / len(words) + (1 - PAGE_WEIGHT) * share
                total += share * math.log2(share / mixed)
                unseen_share -= share
        # For all words that the page lacks, the quotient is 1 / (1 - λ).
        return total + max(unseen_share, 0.0) * math.log2(1 / (1 - PAGE_WEIGHT))


@lru_cache(maxsize=2)
def word_shares(counts: Path) -> dict[str, float]:
    """Return the relative frequency of each word, from a file that `for_collection` wrote."""
    by_word: dict[str, int] = json.loads(counts.read_text(encoding="utf-8"))
    total = sum(by_word.values())
    return {word: count / total for word, count in by_word.items()}
