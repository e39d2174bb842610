"""How well scores separate content from boilerplate, at any cutoff: the area under the ROC curve over sentences.

A sentence is content or boilerplate by its page's gold text. The area is the probability that a random content sentence has a
better score than a random boilerplate sentence, ties counting half (Hanley and McNeil, The meaning and use of the area under a
receiver operating characteristic curve, Radiology 1982): 0.5 is chance, 1 is perfect.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import numpy.typing as npt
from lxml.etree import LxmlError

from thresher.cleaneval.alignment import matching_blocks
from thresher.cleaneval.gold import GoldPage, parse_page
from thresher.defaults import ALPHA
from thresher.errors import ConfigError, ConfigErrors, InputError
from thresher.files import temporary_folder
from thresher.pages import Segments
from thresher.progress import progress
from thresher.scorers.base import BLOCK, KEEP_LOW, Scorer, TrainingData
from thresher.scorers.cleaners import parse_scorer
from thresher.scorers.registry import scorer_class
from thresher.scorers.shallow_features import descriptive_blocks

RESAMPLES = 1000
SEED = 20130101

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class LabelledPage:
    """The sentences with words of a page: whether each is content, and its words; both of shape (sentences)."""

    content: Bools
    words: Ints


@dataclass(frozen=True)
class Area:
    """An area under the ROC curve, pooled over pages, and its bootstrap interval; NaN where undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PooledCutoff:
    """The cutoff of the best word F1 over all pages pooled: sentences that score as well or better are kept."""

    cutoff: float
    f1: float


@dataclass(frozen=True)
class Separation:
    """How well a scorer separates content from boilerplate.

    Attributes:
        sentences: the area over pairs of sentences.
        words: the area over pairs of words, each with its sentence's score.
        page_mean: the mean over pages of the area within the page, over sentences; NaN if no page has both kinds.
        pages: how many pages have both kinds.
        best: the best cutoff; None without content.
    """

    sentences: Area
    words: Area
    page_mean: float
    pages: int
    best: PooledCutoff | None


@dataclass(frozen=True)
class ScorerSeparation:
    """A scorer by its name; the best cutoff of `separation` is on the scorer's own scale. Yardsticks are always measured."""

    scorer: str
    is_yardstick: bool
    separation: Separation


@dataclass(frozen=True)
class SeparationRun:
    """Scorers, yardsticks last, on `pages` pages with `sentences` sentences with words, of which `content` are content.

    `failed` are pages that cannot be parsed, with the reason.
    """

    scorers: tuple[ScorerSeparation, ...]
    pages: int
    sentences: int
    content: int
    failed: tuple[tuple[str, str], ...]


SENTENCE_WORDS = "words of the sentence"
_YARDSTICKS = {"words of the block": "words", "text density of the block": "density"}


def asked_scorers(models: Sequence[str], names: Sequence[str]) -> dict[str, Scorer]:
    """Return scorers by canonical name: perplexity under each model (`books` if nothing is named), and those named.

    Raises:
        ConfigErrors: all names that do not parse or are unknown.
    """
    scorers: dict[str, Scorer] = {}
    problems = []
    for model in models or (() if names else ("books",)):
        scorer = scorer_class("perplexity", "--model")(lm=model)
        try:
            scorer.check(f"--model {model}")
        except ConfigError as problem:
            problems.append(problem)
        scorers[scorer.canonical_name] = scorer
    for name in names:
        try:
            cut = parse_scorer(name, f"--scorer {name}").checked()
        except ConfigError as problem:
            problems.append(problem)
        else:
            scorers[cut.scorer.canonical_name] = cut.scorer
    if problems:
        raise ConfigErrors(problems)
    return scorers


def measure_separation(gold: Sequence[GoldPage], asked: Mapping[str, Scorer], rough: bool = False) -> SeparationRun:
    """Label the sentences of pages, score them, and measure how well each scorer separates them.

    Scorers that learn from a collection learn from the descriptive text of these pages.

    Args:
        gold: the pages, at least one.
        asked: scorers by name.
        rough: label by `rough_labels` instead of `aligned_labels`.

    Raises:
        InputError: if a page's file cannot be read, or no page can be parsed.
    """
    for scorer in asked.values():
        if not scorer.learns:
            scorer.prepare()
    pages: list[tuple[GoldPage, Segments]] = []
    failed = []
    for page in gold:
        try:
            pages.append((page, parse_page(page)))
        except LxmlError as error:
            failed.append((page.stem, " ".join(str(error).split())))
    if not pages:
        raise InputError("no page can be parsed", "give pages in HTML", str(gold[0].path.parent))
    scorers = dict(asked) | {name: scorer_class(scorer, name)() for name, scorer in _YARDSTICKS.items()}
    labelled: list[LabelledPage] = []
    for page, segments in progress(pages, "labelling", len(pages), "pages"):
        words = segments.words_in_sentences
        content = (rough_labels if rough else aligned_labels)(segments.sentences, page.text)
        labelled.append(LabelledPage(content[words > 0], words[words > 0]))
    with temporary_folder() as folder:
        data = TrainingData(lambda: (_descriptive(segments) for _, segments in pages), "en", 1)
        separations = {}
        for name, scorer in progress(scorers.items(), "scoring", len(scorers), "scorers"):
            if scorer.learns:
                scorer = scorer.for_collection(data, folder)
            scores = [goodness(scorer, segments)[segments.words_in_sentences > 0] for _, segments in pages]
            separations[name] = _on_scale(separation(labelled, scores), scorer.keep)
    separations[SENTENCE_WORDS] = separation(labelled, [page.words.astype(np.float64) for page in labelled])
    order = (*asked, SENTENCE_WORDS, *_YARDSTICKS)
    return SeparationRun(
        tuple(ScorerSeparation(name, name not in asked, separations[name]) for name in order),
        len(pages),
        sum(len(page.content) for page in labelled),
        sum(int(page.content.sum()) for page in labelled),
        tuple(failed),
    )


def aligned_labels(sentences: Sequence[str], gold: str) -> Bools:
    """Return which sentences are content: at least half of their words lie in blocks that match the gold text.

    The page's words, separated by white space, are aligned with the gold text's by `matching_blocks`.

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
    """Return which sentences occur in the gold text, ignoring case and white space; shape (sentences).

    Unlike an alignment, this takes a menu's `Home` for content if the gold text has that word anywhere.
    """
    text = _normalised(gold)
    return np.array([bool(one) and one in text for one in map(_normalised, sentences)], dtype=np.bool_)


def goodness(scorer: Scorer, segments: Segments) -> Floats:
    """Return a score for each sentence, its own or its block's, higher for content: negated if low scores are kept."""
    scores = scorer.score(segments).astype(np.float64)
    if scorer.segment == BLOCK:
        scores = scores[segments.block_of_sentence]
    return -scores if scorer.keep == KEEP_LOW else scores


def area(scores: Floats, content: Bools) -> float:
    """Return the area under the ROC curve: the share of correctly ordered pairs, ties counting half (Mann and Whitney's U).

    Args:
        scores: higher for content; may be infinite, not NaN.
        content: of the same shape.

    Returns:
        a number in [0, 1]; NaN if there are only sentences of one kind.
    """
    others = scores[~content]
    won = _below(scores[content], others, np.ones(len(others))).sum()
    return _ratio(float(won), float(content.sum() * len(others)))


def separation(
    pages: Sequence[LabelledPage], scores: Sequence[Floats], resamples: int = RESAMPLES, seed: int = SEED
) -> Separation:
    """Measure how well scores separate the sentences of pages.

    The 95 % intervals are percentiles of the area over resamples of pages, since the sentences of a page are not independent.

    Args:
        pages: their labels.
        scores: for each page those of its sentences, higher for content, never NaN.
        resamples: number of bootstrap samples, of as many pages as there are.
        seed: of the samples.
    """
    ones = [np.ones(len(page.words)) for page in pages]
    words = [page.words.astype(np.float64) for page in pages]
    by_sentences, by_words = _pairs(pages, scores, ones), _pairs(pages, scores, words)
    count = len(pages)
    drawn = np.zeros((0, 0), dtype=np.int64)
    if count:
        drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
    within = [area(of_page, page.content) for page, of_page in zip(pages, scores, strict=True)]
    defined = [value for value in within if not math.isnan(value)]
    return Separation(
        _area(by_sentences, drawn),
        _area(by_words, drawn),
        float(np.mean(defined)) if defined else math.nan,
        len(defined),
        pooled_cutoff(pages, scores),
    )


def pooled_cutoff(pages: Sequence[LabelledPage], scores: Sequence[Floats]) -> PooledCutoff | None:
    """Return the cutoff of the highest F1 of words in content sentences (ties: the one that keeps least), or None without
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
    # A cutoff keeps all sentences of equal score.
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    kept = np.cumsum(words[order])[last]
    right = np.cumsum((words * content)[order])[last]
    f1 = 2 * right / (kept + wanted)
    best = int(np.argmax(f1))
    return PooledCutoff(float(falling[last[best]]), float(f1[best]))


def _pairs(pages: Sequence[LabelledPage], scores: Sequence[Floats], weights: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the weights of correctly ordered and of all pairs: a content sentence of page i, a boilerplate one of page j.

    Areas are ratios of sums over these matrices, for bootstrap samples too.
    """
    count = len(pages)
    won = np.zeros((count, count))
    content = [value[page.content] for page, value in zip(pages, scores, strict=True)]
    masses = [weight[page.content] for page, weight in zip(pages, weights, strict=True)]
    all_content, all_masses = np.concatenate([*content, np.empty(0)]), np.concatenate([*masses, np.empty(0)])
    page_of = np.repeat(np.arange(count), [len(values) for values in content])
    for column, (page, value, weight) in enumerate(zip(pages, scores, weights, strict=True)):
        below = _below(all_content, value[~page.content], weight[~page.content])
        won[:, column] = np.bincount(page_of, all_masses * below, count)
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


def _on_scale(result: Separation, keep: str) -> Separation:
    """Return the result with its cutoff on the scale of a scorer whose scores `goodness` may have negated."""
    if result.best is None or keep != KEEP_LOW:
        return result
    return replace(result, best=replace(result.best, cutoff=-result.best.cutoff))


def _descriptive(segments: Segments) -> list[str]:
    return [*compress(segments.sentences, descriptive_blocks(segments)[segments.block_of_sentence].tolist())]


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold()
