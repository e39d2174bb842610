"""A file of JSON lines: `id` with `html` (a page) or `contents` (plain text), and perhaps `url`."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.collections.base import IdRule
from thresher.collections.records import Source
from thresher.errors import InputError
from thresher.files import file_fingerprint, user_error


@dataclass(frozen=True)
class JsonLines:
    """The documents of a `.jsonl` or `.jsonl.gz` file, in its order. `contents` is text: one paragraph a line."""

    path: Path
    rule: IdRule = IdRule()

    def fingerprint(self) -> str:
        """Return a digest over name, size and modification time of the file."""
        return file_fingerprint(self.path)

    def sources(self) -> Iterator[Source]:
        """Give every document with its bytes."""
        number = count = 0
        try:
            with gzip.open(self.path) if self.path.suffix == ".gz" else self.path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        count += 1
                        yield self._source(line, f"{self.path}:{number}")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(
                f"the file is broken after line {number} ({error})", "fetch or write it again", str(self.path)
            ) from error
        except OSError as error:
            raise user_error(error, self.path) from error
        if not count:
            raise InputError("the collection is empty", "check collection.path", str(self.path))

    def _source(self, line: bytes, where: str) -> Source:
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the line is not JSON ({error})", "correct or remove the line", where) from error
        if not isinstance(record, dict) or not isinstance(record.get("id"), str | int):
            raise InputError("the line has no `id`", 'write {"id": "...", "contents": "..."}', where)
        is_text = "html" not in record
        body = record.get("contents" if is_text else "html")
        if not isinstance(body, str):
            raise InputError(
                "the line has neither `html` nor `contents`", 'write {"id": "...", "contents": "..."}', where
            )
        content = body.encode("utf-8", "replace")
        url = record.get("url")
        return Source(
            self.rule.fit(str(record["id"])),
            where,
            len(content),
            content=content,
            charset="utf-8",
            url=url.encode("utf-8", "replace").decode() if isinstance(url, str) else None,
            is_text=is_text,
        )
