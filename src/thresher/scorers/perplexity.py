"""Perplexity under a language model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import ConfigError
from thresher.files import digest
from thresher.language_models import BUILDERS, checked_model, find_model, load_model, model_files
from thresher.language_models.words.self_model import NAME as SELF
from thresher.language_models.words.self_model import SETTINGS
from thresher.pages import Segments
from thresher.scorers.base import KEEP_LOW, SENTENCE, Lesson, Parameter, Scorer, Scores
from thresher.scorers.descriptive import RULE


class Perplexity(Scorer):
    """Perplexity of the sentence under a language model: how little the text looks like running text."""

    name = "perplexity"
    segment = SENTENCE
    keep = KEEP_LOW
    unit = "perplexity"
    reference = "lm"
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
            "the language model: books, self (learnt from the long, dense blocks of the collection), or the path of a folder "
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
    )

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self._learnt: Path | None = None

    def check(self, where: str) -> None:
        """Look for the model's file.

        Raises:
            ConfigError: if there is none.
        """
        if not self.learns and self._lm not in BUILDERS:
            find_model(self._lm, where)

    @property
    def learns(self) -> bool:
        """Whether the model is made from the collection."""
        return self._lm == SELF

    @property
    def fingerprint(self) -> str:
        """The digest of the language model; of one that is made from the collection, that of how it is made."""
        return digest([SETTINGS, RULE]) if self.learns else model_files(self._lm).digest

    def for_collection(self, lesson: Lesson, folder: Path) -> Perplexity:
        """Return the scorer with the model of the collection, which is in `folder` afterwards."""
        # Late: training takes memory that workers do without.
        from thresher.language_models.words.self_model import learn

        taught = Perplexity(**self.values)
        taught._learnt = folder / f"{SELF}-{self.fingerprint}"
        learn(lesson.sentences, taught._learnt, lesson.language, lesson.workers, self.canonical_name)
        return taught

    def reference_percentiles(self) -> Mapping[float, float]:
        """Return the perplexities of sentences of the model's reference text by percentile, rising; empty if unknown.

        Raises:
            ConfigError: if there is no such model.
            ThresherError: if its card is damaged.
        """
        # Models that are built, or learnt from the collection, have no reference text, and need not be made to know that. A
        # card has perplexities that are not smoothed.
        if self.learns or self._lm in BUILDERS or self.values["context"] or self.values["prior"]:
            return {}
        card = model_files(self._lm).card
        if card is None or card.training is None:
            return {}
        return dict(sorted((float(at), value) for at, value in card.training.perplexities.items()))

    def prepare(self) -> None:
        """Build the language model if this machine does not have it yet; check a model at a path.

        Raises:
            ThresherError: if there is no such model, or it cannot be read.
        """
        load_model(self._model)

    def score(self, segments: Segments) -> Scores:
        """Return the perplexity of each sentence, smoothed as asked; infinite where there is no word to judge by."""
        context, prior = float(self.values["context"]), float(self.values["prior"])
        model = checked_model(self._model)
        return model.perplexities(segments.plain, segments.sentence_ends, context, prior).astype(np.float32)

    @property
    def _lm(self) -> str:
        return str(self.values["lm"])

    @property
    def _model(self) -> str:
        """The name or path of the model.

        Raises:
            ConfigError: if it has not been made yet.
        """
        if not self.learns:
            return self._lm
        if self._learnt is None:
            raise ConfigError(
                f"the language model {SELF!r} is learnt from a collection, and there is none",
                "clean a collection, or choose another model such as lm=books",
                self.canonical_name,
            )
        return str(self._learnt)
