"""Cleaners by how well pages are classified after them: section 5.2 of the perplexity paper."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thresher.classifying.class_measures import (
    Ints,
    PairedClasses,
    confusion,
    f1_by_class,
    f1_intervals,
    mcnemar,
    paired_difference,
)
from thresher.classifying.labelled_pages import LabelledCollection, PageOfClass, labelled_pages
from thresher.classifying.text_classifiers import TextClassifier
from thresher.cleaneval.results import MeanInterval
from thresher.errors import InputError
from thresher.evaluation.significance import holm
from thresher.files import digest, safe_name
from thresher.kept_results import Arrays, kept_arrays
from thresher.passes.backends import Backend
from thresher.progress import Progress
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.cutting import CleanedDocument, cleaned_documents
from thresher.scoring.lost_pages import failures
from thresher.scoring.score_pass import ScorePlan, score_collection
from thresher.studying.extra import scikit_learn

_VERSION = 1


@dataclass(frozen=True)
class GroupResult:
    """A left-out group: its pages, and of these macro F1 over the classes that it has, and the share that is right."""

    group: str
    pages: int
    macro_f1: float
    accuracy: float


@dataclass(frozen=True)
class CleanerClasses:
    """What a classifier makes of the pages after a cleaner.

    Attributes:
        cleaner: its name; the first is the baseline.
        words: that are left, on all pages.
        emptied: pages without any.
        predicted: indices into the classes; shape (pages,).
        accuracy: the share of pages that is right.
        by_class, macro: F1 with intervals.
        groups: each left out.
        paired: against the baseline; None for it.
    """

    cleaner: str
    words: int
    emptied: int
    predicted: Ints
    accuracy: float
    by_class: tuple[MeanInterval, ...]
    macro: MeanInterval
    groups: tuple[GroupResult, ...]
    paired: PairedClasses | None = None


@dataclass(frozen=True)
class PageClassification:
    """A classification. `documents` were found: the `pages`, and the failed ones with their reasons.

    Attributes:
        name: of the set.
        classifier: its name.
        classes: ascending by name.
        counts: the pages of each.
        pages: those classified, in order.
        cleaners: the baseline first.
    """

    name: str
    classifier: str
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    pages: tuple[PageOfClass, ...]
    documents: int
    failed: tuple[tuple[str, str], ...]
    cleaners: tuple[CleanerClasses, ...]


def classify_pages(
    path: Path,
    cleaners: Sequence[Cleaner],
    classifier: TextClassifier,
    folder: Path,
    workers: int = 1,
    fresh: bool = False,
) -> PageClassification:
    """Classify the pages of each group by a classifier that learns from all other groups, after each cleaner.

    Percentiles of cutoffs, and scorers that learn, are of all pages; classifiers never see a page of the group left out.

    Args:
        path: pages as class/group/page, in a folder or an archive.
        cleaners: in addition to the baseline `none`, which comes first.
        classifier: of texts.
        folder: for `scores/` and `predictions/`, which are not made again.
        workers: processes of the scoring pass, threads of classifiers.
        fresh: drop scores that were made otherwise.

    Raises:
        MissingDependencyError: without scikit-learn.
        InputError: as `labelled_pages`, also over the pages that can be parsed; or if a cleaner leaves no text to learn from.
        StateError: if the folder has scores of other pages or cleaners.
    """
    scikit_learn()
    collection = LabelledCollection(path)
    found = labelled_pages(collection)
    every = [Cleaner(), *(cleaner for cleaner in cleaners if cleaner.cuts)]
    distinct = {scorer.canonical_name: scorer for cleaner in every for scorer in cleaner.scorers}
    store = folder / "scores"
    report = score_collection(ScorePlan(collection, tuple(distinct.values())), store, Backend(workers=workers), fresh)
    failed = tuple((failure.name, failure.reason) for failure in failures(store))
    texts = {cleaner.name: [*cleaned_documents(store, cleaner)] for cleaner in every}
    labelled = {page.id: page for page in found}
    pages = tuple(labelled[document.id] for document in texts[every[0].name])
    classes = tuple(sorted({page.label for page in pages}))
    labels = np.array([classes.index(page.label) for page in pages], dtype=np.int64)
    results: list[CleanerClasses] = []
    kept = folder / "predictions"
    for name, documents in texts.items():
        predicted = _predict(name, documents, pages, labels, classifier, kept, workers, path)
        results.append(_result(name, documents, pages, labels, predicted, len(classes)))
    return PageClassification(
        path.resolve().name,
        classifier.name,
        classes,
        tuple(np.bincount(labels, minlength=len(classes)).tolist()),
        pages,
        report.documents,
        failed,
        tuple(_paired(results, labels, len(classes))),
    )


def _predict(
    cleaner: str,
    documents: Sequence[CleanedDocument],
    pages: Sequence[PageOfClass],
    labels: Ints,
    classifier: TextClassifier,
    kept: Path,
    workers: int,
    where: Path,
) -> Ints:
    texts = [document.text for document in documents]
    groups = np.array([page.group for page in pages])
    names = sorted(set(groups.tolist()))
    key = digest([_VERSION, classifier.name, classifier.fingerprint, texts, labels.tolist(), groups.tolist()])

    def one(group: str) -> Ints:
        inside = groups == group
        train = np.flatnonzero(~inside)
        lost = set(labels.tolist()) - set(labels[train].tolist())
        if lost or not any(texts[at] for at in train):
            what = "pages of a class" if lost else f"text by {cleaner}"
            raise InputError(f"without the group {group!r} there is no {what}", "add pages", str(where))
        return classifier.predict(
            [texts[at] for at in train], labels[train], [texts[at] for at in np.flatnonzero(inside)]
        )

    def make() -> Arrays:
        predicted = np.zeros(len(labels), dtype=np.int64)
        with Progress(cleaner, len(names), "groups") as bar, ThreadPoolExecutor(workers) as pool:
            for group, found in zip(names, pool.map(one, names), strict=True):
                predicted[groups == group] = found
                bar.advance()
        return {"predicted": predicted}

    return kept_arrays(kept / f"{safe_name(cleaner)}.npz", key, make)["predicted"]


def _result(
    cleaner: str,
    documents: Sequence[CleanedDocument],
    pages: Sequence[PageOfClass],
    labels: Ints,
    predicted: Ints,
    classes: int,
) -> CleanerClasses:
    by_class, macro = f1_intervals(confusion(labels, predicted, classes))
    groups = np.array([page.group for page in pages])
    return CleanerClasses(
        cleaner,
        sum(document.words for document in documents),
        sum(not document.text for document in documents),
        predicted,
        float((labels == predicted).mean()),
        tuple(by_class),
        macro,
        tuple(_group(name, labels[groups == name], predicted[groups == name], classes) for name in sorted(set(groups))),
    )


def _group(name: str, labels: Ints, predicted: Ints, classes: int) -> GroupResult:
    there = f1_by_class(confusion(labels, predicted, classes))[np.unique(labels)]
    return GroupResult(str(name), len(labels), float(there.mean()), float((labels == predicted).mean()))


def _paired(results: Sequence[CleanerClasses], labels: Ints, classes: int) -> list[CleanerClasses]:
    baseline, *others = results
    right = baseline.predicted == labels
    counts = []
    for one in others:
        own = one.predicted == labels
        counts.append((int((own & ~right).sum()), int((right & ~own).sum())))
    p_values = [mcnemar(*pair) for pair in counts]
    paired = [baseline]
    for one, (gained, lost), p, corrected in zip(others, counts, p_values, holm(p_values), strict=True):
        difference = paired_difference(labels, one.predicted, baseline.predicted, classes)
        paired.append(replace(one, paired=PairedClasses(difference, gained, lost, p, corrected)))
    return paired
