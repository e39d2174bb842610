"""Paths of models and files within names of cleaners."""

from __future__ import annotations

import os
import re
from pathlib import Path

# Values of `model` may be names that other packages declare. Values of `lm` and `file` are paths, or models of ours.
_PATH = re.compile(r"(?<=[(,])(?P<key>lm|model|file)=(?P<value>[^,()+|]+)")


def moved_paths(name: str, before: Path, after: Path) -> str:
    """Return a name whose paths are relative to the folder `after`; in `name` they are relative to `before`.

    >>> moved_paths("perplexity(lm=wiki)@8000+words@5", Path("experiments"), Path())
    'perplexity(lm=experiments/wiki)@8000+words@5'
    >>> moved_paths("perplexity(lm=books)@8000|up(model=bm25)@0.5", Path("experiments"), Path())
    'perplexity(lm=books)@8000|up(model=bm25)@0.5'
    """
    if os.path.realpath(before) == os.path.realpath(after):
        return name
    cleaner, bar, pruning = name.partition("|")

    def moved(match: re.Match[str]) -> str:
        key, value = match["key"], match["value"].strip()
        is_path = key != "model" or "/" in value or (before / value).exists()
        if not is_path or Path(value).is_absolute() or value in _shipped_models():
            return match[0]
        return f"{key}={os.path.relpath(before / value, after)}"

    return _PATH.sub(moved, cleaner) + bar + pruning


def _shipped_models() -> frozenset[str]:
    """Return the names of the models in this package, and the name of the model that is trained on the collection."""
    # Most names have no paths, and these modules import models' libraries.
    from thresher.cleaners.characters import scoring
    from thresher.cleaners.content_model import model
    from thresher.cleaners.words.models import BUILDERS, SELF

    return frozenset({SELF}).union(BUILDERS, model.SHIPPED, scoring.SHIPPED)
