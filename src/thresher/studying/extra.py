"""The extra `classification`: scikit-learn, and SciPy with it."""

from __future__ import annotations

from thresher.errors import needs_extra


def scikit_learn() -> None:
    """Check that scikit-learn can be imported.

    Raises:
        MissingDependencyError: if it cannot.
    """
    with needs_extra("classification", "studies and classification need scikit-learn"):
        import sklearn  # noqa: F401
