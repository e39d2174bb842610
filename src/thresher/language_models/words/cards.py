"""Model cards: metadata files of language models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thresher.errors import StateError
from thresher.files import read_text, write_json
from thresher.records import RecordFile

BIGRAM_FORMULA = "0.8 * P(w | previous) + 0.2 * P(previous) + 1e-6 (PyPlexity's bigram model"
UNSEEN_WORDS = "history of probability 0: an unknown word costs what any unseen pair costs"


@dataclass(frozen=True)
class Training:
    """How a model was trained.

    Attributes:
        date: the day, by UTC, as YYYY-MM-DD.
        texts: the name, bytes and SHA-256 of each file or folder.
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
    texts: tuple[Mapping[str, Any], ...]
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
        """Write the card as JSON."""
        write_json(path, asdict(self))


def read_card(path: Path) -> ModelCard:
    """Read a card that `ModelCard.write` wrote; fields missing in older cards have their defaults.

    Raises:
        StateError: if it is damaged.
    """
    return RecordFile(ModelCard, "a model card", f"delete the folder {path.parent}", error=StateError).read(path)


def read_head(path: Path) -> tuple[str, str]:
    """Return the tokeniser and the digest that a card names, without pydantic: workers do without its 12 MB.

    Raises:
        StateError: as `read_card`.
    """
    try:
        card = json.loads(read_text(path))
        if isinstance(card["tokeniser"], str) and isinstance(card["digest"], str):
            return card["tokeniser"], card["digest"]
    except (ValueError, KeyError, TypeError):
        pass
    whole = read_card(path)
    return whole.tokeniser, whole.digest
