"""Gold standards as training sets, with synthetic pages for layouts that few gold pages have."""

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
    synthetic_folds: int = 0,
) -> tuple[list[PagesOfSet], dict[str, list[str]]]:
    """Return the training sets, named like their folders, and for each set the stems of its pages without text.

    If `synthetic_folds`, a number of folds, is not 0, the sets also have synthetic pages, which `TrainingSet` does not count:
    articles with other pages' threads, and short posts among other pages' sidebars.
    """
    sets: list[PagesOfSet] = []
    left_out: dict[str, list[str]] = {}
    for folder in folders:
        name = real_path(folder).name
        if any(earlier.about.name == name for earlier in sets):
            raise ConfigError(f"two gold standards are named {name!r}", "rename one of the folders", str(folder))
        gold = marked_pages(folder) or read_pages(folder, comments)
        pages, without = read_training_pages(gold, workers)
        if not pages:
            raise InputError("no page with gold has text", "check the pages", str(folder))
        if without:
            left_out[name] = without
        blocks = sum(len(page.labels) for page in pages)
        synthetic: list[PageToLearn] = []
        if synthetic_folds:
            synthetic = [*grafted_pages(gold, synthetic_folds, workers), *short_posts(gold, synthetic_folds, workers)]
        sets.append(PagesOfSet(TrainingSet(name, len(pages), blocks), [*pages, *synthetic]))
    return sets, left_out
