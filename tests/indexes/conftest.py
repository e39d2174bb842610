"""Documents that every Python has, and Anserini's own tools to compare with."""

from __future__ import annotations

import difflib
import email.message
import inspect
import json
import logging
import os
import string
import tarfile
import unittest.mock
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from thresher.indexes.indexing import IndexOptions, build_index
from thresher.indexes.jvm import java_class

Documents = list[tuple[str, str]]

_MODULES = (
    difflib,
    email.message,
    inspect,
    json,
    logging,
    os,
    string,
    tarfile,
    unittest.mock,
    str,
    dict,
    Path,
)


@pytest.fixture(scope="session")
def documents() -> Documents:
    """The documentation of some hundred functions; several are equal to each other, which gives ties."""
    result: dict[str, str] = {}
    for module in _MODULES:
        for name, value in sorted(vars(module).items(), key=lambda item: item[0]):
            if text := inspect.getdoc(value):
                result[f"{module.__name__}/{name}"] = text
    return list(result.items())


@pytest.fixture(scope="session")
def queries() -> list[str]:
    return [
        "return a list of strings",
        "file file file path name",
        "zzzunknown string",
        "the exception raised if the argument is invalid",
        "copy of the dictionary keys and values",
        "encoding",
        "directory entries",
        "Return the logging handler level",
    ]


@pytest.fixture(scope="session")
def index(documents: Documents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lucene") / "index"
    build_index(documents, folder, IndexOptions(lengths=True))
    return folder


@pytest.fixture(scope="session")
def index_collection() -> Callable[..., None]:
    """Anserini's own indexing of documents, as its command line does it, with one thread."""

    def run(documents: Iterable[tuple[str, str]], folder: Path, **flags: Any) -> None:
        collection = folder.with_name(folder.name + "-json")
        collection.mkdir()
        with (collection / "documents.jsonl").open("w", encoding="utf-8") as lines:
            for identifier, contents in documents:
                lines.write(json.dumps({"id": identifier, "contents": contents}) + "\n")
        arguments = java_class("io.anserini.index.IndexCollection$Args")()
        arguments.collectionClass = "JsonCollection"
        arguments.generatorClass = "DefaultLuceneDocumentGenerator"
        arguments.input = str(collection)
        arguments.index = str(folder)
        arguments.threads = 1
        arguments.optimize = True
        arguments.quiet = True
        for name, value in flags.items():
            setattr(arguments, name, value)
        java_class("io.anserini.index.IndexCollection")(arguments).run()

    return run
