"""Finished parts of a command's work, kept in files so that a stopped command continues where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from thresher import __version__
from thresher.errors import ThresherError
from thresher.files import digest, read_text, write_text

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Result = TypeVar("Result")


@dataclass(frozen=True)
class Keeper(Generic[Result]):
    """Results of one kind, a file each.

    Attributes:
        folder: where they are; None keeps nothing.
        kind: the annotation of a result: dataclasses, lists and tuples of texts and numbers.
    """

    folder: Path | None
    kind: Any

    def find(self, made_from: Any) -> Result | None:
        """Return the result that was made from the same; None if it is not there, or not readable.

        Args:
            made_from: a JSON value of all that a result depends on. This version of the package counts, too.
        """
        if self.folder is None:
            return None
        from pydantic import ValidationError

        try:
            return self._adapter().validate_json(read_text(self._path(self.folder, made_from)), strict=True)
        except (ThresherError, ValidationError):
            return None

    def keep(self, made_from: Any, result: Result) -> Result:
        """Keep a result atomically, and return it."""
        if self.folder is not None:
            write_text(self._path(self.folder, made_from), self._adapter().dump_json(result).decode())
        return result

    def _path(self, folder: Path, made_from: Any) -> Path:
        return folder / f"{digest([__version__, str(self.kind), made_from])}.json"

    def _adapter(self) -> TypeAdapter[Result]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.kind)
