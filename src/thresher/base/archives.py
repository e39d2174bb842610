"""Archives of models: a zip file has a card in JSON and arrays in NumPy's format, without pickle.

A model is found by its name or path. There are no timestamps, so that the same model has the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.base.files import atomic_path, user_errors

CARD = "card.json"
# The compression ratio of models is 2 to 4.
_MOST_RATIO = 16
_LEAST_BYTES = 2**20
Array = npt.NDArray[Any]
Model = TypeVar("Model")


@dataclass(frozen=True)
class NamedModels(Generic[Model]):
    """Models of one kind: a model has the name of a shipped model or the path of a file.

    Attributes:
        what: the kind, such as `NCleaner model`, for messages.
        shipped: the names of the models that come with the package.
        folder: the folder of the shipped models; the name of a file is the model's name and `suffix`.
        suffix: the ending of the files' names.
        maker: the command that writes a file of this kind, for messages.
        read: reads a file; raises `InputError` if it is damaged.
    """

    what: str
    shipped: Collection[str]
    folder: Traversable
    suffix: str
    maker: str
    read: Callable[[Traversable], Model]

    def find(self, name: str, where: str | None = None) -> Traversable:
        """Return the file of a model."""
        if name in self.shipped:
            return self.folder / f"{name}{self.suffix}"
        path = Path(name)
        if not name or not path.is_file():
            raise ConfigError(
                f"there is no {self.what} {name!r}",
                f"use {', '.join(self.shipped)} or the path of a file that `{self.maker}` wrote",
                where or f"model={name}",
            )
        return path

    def load(self, name: str) -> Model:
        """Read a model."""
        path = self.find(name)
        try:
            return self.read(path)
        except InputError as error:
            if name in self.shipped:
                raise StateError(f"the model {name} is damaged", "install Thresher again", str(path)) from error
            raise


def write_archive(path: Path, card: str, arrays: Mapping[str, Array]) -> None:
    """Write a card and arrays, whose names are the members' without `.npy`, to `path` atomically."""
    members = {CARD: f"{card}\n".encode()}
    for name, values in arrays.items():
        buffer = io.BytesIO()
        little = values.astype(values.dtype.newbyteorder("<"), copy=False)
        np.lib.format.write_array(buffer, np.ascontiguousarray(little), allow_pickle=False)
        members[f"{name}.npy"] = buffer.getvalue()
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in members.items():
            # Fixed timestamp (1980) and permissions.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)


class Archive(NamedTuple):
    """The card of a model, and its arrays by name."""

    card: bytes
    arrays: dict[str, Array]


def read_archive(path: Traversable, names: Sequence[str], what: str, fix: str) -> Archive:
    """Read the card of an archive and the arrays that it has of `names`.

    Raises:
        InputError: the file is damaged; the message names the kind of file (`what`) and the `fix`.
    """
    with user_errors(Path(str(path))):
        file = path.open("rb")
    try:
        with file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            packed = sum(member.compress_size for member in members)
            unpacked = sum(member.file_size for member in members)
            if unpacked > max(_MOST_RATIO * packed, _LEAST_BYTES):
                raise ValueError(f"compressed beyond a ratio of {_MOST_RATIO}")
            card = archive.read(CARD)
            arrays: dict[str, Array] = {}
            for name in names:
                if f"{name}.npy" in archive.namelist():
                    content = io.BytesIO(archive.read(f"{name}.npy"))
                    arrays[name] = np.lib.format.read_array(content, allow_pickle=False)
            return Archive(card, arrays)
    # A wrong offset makes the seek raise OSError, a shape of any size MemoryError.
    except (
        OSError,
        MemoryError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        ValueError,
        RuntimeError,
    ) as error:
        raise damaged(path, what, fix) from error


def damaged(path: Traversable, what: str, fix: str) -> InputError:
    """Return the error for a file that is damaged or something else."""
    return InputError(f"it is damaged, or holds no {what}", fix, str(path))


def array_digest(arrays: Sequence[Array]) -> str:
    """Return the SHA-256 of arrays."""
    digest = hashlib.sha256()
    for values in arrays:
        digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()
