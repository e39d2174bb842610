"""What a collection gives: sources, which are pages not yet read, and pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Page:
    """One raw document.

    `content` is the bytes of an HTML page, or plain text where `is_text`; `charset` is what the transport declared
    (an HTTP header), not what the page says of itself.
    """

    id: str
    content: bytes
    url: str | None = None
    charset: str | None = None
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """Where one document comes from: a file to be read later, or bytes at hand.

    `size` is in bytes; `where` names the place for messages; `problem` says why there are no bytes, and the document
    stays in the count as failed.
    """

    id: str
    where: str
    size: int
    path: Path | None = None
    content: bytes | None = None
    url: str | None = None
    charset: str | None = None
    is_text: bool = False
    problem: str | None = None

    def page(self) -> Page:
        """Return the page, read from its file where need be.

        Raises:
            OSError: if the file cannot be read.
        """
        content = self.content if self.content is not None else (self.path.read_bytes() if self.path else b"")
        return Page(self.id, content, self.url, self.charset, self.is_text)
