"""Parts of every HTML page that reports write: templates, styles and scripts inside the page, its policy."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from thresher.reports.table import Cell, Table

TEMPLATES = Path(__file__).with_name("templates")
_UNIT = re.compile(r"(?<=\d) (?=%|[kMG]?B\b)|(?<=≈) (?=\d)")
_BREAK = re.compile(r"(?<=\w\()(?=\w)|(?<=,)(?=[A-Za-z])|(?<=[\w)][|+])(?=[A-Za-z])")
_MEASURE = re.compile(r"([A-Za-z]+-[A-Za-z]+@\d+)")
_WHOLE = Markup('<span class="whole">{}</span>')


def render_template(name: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **values: object) -> str:
    """Return a template's page with its style and script inside: the same bytes for the same values.

    Args:
        name: the name of the template.
        styles: files of styles, beside the styles of all pages.
        scripts: files of scripts, which the page's policy allows.
        values: the values of the template's variables.
    """
    style_files = ["report.css"]
    style_files += styles
    script = _joined(scripts)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest(script)}'"
    template = templates(TEMPLATES).get_template(name)
    return template.render(style=Markup(_joined(style_files)), script=Markup(script), policy=Markup(policy), **values)


def _joined(files: Sequence[str]) -> str:
    return "\n".join((TEMPLATES / file).read_text(encoding="utf-8").strip() for file in files)


@functools.cache
def templates(folder: Path) -> Environment:
    """Return the environment that compiles the templates of a folder, each once."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters["viewed"] = viewed
    environment.filters["breakable"] = breakable
    environment.filters["coded"] = coded
    environment.filters["shell"] = shell
    return environment


def coded(text: str) -> Markup:
    """Return a text whose parts between backticks are code; a number stays beside its unit."""
    pieces = []
    for place, part in enumerate(_UNIT.sub("\N{NO-BREAK SPACE}", text).split("`")):
        is_code = place % 2 == 1
        pieces.append(Markup("<code>{}</code>").format(breakable(part)) if is_code else breakable(part))
    return Markup("").join(pieces)


def breakable(text: str) -> Markup:
    """Return a text whose names of variants may break after `(`, `,`, `|` and `+`, and whose names of measures never
    break.

    >>> breakable("words(headings=keep)@2")
    Markup('words(<wbr>headings=keep)@2')
    """
    pieces = []
    for place, part in enumerate(_MEASURE.split(text)):
        if place % 2 == 1:
            pieces.append(_WHOLE.format(part))
        else:
            pieces.append(Markup("<wbr>").join(_BREAK.split(part)))
    return Markup("").join(pieces)


def shell(command: str) -> Markup:
    """Return a shell command whose options never break at their hyphens."""
    words = []
    for word in command.split(" "):
        words.append(_WHOLE.format(word) if word.startswith("-") else breakable(word))
    return Markup(" ").join(words)


def digest(script: str) -> str:
    """Return the name of a script in a content security policy: its SHA-256 in base 64."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


class CommonValue(NamedTuple):
    """The title of a column, and its text, which is equal in all rows."""

    title: str
    text: str


class ViewedTable(NamedTuple):
    """A table without the columns whose text is equal in all rows, and the texts of these columns."""

    table: Table
    common: tuple[CommonValue, ...]


def viewed(table: Table) -> ViewedTable:
    """Return a table as a page shows it. The first column, which names the rows, always stays."""
    if len(table.rows) < 2:
        return ViewedTable(table, ())
    common = {}
    for index in range(1, len(table.columns)):
        texts = {_whole_text(row[index]) for row in table.rows}
        if len(texts) == 1:
            common[index] = CommonValue(table.columns[index].title, texts.pop())
    return ViewedTable(table.without(common), tuple(common.values()))


def _whole_text(cell: Cell) -> str:
    return cell.text + cell.mark
