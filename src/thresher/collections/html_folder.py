"""A folder of HTML files, or a single one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thresher.collections.base import IdRule
from thresher.collections.records import Source
from thresher.errors import InputError
from thresher.files import digest, user_error

HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")


@dataclass(frozen=True)
class HtmlFolder:
    """The HTML files below a folder, in the order of their paths by code point; or one HTML file."""

    path: Path
    rule: IdRule = IdRule()

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times."""
        return digest([(name, status.st_size, status.st_mtime_ns) for name, _, status in self._files()])

    def sources(self) -> Iterator[Source]:
        """Give every file as a source that is read later."""
        for name, path, status in self._files():
            yield Source(self.rule.apply(name), str(path), status.st_size, path=path)

    def _files(self) -> list[tuple[str, Path, os.stat_result]]:
        if self.path.is_file():
            return [(self.path.name, self.path, self.path.stat())]
        try:
            found = sorted(_walk(self.path, ""))
        except OSError as error:
            raise user_error(error, error.filename or self.path) from error
        if not found:
            raise InputError(
                f"the folder holds no HTML file ({', '.join(HTML_SUFFIXES)})",
                "check collection.path",
                str(self.path),
            )
        return [(name, Path(entry.path), entry.stat()) for name, entry in found]


def _walk(folder: Path | str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, name + "/")
            elif entry.name.lower().endswith(HTML_SUFFIXES) and entry.is_file():
                yield name, entry
