"""What groups of features are worth to a model: how much word F1 is lost when they say something about other blocks.

Source: Breiman, Random Forests, Machine Learning 45, 2001, section 10 (permutation importance), here for groups of features
and for both stages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.content_models.model import ContentModel, of_page, sequence_of
from thresher.content_training.training_pages import PageToLearn
from thresher.errors import InputError
from thresher.progress import progress

MOST_PAGES = 300
OVERALL = ""
"""Pages of all types together."""

# Groups by the beginning of features' names, the first that fits; the block itself has what is left.
_GROUPS = (
    ("score_", "other scorers"),
    ("first_", "what the first stage says around"),
    ("since_sure", "what the first stage says around"),
    ("to_sure", "what the first stage says around"),
    ("around", "elements around"),
    ("title_words", "repetition of the title"),
    ("after_headline", "repetition of the title"),
    ("words_after_headline", "repetition of the title"),
    ("in_tag_", "tags around"),
    ("near_tag_", "tags around"),
    ("in_largest", "ARTICLE, MAIN and most prose"),
    ("in_most", "ARTICLE, MAIN and most prose"),
    ("largest_", "ARTICLE, MAIN and most prose"),
    ("article_", "ARTICLE, MAIN and most prose"),
    ("main_", "ARTICLE, MAIN and most prose"),
    ("in_hidden", "hidden"),
    ("near_hidden", "hidden"),
    ("in_", "words of class, id and role"),
    ("near_", "words of class, id and role"),
    ("repeated_", "lists, tables and threads"),
    ("path_", "the same path"),
    ("exact_path_", "the same path"),
    ("before", "neighbours"),
    ("after1", "neighbours"),
    ("after2", "neighbours"),
    ("after3", "neighbours"),
    ("window", "neighbours"),
    ("page_", "the page"),
    ("place", "place"),
    ("index", "place"),
    ("words_before", "place"),
    ("words_after", "place"),
    ("prose_before", "place"),
    ("since_heading", "place"),
    ("heading_level", "place"),
    ("words_since_heading", "place"),
    ("to_heading", "place"),
    ("after_h1", "place"),
    ("depth", "place"),
)
_OWN = "the block itself"


@dataclass(frozen=True)
class GroupImportance:
    """What a group of features is worth.

    Attributes:
        group: its name.
        features: the number of its features that the model uses.
        gain: their share in the change of the second stage's sums, in per cent.
        lost: by page type, `OVERALL` first: the mean word F1 less that with the group permuted.
    """

    group: str
    features: int
    gain: float
    lost: Mapping[str, float]


def group_of(feature: str) -> str:
    """Return the group of a feature.

    >>> group_of("around2_words"), group_of("in_comment"), group_of("words")
    ('elements around', 'words of class, id and role', 'the block itself')
    """
    if feature == "first":
        return "what the first stage says around"
    return next((group for begin, group in _GROUPS if feature.startswith(begin)), _OWN)


def measure_importance(
    model: ContentModel, pages: Sequence[PageToLearn], seed: int = 0
) -> tuple[dict[str, float], list[GroupImportance]]:
    """Return the mean word F1 at the model's cutoff, by page type; and the groups, most valuable first.

    Of many pages every n-th is taken, so that there are at most `MOST_PAGES`.

    Raises:
        InputError: if no page has a whole gold text.
    """
    whole = [page for page in pages if page.bags is not None]
    if not whole:
        raise InputError("no page has a whole gold text", "give a gold standard of whole texts", "content importance")
    whole = whole[:: -(-len(whole) // MOST_PAGES)]
    before = _by_type(whole, _scores(model, whole, (), np.zeros(0, dtype=np.int64)))
    used = sorted({*model.first.names, *model.second.names})
    groups: dict[str, list[str]] = {}
    for name in used:
        groups.setdefault(group_of(name), []).append(name)
    order = np.random.default_rng(seed).permutation(sum(len(page.labels) for page in whole))
    found = []
    for group, names in progress(sorted(groups.items()), "permuting", len(groups), "groups"):
        after = _by_type(whole, _scores(model, whole, frozenset(names), order))
        gain = sum(model.card.gains.get(name, 0.0) for name in names)
        lost = {page_type: before[page_type] - after[page_type] for page_type in before}
        found.append(GroupImportance(group, len(names), gain, lost))
    return before, sorted(found, key=lambda item: (-item.lost[OVERALL], item.group))


def _scores(
    model: ContentModel, pages: Sequence[PageToLearn], permuted: Collection[str], order: npt.NDArray[np.int64]
) -> list[float]:
    """Return each page's word F1 with some features taken from other blocks, the same for all features of a block."""
    names = pages[0].features.names
    ends = np.cumsum([len(page.labels) for page in pages])[:-1]
    values = np.concatenate([page.features.values for page in pages], axis=1)
    _permute(names, values, permuted, order)
    firsts, both = [], []
    for page, own in zip(pages, np.split(values, ends, axis=1), strict=True):
        firsts.append(model.first.probabilities(names, own))
        second_names, second_values = sequence_of(replace(page.features, values=own), firsts[-1])
        both.append(second_values)
    whole = np.concatenate(both, axis=1)
    _permute(second_names, whole, permuted, order)
    second = model.second.probabilities((*names, *second_names), values, whole)
    cutoff = np.float32(model.card.cutoff)
    scores = []
    for page, own, *stages in zip(pages, np.split(values, ends, axis=1), firsts, np.split(second, ends), strict=True):
        forum = model.forum_probability(names, own, page.features.words)
        kept = of_page(stages[0], stages[1], forum, page.features).astype(np.float32) >= cutoff
        if page.bags is not None:
            scores.append(page.bags.f1(kept))
    return scores


def _permute(
    names: Sequence[str], values: npt.NDArray[np.float32], permuted: Collection[str], order: npt.NDArray[np.int64]
) -> None:
    for row, name in enumerate(names):
        if name in permuted:
            values[row] = values[row][order]


def _by_type(pages: Sequence[PageToLearn], scores: Sequence[float]) -> dict[str, float]:
    by_type: dict[str, list[float]] = {OVERALL: [*scores]}
    for page, score in sorted(zip(pages, scores, strict=True), key=lambda item: item[0].page_type):
        if page.page_type:
            by_type.setdefault(page.page_type, []).append(score)
    return {page_type: float(np.mean(values)) for page_type, values in by_type.items()}
