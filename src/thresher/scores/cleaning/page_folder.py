"""A folder with a file for each cleaned page, named by the page's id."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import real_path, scratch_folder, user_errors
from thresher.collections import Collection
from thresher.collections.file_collection import Files

AddPage = Callable[[str, bytes], object]

# Characters that a file name cannot hold, and `%` where it would be read as an escape.
_UNFIT = re.compile(r"[\x00-\x1f\x7f]|%(?=[0-9A-Fa-f]{2})")
_DOTS = ("", ".", "..")
# File systems allow 255 bytes for a name, and most 4,096 for a path.
_LONGEST_NAME = 200
_LONGEST_PATH = 2000
_SHOWN = 40


def page_file(document_id: str, ending: str) -> str:
    """Return the path of a page's file below its folder; different ids have different paths.

    The parts of an id between slashes become folders. Parts that would lead out of the folder are escaped as %XX of
    their bytes. So is the dot of a folder with the name of a file.

    >>> page_file("guide/first page", "txt"), page_file("../x", "txt"), page_file("a.txt/b", "txt")
    ('guide/first page.txt', '%2E%2E/x.txt', 'a%2Etxt/b.txt')
    """
    *folders, last = document_id.split("/")
    names = [_folder_name(part, ending) for part in folders]
    names.append(_file_name(last))
    path = "/".join(names)
    if len(os.fsencode(path)) > _LONGEST_PATH or any(len(os.fsencode(name)) > _LONGEST_NAME for name in names):
        # The end of its name distinguishes it from other ids.
        digest = hashlib.sha256(document_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        path = f"{_file_name(document_id.replace('/', '_')[:_SHOWN])}~{digest}"
    return f"{path}.{ending}"


def _folder_name(part: str, ending: str) -> str:
    name = _file_name(part)
    if name.lower().endswith(f".{ending}"):
        dot = len(name) - len(ending) - 1
        return f"{name[:dot]}%2E{name[dot + 1 :]}"
    return name


def _file_name(part: str) -> str:
    if part in _DOTS:
        return part.replace(".", "%2E") or "%2F"
    return _UNFIT.sub(lambda match: f"%{ord(match[0]):02X}", part)


@contextmanager
def page_folder(folder: Path, ending: str) -> Iterator[AddPage]:
    """Yield the function that adds a page by its id; the files appear in the folder when the block succeeds.

    Files of the same names are replaced, other files stay.
    """
    target = real_path(folder)
    with user_errors(folder), scratch_folder(target) as scratch:

        def add(document_id: str, content: bytes) -> None:
            path = scratch / page_file(document_id, ending)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with path.open("xb") as out:
                    out.write(content)
            except FileExistsError as error:
                what = (
                    f"the page {document_id!r} and an earlier page would share a file: their ids differ at most in case"
                )
                raise InputError(what, "write JSON lines", str(folder)) from error

        yield add
        for parent, _, names in os.walk(scratch):
            place = target / os.path.relpath(parent, scratch)
            place.mkdir(exist_ok=True)
            for name in names:
                Path(parent, name).replace(place / name)


def check_folder(folder: Path, collection: Collection | None) -> None:
    """Check that a folder for pages can be made, and that neither the folder nor the collection contains the other
    one.
    """
    target = real_path(folder)
    if not target.parent.is_dir():
        raise InputError("there is no such folder", "make it first, or correct the path", str(target.parent))
    if target.exists() and not target.is_dir():
        raise InputError("it is a file", "name a folder", str(folder))
    if not isinstance(collection, Files):
        return
    root = real_path(collection.path)
    if target.is_relative_to(root) or root.is_relative_to(target):
        raise ConfigError("a file in it may belong to the collection", "write to a folder elsewhere", str(folder))
