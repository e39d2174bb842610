"""Model cards: what a language model is, in a file beside it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from thresher.errors import StateError
from thresher.files import read_text, write_json


@dataclass(frozen=True)
class ModelCard:
    """What must be known of a model to use its perplexities.

    `ngrams` counts the n-grams of each order; `digest` is the SHA-256 of the model file.
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

    def write(self, path: Path) -> None:
        """Write the card as JSON."""
        write_json(path, asdict(self))


def read_card(path: Path) -> ModelCard:
    """Read a card that `ModelCard.write` wrote.

    Raises:
        StateError: if it is damaged.
    """
    try:
        values = json.loads(read_text(path))
        return ModelCard(**{**values, "ngrams": tuple(values["ngrams"])})
    except (ValueError, TypeError, KeyError) as error:
        raise StateError(
            f"the model card is damaged ({error})", f"delete the folder {path.parent}", str(path)
        ) from error
