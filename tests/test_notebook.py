"""docs/notebook.ipynb runs as written, cell by cell, and shows what it says."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from thresher.explaining.explanations import Cause

ROOT = Path(__file__).parents[1]
CELLS = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]


def shown(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as Jupyter does: return the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(source, names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_runs_as_written(tmp_path: Path, generated_pydoc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("topics", "qrels"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    pydoc = tmp_path / "collections" / "pydoc"
    pydoc.mkdir(parents=True)
    # A sixth of the pages is enough for what is checked.
    for page in sorted((generated_pydoc / "pages").iterdir())[::6]:
        shutil.copy(page, pydoc)
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    cells = {cell["id"]: "".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"}
    assert all(not cell["outputs"] for cell in CELLS if cell["cell_type"] == "code"), (
        "figures that nobody measures again"
    )
    names: dict[str, Any] = {}
    values = {name: shown(source, names) for name, source in cells.items()}
    assert values["page"] == "Rain is expected in the north tonight. Bring a coat."
    assert values["scores"] == {"Weather": 1.0, "Home": 1.0, "Maps": 1.0, values["page"]: 10.0}
    assert "<table>" in values["experiment"]._repr_html_()
    assert list(values["frame"]["variant"]) == ["none", "words@2", "words@8"]
    assert values["frame"]["bytes"].is_monotonic_decreasing
    for name in ("plot", "explore"):
        assert values[name]._repr_svg_().startswith("<svg ")
    assert "<li>" in values["choose"]._repr_html_()
    query, change, cause = values["explain"]
    assert change < 0
    assert query in values["experiment"].facts.topics.values()
    assert cause in [*map(str, Cause)]
    assert values["runs"] == {"AP": {"mine": 1.0}, "nDCG@10": {"mine": 1.0}}
