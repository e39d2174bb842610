#!/usr/bin/env python3
"""Run docs/notebook.ipynb cell by cell, as Jupyter does, and store its outputs."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arguments import parser_of

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
_SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def run_cells(cells: list[dict[str, Any]], before: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """Return the cells with their outputs. `before` gets each code cell's id before the cell runs."""
    names: dict[str, Any] = {}
    done, count = [], 0
    for cell in cells:
        if cell["cell_type"] == "code":
            before(cell["id"])
            count += 1
            value = _value("".join(cell["source"]), names)
            cell = {**cell, "execution_count": count, "outputs": [] if value is None else [_output(value, count)]}
        done.append(cell)
    return done


def _value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell, and return the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    tree.body.pop()
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def _output(value: Any, count: int) -> dict[str, Any]:
    data = {kind: getattr(value, name)() for kind, name in _SHOWN.items() if hasattr(value, name)}
    data["text/plain"] = repr(value)
    lines = {kind: text.splitlines(keepends=True) for kind, text in data.items()}
    return {"data": lines, "execution_count": count, "metadata": {}, "output_type": "execute_result"}


if __name__ == "__main__":
    parser_of(__doc__).parse_args()
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    os.chdir(NOTEBOOK.parent)
    notebook["cells"] = run_cells(notebook["cells"])
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
