"""The cache folder."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for models built on first use: `$THRESHER_CACHE`, else `thresher` in the user's cache folder."""
    chosen = os.environ.get("THRESHER_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "thresher"
