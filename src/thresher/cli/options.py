"""Options that several verbs have, and how their tables are shown."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
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


workers_option = click.option(
    "--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes [default: one per core]."
)
replace_option = click.option("--replace", "replaces", is_flag=True, help="Replace files that exist.")
MOST_LINES = 40
"""Lines of an answer: a terminal shows about as many."""
_FEWEST_ROWS = 4
_MOST_ROWS = 12


def keys(table: str, names: Sequence[str]) -> Callable[[Verb], Verb]:
    """Add options that are keys of experiment files, such as `--max-page-mib`; the verb gets the table of these values."""

    def add(verb: Verb) -> Verb:
        @wraps(verb)
        def filled(*args: Any, **named: Any) -> Any:
            given_values: dict[str, Any] = {}
            for name in names:
                given_values[name] = named.pop(name)
            earlier_values = named.pop(table, None) or tables()[table].without_required_keys()
            named[table] = replace(earlier_values, **given_values)
            return verb(*args, **named)

        with_options: Verb = filled
        for name in reversed(names):
            with_options = _option(name, tables()[table].keys[name])(with_options)
        return with_options

    return add


def group(name: str, kind: type[Any]) -> Callable[[Verb], Verb]:
    """Give a verb one argument `name`, a `kind`, in place of the options that are named like the fields of this dataclass."""

    def add(verb: Verb) -> Verb:
        @wraps(verb)
        def grouped(*args: Any, **named: Any) -> Any:
            values: dict[str, Any] = {}
            for field in fields(kind):
                values[field.name] = named.pop(field.name)
            named[name] = kind(**values)
            return verb(*args, **named)

        return grouped

    return add


def instead_of(table: str, *names: str) -> Callable[[Verb], Verb]:
    """Add options that override keys of the experiment file; None, or an empty tuple, if not given."""

    def add(verb: Verb) -> Verb:
        for name in reversed(names):
            key = tables()[table].keys[name]
            default = key.default
            if isinstance(default, tuple):
                default = " ".join(default)
            shown = ""
            if default:
                shown = f" [default: the file's, or {default}]"
            verb = _option(name, replace(key, default=None), shown)(verb)
        return verb

    return add


def _option(name: str, key: Key, more: str = "") -> Callable[[Verb], Verb]:
    flag = option_name(name)
    meaning = f"{key.meaning[0].upper()}{key.meaning[1:]}."
    if key.of_texts:
        default = None
        if isinstance(key.default, str):
            default = (key.default,)
        meaning = f"{meaning} May be repeated.{more}"
        return click.option(flag, multiple=True, default=default, show_default=bool(default), help=meaning)
    if bool in key.kinds:
        return click.option(flag, is_flag=True, default=False, help=meaning)
    kind: Any = str
    if "" in key.choices:
        choices = [choice for choice in key.choices if choice]
        meaning = f"{meaning[:-1]}: {', '.join(choices)}."
    elif key.choices:
        kind = click.Choice(key.choices)
    elif key.bounds:
        kind = _range(key)
    return click.option(flag, type=kind, default=key.default, show_default=bool(key.default), help=meaning + more)


def _range(key: Key) -> click.FloatRange | click.IntRange:
    assert key.bounds is not None
    low, high, is_open = key.bounds.low, key.bounds.high, key.bounds.open
    most = None
    if high < LARGE:
        most = high
    if float in key.kinds:
        return click.FloatRange(low, most, min_open=is_open, max_open=is_open)
    return click.IntRange(low, most, min_open=is_open, max_open=is_open)  # type: ignore[arg-type]


def complete_cleaner(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return names of cleaners that begin so, with their usual cutoff, or the middle of the cutoffs to try."""
    from thresher.base.number_text import number_text
    from thresher.cleaners.cleaner import middle_cutoff
    from thresher.cleaners.registry import scorers

    names = []
    for name, kind in scorers().items():
        cutoff = middle_cutoff(kind) if kind.usual is None else number_text(kind.usual)
        names.append(name if kind.decides else f"{name}@{cutoff}")
    return [name for name in names if name.startswith(begun)]


def check_new(path: Path | None, replaces: bool) -> None:
    """Refuse to overwrite a file, or a folder with files, unless `replaces`; streams may be written."""
    if path is None or replaces or str(path).startswith(("/dev/", "/proc/")):
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
    help="Write everything, then exit with code 3 if more pages failed: a number, or a share such as 5%.",
)


def check_failed(failed: int, pages: int, allowed: int | str | None, failures: Path | None) -> None:
    """Raise an error if more pages failed than are allowed; `failures` is the file that lists the failed pages."""
    if allowed is None:
        return
    most = float(allowed.rstrip(" %")) / 100 * pages if isinstance(allowed, str) else allowed
    if failed > most:
        share = 100 * failed / pages
        what = f"{failed:,} of {pages:,} pages failed ({share:.1f} %), and --max-failed allows {allowed}"
        raise InputError(what, f"see {failures}" if failures else "list the reasons with --failures FILE")


@dataclass(frozen=True)
class BackendOptions:
    """The workers that a command asks for."""

    name: str | None
    workers: int | None
    scheduler: str

    def backend(self) -> Backend:
        """Return them."""
        from thresher.base.processes import Backend

        name = self.name or LOCAL
        if self.scheduler and self.name is None:
            name = DASK
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
        return verb(*args, backend=BackendOptions(backend, workers, scheduler), **named)

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


def print_message(line: str) -> None:
    """Print a line to standard error, with control characters escaped."""
    click.echo(escape_controls(line), err=True)


def print_left_out(source: Path | str, format: str) -> None:
    """Print to standard error which files of a folder of pages are left out."""
    from thresher.collections.file_collection import left_out
    from thresher.reports.left_out import left_out_sentences

    for sentence in left_out_sentences(left_out(Path(source), format)):
        print_message(sentence)


def announce(announcement: Announcement) -> None:
    """Print a step of long work to standard error."""
    from thresher.reports.announcements import announcement_text

    print_message(announcement_text(announcement))


def print_line(line: str, most: int | None = MOST) -> None:
    """Print a line to standard output, with control characters escaped, clipped to `most` characters."""
    click.echo(escape_controls(line, most))


def print_text(text: str) -> None:
    """Print whole lines to standard output, with control characters escaped."""
    for line in text.split("\n"):
        print_line(line, None)


def terminal_width() -> int:
    """Return the columns of the terminal; 80 without one."""
    return shutil.get_terminal_size((80, 40)).columns


def show(tables: Sequence[Table]) -> None:
    """Print tables as wide as the terminal, with an empty line between them."""
    from thresher.reports.text_tables import render_text

    click.echo("\n".join(render_text(table, terminal_width()) for table in tables), nl=False)


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
        short_table: returns a table of about that many rows, if there is one.
        files: the written files, each with its kind.
        record: the file with the record.
        commands: to copy into a shell, each in one line however long it is.
    """

    sentences: Sequence[str]
    short_table: Callable[[int], Table] | None
    full: Sequence[Table]
    files: Sequence[tuple[str, Path]]
    record: Path
    commands: Sequence[str] = ()


def style_options(verb: Verb) -> Verb:
    """Add `--full`, `--quiet` and `--json`, which exclude each other; the verb gets its `style`."""

    @wraps(verb)
    def shaped(*args: Any, full: bool, quiet: bool, as_json: bool, **named: Any) -> Any:
        flags = {OutputStyle.FULL: full, OutputStyle.QUIET: quiet, OutputStyle.JSON: as_json}
        styles: list[OutputStyle] = []
        for style, flag in flags.items():
            if flag:
                styles.append(style)
        if len(styles) > 1:
            given_flags = " and ".join(f"--{style}" for style in styles)
            raise ConfigError(f"{given_flags} exclude each other", "give one of them", given_flags)
        styles.append(OutputStyle.ANSWER)
        return verb(*args, style=styles[0], **named)

    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the record as JSON."),
        click.option("--quiet", is_flag=True, help="Print the first sentence alone."),
        click.option("--full", is_flag=True, help="Print all tables."),
    ):
        shaped = option(shaped)
    return shaped


def print_answer(answer: Answer, style: OutputStyle) -> None:
    """Print an answer in a style."""
    if style is OutputStyle.JSON:
        print_text(answer.record.read_text(encoding="utf-8").rstrip("\n"))
    elif style is OutputStyle.QUIET:
        print_line(answer.sentences[0])
    elif style is OutputStyle.FULL:
        for sentence in answer.sentences:
            print_line(f"- {sentence}")
        click.echo()
        show(answer.full)
        _print_files(answer)
    else:
        for line in short_lines(answer, terminal_width()):
            print_line(line)
        _print_files(answer)


def short_lines(answer: Answer, width: int) -> list[str]:
    """Return sentences and, if there is room, the table: at most `MOST_LINES` lines, counting the lines of the files."""
    from thresher.base.number_text import counted
    from thresher.reports.text_tables import wrapped

    room = MOST_LINES - len(answer.files) - len(answer.commands) - 1
    if answer.commands:
        room -= 1
    # The smallest table leaves the most room for sentences.
    room_of_table = len(_short_table(answer, _FEWEST_ROWS, width))
    lines: list[str] = []
    for number, sentence in enumerate(answer.sentences):
        remaining = len(answer.sentences) - number
        first, *further = wrapped(sentence, width, "  ")
        needed = len(lines) + 1 + len(further) + room_of_table
        if remaining > 1:
            # The last line may be needed to say that more sentences exist.
            needed += 1
        if needed > room:
            lines.append(f"- {counted(remaining, 'more sentence')}: --full")
            break
        lines += [f"- {first.strip()}", *further]
    whole = _short_table(answer, _MOST_ROWS, width, wraps=True)
    if len(lines) + len(whole) <= room:
        return lines + whole
    for rows in range(_MOST_ROWS, _FEWEST_ROWS - 1, -1):
        table = _short_table(answer, rows, width)
        if len(lines) + len(table) <= room:
            return lines + table
    return lines


def _short_table(answer: Answer, rows: int, width: int, wraps: bool = False) -> list[str]:
    """Return an empty line and the lines of the answer's table, or none without a table; long texts are wrapped or cut."""
    from thresher.reports.fitted_tables import fitted_lines

    if answer.short_table is None:
        return []
    return ["", *fitted_lines(answer.short_table(rows), width, wraps)]


def _print_files(answer: Answer) -> None:
    click.echo()
    for command in answer.commands:
        print_line(command, None)
    if answer.commands:
        click.echo()
    for what, path in answer.files:
        print_line(f"{what}: {path.resolve()}")
