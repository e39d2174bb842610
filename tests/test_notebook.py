"""docs/notebook.ipynb runs as written, cell by cell, in a scratch folder, and shows what it says."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from run_notebook import NOTEBOOK, run_cells

pytestmark = pytest.mark.slow

CELLS = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def outputs(cells: list[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """Return what code cells show, by id and kind."""
    return {cell["id"]: cell["outputs"][0]["data"] for cell in cells if cell.get("outputs")}


def test_the_notebook_runs_as_written(tmp_path: Path, generated_pydoc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(NOTEBOOK.parent)

    def before(cell: str) -> None:
        if cell == "experiment":
            Path("pydoc").mkdir()
            # These pages are enough for what is checked.
            for page in sorted((generated_pydoc / "pages").iterdir())[::2]:
                if page.stat().st_size < 50_000:
                    shutil.copy(page, "pydoc")

    stored, made = outputs(CELLS), outputs(run_cells(CELLS, before))
    assert Path.cwd().parent == tmp_path
    assert len(stored) == 11
    assert {cell: [*kinds] for cell, kinds in made.items()} == {cell: [*kinds] for cell, kinds in stored.items()}
    # What does not rest on the modules of this Python is as it is stored.
    for cell in ("page", "function", "scores", "memory", "runs"):
        assert made[cell] == stored[cell]
    for cell, kind, text in (
        ("experiment", "text/html", "<td>words@8</td>"),
        ("frame", "text/plain", "words@2"),
        ("plot", "image/svg+xml", "<svg "),
        ("explore", "image/svg+xml", "<svg "),
        ("choose", "text/html", "<li>"),
        ("explain", "text/html", "<th>largest part</th>"),
    ):
        for one in (stored, made):
            assert text in "".join(one[cell][kind])
    assert str(Path.home()) not in json.dumps(stored)
    assert "/work" not in json.dumps(stored)
