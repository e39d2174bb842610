"""The kinds of files that hold documents, told by their names or, where these say nothing, by their first bytes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from thresher.collections.base import HTML_SUFFIXES, FileKind
from thresher.collections.json_lines import JsonLines
from thresher.collections.tar import Tar
from thresher.collections.trec_web import TrecWeb, looks_like
from thresher.collections.walking import Found
from thresher.collections.warc import Warc
from thresher.errors import InputError
from thresher.streams import open_stream

HTML = "html"
KINDS: tuple[FileKind, ...] = (Warc(), TrecWeb(), JsonLines(), Tar())
FORMATS = (HTML, *(kind.name for kind in KINDS))
"""What the key `format` may be."""

_FIRST_BYTES = 4096


def kind_of(name: str) -> str:
    """Return the format that a file's name stands for, empty if none."""
    lower = name.lower()
    if lower.endswith(HTML_SUFFIXES):
        return HTML
    return next((kind.name for kind in KINDS if lower.endswith(kind.suffixes)), "")


def chosen(files: Sequence[Found], format: str, root: Path) -> tuple[str, tuple[Found, ...]]:
    """Return the format of a collection, and its files of that format.

    Files whose names say what they are go before others: a list of checksums beside WARC files is no document. Only where
    there is none the first bytes are looked at.

    Args:
        files: all files there are.
        format: what the user says it is; empty to find out.
        root: for messages.

    Raises:
        InputError: if no file is of a known kind, or there are several kinds.
    """
    named: dict[str, list[Found]] = {}
    for found in files:
        kind = kind_of(found.name)
        if kind:
            named.setdefault(kind, []).append(found)
    if format:
        # Names may say nothing, and first bytes may lie: the user is right.
        own = named.get(format) or [found for found in files if _sniff(found.path) == format] or files
        if not own:
            raise InputError("the folder is empty", "check collection.path", str(root))
        return format, tuple(own)
    if not named:
        for found in files:
            kind = _sniff(found.path)
            if kind:
                named.setdefault(kind, []).append(found)
    if not named:
        what = "this is no kind of collection that is known" if root.is_file() else "the folder holds no collection"
        known = ", ".join((*HTML_SUFFIXES, *(suffix for kind in KINDS for suffix in kind.suffixes)))
        fix = f"give files ending in {known}, or say what they are with `format`: {', '.join(FORMATS)}"
        raise InputError(what, fix, str(root))
    if len(named) > 1:
        counts = ", ".join(f"{kind} ({len(own)})" for kind, own in sorted(named.items()))
        raise InputError(
            f"the folder holds files of several kinds: {counts}",
            f"say which is meant with `format`: {', '.join(sorted(named))}",
            str(root),
        )
    ((kind, own),) = named.items()
    return kind, tuple(own)


def _sniff(path: Path) -> str:
    start = b""
    with suppress(OSError), open_stream(path) as stream:
        start = stream.read(_FIRST_BYTES)
    begin = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if begin.startswith(b"WARC/"):
        return Warc.name
    if looks_like(start):
        return TrecWeb.name
    return JsonLines.name if begin.startswith(b"{") else ""
