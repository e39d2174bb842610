"""Language models by name: built at first use, loaded once a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import kenlm
import numpy as np
import numpy.typing as npt

from thresher.errors import ConfigError
from thresher.files import atomic_path
from thresher.language_models import books
from thresher.language_models.cache import cache_folder
from thresher.language_models.cards import ModelCard, read_card
from thresher.language_models.tokens import tokenise
from thresher.pages.plain import Ints, PlainText, plain_text

BUILDERS: Mapping[str, Callable[[Path], None]] = {books.NAME: books.build}

# Raised when the way a model is built changes, so that no old file is taken for the new model.
_BUILD_VERSION = 1


class WordModel:
    """A word n-gram model in KenLM."""

    def __init__(self, path: Path, card: ModelCard) -> None:
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        self.card = card
        self._score = kenlm.Model(str(path), config).score

    def perplexities(self, plain: PlainText, ends: Ints) -> npt.NDArray[np.float64]:
        """Return the perplexity of each sentence, 2^(-(1/n) Σ log2 P(w_i | history)); infinite where it has no words.

        Source: the PyPlexity paper, Eq. 1 to 3; what P is, `card` tells.

        Args:
            plain: the plain form of a text.
            ends: where each of its sentences ends.
        """
        prepared, counts = tokenise(plain, ends)
        score = self._score
        logs = np.array([score(words, True, False) for words in prepared], dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            exponents = -logs / counts
        return np.where(counts > 0, 10.0**exponents, np.inf)

    def perplexity(self, sentence: str) -> float:
        """Return the perplexity of one sentence, infinite if it has no words."""
        plain = plain_text(" ".join(sentence.split()))
        return float(self.perplexities(plain, np.array([len(plain.text)], dtype=np.int64))[0])


def model_folder(name: str) -> Path:
    """Return the folder of the model `name`, built there first if need be.

    Raises:
        ConfigError: if there is no model of that name.
    """
    if name not in BUILDERS:
        raise ConfigError(f"unknown language model {name!r}", f"use one of {', '.join(BUILDERS)}", f"lm={name}")
    folder = cache_folder() / "language_models" / f"{name}-{_BUILD_VERSION}"
    if not (folder / "card.json").exists():
        with atomic_path(folder) as temporary:
            temporary.mkdir()
            BUILDERS[name](temporary)
    return folder


@lru_cache(maxsize=4)
def load_model(name: str) -> WordModel:
    """Load the model `name`; a process holds one copy.

    Raises:
        ConfigError: if there is no model of that name.
    """
    folder = model_folder(name)
    return WordModel(folder / "model.arpa", read_card(folder / "card.json"))
