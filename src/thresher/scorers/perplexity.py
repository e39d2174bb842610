"""Perplexity under a language model."""

from __future__ import annotations

import numpy as np

from thresher.language_models import BUILDERS, WordModel, load_model
from thresher.pages import Segments
from thresher.scorers.base import KEEP_LOW, SENTENCE, Parameter, Scorer, Scores


class Perplexity(Scorer):
    """Perplexity of the sentence under a language model: how little the text looks like running text."""

    name = "perplexity"
    segment = SENTENCE
    keep = KEEP_LOW
    unit = "perplexity"
    low = 1
    grid = (1000, 2000, 4000, 6000, 8000, 10000, 12000, 14000)
    source = (
        "Fernandez-Pichel, Prada-Corral, Losada, Pichel, Gamallo: An unsupervised perplexity-based method for "
        "boilerplate removal, Natural Language Engineering 2023"
    )
    parameters = (Parameter("lm", str, "books", "the language model", choices=tuple(BUILDERS)),)

    @property
    def fingerprint(self) -> str:
        """The digest of the language model."""
        return self._model().card.digest

    def prepare(self) -> None:
        """Build the language model if this machine has not got it yet."""
        self._model()

    def score(self, segments: Segments) -> Scores:
        """Return the perplexity of each sentence; infinite where it holds no word."""
        return self._model().perplexities(segments.plain, segments.sentence_ends).astype(np.float32)

    def _model(self) -> WordModel:
        return load_model(str(self.values["lm"]))
