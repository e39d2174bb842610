"""The odd pages, scored, and indexes of variants of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from explained_samples import build_variants
from odd_pages import score_odd_pages


@pytest.fixture(scope="session")
def store(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The score store of the odd pages."""
    return once("odd pages", score_odd_pages) / "scores"


@pytest.fixture(scope="session")
def indexes(store: Path, once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """An index of each variant, by its file name."""
    return once("explained indexes", lambda folder: build_variants(store, folder))
