"""The files below a folder, and the number of entries that are left out."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path

from thresher.base.errors import InputError
from thresher.base.files import is_unfinished, user_error
from thresher.collections.sources import FileState

# macOS keeps a file's attributes in archives and on foreign disks under these names: AppleDouble.
_APPLE_DOUBLE = "._"
_APPLE_FOLDER = "__MACOSX"
# Temporary files may vanish after the listing; links may be circular.
_NOT_THERE = (errno.ENOENT, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file: its path within the folder (with `/`) and on disk, and its state when it was listed."""

    name: str
    path: Path
    state: FileState

    @property
    def size(self) -> int:
        """In bytes."""
        return self.state.size

    @property
    def shown(self) -> str:
        r"""The name in printable form: bytes that are not UTF-8 become `\xNN`."""
        return self.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@dataclass
class Listing:
    """The files below a folder, and the numbers of its other entries.

    Attributes:
        files: by code point of their paths.
        hidden: hidden folders, and files of macOS.
        not_files: links to folders or to nothing, pipes, sockets, devices.
    """

    files: list[FileEntry] = field(default_factory=list)
    hidden: int = 0
    not_files: int = 0


def is_hidden(name: str, is_folder: bool) -> bool:
    """Return whether a name belongs to a hidden folder, or to a file or folder that macOS adds.

    >>> is_hidden(".git", True), is_hidden("._a.html", False), is_hidden(".a.html", False), is_hidden("..", True)
    (True, True, False, False)
    """
    if is_folder:
        return name == _APPLE_FOLDER or (name.startswith(".") and name not in (".", ".."))
    return name.startswith(_APPLE_DOUBLE)


def is_hidden_path(path: str) -> bool:
    """Return whether a path leads through a hidden folder, or to a file that macOS adds."""
    *folders, name = path.split("/")
    return is_hidden(name, is_folder=False) or any(is_hidden(folder, is_folder=True) for folder in folders)


def walk(root: Path) -> list[FileEntry]:
    """Return a single file, or all files below a folder by code point of their paths; see `listing`."""
    return listing(root).files


def listing(root: Path) -> Listing:
    """List a single file, or all files below a folder; links to folders are not followed, hidden folders left out."""
    try:
        if root.is_file():
            return Listing([FileEntry(root.name, root, FileState.of(root.stat()))])
        if not root.is_dir() and root.exists():
            raise InputError(
                "it is not a file or folder", "give a file or folder; `clean` takes `-` for a pipe", str(root)
            )
        entries = _below(root)
    except OSError as error:
        raise user_error(error, error.filename or root) from error
    entries.files.sort(key=lambda entry: entry.name)
    return entries


def _below(root: Path) -> Listing:
    files_below = Listing()
    folders: list[tuple[Path | str, str]] = [(root, "")]
    while folders:
        folder, prefix = folders.pop()
        for entry in _entries(folder, must_be=not prefix):
            name = prefix + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_unfinished(entry.name):
                # It belongs to a command that writes into the folder, or was killed there.
                continue
            if is_hidden(entry.name, is_folder):
                files_below.hidden += 1
            elif is_folder:
                folders.append((entry.path, name + "/"))
            elif status := _file_status(entry):
                files_below.files.append(FileEntry(name, Path(entry.path), FileState.of(status)))
            else:
                files_below.not_files += 1
    return files_below


def _entries(folder: Path | str, must_be: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        if must_be:
            raise
        return []


def _file_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a file or of a link's target; None if that is not a file."""
    try:
        if entry.is_file():
            return entry.stat()
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
    return None
