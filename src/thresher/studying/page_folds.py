"""Cross-validation of block classifiers by page; their decisions are kept, so that a stopped study resumes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from thresher.errors import InputError
from thresher.files import digest, safe_name
from thresher.kept_results import Arrays, kept_arrays
from thresher.progress import Progress
from thresher.studying.block_classifiers import RULE, BlockClassifier, Doubles, Ints, TrainingBlocks, decided, learn
from thresher.studying.stored_features import FEATURES, RULES
from thresher.studying.studied_blocks import Problem, StudiedBlocks

FOLDS = 10
SEED = 20100204
# Increase when a classifier changes.
_VERSION = 1


@dataclass(frozen=True)
class Validated:
    """A classifier's decisions on the blocks of pages that it was not trained on.

    Attributes:
        scores: shape (blocks, classes).
        leaves: the mean number of leaves or intervals over the folds; 0 if there are none.
    """

    classifier: BlockClassifier
    scores: Doubles
    leaves: float


def folds_of_pages(pages: int, folds: int) -> Ints:
    """Return the fold of each page, from 0, at random; their sizes differ by one at most.

    Raises:
        InputError: if there are fewer pages than folds.
    """
    if pages < folds:
        raise InputError(f"{pages} pages with blocks make no {folds} folds", "lower --folds or give more pages")
    return np.random.default_rng(SEED).permutation(np.arange(pages) % folds)


def validate(
    blocks: StudiedBlocks,
    problem: Problem,
    classifiers: Sequence[BlockClassifier],
    folds: int,
    kept: Path,
    workers: int,
) -> list[Validated]:
    """Cross-validate classifiers, trained with the blocks' words as their weights.

    Args:
        blocks: of at least as many pages as folds.
        problem: the classes.
        classifiers: in order.
        folds: how many.
        kept: a folder for what each classifier says; what is there of the same blocks and classifier is not computed again.
        workers: number of threads.

    Raises:
        InputError: if there are too few pages, or a class of the problem that others have is on the pages of one fold alone.
    """
    labels = blocks.labels(problem)
    fold = folds_of_pages(len(blocks.stems), folds)[blocks.page]
    for number in range(folds):
        here = labels[fold != number]
        if len(np.unique(here)) < len(np.unique(labels)):
            (lost, *_) = sorted(set(labels.tolist()) - set(here.tolist()))
            raise InputError(
                f"all blocks of the class {problem.classes[lost]!r} are on the pages of fold {number + 1}",
                "give more pages that have such blocks, or lower --folds",
            )
        if not blocks.words[fold != number].any():
            raise InputError(f"without fold {number + 1} no block has a word", "give more pages")
    key = _digest(blocks, labels, fold)
    found = []
    with Progress(f"{problem.name} classes", len(classifiers), "classifiers") as bar:
        for classifier in classifiers:
            path = kept / f"{problem.name}-{safe_name(classifier.name)}.npz"
            own = digest([_VERSION, key, list(map(str, astuple(classifier)))])
            make = partial(_validate, blocks, labels, len(problem.classes), classifier, fold, workers)
            arrays = kept_arrays(path, own, make)
            validated = Validated(classifier, arrays["scores"].astype(np.float64), float(arrays["leaves"]))
            found.append(validated)
            bar.advance()
    return found


def _validate(
    blocks: StudiedBlocks, labels: Ints, classes: int, classifier: BlockClassifier, fold: Ints, workers: int
) -> Arrays:
    if classifier.kind == RULE:
        content = blocks.rules[:, [*RULES].index(classifier.name)]
        return {"scores": decided(content, classes).astype(np.float32), "leaves": np.array(0.0)}
    features = blocks.features[:, [FEATURES.index(name) for name in classifier.features]]
    scores = np.zeros((len(labels), classes))

    def one(number: int) -> int:
        out = fold == number
        rows = (features[~out], labels[~out], blocks.words[~out], blocks.page[~out])
        scores[out], leaves = learn(classifier, TrainingBlocks(*rows), features[out], classes)
        return leaves

    # Growing trees and fitting machines leave Python's lock to others.
    with ThreadPoolExecutor(workers) as pool:
        leaves = [*pool.map(one, range(int(fold.max()) + 1))]
    return {"scores": scores.astype(np.float32), "leaves": np.array(np.mean(leaves))}


def _digest(blocks: StudiedBlocks, labels: Ints, fold: Ints) -> str:
    total = hashlib.sha256()
    for values in (blocks.features, labels, blocks.words, blocks.rules, fold):
        total.update(np.ascontiguousarray(values).tobytes())
    return total.hexdigest()
