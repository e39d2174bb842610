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

from thresher.archives import NamedModels
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


_FILES = NamedModels("NCleaner model", SHIPPED, FOLDER, ".ncleaner", "thresher ncleaner train", read_model)


def find_character_model(name: str, where: str | None = None) -> Traversable:
    """Return the file of a model; see `NamedModels.find`.

    Raises:
        ConfigError: if there is no such model and no such file.
    """
    return _FILES.find(name, where)


def load_character_model(name: str) -> CharacterModel:
    """Load a model: `standard`, `nonlexical` or a path.

    Raises:
        ThresherError: as `NamedModels.load`.
    """
    return _FILES.load(name)


@lru_cache(maxsize=4)
def load_segment_scorer(name: str, literal: bool = False) -> SegmentScorer:
    """Load a model, ready for scoring, clamped as `SegmentScorer` says; a process holds one copy of each of the last four.

    Raises:
        ThresherError: as `load_character_model`.
    """
    return SegmentScorer(load_character_model(name), literal)
