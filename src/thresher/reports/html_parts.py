"""Parts of every HTML page that reports write: templates, tables, charts inside the page, its policy."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from thresher.reports.table import Cell, Table

TEMPLATES = Path(__file__).with_name("templates")


def render_template(name: str, *, parts: Sequence[str] = (), library: str = "", **values: object) -> str:
    """Return a template's page with the style and the script of all reports inside: the same bytes for the same values.

    Args:
        parts: files of further styles (.css) and scripts (.js) that this page needs.
        library: a script that the page unpacks and runs, which its policy must allow too.
    """
    environment = templates(TEMPLATES)

    def joined(ending: str) -> str:
        files = [part for part in ("report.css", "data.js", "tables.js", *parts) if part.endswith(ending)]
        return "\n".join((TEMPLATES / file).read_text(encoding="utf-8").strip() for file in files)

    script = joined(".js")
    allowed = [f"'sha256-{digest(text)}'" for text in (script, library) if text]
    return environment.get_template(name).render(
        style=Markup(joined(".css")),
        script=Markup(script),
        policy=Markup(f"default-src 'none'; style-src 'unsafe-inline'; script-src {' '.join(allowed)}"),
        library=_packed_library(library),
        **values,
    )


@functools.cache
def templates(folder: Path) -> Environment:
    """Return what compiles the templates of a folder, each of them once."""
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
    environment.filters["coded"] = coded
    return environment


def coded(text: str) -> Markup:
    """Return a text with what stands between backticks as code."""
    parts = text.split("`")
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def digest(script: str) -> str:
    """Return what a content security policy calls a script by: its SHA-256 in base 64."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def packed(text: str) -> Markup:
    """Return a text as gzip in base 64, which may stand in a `script` element and which page scripts can unpack."""
    return Markup(base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode())


_packed_library = functools.lru_cache(maxsize=2)(packed)


def viewed(table: Table) -> tuple[Table, tuple[tuple[str, str], ...]]:
    """Return a table without the columns that say the same in every row, and these as (header with its unit, text).

    The first column, which names the rows, always stays.
    """
    same = [
        index
        for index in range(1, len(table.columns))
        if len(table.rows) > 1 and len({_text_and_mark(row[index]) for row in table.rows}) == 1
    ]
    heads = [table.columns[index] for index in same]
    said = tuple(
        (f"{head.header} ({head.unit})" if head.unit else head.header, "".join(_text_and_mark(table.rows[0][index])))
        for index, head in zip(same, heads, strict=True)
    )
    return table.without(same), said


def _text_and_mark(cell: Cell) -> tuple[str, str]:
    return cell.text, cell.mark
