"""Learned probabilities of main content, and the scores of other scorers that may be features of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from thresher.content_models.model import PAGE_RULES, find_content_model, load_content_model
from thresher.errors import ConfigError
from thresher.files import digest
from thresher.pages import Detail, Segments
from thresher.scorers.base import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.scorers.cleaners import HEADLINE, parse_scorer

_NOTHING, _MOST = -1000.0, 1e9
"""The score of blocks without one, and the largest finite one: larger scores are capped."""


@lru_cache(maxsize=16)
def other_scorers(names: tuple[str, ...], where: str) -> tuple[Scorer, ...]:
    """Return the scorers of these names, checked."""
    found = []
    for name in names:
        cut = parse_scorer(name, where)
        if cut.scorer.name == "content" or cut.scorer.learns or cut.headings != type(cut.scorer).headings or cut.floor:
            raise ConfigError(
                f"the scores of {name!r} cannot be features: it is learned itself, or has options of a cut",
                "use a scorer such as perplexity(lm=books) or ncleaner",
                where,
            )
        cut.scorer.check(where)
        found.append(cut.scorer)
    return tuple(found)


def block_scores(scorers: Sequence[Scorer], segments: Segments) -> dict[str, Scores]:
    """Return each scorer's scores of a page's blocks, by its canonical name; shape (blocks,) each.

    A block's score is the mean of its sentences', weighted by words, where sentences are scored.
    """
    return {scorer.canonical_name: _of_blocks(scorer, segments) for scorer in scorers}


def _of_blocks(scorer: Scorer, segments: Segments) -> Scores:
    scores = np.nan_to_num(scorer.score(segments).astype(np.float64), nan=_NOTHING, posinf=_MOST, neginf=-_MOST)
    if scorer.segment != BLOCK:
        blocks, words = segments.block_of_sentence, segments.words_in_sentences
        count = len(segments.block_ends)
        # Whole hundredths, so that sums over sentences are exact.
        sums = np.bincount(blocks, np.rint(100 * scores.clip(-_MOST, _MOST)) * words, count)
        scores = sums / (100 * np.maximum(np.bincount(blocks, words, count), 1))
    return scores.astype(np.float32)


class Content(Scorer):
    """Probability that the block is main content, with 0.5 at its page's cutoff, by trees over features of the page."""

    name = "content"
    segment = BLOCK
    keep = KEEP_HIGH
    detail = Detail.ELEMENTS
    unit = "probability"
    low = 0
    high = 1
    headings = HEADLINE
    grid = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    source = (
        "this project's; features after Kohlschuetter, Fankhauser, Nejdl, WSDM 2010, and Vogels et al., Web2Text, ECIR 2018; "
        "trees after Prokhorenkova et al., CatBoost, NeurIPS 2018; pages' cutoffs after Lipton et al., ECML PKDD 2014"
    )
    parameters = (
        Parameter("model", str, "web", "web, or the path of a model that scripts/content_train wrote", terse=True),
    )

    def check(self, where: str) -> None:
        """Check that the model's file exists."""
        find_content_model(self._model, where)

    @property
    def fingerprint(self) -> str:
        """The digest of the model, of how its probabilities are used, and of the scorers whose scores are features."""
        others = [[scorer.canonical_name, scorer.fingerprint] for scorer in self._others]
        return digest([PAGE_RULES, load_content_model(self._model).card.digest, others])

    def prepare(self) -> None:
        """Read the model, as a check, and prepare scorers whose scores are features."""
        for scorer in self._others:
            scorer.prepare()

    @property
    def language(self) -> str:
        """The language that a scorer knows whose scores are features, if any."""
        return next((scorer.language for scorer in self._others if scorer.language), "")

    def knows(self, language: str) -> bool:
        """Return whether the scorers whose scores are features know a language."""
        return all(scorer.knows(language) for scorer in self._others)

    def score(self, segments: Segments) -> Scores:
        """Return the probability of each block."""
        return load_content_model(self._model).probabilities(segments, block_scores(self._others, segments))

    @property
    def _others(self) -> tuple[Scorer, ...]:
        names = load_content_model(self._model).scorers
        return other_scorers(names, self._model) if names else ()

    @property
    def _model(self) -> str:
        return str(self.values["model"])
