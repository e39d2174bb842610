"""Gold standards as sets to train on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thresher.cleaneval.gold import read_gold
from thresher.content_models.model import TrainingSet
from thresher.content_training.grafting import grafted_pages
from thresher.content_training.stacking import PagesOfSet
from thresher.content_training.training_pages import read_training_pages
from thresher.errors import ConfigError, InputError
from thresher.scorers.base import Scorer


def read_gold_sets(
    folders: Sequence[Path],
    comments: bool = False,
    workers: int = 1,
    threads_by_fold: int = 0,
    scorers: Sequence[Scorer] = (),
) -> tuple[list[PagesOfSet], dict[str, list[str]]]:
    """Return the sets in these folders, named as they are; and by set the stems of pages that have no text.

    With `threads_by_fold`, a number of folds, the sets have articles with other pages' threads too, which are not counted; see
    `grafted_pages`. Scores by `scorers` are features, too.

    Raises:
        ConfigError: if two folders have the same name.
        InputError: if a folder holds no gold, or none of its pages has text.
    """
    for scorer in scorers:
        scorer.prepare()
    sets: list[PagesOfSet] = []
    left_out: dict[str, list[str]] = {}
    for folder in folders:
        name = folder.resolve().name
        if any(one.about.name == name for one in sets):
            raise ConfigError(f"two gold standards are named {name!r}", "rename one of the folders", str(folder))
        gold = read_gold(folder, comments=comments).pages
        pages, without = read_training_pages(gold, workers, scorers)
        if not pages:
            raise InputError("no page with gold has text", "check the pages", str(folder))
        if without:
            left_out[name] = without
        blocks = sum(len(page.labels) for page in pages)
        more = grafted_pages(gold, threads_by_fold, workers, scorers) if threads_by_fold else []
        sets.append(PagesOfSet(TrainingSet(name, len(pages), blocks), [*pages, *more]))
    return sets, left_out
