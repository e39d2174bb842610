"""`make extras` tries every extra; it is no part of the suite, as it needs a package index and minutes."""

from __future__ import annotations

import tomllib
from pathlib import Path

from extras import EXTRAS


def test_every_extra_is_tried() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(EXTRAS) == sorted(project["optional-dependencies"])
