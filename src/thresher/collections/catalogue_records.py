"""What the package ir_datasets holds under an id: documents, topics, qrels, as its records. The extra `ir-datasets`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal

from thresher.errors import InputError, MissingDependencyError, ThresherError

CATALOGUE_PREFIX = "ir_datasets:"
"""What the path of an input begins with if the rest is an id of the catalogue."""

What = Literal["docs", "queries", "qrels"]
_NAMES: dict[What, str] = {"docs": "documents", "queries": "topics", "qrels": "qrels"}


def dataset(dataset_id: str, what: What) -> Any:
    """Return the dataset, without fetching anything.

    Raises:
        MissingDependencyError: if ir_datasets is not installed.
        InputError: if it has no such dataset, or the dataset has no such records.
    """
    where = CATALOGUE_PREFIX + dataset_id
    try:
        found = _package().load(dataset_id)
    except KeyError as error:
        raise InputError("ir_datasets has no such dataset", "use an id that `ir_datasets list` shows", where) from error
    if not found.has(what):
        raise InputError(
            f"the dataset has no {_NAMES[what]}", f"use an id with {_NAMES[what]}, or give these as a file", where
        )
    return found


def fingerprint_of(dataset_id: str) -> list[Any]:
    """Return what tells the documents of a dataset from others: its id, the package's version, what this knows of them.

    Raises:
        ThresherError: as `dataset`.
    """
    return [dataset_id, str(_package().__version__), dataset(dataset_id, "docs").docs_metadata()]


def records(dataset_id: str, what: What) -> Iterator[Any]:
    """Give the records in the dataset's order. The package fetches what it needs and says so on standard error.

    Raises:
        ThresherError: as `dataset`; also if the records cannot be fetched or read.
    """
    found = dataset(dataset_id, what)
    try:
        yield from getattr(found, f"{what}_iter")()
    except Exception as error:  # of a hundred readers and of the network
        raise _user_error(error, dataset_id, what) from error


def _package() -> Any:
    try:
        return import_module("ir_datasets")
    except ImportError as error:
        raise MissingDependencyError(
            "ir_datasets is not installed", "install the extra: pip install 'thresher[ir-datasets]'"
        ) from error


def _user_error(error: Exception, dataset_id: str, what: What) -> ThresherError:
    where = CATALOGUE_PREFIX + dataset_id
    if isinstance(error, ImportError):
        return MissingDependencyError(
            f"ir_datasets lacks a package ({_short(error)})", "install it: pip install 'ir_datasets[all]'", where
        )
    if isinstance(error, FileNotFoundError):
        return InputError(
            f"ir_datasets misses a file of the {_NAMES[what]}: {error.filename or _short(error)}",
            "put it there: https://ir-datasets.com says where it comes from",
            where,
        )
    return InputError(
        f"ir_datasets cannot give the {_NAMES[what]} ({type(error).__name__}: {_short(error)})",
        "check the network and the free space, and run the same command again",
        where,
    )


def _short(error: Exception) -> str:
    """Return an error's first line, or what it says before the tuples and lists of details."""
    text = str(error.args[0] if len(error.args) > 1 and isinstance(error.args[0], str) else error)
    return (text.strip().splitlines() or ["no reason given"])[0]
