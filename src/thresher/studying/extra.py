"""The extra `classification`: scikit-learn, and SciPy with it."""

from __future__ import annotations

from thresher.errors import MissingDependencyError


def scikit_learn() -> None:
    """Check that scikit-learn can be imported.

    Raises:
        MissingDependencyError: if it cannot.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "studies and classification need scikit-learn", "pip install 'thresher[classification]'"
        ) from error
