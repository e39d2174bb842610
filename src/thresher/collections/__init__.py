"""Where pages come from. `open_collection` gives any of them."""

from __future__ import annotations

from pathlib import Path

from thresher.collections.base import Collection, IdRule
from thresher.collections.html_archive import HtmlArchive
from thresher.collections.html_folder import HTML_SUFFIXES, HtmlFolder
from thresher.collections.ids import ID_RULES
from thresher.collections.jsonl import JsonLines
from thresher.collections.records import Page, Source
from thresher.errors import InputError

__all__ = ["ID_RULES", "Collection", "IdRule", "Page", "Source", "open_collection"]

_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_JSON_LINES = (".jsonl", ".jsonl.gz")


def open_collection(path: Path, rule: IdRule | None = None, max_bytes: int = 1 << 62) -> Collection:
    """Open what lies at `path`, by its kind: a folder or file of HTML, a tar archive of HTML, JSON lines.

    Args:
        path: the folder or file.
        rule: how document ids are formed.
        max_bytes: pages larger than this are not read from archives (they are listed as too large).

    Raises:
        InputError: if there is nothing, or nothing of a known kind, at `path`.
    """
    rule = rule or IdRule()
    name = path.name.lower()
    if not path.exists():
        raise InputError("there is no such file or folder", "check the path", str(path))
    if name.endswith(_ARCHIVES):
        return HtmlArchive(path, rule, max_bytes)
    if name.endswith(_JSON_LINES):
        return JsonLines(path, rule)
    if path.is_dir() or name.endswith(HTML_SUFFIXES):
        return HtmlFolder(path, rule)
    known = ", ".join((*HTML_SUFFIXES, *_ARCHIVES, *_JSON_LINES))
    raise InputError(
        "this is no kind of collection that is known", f"give a folder or a file ending in {known}", str(path)
    )
