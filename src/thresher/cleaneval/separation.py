"""How well scores part content from boilerplate, whatever the cutoff: the area under the ROC curve over sentences.

A sentence is content or boilerplate by its page's gold text. The area is the probability that a content sentence drawn at
random has the better score than a boilerplate sentence drawn at random, an equal one counting half (Hanley and McNeil, The
meaning and use of the area under a receiver operating characteristic curve, Radiology 1982): 0.5 is chance, 1 parts all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.cleaneval.alignment import matching_blocks
from thresher.evaluation.significance import ALPHA
from thresher.pages import Segments
from thresher.scorers.base import BLOCK, KEEP_LOW, Scorer

RESAMPLES = 1000
SEED = 20130101

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class LabelledPage:
    """The sentences of a page that have words: which are content, how many words each has; both of shape (sentences)."""

    content: Bools
    words: Ints


@dataclass(frozen=True)
class Area:
    """An area under the ROC curve, pooled over pages, and its bootstrap interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PooledCutoff:
    """The cutoff of the best F1 of words, all pages pooled: sentences that score as well or better are kept."""

    cutoff: float
    f1: float


@dataclass(frozen=True)
class Separation:
    """How well a scorer parts content from boilerplate.

    Attributes:
        sentences: the area over pairs of sentences.
        words: the area over pairs of words, each with its sentence's score.
        page_mean: the mean over pages of the area within a page, by sentences; NaN if no page has both kinds.
        pages: how many pages have both kinds.
        best: the best cutoff; None without content.
    """

    sentences: Area
    words: Area
    page_mean: float
    pages: int
    best: PooledCutoff | None


def aligned_labels(sentences: Sequence[str], gold: str) -> Bools:
    """Tell which sentences are content: at least half of their words lie in blocks that match the gold text.

    The page's words are aligned with the gold text's as `matching_blocks` does; words are what white space separates.

    Args:
        sentences: all of the page, in order.
        gold: its gold text.

    Returns:
        shape (sentences); False for one without words.
    """
    split = [sentence.split() for sentence in sentences]
    words = [word for sentence in split for word in sentence]
    matched = np.zeros(len(words) + 1, dtype=np.int64)
    for match in matching_blocks(words, gold.split()):
        matched[match.a + 1 : match.a + match.size + 1] = 1
    before = np.cumsum(matched)
    counts = np.array([len(sentence) for sentence in split], dtype=np.int64)
    ends = np.cumsum(counts)
    inside = before[ends] - before[ends - counts]
    content: Bools = (2 * inside >= counts) & (counts > 0)
    return content


def rough_labels(sentences: Sequence[str], gold: str) -> Bools:
    """Tell which sentences occur in the gold text, whatever the case and the white space; shape (sentences).

    A menu's `Home` is content wherever the gold text has that word; an alignment knows better.
    """
    wanted = _normalised(gold)
    found = [_normalised(sentence) for sentence in sentences]
    return np.array([bool(sentence) and sentence in wanted for sentence in found], dtype=np.bool_)


def goodness(scorer: Scorer, segments: Segments) -> Floats:
    """Return a score for each sentence, higher for content: its own or its block's, negative if low scores are kept."""
    scores = scorer.score(segments).astype(np.float64)
    if scorer.segment == BLOCK:
        scores = scores[segments.block_of_sentence]
    return -scores if scorer.keep == KEEP_LOW else scores


def area(scores: Floats, content: Bools) -> float:
    """Return the area under the ROC curve: the share of pairs that are in order, a tie counting half (Mann and Whitney's U).

    Args:
        scores: higher for content; infinite is allowed, NaN is not.
        content: of the same shape.

    Returns:
        a number in [0, 1]; NaN if either kind is missing.
    """
    others = scores[~content]
    won = _below(scores[content], others, np.ones(len(others))).sum()
    return _ratio(float(won), float(content.sum() * len(others)))


def separation(
    pages: Sequence[LabelledPage], scores: Sequence[Floats], resamples: int = RESAMPLES, seed: int = SEED
) -> Separation:
    """Measure how well scores part the sentences of pages.

    The intervals hold 95 %: percentiles of the area over resamples of pages, since the sentences of a page are alike.

    Args:
        pages: their labels.
        scores: for each page those of its sentences, higher for content, never NaN.
        resamples: how often pages are drawn with replacement, as many as there are.
        seed: of the drawing.
    """
    ones = [np.ones(len(page.words)) for page in pages]
    words = [page.words.astype(np.float64) for page in pages]
    by_sentences, by_words = _pairs(pages, scores, ones), _pairs(pages, scores, words)
    count = len(pages)
    drawn = np.zeros((0, 0), dtype=np.int64)
    if count:
        drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
    within = [area(own, page.content) for page, own in zip(pages, scores, strict=True)]
    defined = [value for value in within if not math.isnan(value)]
    return Separation(
        _area(by_sentences, drawn),
        _area(by_words, drawn),
        float(np.mean(defined)) if defined else math.nan,
        len(defined),
        pooled_cutoff(pages, scores),
    )


def pooled_cutoff(pages: Sequence[LabelledPage], scores: Sequence[Floats]) -> PooledCutoff | None:
    """Return the cutoff of the highest F1 of words in content sentences, of equals the one that keeps least; None without
    content.

    Args:
        pages: their labels.
        scores: for each page those of its sentences, higher for content.
    """
    joined = np.concatenate([*scores, np.empty(0)])
    words = np.concatenate([*(page.words for page in pages), np.empty(0, dtype=np.int64)])
    content = np.concatenate([*(page.content for page in pages), np.empty(0, dtype=np.bool_)])
    wanted = int(words[content].sum())
    if not wanted:
        return None
    order = np.argsort(-joined, kind="stable")
    falling = joined[order]
    # A cutoff keeps all of equal scores.
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    kept = np.cumsum(words[order])[last]
    right = np.cumsum((words * content)[order])[last]
    f1 = 2 * right / (kept + wanted)
    best = int(np.argmax(f1))
    return PooledCutoff(float(falling[last[best]]), float(f1[best]))


def _pairs(pages: Sequence[LabelledPage], scores: Sequence[Floats], weights: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the weight of pairs in order, and of all pairs: of a content sentence of page i with another of page j.

    All areas are ratios of sums over such matrices, those of resamples included.
    """
    count = len(pages)
    won = np.zeros((count, count))
    content = [value[page.content] for page, value in zip(pages, scores, strict=True)]
    masses = [weight[page.content] for page, weight in zip(pages, weights, strict=True)]
    all_content, all_masses = np.concatenate([*content, np.empty(0)]), np.concatenate([*masses, np.empty(0)])
    page_of = np.repeat(np.arange(count), [len(values) for values in content])
    for place, (page, value, weight) in enumerate(zip(pages, scores, weights, strict=True)):
        below = _below(all_content, value[~page.content], weight[~page.content])
        won[:, place] = np.bincount(page_of, all_masses * below, count)
    others = [weight[~page.content].sum() for page, weight in zip(pages, weights, strict=True)]
    return won, np.outer([mass.sum() for mass in masses], others)


def _below(scores: Floats, others: Floats, weights: Floats) -> Floats:
    """Return for each score the weight of the others below it, and half the weight of those equal to it."""
    order = np.argsort(others, kind="stable")
    ranked, before = others[order], np.concatenate(([0.0], np.cumsum(weights[order])))
    result: Floats = (
        before[np.searchsorted(ranked, scores, "left")] + before[np.searchsorted(ranked, scores, "right")]
    ) / 2
    return result


def _area(pairs: tuple[Floats, Floats], drawn: Ints) -> Area:
    won, possible = (((drawn @ matrix) * drawn).sum(axis=1) for matrix in pairs)
    areas = won[possible > 0] / possible[possible > 0]
    low, high = np.quantile(areas, (ALPHA / 2, 1 - ALPHA / 2)) if len(areas) else (math.nan, math.nan)
    return Area(_ratio(float(pairs[0].sum()), float(pairs[1].sum())), float(low), float(high))


def _ratio(won: float, possible: float) -> float:
    return won / possible if possible else math.nan


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold()
