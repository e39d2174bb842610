"""What a verb prints at its end: the answer first, in few lines as wide as the terminal; or all, one line, or the record."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.options import Verb, show, tell, tell_all, terminal_width
from thresher.errors import ConfigError

if TYPE_CHECKING:
    from thresher.reports.table import Table

MOST_LINES = 40
"""Lines of an answer: a terminal shows about as many."""
_FEWEST_ROWS, _MOST_ROWS = 4, 12


class Shape(StrEnum):
    """How much is printed."""

    ANSWER = "answer"
    FULL = "full"
    QUIET = "quiet"
    JSON = "json"


@dataclass(frozen=True)
class Answer:
    """What a verb has to say.

    Args:
        sentences: the most important one first.
        short: returns a table of about that many rows, if there is one.
        full: all tables.
        files: what was written, by what it is.
        record: the file with the record.
    """

    sentences: Sequence[str]
    short: Callable[[int], Table] | None
    full: Sequence[Table]
    files: Sequence[tuple[str, Path]]
    record: Path


def shape_options(verb: Verb) -> Verb:
    """Add `--full`, `--quiet` and `--json`, one of which may be given; the verb gets its `shape`."""

    @wraps(verb)
    def shaped(*args: Any, full: bool, quiet: bool, as_json: bool, **named: Any) -> Any:
        chosen = [shape for shape, flag in ((Shape.FULL, full), (Shape.QUIET, quiet), (Shape.JSON, as_json)) if flag]
        if len(chosen) > 1:
            flags = " and ".join(f"--{shape}" for shape in chosen)
            raise ConfigError(f"{flags} exclude each other", "give one of them", flags)
        return verb(*args, shape=chosen[0] if chosen else Shape.ANSWER, **named)

    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the record as JSON."),
        click.option("--quiet", is_flag=True, help="Print one line."),
        click.option("--full", is_flag=True, help="Print all tables."),
    ):
        shaped = option(shaped)
    return shaped


def say_answer(answer: Answer, shape: Shape) -> None:
    """Print an answer in a shape."""
    if shape is Shape.JSON:
        tell_all(answer.record.read_text(encoding="utf-8").rstrip("\n"))
    elif shape is Shape.QUIET:
        tell(answer.sentences[0])
    elif shape is Shape.FULL:
        for sentence in answer.sentences:
            tell(f"- {sentence}")
        click.echo()
        show(*answer.full)
        _say_files(answer)
    else:
        for line in short_lines(answer, terminal_width()):
            tell(line)
        _say_files(answer)


def short_lines(answer: Answer, width: int) -> list[str]:
    """Return sentences and, if there is room, the table, in at most `MOST_LINES` lines with those of the files.

    Args:
        answer: what to say.
        width: of the terminal.
    """
    room = MOST_LINES - len(answer.files) - 1
    said = [_wrapped(sentence, width) for sentence in answer.sentences]
    tables = [
        lines
        for rows in range(_MOST_ROWS, _FEWEST_ROWS - 1, -1)
        if answer.short is not None
        for lines in [["", *_narrow(answer.short(rows), width)]]
    ]
    # The smallest table leaves the most room for sentences.
    least = len(tables[-1]) if tables else 0
    kept: list[str] = []
    for number, lines in enumerate(said):
        if len(kept) + len(lines) + least + (number < len(said) - 1) > room:
            more = len(said) - number
            kept.append(f"- {more} more {'sentence' if more == 1 else 'sentences'}: --full")
            break
        kept += lines
    fitting = next((lines for lines in tables if len(kept) + len(lines) <= room), [])
    return kept + fitting


def _wrapped(sentence: str, width: int) -> list[str]:
    return textwrap.wrap(sentence, max(width, 20), initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)


def _narrow(table: Table, width: int) -> list[str]:
    """Return a table without the last columns that a terminal has no room for."""
    from thresher.reports.text_tables import render_text

    for count in range(len(table.columns), table.keys, -1):
        lines = render_text(table.first(count), None).rstrip("\n").split("\n")
        body = lines[: next((index for index, line in enumerate(lines) if not line), len(lines))]
        if max(map(len, body)) <= width:
            break
    return render_text(table.first(count), width).rstrip("\n").split("\n")


def _say_files(answer: Answer) -> None:
    click.echo()
    for what, path in answer.files:
        tell(f"{what}: {path.resolve()}")
