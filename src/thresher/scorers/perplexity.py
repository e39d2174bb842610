"""Perplexity under a language model."""

from __future__ import annotations

import numpy as np

from thresher.language_models import BUILDERS, find_model, load_model, model_files
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
    parameters = (
        Parameter(
            "lm",
            str,
            "books",
            "the language model: books, or the path of a folder that `thresher lm train` or `thresher lm import` wrote, of "
            "an ARPA file, or of a KenLM binary",
        ),
    )

    def check(self, where: str) -> None:
        """Look for the model's file.

        Raises:
            ConfigError: if there is none.
        """
        if self._lm not in BUILDERS:
            find_model(self._lm, where)

    @property
    def fingerprint(self) -> str:
        """The digest of the language model."""
        return model_files(self._lm).digest

    def prepare(self) -> None:
        """Build the language model if this machine has not got it yet; check a model at a path.

        Raises:
            ThresherError: if there is no such model, or it cannot be read.
        """
        load_model(self._lm)

    def score(self, segments: Segments) -> Scores:
        """Return the perplexity of each sentence; infinite where it holds no word."""
        return load_model(self._lm).perplexities(segments.plain, segments.sentence_ends).astype(np.float32)

    @property
    def _lm(self) -> str:
        return str(self.values["lm"])
