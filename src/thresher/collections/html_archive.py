"""A tar archive of HTML files, compressed or not."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import Self

from thresher.collections.base import IdRule
from thresher.collections.html_folder import HTML_SUFFIXES
from thresher.collections.records import Source
from thresher.errors import InputError
from thresher.files import file_fingerprint, user_error


class _Member(tarfile.TarInfo):
    """A member whose damage is an error: tarfile takes a clipped or broken header for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise  # the mark of the archive's end
            raise tarfile.ReadError(str(error)) from error


@dataclass(frozen=True)
class HtmlArchive:
    """The HTML files in a tar archive, in the archive's order. Nothing is unpacked to the disk."""

    path: Path
    rule: IdRule = IdRule()
    max_bytes: int = 1 << 62

    def fingerprint(self) -> str:
        """Return a digest over name, size and modification time of the archive."""
        return file_fingerprint(self.path)

    def sources(self) -> Iterator[Source]:
        """Give every HTML file with its bytes; those over `max_bytes` come without them."""
        count = 0
        try:
            with tarfile.open(self.path, "r|*", tarinfo=_Member) as archive:
                for member in archive:
                    if not (member.isfile() and member.name.lower().endswith(HTML_SUFFIXES)):
                        continue
                    count += 1
                    where = f"{self.path}:{member.name}"
                    document_id = self.rule.apply(member.name.removeprefix("./"))
                    if member.size > self.max_bytes:
                        yield Source(document_id, where, member.size)
                        continue
                    handle = archive.extractfile(member)
                    yield Source(document_id, where, member.size, content=handle.read() if handle else b"")
        except (tarfile.TarError, EOFError, zlib.error, LZMAError) as error:
            raise InputError(
                f"the archive is broken after {count} pages ({error})",
                "fetch or pack it again",
                str(self.path),
            ) from error
        except OSError as error:
            raise user_error(error, self.path) from error
        if not count:
            raise InputError("the archive holds no HTML file", "check collection.path", str(self.path))
