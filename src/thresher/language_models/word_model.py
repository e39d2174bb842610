"""A word n-gram model in KenLM."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path

import kenlm
import numpy as np
import numpy.typing as npt

from thresher.errors import InputError, ResourceError
from thresher.files import user_error
from thresher.language_models.cards import ModelCard
from thresher.language_models.smoothing import smoothed_perplexities
from thresher.language_models.tokenisers import Tokeniser
from thresher.pages.plain import Ints, PlainText, plain_text

GZIP = b"\x1f\x8b"
"""What a file compressed by gzip begins with."""


class WordModel:
    """A word n-gram model, with the tokeniser that its words were made by.

    KenLM's binary files are mapped into memory, page by page when first needed, so that processes share them.

    Attributes:
        order: the length of its longest n-grams.
        card: what is known of it, None for a file without a card.
    """

    def __init__(self, path: Path, tokenise: Tokeniser, card: ModelCard | None = None) -> None:
        model = _read(path)
        self.order: int = model.order
        self.card = card
        self._tokenise = tokenise
        self._score = model.score

    def perplexities(
        self, plain: PlainText, ends: Ints, context: float = 0.0, prior: float = 0.0
    ) -> npt.NDArray[np.float64]:
        """Return the perplexity of each sentence, 2^(-(1/n) Σ log2 P(w_i | history)); infinite where it has no words.

        Source: the PyPlexity paper, Eq. 1 to 3; what P is, `card` tells.

        Args:
            plain: the plain form of a text.
            ends: where each of its sentences ends.
            context, prior: as `smoothed_perplexities` has them; 0 for none.
        """
        prepared, counts = self._tokenise(plain, ends)
        scores = map(self._score, prepared, repeat(True), repeat(False))
        logs = np.fromiter(scores, dtype=np.float64, count=len(prepared))
        return smoothed_perplexities(logs, counts, context, prior)

    def perplexity(self, sentence: str) -> float:
        """Return the perplexity of one sentence, infinite if it has no words."""
        plain = plain_text(" ".join(sentence.split()))
        return float(self.perplexities(plain, np.array([len(plain.text)], dtype=np.int64))[0])


def _read(path: Path) -> kenlm.Model:
    """Load an ARPA file or a binary of KenLM's.

    Raises:
        InputError: if it is missing, unreadable, compressed, damaged or no such file.
        ResourceError: if there is not the memory for it.
    """
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == GZIP
    except OSError as error:
        raise user_error(error, path) from error
    if compressed:
        raise InputError(
            "it is compressed, and KenLM reads it as it is", f"run `thresher lm import {path} -o FOLDER`", str(path)
        )
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    config.load_method = kenlm.LoadMethod.LAZY
    try:
        return kenlm.Model(str(path), config)
    except MemoryError as error:
        raise ResourceError("there is not the memory for the model", "use a smaller one", str(path)) from error
    except (OSError, RuntimeError, UnicodeDecodeError) as error:  # KenLM quotes the file, whatever its bytes
        if "Cannot allocate memory" in str(error):
            what, fix = "it is larger than the memory, or damaged", "use a smaller model, or write this one again"
        else:
            what = "KenLM cannot read it: it is damaged, of another version, or neither an ARPA file nor KenLM's binary"
            fix = "write it again"
        raise InputError(what, fix, str(path)) from error
