"""Perplexity under a language model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from thresher.base.errors import ConfigError
from thresher.base.files import digest
from thresher.cleaners.languages import BY_CODE
from thresher.cleaners.scorer import BLOCK, KEEP_LOW, SENTENCE, Parameter, Scorer, Scores, TrainingData
from thresher.cleaners.scorers.shallow_features import RULE
from thresher.cleaners.words.models import (
    BUILDERS,
    SELF,
    SELF_SETTINGS,
    checked_model,
    find_model,
    load_model,
    model_files,
)
from thresher.pages import Segments

PAGE = "page"


class Perplexity(Scorer):
    """Perplexity of the sentence under a language model; low for running text."""

    name = "perplexity"
    segment = SENTENCE
    keep = KEEP_LOW
    unit = "perplexity"
    needs_spaces = True
    other_languages = "lm=self, or a model of their language"
    reference = "lm"
    low = 1
    grid = (1000, 2000, 4000, 6000, 8000, 10000, 12000, 14000)
    usual: ClassVar[float | None] = 8000
    source = (
        "Fernandez-Pichel, Prada-Corral, Losada, Pichel, Gamallo: An unsupervised perplexity-based method for "
        "boilerplate removal, Natural Language Engineering 2023"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "lm",
            str,
            "books",
            "the language model: books, self (trained on the long, dense blocks of the collection), or the path of a folder "
            "that `thresher lm train` or `thresher lm import` wrote, of an ARPA file, or of a KenLM binary",
        ),
        Parameter(
            "context",
            float,
            0.0,
            "the weight of a neighbouring sentence's words, to the power of its distance; 0.7 is good",
            low=0,
            high=0.99,
            terse=True,
        ),
        Parameter(
            "prior",
            int,
            0,
            "unseen words (probability 1e-6) added to each sentence, against chance in short ones; 32 is good",
            low=0,
            terse=True,
        ),
        Parameter(
            "sentences",
            str,
            BLOCK,
            "of each block, or of the whole page, as in the paper: then each block's part of a sentence has its perplexity",
            choices=(BLOCK, PAGE),
            terse=True,
        ),
    )

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self._trained_model: Path | None = None

    def check(self, where: str) -> None:
        """Check that the model's file exists."""
        if not self.learns and self._lm not in BUILDERS:
            find_model(self._lm, where)

    @property
    def learns(self) -> bool:
        """Whether the model is trained on the collection."""
        return self._lm == SELF

    @property
    def fingerprint(self) -> str:
        """The digest of the language model, or of the training settings if it is trained on the collection."""
        if self.learns:
            return digest([SELF_SETTINGS, RULE])
        return model_files(self._lm).digest

    @property
    def language(self) -> str:
        """The language that the model's card names; none if it has no card, or the model is trained on the collection."""
        if self.learns:
            return ""
        card = model_files(self._lm).card
        if card is None:
            return ""
        return BY_CODE.get(card.language, "")

    def for_collection(self, data: TrainingData, folder: Path) -> Perplexity:
        """Return the scorer with a model trained on the collection and stored in `folder`."""
        # Imported late to save the workers' memory.
        from thresher.cleaners.words.training import learn

        trained = type(self)(**self.values)
        trained._trained_model = folder / f"{SELF}-{self.fingerprint}"
        learn(data.sentences, trained._trained_model, data.language, data.workers, self.canonical_name)
        return trained

    def reference_percentiles(self) -> Mapping[float, float]:
        """Return the perplexities of sentences of the model's reference text by percentile, rising; empty if unknown."""
        # Built models and `self` have no reference text; perplexities in cards are not smoothed.
        if self.learns or self._lm in BUILDERS or self.values.get("context") or self.values.get("prior"):
            return {}
        card = model_files(self._lm).card
        if card is None or card.training is None:
            return {}
        by_percentile = {float(at): value for at, value in card.training.perplexities.items()}
        return dict(sorted(by_percentile.items()))

    def meaning(self, cutoff: float) -> str:
        """Return how many sentences of the model's reference text a cutoff keeps, if that is known."""
        percentiles = self.reference_percentiles()
        what = f"the paper's cutoff {cutoff:g} is for its models of the BNC and CORD-19"
        if not percentiles:
            return f"{what}; with {self._lm}, a percentile such as p80 states the share of words that it keeps"
        share = float(np.interp(cutoff, list(percentiles.values()), list(percentiles), left=0, right=100))
        return f"{what}; it keeps {share:.3g} % of the sentences that the card of {self._lm} describes"

    def prepare(self) -> None:
        """Build the language model if necessary; check a model at a path."""
        load_model(self._model)

    def score(self, segments: Segments) -> Scores:
        """Return the perplexity of each sentence, smoothed as asked; infinite for sentences without words."""
        context, prior = float(self.values["context"]), float(self.values["prior"])
        model = checked_model(self._model)
        parts = segments.sentence_ends
        if self.values["sentences"] == BLOCK:
            return model.perplexities(segments.plain, parts, context, prior).astype(np.float32)
        ends = segments.page_sentence_ends
        perplexities = model.perplexities(segments.plain, ends, context, prior).astype(np.float32)
        return perplexities[ends.searchsorted(parts)]

    @property
    def _lm(self) -> str:
        return str(self.values["lm"])

    @property
    def _model(self) -> str:
        if not self.learns:
            return self._lm
        if self._trained_model is None:
            raise ConfigError(
                f"the language model {SELF!r} is trained on a collection, and there is none",
                "clean a collection, or choose another model such as lm=books",
                self.canonical_name,
            )
        return str(self._trained_model)
