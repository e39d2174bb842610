"""Made pages with gold, in the format of WCXB."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path


def write_gold_pages(folder: Path, pages: Iterable[tuple[str, str, str]]) -> Path:
    """Write pages, each its HTML, its type and its gold text, from sites of their own; they are named by their numbers."""
    (folder / "html").mkdir(parents=True)
    (folder / "ground-truth").mkdir()
    for number, (html, kind, text) in enumerate(pages):
        (folder / "html" / f"{number}.html").write_text(html)
        gold = {
            "url": f"https://site{number}.example/a",
            "_internal": {"page_type": {"primary": kind}},
            "ground_truth": {"main_content": text},
        }
        (folder / "ground-truth" / f"{number}.json").write_text(json.dumps(gold))
    return folder
