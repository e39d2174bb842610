"""Arrays that are kept in a file, so that what was stopped goes on without computing them again."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.files import atomic_path

Arrays = Mapping[str, npt.NDArray[Any]]


def kept_arrays(path: Path, key: str, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of a file, or make and write them if it is missing, damaged or of another key.

    Raises:
        ThresherError: if the file cannot be written.
    """
    try:
        with np.load(path) as stored:
            if str(stored["key"]) == key:
                return {name: stored[name] for name in stored.files if name != "key"}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        pass
    made = make()
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, key=np.array(key), **made)
    return made
