"""The character models that need no training data: `standard` and `nonlexical`, made at first use from Python's own reference.

Clean text is the docstrings of modules of the standard library, raw text their pages as pydoc renders them, with signatures,
tables of methods and inherited members. No web page is like that, so these models are a start; `thresher ncleaner train` makes
one from pages of one's own.
"""

from __future__ import annotations

import ast
import platform
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from thresher.errors import ConfigError, InputError, MissingDependencyError, StateError
from thresher.examples.pydoc import generate_modules
from thresher.files import atomic_path, user_error
from thresher.language_models.cache import cache_folder
from thresher.language_models.characters.counts import (
    STANDARD,
    STANDARD_NON_LEXICAL,
    CharacterModel,
    Settings,
    train,
)
from thresher.language_models.characters.files import FORMAT, read_model, write_model
from thresher.language_models.characters.scoring import SegmentScorer
from thresher.pages import read_html

DEFAULTS: Mapping[str, Settings] = {"standard": STANDARD, "nonlexical": STANDARD_NON_LEXICAL}

# Modules with much prose in their docstrings, in the standard library of Python 3.11 to 3.13, written in Python.
MODULES = tuple(
    (
        "argparse ast asyncio.base_events asyncio.events asyncio.locks asyncio.streams asyncio.tasks bdb codecs collections"
        " configparser datetime difflib doctest email.charset email.message email.policy ftplib http.client http.cookiejar"
        " http.server imaplib importlib.metadata inspect ipaddress json logging logging.handlers mailbox os pathlib pdb"
        " random re shutil smtplib socketserver ssl statistics subprocess tarfile threading traceback typing unittest.case"
        " unittest.mock urllib.parse urllib.request uuid xml.etree.ElementTree"
    ).split()
)
# Raised when the way the models are made changes, so that no old file is taken for the new model.
_BUILD_VERSION = 1


def model_path(name: str, where: str | None = None) -> Path:
    """Return the file of a model: `standard` and `nonlexical` are made first if need be, all else is a path.

    Raises:
        ConfigError: if there is no such model and no such file.
        MissingDependencyError: if this Python has no sources or cannot render their pages.
    """
    if name not in DEFAULTS:
        path = Path(name)
        if not name or not path.is_file():
            known = ", ".join(DEFAULTS)
            raise ConfigError(
                f"there is no NCleaner model {name!r}",
                f"use {known} or the path of a file that `thresher ncleaner train` wrote",
                where or f"model={name}",
            )
        return path
    # What the pages show is the running Python's, so that another version's models are other models.
    python = ".".join(map(str, sys.version_info[:2]))
    folder = cache_folder() / "language_models" / f"ncleaner-{_BUILD_VERSION}.{FORMAT}-python{python}"
    path = folder / f"{name}.ncleaner"
    if not path.exists():
        with atomic_path(folder) as temporary:
            temporary.mkdir()
            _build(temporary)
    return path


def load_character_model(name: str) -> CharacterModel:
    """Load a model: `standard`, `nonlexical` or a path.

    Raises:
        ConfigError, MissingDependencyError: as `model_path`.
        InputError: if the file is damaged or no model.
        StateError: if a default model's file is damaged.
    """
    path = model_path(name)
    try:
        return read_model(path)
    except InputError as error:
        if name in DEFAULTS:
            raise StateError(f"the model {name} is damaged", f"delete the folder {path.parent}", str(path)) from error
        raise


@lru_cache(maxsize=4)
def load_segment_scorer(name: str) -> SegmentScorer:
    """Load a model, ready for scoring; a process holds one copy.

    Raises:
        ThresherError: as `load_character_model`.
    """
    return SegmentScorer(load_character_model(name))


def _build(folder: Path) -> None:
    """Train all default models into `folder`."""
    with tempfile.TemporaryDirectory() as name:
        pages = Path(name) / "pages"
        generate_modules(pages, MODULES)
        pairs = [
            (clean, read_html((pages / f"{module}.html").read_bytes()).blocks)
            for module, clean in _docstring_lines()
            if (pages / f"{module}.html").exists()
        ]
    training = f"docstrings and pydoc pages of the standard library of Python {platform.python_version()}"
    if not pairs:
        raise MissingDependencyError(
            "the standard library's sources are missing",
            "use a Python with a complete standard library, or train a model with `thresher ncleaner train`",
            sys.executable,
        )
    for model, settings in DEFAULTS.items():
        write_model(folder / f"{model}.ncleaner", train(pairs, settings, training))


def _docstring_lines() -> Iterator[tuple[str, list[str]]]:
    """Give each of `MODULES` that has a source here, and the lines of its docstrings: pydoc's pages break lines there too."""
    library = Path(sysconfig.get_path("stdlib"))
    for module in MODULES:
        path = library.joinpath(*module.split("."))
        files = [file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()]
        if files:
            try:
                yield module, docstring_lines(files[0].read_bytes())
            except OSError as error:
                raise user_error(error, files[0]) from error


def docstring_lines(source: bytes) -> list[str]:
    """Return the lines of the docstrings in a Python source that pydoc shows: not those of names with one underscore.

    >>> docstring_lines(b'"One.\\\\n\\\\nTwo."\\ndef f(): "Three."\\ndef _g(): "Four."')
    ['One.', 'Two.', 'Three.']
    """
    lines: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", "")
            if not name.startswith("_") or name.endswith("__"):
                lines += (ast.get_docstring(node) or "").splitlines()
    return [*filter(None, lines)]
