"""Classifiers of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class TextClassifier(Protocol):
    """Learns classes of texts."""

    @property
    def name(self) -> str:
        """What it is."""
        ...

    @property
    def fingerprint(self) -> str:
        """What else its predictions depend on; empty if nothing."""
        ...

    def predict(self, texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        """Learn from texts with labels, from 0, and return the labels of others; shape (others,)."""
        ...


class LinearClassifier:
    """A linear support vector machine over TF-IDF of words, one class against the others.

    Errors weigh more the rarer their class is, as in the perplexity paper (section 4.3). Vocabulary and document frequencies
    are of the training texts alone. scikit-learn does the work.
    """

    name = "TF-IDF, linear SVM"
    fingerprint = ""

    def predict(self, texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        """See `TextClassifier`."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC

        terms = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\w+", dtype=np.float64)
        machine = LinearSVC(class_weight="balanced", random_state=0, max_iter=10_000)
        machine.fit(terms.fit_transform(texts), labels)
        found: Ints = machine.predict(terms.transform(others))
        return found
