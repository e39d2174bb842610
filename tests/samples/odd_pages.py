"""A small collection with all that can go wrong, and its score store."""

from __future__ import annotations

import difflib
import email.message
import html
import inspect
import logging
import os
import string
import tarfile
from pathlib import Path

from thresher.base.processes import Backend
from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import open_collection
from thresher.scores.limits import Limits
from thresher.scores.score_pass import ScorePlan, score_collection

QUERIES = (
    "return a list of strings",
    "file file file path name",
    "zzzunknown string",
    "zzzunknown",
    "the exception raised if the argument is invalid",
    "文件 path",
    "the of",
    "return",
)
SCORERS = ("words@1", "density@1", "perplexity(lm=books)@1", "bte")
_LENGTH = 4
"""Functions have a page if the length of their name is a multiple: which ones does not depend on what else was imported."""
_MODULES = (difflib, email.message, logging, os, string, tarfile, str, dict, Path)


def odd_pages() -> dict[str, str]:
    """The documentation of some hundred functions as pages, several of them equal; and odd ones."""
    result: dict[str, str] = {}
    for module in _MODULES:
        for name, value in sorted(vars(module).items(), key=lambda item: item[0]):
            text = inspect.getdoc(value) if len(name) % _LENGTH == 0 else None
            if text:
                blocks = "".join(f"<p>{html.escape(block)}</p>" for block in text.split("\n\n"))
                result[f"{module.__name__}.{name}"] = f"<title>{name}</title><h1>{name} of</h1>{blocks}"
    return result | {
        "stop-words": "<p>the and of</p>",
        "blank": "<p>\x01</p>",
        "nothing": "",
        "chinese": "<p>文件的路径。返回file的列表。</p><p>list</p>",
        "Ä-umlaut": "<p>return a file</p><p>return a file</p>",
    }


def score_odd_pages(folder: Path) -> None:
    """Score the pages into `folder / "scores"`, in several shards, by `SCORERS`; some pages are too large and fail."""
    for name, content in (odd_pages() | {"large": "<p>file</p>" * 300_000}).items():
        (folder / "pages").mkdir(exist_ok=True)
        (folder / "pages" / f"{name}.html").write_text(content, encoding="utf-8")
    scorers = tuple(parse_cleaner(name).cuts[0].scorer for name in SCORERS)
    plan = ScorePlan(open_collection(folder / "pages"), scorers, limits=Limits(mib=1), most_pages=40)
    score_collection(plan, folder / "scores", Backend(workers=2))
