"""Character models by name or path: `standard` and `nonlexical`, which come with the package, and files.

The two were trained once, by `scripts/ncleaner_models`, on Python's reference: clean text is the docstrings of modules of the
standard library, raw text their pages as pydoc renders them, with signatures, tables of methods and inherited members. Web
pages differ, so these are only a starting point; `thresher ncleaner train` trains one on your own pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from thresher.errors import ConfigError, InputError, StateError
from thresher.language_models.characters.character_counts import (
    STANDARD,
    STANDARD_NON_LEXICAL,
    CharacterModel,
    Settings,
)
from thresher.language_models.characters.model_files import read_model
from thresher.language_models.characters.scoring import SegmentScorer

SHIPPED: Mapping[str, Settings] = {"standard": STANDARD, "nonlexical": STANDARD_NON_LEXICAL}
FOLDER = files("thresher.language_models.characters") / "data"
"""The shipped models, `NAME.ncleaner`, and `card.json`: their data, licence, parameters, date and digests."""


def find_character_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model: a shipped one by its name, all else is a path.

    Raises:
        ConfigError: if there is no such model and no such file.
    """
    if name in SHIPPED:
        return FOLDER / f"{name}.ncleaner"
    path = Path(name)
    if not name or not path.is_file():
        raise ConfigError(
            f"there is no NCleaner model {name!r}",
            f"use {', '.join(SHIPPED)} or the path of a file that `thresher ncleaner train` wrote",
            where or f"model={name}",
        )
    return path


def load_character_model(name: str) -> CharacterModel:
    """Load a model: `standard`, `nonlexical` or a path.

    Raises:
        ConfigError: if there is no such model.
        InputError: if the file is damaged or no model.
        StateError: if that is a shipped one.
    """
    path = find_character_model(name)
    try:
        return read_model(path)
    except InputError as error:
        if name in SHIPPED:
            raise StateError(f"the model {name} is damaged", "install Thresher again", str(path)) from error
        raise


@lru_cache(maxsize=4)
def load_segment_scorer(name: str) -> SegmentScorer:
    """Load a model, ready for scoring; a process holds one copy of each of the last four.

    Raises:
        ThresherError: as `load_character_model`.
    """
    return SegmentScorer(load_character_model(name))
