"""The importance of groups of features to a content model: the loss of word F1 if they are permuted among blocks.

usage: python scripts/papers/content_importance.py MODEL GOLD_FOLDER... -o OUT [--comments]

MODEL is `web` or a file that scripts/content_train.py wrote. The table has the loss on all pages and by page type
(permutation importance; Breiman, Random Forests, Machine Learning 45, 2001, section 10). From many pages it uses every n-th.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
import pandas as pd

from paper_files import OUTPUT, errors_in_a_line, write_table
from thresher import InputError
from thresher.base.progress import progress
from thresher.cleaners.content_model.model import ContentModel, load_content_model

# scripts/, for the package content_training.
sys.path.append(str(Path(__file__).parents[1]))
from content_training.gold_sets import read_gold_sets
from content_training.training_pages import PageToLearn

MOST_PAGES = 300
# Groups by the beginnings of features' names. A feature is in the first group that fits, or describes the block itself.
_GROUPS = {
    "elements around": "around",
    "tags around": "in_tag_",
    "ARTICLE, MAIN and most prose": "in_largest in_most largest_ article_ main_",
    "hidden": "in_hidden",
    "words of class, id and role": "in_",
    "lists, tables and threads": "repeated_",
    "the page": "page_",
    "place": "place index words_before words_after prose_before since_heading heading_level words_since_heading to_heading "
    "after_h1 depth",
}


def group_of(feature: str) -> str:
    """Return the group of a feature."""
    names = (group for group, begins in _GROUPS.items() if feature.startswith(tuple(begins.split())))
    return next(names, "the block itself")


def measure_importance(
    model: ContentModel, pages: Sequence[PageToLearn], seed: int = 0
) -> tuple[dict[str, float], pd.DataFrame]:
    """Return the mean word F1 by page type at the model's cutoff, `all pages` first, and the groups, most important first."""
    whole = [page for page in pages if page.bags is not None]
    if not whole:
        raise InputError("no page has a whole gold text", "give a gold standard of whole texts", "content importance")
    whole = whole[:: -(-len(whole) // MOST_PAGES)]
    order = np.random.default_rng(seed).permutation(sum(len(page.labels) for page in whole))
    before = _by_type(whole, _scores(model, whole, (), order))
    groups: dict[str, list[str]] = {}
    for name in pages[0].features.names:
        groups.setdefault(group_of(name), []).append(name)
    rows = []
    for group, names in progress(sorted(groups.items()), "permuting", len(groups), "groups"):
        after = _by_type(whole, _scores(model, whole, frozenset(names), order))
        lost = {page_type: value - after[page_type] for page_type, value in before.items()}
        rows.append({"group": group, "features": len(names), **lost})
    return before, pd.DataFrame(rows).sort_values(["all pages", "group"], ascending=[False, True])


def _scores(
    model: ContentModel, pages: Sequence[PageToLearn], permuted: Collection[str], order: npt.NDArray[np.int64]
) -> list[float]:
    """Return each page's word F1 after permuting some features. All permuted features of a block come from one other block."""
    names = pages[0].features.names
    ends = np.cumsum([len(page.labels) for page in pages])[:-1]
    values = np.concatenate([page.features.values for page in pages], axis=1)
    _permute(names, values, permuted, order)
    scores = []
    for page, own in zip(pages, np.split(values, ends, axis=1), strict=True):
        is_content = model.probabilities_of(replace(page.features, values=own)) >= np.float32(model.card.cutoff)
        if page.bags is not None:
            scores.append(page.bags.f1(is_content))
    return scores


def _permute(
    names: Sequence[str], values: npt.NDArray[np.float32], permuted: Collection[str], order: npt.NDArray[np.int64]
) -> None:
    for row, name in enumerate(names):
        if name in permuted:
            values[row] = values[row][order]


def _by_type(pages: Sequence[PageToLearn], scores: Sequence[float]) -> dict[str, float]:
    by_type = {"all pages": [*scores]}
    for page, score in sorted(zip(pages, scores, strict=True), key=lambda item: item[0].page_type):
        if page.page_type:
            by_type.setdefault(page.page_type, []).append(score)
    return {page_type: float(np.mean(values)) for page_type, values in by_type.items()}


@click.command()
@click.argument("model")
@click.argument("gold", type=click.Path(path_type=Path), nargs=-1, required=True)
@OUTPUT
@click.option("--comments", is_flag=True, help="Count readers' comments (Dragnet, L3S-GN1) as content.")
def main(model: str, gold: tuple[Path, ...], output: Path, comments: bool) -> None:
    """Print the importance of groups of features to a MODEL on the pages of GOLD standards."""
    loaded = load_content_model(model)
    sets, _ = read_gold_sets(gold, comments, os.cpu_count() or 1)
    before, rows = measure_importance(loaded, [page for gold_set in sets for page in gold_set.pages])
    whole = ", ".join(f"{name} {value:.4f}" for name, value in before.items())
    write_table(output, "importance", f"Loss of word F1 without each group. Word F1 with all groups: {whole}.", rows)


if __name__ == "__main__":
    with errors_in_a_line():
        main()
