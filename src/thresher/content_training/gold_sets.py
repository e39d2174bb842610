"""Gold standards as sets to train on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thresher.cleaneval.gold import read_gold
from thresher.content_models.model import TrainingSet
from thresher.content_training.stacking import PagesOfSet
from thresher.content_training.training_pages import read_training_pages
from thresher.errors import ConfigError, InputError


def read_gold_sets(
    folders: Sequence[Path], comments: bool = False, workers: int = 1
) -> tuple[list[PagesOfSet], dict[str, list[str]]]:
    """Return the sets in these folders, named as they are; and by set the stems of pages that have no text.

    Raises:
        ConfigError: if two folders have the same name.
        InputError: if a folder holds no gold, or none of its pages has text.
    """
    sets: list[PagesOfSet] = []
    left_out: dict[str, list[str]] = {}
    for folder in folders:
        name = folder.resolve().name
        if any(one.about.name == name for one in sets):
            raise ConfigError(f"two gold standards are named {name!r}", "rename one of the folders", str(folder))
        pages, without = read_training_pages(read_gold(folder, comments=comments).pages, workers)
        if not pages:
            raise InputError("no page with gold has text", "check the pages", str(folder))
        if without:
            left_out[name] = without
        blocks = sum(len(page.labels) for page in pages)
        sets.append(PagesOfSet(TrainingSet(name, len(pages), blocks), pages))
    return sets, left_out
