"""Experiment files of the repository, with a folder for the collection that a script makes."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]


def shipped_experiment(name: str, folder: Path) -> Path:
    """Return a copy of an experiment file in `folder`, beside its topics, qrels and an empty collection."""
    for other in ("topics", "qrels"):
        if not (folder / other).exists():
            (folder / other).symlink_to(ROOT / other)
    for collection in ("pydoc", "pydoc-site"):
        (folder / "collections" / collection).mkdir(parents=True, exist_ok=True)
    (folder / "experiments").mkdir(exist_ok=True)
    return Path(shutil.copy(ROOT / "experiments" / f"{name}.toml", folder / "experiments"))
