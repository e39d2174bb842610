#!/usr/bin/env python3
"""Write the reference lists of the documentation from the code: verbs, keys, cleaners, weights, pruning methods, columns.

The lists are in docs/commands.md, experiment-files.md, which-cleaner.md, weights.md and results/columns.md.

.venv/bin/python scripts/docs.py            write the lists
.venv/bin/python scripts/docs.py --check    fail if a list is stale
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

import click

from arguments import parser_of
from fill import filled
from thresher import ThresherError
from thresher.cleaners.cleaner import declarations
from thresher.cli.main import cli
from thresher.experiments.schema import ID_KEYS, LARGE, READING_KEYS, Key, option_name, tables
from thresher.indexes.pruning.treatments import method_declarations, weights_declaration
from thresher.indexes.work import INDEX_PARTS
from thresher.reports import choice_tables, compared_runs, further_tables, variant_tables
from thresher.reports.cleaning_columns import CLEANERS, PAGES, TYPES
from thresher.reports.columns import Column
from thresher.reports.variant_columns import variant_columns

FOLDER = Path(__file__).parents[1] / "docs"
NOTE = "<!-- Written by scripts/docs.py: change the declarations, not this file. -->"


COMMON = 2
"""The least number of verbs for which an option with one meaning is listed once, in a section of its own."""
PAGE_OPTIONS = tuple(map(option_name, READING_KEYS + ID_KEYS))
"""Options for reading pages, which several verbs share."""


def exit_code_list() -> str:
    return f"Exit codes: {'; '.join(f'**{number}** {meaning}' for number, meaning in exit_codes())}.\n"


def commands() -> str:
    verbs = [
        (name, command) for name, command in every_command(cli, "thresher") if not isinstance(command, click.Group)
    ]
    every = [(name, command, options(command)) for name, command in verbs]
    count = Counter(option_row(option) for _, _, own in every for option in own)
    frequent = [row for row, number in sorted(count.items(), key=lambda item: item[1]) if number >= COMMON]
    # For each name, list the meaning that most verbs share.
    by_name = {row[0]: row for row in frequent if row[1] != "required"}
    often = [*by_name.values()]
    of_pages = [row for row in often if is_of_pages(row)]
    names = ", ".join(row[0] for row in of_pages)
    lines = [
        "## Options for pages",
        f"[Keys of `[collection]`](experiment-files.md#collection), explained there: {names}.",
        "",
    ]
    lines.append("## Options of several verbs")
    lines += [option_line(row) for row in often if row not in of_pages]
    for name, command, own in every:
        pieces = arguments(command, name)
        usage = f"{code(' '.join([name, *pieces]))}: " if pieces else ""
        lines += ["", f"## {name}", usage + " ".join((command.help or "").split())]
        rows = {option: option_row(option) for option in own}
        lines += [option_line(row) for row in rows.values() if row not in often]
        shared = [code(option.opts[0]) for option, row in rows.items() if row in often and row not in of_pages]
        if any(row in of_pages for row in rows.values()):
            shared.insert(0, "[options for pages](#options-for-pages)")
        if shared:
            lines.append(f"- Also {', '.join(shared)}")
    return page(lines)


def is_of_pages(row: Sequence[str]) -> bool:
    return row[0].replace("`", "").split()[0] in PAGE_OPTIONS


def arguments(command: click.Command, name: str) -> list[str]:
    pieces = command.collect_usage_pieces(click.Context(command, info_name=name))
    return [piece for piece in pieces if piece != "[OPTIONS]"]


def option_line(row: Sequence[str]) -> str:
    names, default, meaning = row
    note = f" ({default})" if default == "required" else f" (default {default})" if default else ""
    return f"- {names}{note}: {meaning}"


def options(command: click.Command) -> list[click.Option]:
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def page(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def every_command(group: click.Group, prefix: str) -> Iterable[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from every_command(command, f"{prefix} {name}")


def exit_codes() -> Iterable[tuple[str, ...]]:
    yield "0", "done"
    for kind in sorted(subclasses(ThresherError), key=lambda kind: kind.exit_code):
        yield str(kind.exit_code), f"`{kind.__name__}`, {exit_meaning(kind)}"
    yield "130", "interrupted (Ctrl-C)"
    yield "141", "standard output was closed before all was written, as by `| head`"


def exit_meaning(kind: type[ThresherError]) -> str:
    """Return the first sentence of an error's docstring, as a part of a sentence."""
    meaning = (kind.__doc__ or "").split(" Exit code")[0].rstrip(".")
    first = meaning.split()[0]
    return meaning if first == "Java," else f"{meaning[0].lower()}{meaning[1:]}"


def subclasses(kind: type[ThresherError]) -> list[type[ThresherError]]:
    """Return the most general class of each exit code."""
    return [child for child in kind.__subclasses__() if child.exit_code != kind.exit_code]


def option_row(option: click.Option) -> tuple[str, ...]:
    value = "" if option.is_flag else f" {values(option.type) or (option.metavar or option.name or '').upper()}"
    if option.required:
        default = "required"
    elif option.is_flag or not option.show_default:
        default = ""
    else:
        default = code(" ".join(option.default) if isinstance(option.default, tuple) else str(option.default))
    long, *short = option.opts
    return ", ".join([code(long + value), *map(code, short)]), default, option.help or ""


def values(kind: Any) -> str:
    return "/".join(map(str, kind.choices)) if isinstance(kind, click.Choice) else ""


def cleaners() -> str:
    return page(f"- {code(entry['name'])}: {entry['description']} {rule(entry)}." for entry in declarations())


def methods() -> str:
    entries = method_declarations()
    return page(f"- {code(entry['name'])}: {entry['description']} {code(entry['example'])}." for entry in entries)


def weights() -> str:
    entries = weights_declaration()["parameters"]
    return page(
        f"- {code(entry['name'])} ({entry['values']}, default {entry['default']:g}): {entry['description']}"
        for entry in entries
    )


def rule(entry: Mapping[str, Any]) -> str:
    example = code(entry["example"])
    return f"No cutoff: {example}" if entry["decides"] else f"{entry['keep'].capitalize()}: {example}"


def first_experiment() -> str:
    lines = [
        "```toml",
        'experiment = { name = "mine" }',
        'collection = { path = "crawl/" }   # a folder or file: WARC, HTML, TREC-web, JSON lines, tar; or ir_datasets:ID',
        'topics = { path = "topics.tsv" }',
        'qrels = { path = "qrels.txt" }',
        'cleaners = { names = ["content(headings=keep)@0.3|weights|dcp@0.5", "justext"] }',
        "",
        "[[sweep]]",
        'scorer = "words"',
        "cutoffs = [2, 5, 11, 20]",
        "```",
    ]
    return page(lines)


def experiment_keys() -> str:
    required = ", ".join(code(f"[{name}]") for name, entry in tables().items() if entry.required)
    text = [
        f"Required: {required}. Tables in double brackets may be repeated.",
        "Values are text unless another type is named, and empty unless a default is.",
    ]
    lines = [" ".join(text)]
    for name, entry in tables().items():
        lines += ["", f"## [[{name}]]" if entry.many else f"## [{name}]"]
        lines += itertools.starmap(key_line, entry.keys.items())
    return page(lines)


KINDS = {str: "text", bool: "true/false", int: "integer", float: "number", list: "list", dict: "table"}


def key_line(name: str, key: Key) -> str:
    kinds = "number" if float in key.kinds else "/".join(KINDS[kind] for kind in key.kinds)
    if key.choices:
        kinds = "/".join(code(toml(choice)) for choice in key.choices if choice)
    if key.bounds:
        low, high = (">", "<") if key.bounds.open else ("≥", "≤")
        kinds += f" {low}\u00a0{key.bounds.low:g}"
        kinds += f", {high}\u00a0{key.bounds.high:,.10g}" if key.bounds.high < LARGE else ""
    default = ""
    if key.default is MISSING:
        default = ", required"
    elif key.default or isinstance(key.default, (bool, int, float)):
        default = f", default {code(toml(key.default))}"
    facts = f"{kinds}{default}".removeprefix("text, ")
    return f"- {code(name)}: {key.meaning}" if facts == "text" else f"- {code(name)} ({facts}): {key.meaning}"


MEASURE = "nDCG@10"


def columns() -> str:
    lines = [
        "# Columns of CSV files",
        "",
        NOTE,
        "",
        "Numbers in CSV files have all their digits. An empty field has no value. Columns that are empty in every line of",
        "results.csv are left out. Ends of 95 % intervals have columns of their own, such as `query_ratio_low` and",
        "`query_ratio_high`. Import names and topic ids of others as text: a spreadsheet takes `=1+0` for a formula.",
        f"`{MEASURE}` stands for each measure. `a_…` and `…b` together name the column `a_b`. Headers of tables stand in",
        "parentheses. `thresher evaluate` prints W, T, L, p and effect as in results.csv.",
        "[Files](../report.md#files) says which command writes which file.",
    ]
    seen: Seen = {}
    sections: dict[str, Iterable[Column[Any]]] = {
        "results.csv": variant_columns((MEASURE,)),
        "per_topic.csv": variant_tables.PER_TOPIC,
        "systems.csv": further_tables.system_columns((MEASURE,)),
        "chosen.csv": further_tables.CHOSEN_COLUMNS,
        "Data frame of a choice": choice_tables.answer_columns((MEASURE,)),
        "cleaners.csv of `thresher cleaneval`": CLEANERS,
        "pages.csv of `thresher cleaneval`": PAGES,
        "page_types.csv of `thresher cleaneval`": TYPES,
    }
    for title, declared in sections.items():
        lines += ["", f"## {title}", "", *columns_of(title, declared, seen)]
    families = choice_tables.family_columns((MEASURE,))
    lines += ["", "## Table of the families of a choice", "", *headers_of(families)]
    lines += ["", "## Table of `thresher evaluate --margin`", "", *headers_of(compared_runs.AT_MARGIN)]
    return page([*lines, *index_files()])


def index_files() -> Iterable[str]:
    """Yield the section on the files of an index, whose sizes are in a table of the report."""
    rows = [
        (" ".join(map(code, part.types)), part.name, part.grows_with, f"{part.purpose[0].upper()}{part.purpose[1:]}.")
        for part in INDEX_PARTS
    ]
    yield from ("", "## Index bytes by file type", "", *table(("files", "part", "grows with", "meaning"), rows))


Seen = dict[tuple[str, str], str]
"""The section that explains a column, by its name and meaning. In a group of columns, the end of the name counts."""


def columns_of(title: str, declared: Iterable[Column[Any]], seen: Seen) -> Iterable[str]:
    """Yield the list of a file's columns. Columns that an earlier section explains refer to that section."""
    alone: list[str] = []
    groups: dict[tuple[str, ...], list[Group]] = {}
    again: dict[str, list[str]] = {}
    for group in grouped([column for column in declared if column.in_csv]):
        if len(group.columns) > 1:
            groups.setdefault(group.meanings, []).append(group)
            continue
        (column,) = group.columns
        section = seen.setdefault((column.name, column.meaning), title)
        if section == title:
            alone.append(f"- {code(column.name)}{header(column)}: {column.meaning}")
        else:
            again.setdefault(section, []).append(code(column.name))
    yield from alone
    yield from (f"- {', '.join(names)}: as in {section}." for section, names in again.items())
    for meanings, alike in groups.items():
        yield f"- {'; '.join(f'{code(group.prefix + ELLIPSIS)} {group.about}' for group in alike)}"
        again = {}
        for suffix, meaning in zip(alike[0].suffixes, meanings, strict=True):
            section = seen.setdefault((suffix, meaning), title)
            if section == title:
                yield f"  - {code(ELLIPSIS + suffix)}: {meaning}"
            else:
                again.setdefault(section, []).append(code(ELLIPSIS + suffix))
        yield from (f"  - {', '.join(suffixes)}: as in {section}." for section, suffixes in again.items())


ELLIPSIS = "…"
_END_OF_INTERVAL = re.compile(r"(Lower|Upper) (end of the 95 % interval) of (.+)\.")


@dataclass(frozen=True)
class Group:
    """Consecutive columns whose meanings describe the same values.

    Args:
        about: the values; empty for a single column.
        columns: the columns of the group.
        meanings: each column's statement about the values.
    """

    about: str
    columns: tuple[Column[Any], ...]
    meanings: tuple[str, ...]

    @property
    def prefix(self) -> str:
        """The common beginning of the names."""
        letters = zip(*(column.name for column in self.columns), strict=False)
        return "".join(alike[0] for alike in itertools.takewhile(lambda alike: len(set(alike)) == 1, letters))

    @property
    def suffixes(self) -> list[str]:
        """The ends of the names."""
        return [column.name.removeprefix(self.prefix) for column in self.columns]


def grouped(columns: Iterable[Column[Any]]) -> Iterable[Group]:
    """Yield columns in groups of consecutive columns about the same values."""
    for (about, _), alike in itertools.groupby(columns, key_of_group):
        members = tuple(alike)
        yield Group(about, members, tuple(split_meaning(column)[1] for column in members))


def key_of_group(column: Column[Any]) -> tuple[str, str]:
    """Return the key that groups a column with its neighbours: the values that it describes or, without values, its name."""
    about, _ = split_meaning(column)
    return (about, "") if about else ("", column.name)


def split_meaning(column: Column[Any]) -> tuple[str, str]:
    """Return the values that a column describes, which may be empty, and its statement about them."""
    end = _END_OF_INTERVAL.fullmatch(column.meaning)
    if end:
        return end[3], f"{end[1].lower()} {end[2]}."
    about, colon, meaning = column.meaning.partition(": ")
    return (about, meaning) if colon else ("", column.meaning)


def header(column: Column[Any]) -> str:
    title = f"{column.title} {column.unit}".strip()
    return "" if title == column.name else f" ({title})"


def headers_of(declared: Iterable[Column[Any]]) -> Iterable[str]:
    """Yield the list of the columns of a table that is not in a file."""
    for group in grouped(declared):
        if len(group.columns) > 1:
            yield f"- {group.about}"
        indent = "  " if len(group.columns) > 1 else ""
        for column, meaning in zip(group.columns, group.meanings, strict=True):
            yield f"{indent}- {f'{column.title} {column.unit}'.strip()}: {meaning}"


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key} = {toml(member)}' for key, member in value.items())}}}"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def code(text: str) -> str:
    return f"`{text}`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines]


def pages() -> dict[str, str]:
    """Return the current text of each page, by its path below docs/."""
    return {
        "commands.md": filled(FOLDER / "commands.md", {"exit codes": exit_code_list(), "verbs": commands()}),
        "experiment-files.md": filled(
            FOLDER / "experiment-files.md", {"example": first_experiment(), "keys": experiment_keys()}
        ),
        "which-cleaner.md": filled(FOLDER / "which-cleaner.md", {"cleaners": cleaners()}),
        "weights.md": filled(FOLDER / "weights.md", {"weights": weights(), "methods": methods()}),
        "results/columns.md": columns(),
    }


def main(check: bool) -> int:
    """Write the stale pages; with `check`, only print their names. Return the exit code."""
    stale = {name: text for name, text in pages().items() if not same(FOLDER / name, text)}
    if check:
        for name in stale:
            print(f"docs/{name} is stale. Fix: run scripts/docs.py", file=sys.stderr)
        return int(bool(stale))
    for name, text in stale.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"docs/{name}")
    return 0


def same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if a page is stale")
    sys.exit(main(parser.parse_args().check))
