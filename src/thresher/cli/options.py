"""Options that several verbs have, and how their tables are shown."""

from __future__ import annotations

import math
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, replace
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.base.defaults import BACKENDS, DASK, LOCAL
from thresher.base.errors import MOST, ConfigError, InputError, StateError, escape_controls
from thresher.experiments.schema import LARGE, Key, option_name, tables

if TYPE_CHECKING:
    from thresher.base.processes import Backend
    from thresher.experiments.announcements import Announcement
    from thresher.experiments.config import Experiment
    from thresher.reports.table import Table


Verb = Callable[..., Any]

FILE = click.Path(path_type=Path)


def keys(table: str, *names: str) -> Callable[[Verb], Verb]:
    """Add options that are keys of experiment files, such as `--max-page-mib`; the verb gets the table of these values."""

    def add(verb: Verb) -> Verb:
        @wraps(verb)
        def filled(*args: Any, **named: Any) -> Any:
            rule = tables()[table]
            blank = {name: None for name, key in rule.keys.items() if key.default is MISSING}
            given = {name: named.pop(name) for name in names}
            before = named.pop(table, None) or rule.kind(**blank)
            return verb(*args, **named, **{table: replace(before, **given)})

        with_options: Verb = filled
        for name in reversed(names):
            with_options = _option(name, tables()[table].keys[name])(with_options)
        return with_options

    return add


def instead_of(table: str, *names: str) -> Callable[[Verb], Verb]:
    """Add options that override keys of the experiment file; None, or an empty tuple, if not given."""

    def add(verb: Verb) -> Verb:
        for name in reversed(names):
            key = tables()[table].keys[name]
            default = " ".join(key.default) if isinstance(key.default, tuple) else key.default
            shown = f" [default: as in the file's [{table}], or {default}]" if default else ""
            verb = _option(name, replace(key, default=None), shown)(verb)
        return verb

    return add


def _option(name: str, key: Key, more: str = "") -> Callable[[Verb], Verb]:
    flag, meaning = option_name(name), f"{key.meaning[0].upper()}{key.meaning[1:]}."
    if key.of_texts:
        default = (key.default,) if isinstance(key.default, str) else None
        meaning = f"{meaning} May be repeated.{more}"
        return click.option(flag, multiple=True, default=default, show_default=bool(default), help=meaning)
    if bool in key.kinds:
        return click.option(flag, is_flag=True, default=False, help=meaning)
    kind: Any = str
    if "" in key.choices:
        meaning = f"{meaning[:-1]}: {', '.join(filter(None, key.choices))}."
    elif key.choices:
        kind = click.Choice(key.choices)
    elif key.bounds:
        number: Any = click.FloatRange if float in key.kinds else click.IntRange
        bounds, high = key.bounds, key.bounds.high if key.bounds.high < LARGE else None
        kind = number(bounds.low, high, min_open=bounds.open, max_open=bounds.open)
    return click.option(flag, type=kind, default=key.default, show_default=bool(key.default), help=meaning + more)


workers_option = click.option(
    "--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes [default: one per core]."
)


def complete_cleaner(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return names of cleaners that begin so, with their usual cutoffs or those in the middle of what is worth trying."""
    from thresher.base.number_text import number_text
    from thresher.cleaners.cleaner import middle_cutoff
    from thresher.cleaners.registry import scorers

    names = []
    for name, kind in scorers().items():
        cutoff = middle_cutoff(kind) if kind.usual is None else number_text(kind.usual)
        names.append(name if kind.decides else f"{name}@{cutoff}")
    return [name for name in names if name.startswith(begun)]


replace_option = click.option("--replace", "replaces", is_flag=True, help="Replace files that exist.")


def check_new(path: Path | None, replaces: bool) -> None:
    """Refuse to write to a file, or into a folder with files, that nobody has said to replace."""
    if path is None or replaces:
        return
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise StateError("it exists already", "choose another name, or add --replace", str(path))


class _FailedPages(click.ParamType[int | str]):
    """A number of pages, or a share of them: `5%`."""

    name = "NUMBER|SHARE%"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Check the text of an option."""
        if re.fullmatch(r"[0-9]{1,9}", str(value)):
            return int(value)
        share = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) ?%", str(value))
        if not share or float(share[1]) > 100:
            self.fail(f"{value!r} is no number of pages such as 10, and no share such as 5%", param, ctx)
        return str(value)


max_failed_option = click.option(
    "--max-failed",
    type=_FailedPages(),
    help="End with exit code 3 if more pages fail, after all is written: a number, or a share such as 5%.",
)


def check_failed(failed: int, pages: int, allowed: int | str | None, listed: str) -> None:
    """Raise an error if more pages failed than are allowed; `listed` says where they are."""
    if allowed is None:
        return
    most = float(allowed.rstrip(" %")) / 100 * pages if isinstance(allowed, str) else allowed
    if failed > most:
        share = 100 * failed / pages
        what = f"{failed:,} of {pages:,} pages failed ({share:.1f} %), and --max-failed allows {allowed}"
        raise InputError(what, f"see {listed}")


@dataclass(frozen=True)
class AskedBackend:
    """The workers that a command asks for."""

    name: str | None
    workers: int | None
    scheduler: str

    def backend(self) -> Backend:
        """Return them."""
        from thresher.base.processes import Backend

        name = self.name or (DASK if self.scheduler else LOCAL)
        if name == DASK and not self.scheduler:
            raise ConfigError("Dask's scheduler is not named", "add --scheduler tcp://HOST:8786", "--backend dask")
        if name == LOCAL and self.scheduler:
            raise ConfigError("only the backend dask has a scheduler", "write --backend dask", "--scheduler")
        return Backend(name, self.workers or os.cpu_count() or 1, self.scheduler)

    def of(self, config: Experiment) -> Experiment:
        """Return the experiment with these workers instead of its file's."""
        if self.name or self.scheduler:
            chosen = self.backend()
            config = replace(config, backend=replace(chosen, workers=config.backend.workers))
        if self.workers:
            config = replace(config, backend=replace(config.backend, workers=self.workers))
        return config


def backend_options(verb: Verb) -> Verb:
    """Add `--workers`, `--backend`, `--scheduler`; the verb gets the `backend` that they ask for."""

    @wraps(verb)
    def filled(*args: Any, workers: int | None, backend: str | None, scheduler: str, **named: Any) -> Any:
        return verb(*args, backend=AskedBackend(backend, workers, scheduler), **named)

    for option in (
        click.option("--scheduler", default="", help="Address of the Dask scheduler, such as tcp://head:8786."),
        click.option("--backend", type=click.Choice(BACKENDS), help="Local processes (the default) or a Dask cluster."),
        click.option("--workers", type=click.IntRange(1), help="Processes [default: one per core]."),
    ):
        filled = option(filled)
    return filled


def with_seconds(config: Experiment, seconds: float | None) -> Experiment:
    """Return the experiment with an option's seconds of measuring instead of its file's."""
    if seconds is None:
        return config
    if not math.isfinite(seconds):
        raise ConfigError(f"{seconds:g} is not a number of seconds", "give a number such as 60", "--seconds")
    return replace(config, measure_seconds=seconds)


def say(line: str) -> None:
    """Print a line to standard error, with whatever it quotes made visible."""
    click.echo(escape_controls(line), err=True)


def say_left_out(source: Path | str, format: str) -> None:
    """Print what is left out of a folder of pages, to standard error."""
    from thresher.collections.file_collection import left_out
    from thresher.reports.left_out import left_out_sentences

    for sentence in left_out_sentences(left_out(Path(source), format)):
        say(sentence)


def announce(announcement: Announcement) -> None:
    """Print a step of long work to standard error."""
    from thresher.reports.announcements import announcement_text

    say(announcement_text(announcement))


def tell(line: str, most: int | None = MOST) -> None:
    """Print a line to standard output likewise, clipped to that many characters."""
    click.echo(escape_controls(line, most))


def tell_all(text: str) -> None:
    """Print lines to standard output, each of them likewise, but whole."""
    for line in text.split("\n"):
        tell(line, None)


def terminal_width() -> int:
    """Return the columns of the terminal; 160 without one."""
    return shutil.get_terminal_size((160, 40)).columns


def show(*tables: Table) -> None:
    """Print tables as wide as the terminal, with an empty line between them."""
    from thresher.reports.text_tables import render_text

    click.echo("\n".join(render_text(table, terminal_width()) for table in tables), nl=False)


MOST_LINES = 40
"""Lines of an answer: a terminal shows about as many."""
_FEWEST_ROWS, _MOST_ROWS = 4, 12


class OutputStyle(StrEnum):
    """How much is printed."""

    ANSWER = "answer"
    FULL = "full"
    QUIET = "quiet"
    JSON = "json"


@dataclass(frozen=True)
class Answer:
    """The result of a verb, as it is printed.

    Args:
        sentences: the most important one first.
        short: returns a table of about that many rows, if there is one.
        files: what was written, by what it is.
        record: the file with the record.
        commands: to copy into a shell, each in one line however long it is.
    """

    sentences: Sequence[str]
    short: Callable[[int], Table] | None
    full: Sequence[Table]
    files: Sequence[tuple[str, Path]]
    record: Path
    commands: Sequence[str] = ()


def style_options(verb: Verb) -> Verb:
    """Add `--full`, `--quiet` and `--json`, one of which may be given; the verb gets its `style`."""

    @wraps(verb)
    def shaped(*args: Any, full: bool, quiet: bool, as_json: bool, **named: Any) -> Any:
        asked = {OutputStyle.FULL: full, OutputStyle.QUIET: quiet, OutputStyle.JSON: as_json}
        chosen = [style for style, flag in asked.items() if flag]
        if len(chosen) > 1:
            flags = " and ".join(f"--{style}" for style in chosen)
            raise ConfigError(f"{flags} exclude each other", "give one of them", flags)
        return verb(*args, style=chosen[0] if chosen else OutputStyle.ANSWER, **named)

    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the record as JSON."),
        click.option("--quiet", is_flag=True, help="Print one line."),
        click.option("--full", is_flag=True, help="Print all tables."),
    ):
        shaped = option(shaped)
    return shaped


def say_answer(answer: Answer, style: OutputStyle) -> None:
    """Print an answer in a style."""
    if style is OutputStyle.JSON:
        tell_all(answer.record.read_text(encoding="utf-8").rstrip("\n"))
    elif style is OutputStyle.QUIET:
        tell(answer.sentences[0])
    elif style is OutputStyle.FULL:
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
    """Return sentences and, if there is room, the table, in at most `MOST_LINES` lines with those of the files."""
    from thresher.base.number_text import counted

    room = MOST_LINES - len(answer.files) - len(answer.commands) - (2 if answer.commands else 1)
    wrapper = textwrap.TextWrapper(max(width, 20), "- ", "  ", break_on_hyphens=False)
    said = [*map(wrapper.wrap, answer.sentences)]

    def table(rows: int) -> list[str]:
        return ["", *_narrow(answer.short(rows), width)] if answer.short else []

    least = len(table(_FEWEST_ROWS))  # which leaves the most room for sentences
    kept: list[str] = []
    for number, lines in enumerate(said):
        if len(kept) + len(lines) + least + (number < len(said) - 1) > room:
            kept.append(f"- {counted(len(said) - number, 'more sentence')}: --full")
            break
        kept += lines
    tables = map(table, range(_MOST_ROWS, _FEWEST_ROWS - 1, -1))
    return kept + next((lines for lines in tables if len(kept) + len(lines) <= room), [])


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
    for command in answer.commands:
        tell(command, None)
    if answer.commands:
        click.echo()
    for what, path in answer.files:
        tell(f"{what}: {path.resolve()}")
