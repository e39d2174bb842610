"""Gold in JSON: AEB's file of article bodies, WCXB's file per page, and the snippets of Trafilatura's evaluation.

- AEB: `{stem: {"articleBody": text, "url": ...}}`.
- WCXB: an object per page with `url`, `_internal.page_type.primary` and `ground_truth`, which has `main_content` and the
  snippets `with`, which must stay, and `without`, which must go.
- Trafilatura: `{url: {"file": name, "with": [...], "without": [...]}}`, without whole texts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from thresher.errors import InputError
from thresher.files import read_text
from thresher.passes.parts import fit_text
from thresher.streams import COMPRESSIONS

_BODIES_FORM = 'write {"stem": {"articleBody": "text"}, ...}'
_SNIPPETS_FORM = 'write {"url": {"file": "1.html", "with": ["text"], "without": ["text"]}, ...}'
_PAGE_FORM = 'write {"ground_truth": {"main_content": "text", "with": ["text"], "without": ["text"]}, ...}'


@dataclass(frozen=True)
class GoldEntry:
    """What gold in JSON says of a page; see `GoldPage`. `text` is None where it says nothing of the page's whole text."""

    text: str | None
    url: str = ""
    page_type: str = ""
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class GoldEntries:
    """The entries of a file by stem; `is_partial` if they are snippets, without whole texts."""

    by_stem: dict[str, GoldEntry]
    is_partial: bool


def read_entries(path: Path) -> GoldEntries:
    """Read a file of AEB's form, or of Trafilatura's, which its first entry decides.

    Raises:
        InputError: if the file is unreadable, no JSON or of another form, or two entries are of one page.
    """
    entries = _read_json(path)
    if not isinstance(entries, dict):
        raise InputError("it is no JSON object of pages by stem", _BODIES_FORM, str(path))
    if not entries:
        raise InputError("it holds no page", _BODIES_FORM, str(path))
    first = next(iter(entries.values()))
    if isinstance(first, dict) and "file" in first and "articleBody" not in first:
        return GoldEntries(_snippets(entries, path), is_partial=True)
    return GoldEntries({stem: _article(stem, entry, path) for stem, entry in entries.items()}, is_partial=False)


def read_entry(path: Path) -> GoldEntry:
    """Read a file of WCXB's form, of one page; without `main_content` its text is None.

    Raises:
        InputError: if the file is unreadable, no JSON or of another form.
    """
    content = _read_json(path)
    gold = content.get("ground_truth") if isinstance(content, dict) else None
    if not isinstance(gold, dict):
        raise InputError("it has no object `ground_truth`", _PAGE_FORM, str(path))
    text = gold.get("main_content")
    if text is not None and not isinstance(text, str):
        raise InputError("its `main_content` is no text", _PAGE_FORM, str(path))
    internal = content.get("_internal")
    page_type = internal.get("page_type") if isinstance(internal, dict) else None
    return GoldEntry(
        text,
        _optional(content, "url"),
        _optional(page_type, "primary") if isinstance(page_type, dict) else "",
        _strings(gold, "with", path, _PAGE_FORM),
        _strings(gold, "without", path, _PAGE_FORM),
    )


def stem_of(name: str) -> str:
    """Return a file's name without its last suffix, and without that of a compression after it.

    >>> stem_of("a.b.html"), stem_of("a.b.html.gz"), stem_of("gz")
    ('a.b', 'a.b', 'gz')
    """
    path = PurePosixPath(name)
    return PurePosixPath(path.stem).stem if path.suffix.lower() in COMPRESSIONS else path.stem


def _article(stem: str, entry: Any, path: Path) -> GoldEntry:
    body = entry.get("articleBody") if isinstance(entry, dict) else None
    if not isinstance(body, str):
        raise InputError(f"the page {stem!r} has no text `articleBody`", _BODIES_FORM, str(path))
    return GoldEntry(body, _optional(entry, "url"))


def _snippets(entries: dict[str, Any], path: Path) -> dict[str, GoldEntry]:
    by_stem: dict[str, GoldEntry] = {}
    for url, entry in entries.items():
        where = f"{path}: {url}"
        name = entry.get("file") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            raise InputError(f"the page {url!r} names no `file`", _SNIPPETS_FORM, str(path))
        required, forbidden = (_strings(entry, member, where, _SNIPPETS_FORM) for member in ("with", "without"))
        stem = stem_of(name)
        if other := by_stem.get(stem):
            raise InputError(f"the pages {other.url!r} and {url!r} name one file", "keep one of them", str(path))
        by_stem[stem] = GoldEntry(None, fit_text(url), "", required, forbidden)
    return by_stem


def _read_json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is no JSON ({error})", "correct the file", str(path)) from error


def _optional(entry: dict[str, Any], member: str) -> str:
    value = entry.get(member)
    return fit_text(value) if isinstance(value, str) else ""


def _strings(entry: dict[str, Any], member: str, where: Path | str, form: str) -> tuple[str, ...]:
    """Return the snippets of a member; none if it is missing. A blank one would be in every text."""
    value = entry.get(member)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(text, str) and text.strip() for text in value):
        raise InputError(f"its `{member}` is no list of texts", form, str(where))
    return tuple(map(fit_text, value))
