"""Model cards: what a language model is, in a file beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thresher.errors import StateError
from thresher.files import read_text, write_json


@dataclass(frozen=True)
class Training:
    """How a model was trained.

    Attributes:
        date: the day, by UTC, as YYYY-MM-DD.
        texts: the name, bytes and SHA-256 of each file or folder.
        words: the words that were counted.
        sentences: the sentences that were counted.
        vocabulary: the different words of the model, without `<unk>`, `<s>` and `</s>`.
        least_count: words that occur more rarely are unknown.
        most_words: how many words the vocabulary was cut to, if it was.
        cut_words: how many of the words that were counted are unknown by these cuts.
        prune: for each order, the count up to which n-grams are left out.
        estimator: its name.
        parameters: the estimator's, found or chosen.
        perplexities: perplexities at percentiles of sentences.
        perplexities_of: which sentences: `held-out sentences`, or `training sentences` where there were too few.
        perplexity_sentences: how many sentences that are.
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


@dataclass(frozen=True)
class ModelCard:
    """What must be known of a model to use its perplexities.

    `ngrams` counts the n-grams of each order; `tokeniser` is the name of a tokeniser, and `normalisation` tells what that does
    to words; `digest` is the SHA-256 of the ARPA file; `training` is None where the model was not trained here.
    """

    name: str
    language: str
    corpus: str
    order: int
    ngrams: tuple[int, ...]
    formula: str
    tokeniser: str
    log_base: str
    unknown_words: str
    sentence_ends: str
    digest: str
    normalisation: str = ""
    training: Training | None = None

    def write(self, path: Path) -> None:
        """Write the card as JSON."""
        write_json(path, asdict(self))


def read_card(path: Path) -> ModelCard:
    """Read a card that `ModelCard.write` wrote; older ones lack what came later.

    Raises:
        StateError: if it is damaged.
    """
    try:
        values = {**json.loads(read_text(path))}
        values["ngrams"] = tuple(values["ngrams"])
        if training := values.get("training"):
            lists = {name: tuple(training[name]) for name in ("texts", "prune")}
            values["training"] = Training(**{**training, **lists})
        return ModelCard(**values)
    except (ValueError, TypeError, KeyError) as error:
        raise StateError(
            f"the model card is damaged ({error})", f"delete the folder {path.parent}", str(path)
        ) from error
