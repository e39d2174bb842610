"""Pruning of vectors: their last principal components."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.errors import ConfigError
from thresher.pruning_methods.method import KEEP_SHARE, PruningMethod
from thresher.pruning_methods.postings import CollectionStatistics, DocumentPostings, Floats


class PrincipalComponents(PruningMethod):
    """Keeps the first m principal components of the documents' vectors: with D of shape (documents, dimensions) and the
    eigenvectors W of DᵀD by falling eigenvalues, documents become D W_m and a query q becomes W_mᵀ q. All components keep
    every inner product. The vectors are not centred.
    """

    name = "pca"
    listed = False  # of vectors, not of postings
    keep = KEEP_SHARE
    unit = "dimensions"
    low = 1.0
    grid = (64.0, 128.0, 256.0)
    source = (
        "Siciliano, Pezzuti, Tonellotto, Silvestri: Static Pruning in Dense Retrieval using Matrix Decomposition, 2024"
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Refuse: it prunes vectors."""
        what, fix = (
            "it prunes vectors, not postings",
            "name these in [[vectors]]: `thresher explore` has all dimensions",
        )
        raise ConfigError(what, fix, self.name)

    @staticmethod
    def directions(vectors: Floats) -> Floats:
        """Return the eigenvectors of vectors of shape (documents, dimensions): orthonormal columns, the largest first."""
        _, found = np.linalg.eigh(vectors.T @ vectors)
        columns: Floats = found[:, ::-1]
        return columns
