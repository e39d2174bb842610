#!/usr/bin/env python3
"""Train the character models that come with the package, `standard` and `nonlexical`, and write their card.

usage: scripts/ncleaner_models.py [--check]

Clean text is the docstrings of modules of Python's standard library. Raw text is the modules' pages as pydoc renders them.
Another version of Python or operating system gives other models, so the project contains the files, and the script is run only
to change them. With --check the script writes nothing, and fails if it would write other files.
"""

import argparse
import ast
import hashlib
import json
import platform
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydoc_pages import generate_modules
from thresher import read_html
from thresher.cleaners.characters.scoring import FOLDER, SHIPPED, card, write_model
from thresher.cleaners.characters.training import train

# Modules with much prose in their docstrings, written in Python.
MODULES = tuple(
    (
        "argparse ast asyncio.base_events asyncio.events asyncio.locks asyncio.streams asyncio.tasks bdb codecs collections"
        " configparser datetime difflib doctest email.charset email.message email.policy ftplib http.client http.cookiejar"
        " http.server imaplib importlib.metadata inspect ipaddress json logging logging.handlers mailbox os pathlib pdb"
        " random re shutil smtplib socketserver ssl statistics subprocess tarfile threading traceback typing unittest.case"
        " unittest.mock urllib.parse urllib.request uuid xml.etree.ElementTree"
    ).split()
)
CARD = "card.json"


def docstring_lines(source: bytes) -> list[str]:
    """Return the lines of the docstrings that pydoc shows of a Python source, without docstrings of private names.

    pydoc's pages keep the line breaks of docstrings.
    """
    lines: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", "")
            if not name.startswith("_") or name.endswith("__"):
                lines += (ast.get_docstring(node) or "").splitlines()
    return [*filter(None, lines)]


def pairs(folder: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Render each module's page into `folder`, and yield the lines of its docstrings and the blocks of the page."""
    generate_modules(folder, MODULES)
    library = Path(sysconfig.get_path("stdlib"))
    for module in MODULES:
        path = library.joinpath(*module.split("."))
        source = next(file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())
        yield docstring_lines(source.read_bytes()), read_html((folder / f"{module}.html").read_bytes()).blocks


def write(folder: Path) -> dict[str, Any]:
    """Write the models into `folder`, and return their card without the date."""
    with tempfile.TemporaryDirectory() as name:
        pages = [*pairs(Path(name) / "pages")]
    cards = {}
    for model, settings in SHIPPED.items():
        path = folder / f"{model}.ncleaner"
        training = f"docstrings and pydoc pages of the standard library of Python {platform.python_version()}"
        trained = train(pages, settings, training)
        write_model(path, trained)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        cards[path.name] = {"bytes": path.stat().st_size, "sha256": digest, **asdict(card(trained))}
    return {
        "data": "clean text: docstrings of the modules; raw text: their pages as pydoc renders them",
        "licence": "Python's documentation strings: Python Software Foundation License Version 2 (PSF-2.0), copyright 2001 "
        "Python Software Foundation",
        "modules": [*MODULES],
        "python": platform.python_version(),
        "system": platform.system(),
        "made_by": "scripts/ncleaner_models.py",
        "models": cards,
    }


def main() -> None:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    target = Path(str(FOLDER))
    old: dict[str, Any] = json.loads((target / CARD).read_text("utf-8")) if (target / CARD).exists() else {}
    date = old.pop("date", None)
    if not parser.parse_args().check:
        target.mkdir(exist_ok=True)
        new = write(target)
        # An unchanged card keeps its date.
        new = {"date": date if date and new == old else datetime.now(UTC).date().isoformat(), **new}
        (target / CARD).write_text(json.dumps(new, indent=2) + "\n", "utf-8")
        return
    here, there = (platform.python_version(), platform.system()), (old.get("python"), old.get("system"))
    if here != there:
        sys.exit(f"the models were made by Python {there[0]} on {there[1]}; this is Python {here[0]} on {here[1]}")
    with tempfile.TemporaryDirectory() as name:
        same = write(Path(name)) == old
        same &= all((target / file).read_bytes() == (Path(name) / file).read_bytes() for file in old["models"])
    if not same:
        sys.exit(f"{target} differs from the files that scripts/ncleaner_models.py makes: run it without --check")


if __name__ == "__main__":
    main()
