"""Gold standards as sets to train on; with pages that are made of theirs, to learn what few pages with gold show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from content_training.marks import marked_pages
from content_training.short_posts import short_posts
from content_training.snippets import read_pages
from content_training.stages import PagesOfSet
from content_training.threads import grafted_pages
from content_training.training_pages import PageToLearn, read_training_pages
from thresher import ConfigError, InputError
from thresher.base.files import real_path
from thresher.cleaners.content_model.model import TrainingSet


def read_gold_sets(
    folders: Sequence[Path],
    comments: bool = False,
    workers: int = 1,
    made_by_fold: int = 0,
) -> tuple[list[PagesOfSet], dict[str, list[str]]]:
    """Return the sets in these folders, named as they are; and by set the stems of pages that have no text.

    With `made_by_fold`, a number of folds, the sets have pages made of these too, which are not counted: articles with other
    pages' threads, and short posts among other pages' sidebars.
    """
    sets: list[PagesOfSet] = []
    left_out: dict[str, list[str]] = {}
    for folder in folders:
        name = real_path(folder).name
        if any(one.about.name == name for one in sets):
            raise ConfigError(f"two gold standards are named {name!r}", "rename one of the folders", str(folder))
        gold = marked_pages(folder) or read_pages(folder, comments)
        pages, without = read_training_pages(gold, workers)
        if not pages:
            raise InputError("no page with gold has text", "check the pages", str(folder))
        if without:
            left_out[name] = without
        blocks = sum(len(page.labels) for page in pages)
        made: list[PageToLearn] = []
        if made_by_fold:
            made = [*grafted_pages(gold, made_by_fold, workers), *short_posts(gold, made_by_fold, workers)]
        sets.append(PagesOfSet(TrainingSet(name, len(pages), blocks), [*pages, *made]))
    return sets, left_out
