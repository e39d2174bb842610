"""A small collection with all that can go wrong, scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from odd_pages import score_odd_pages


@pytest.fixture(scope="session")
def store(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The score store of the odd pages."""
    return once("odd pages", score_odd_pages) / "scores"
