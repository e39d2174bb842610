"""Model cards: metadata files of language models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from thresher.errors import StateError
from thresher.language_models.words.texts import TextFile
from thresher.records import RecordFile

BIGRAM_FORMULA = "0.8 * P(w | previous) + 0.2 * P(previous) + 1e-6 (PyPlexity's bigram model"
_MOST_BYTES = 16 * 2**20
UNSEEN_WORDS = "history of probability 0: an unknown word costs what any unseen pair costs"


@dataclass(frozen=True)
class Training:
    """How a model was trained.

    Attributes:
        date: the day, by UTC, as YYYY-MM-DD.
        texts: what it was trained on.
        words, sentences: their numbers.
        vocabulary: the number of word types, without `<unk>`, `<s>` and `</s>`.
        least_count: rarer words are unknown.
        most_words: the vocabulary's limit, if any.
        cut_words: the number of word tokens that became unknown by these limits.
        prune: for each order, the count up to which n-grams are left out.
        estimator: its name.
        parameters: of the estimator.
        perplexities: perplexities at percentiles of sentences.
        perplexities_of: `held-out sentences`, or `training sentences` if too few were held out.
        perplexity_sentences: the number of these sentences.
    """

    date: str
    texts: tuple[TextFile, ...]
    words: int
    sentences: int
    vocabulary: int
    least_count: int
    most_words: int | None
    cut_words: int
    prune: tuple[int, ...]
    estimator: str
    parameters: Mapping[str, Any]
    perplexities: Mapping[str, float]
    perplexities_of: str
    perplexity_sentences: int


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """Metadata needed to interpret a model's perplexities.

    `ngrams` counts the n-grams of each order; `tokeniser` is the name of a tokeniser, `normalisation` describes it;
    `digest` is the SHA-256 of the ARPA file; `training` is None for imported models.
    """

    name: str
    language: str
    corpus: str
    order: int
    ngrams: tuple[int, ...]
    formula: str
    tokeniser: str
    log_base: str = "log10 in the file; perplexity = 10 ** (-log10 P / words)"
    unknown_words: str
    sentence_ends: str
    digest: str
    normalisation: str = ""
    training: Training | None = None

    def write(self, path: Path) -> None:
        """Write the card as JSON, whole or not at all."""
        _file(ModelCard, path).write(path, self)


@dataclass(frozen=True)
class CardHead:
    """The part of a `ModelCard` that workers need."""

    tokeniser: str
    digest: str


Card = TypeVar("Card", ModelCard, CardHead)


def read_card(path: Path) -> ModelCard:
    """Read a card that `ModelCard.write` wrote; fields missing in older cards have their defaults.

    Raises:
        StateError: if it is damaged.
    """
    return _file(ModelCard, path).read(path)


def read_head(path: Path) -> CardHead:
    """Read a part of a card.

    Raises:
        StateError: as `read_card`.
    """
    return _file(CardHead, path).read(path)


def _file(kind: type[Card], path: Path) -> RecordFile[Card]:
    return RecordFile(
        kind, "a model card", f"delete the folder {path.parent}", error=StateError, indent=2, most=_MOST_BYTES
    )
