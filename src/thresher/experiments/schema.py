"""What an experiment file may say: every table and key, its type, default and meaning, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from thresher.collections import ID_RULES
from thresher.evaluation import DEFAULT_MEASURES
from thresher.pages import BLOCK_RULES


class AddProblem(Protocol):
    """Takes a problem: what, the fix, and the path of the key it is about."""

    def __call__(self, what: str, fix: str, path: tuple[str | int, ...]) -> None:
        """Note one problem."""
        ...


REQUIRED = object()
CO2_METHODS = ("estimated", "codecarbon")
STEMMERS = ("porter", "krovetz", "none")


@dataclass(frozen=True)
class Key:
    """A key of a table. `kinds` are the Python types that TOML may give; `default` is `REQUIRED` if it must be there.

    A number is within `low` and `high`, inclusive; TOML knows infinity, NaN and whole numbers of any length.
    """

    name: str
    kinds: tuple[type, ...]
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float = 1e12
    items: type | None = None


@dataclass(frozen=True)
class Table:
    """A table of an experiment file; `many` for an array of tables."""

    name: str
    keys: tuple[Key, ...]
    required: bool = False
    many: bool = False


_NUMBER = (int, float)

SCHEMA: tuple[Table, ...] = (
    Table(
        "experiment",
        (
            Key("name", (str,), REQUIRED, "names the folders of results and indexes"),
            Key("title", (str,), "", "heads the report"),
        ),
        required=True,
    ),
    Table(
        "collection",
        (
            Key("path", (str,), REQUIRED, "folder or file, relative to the experiment file"),
            Key(
                "generate",
                (str,),
                "",
                "make the collection at `path` if it is not there",
                choices=("", "pydoc"),
            ),
            Key(
                "ids",
                (str,),
                "path",
                "ids from the path below `prefix`, or from the file's stem",
                choices=ID_RULES,
            ),
            Key("prefix", (str,), "", "folder that ids do not show"),
            Key("keep_suffix", (bool,), False, "whether ids keep `.html`"),
            Key("escape_ids", (bool,), False, "write characters that a run cannot hold as %XX"),
            Key("id_pattern", (str,), "", "a regular expression; what it matches in ids is replaced"),
            Key("id_replacement", (str,), "", "by this; \\1 is the first group"),
            Key("max_page_mib", _NUMBER, 16.0, "larger pages are listed as failed", low=0.001, high=1e6),
            Key("page_seconds", _NUMBER, 30.0, "pages that take longer are listed as failed", low=0.01, high=1e6),
        ),
        required=True,
    ),
    Table(
        "topics",
        (
            Key("path", (str,), REQUIRED, "TSV, TREC or XML"),
            Key("field", (str,), "title", "which field of TREC or XML topics is the query"),
        ),
        required=True,
    ),
    Table("qrels", (Key("path", (str,), REQUIRED, "TREC qrels"),), required=True),
    Table(
        "pages",
        (
            Key(
                "blocks",
                (str,),
                BLOCK_RULES[0],
                "whether inline tags pass within a block",
                choices=BLOCK_RULES,
            ),
            Key("language", (str,), "en", "whose abbreviations the sentence splitter knows"),
        ),
    ),
    Table(
        "sweep",
        (
            Key("scorer", (str,), REQUIRED, "a scorer's name, such as perplexity(lm=books)"),
            Key(
                "cutoffs",
                (list, dict),
                REQUIRED,
                'a list of numbers or of percentiles such as "p70", or { from = 1, to = 100, step = 1 }',
            ),
        ),
        many=True,
    ),
    Table("cleaners", (Key("names", (list,), [], "single cleaners, such as words@11", items=str),)),
    Table(
        "index",
        (
            Key("positions", (bool,), False, "store positions"),
            Key("stored", (bool,), False, "store the text"),
            Key("vectors", (bool,), False, "store document vectors"),
            Key("stemmer", (str,), "porter", "as in Anserini", choices=STEMMERS),
            Key("stopwords", (bool,), True, "leave out Lucene's English stop words"),
        ),
    ),
    Table(
        "retrieval",
        (
            Key("models", (list,), ["qld"], "qld, qld(exact), bm25 and their parameters", items=str),
            Key("depth", (int,), 1000, "hits a topic", low=1, high=1e9),
        ),
    ),
    Table(
        "evaluation",
        (
            Key("measures", (list,), list(DEFAULT_MEASURES), "ir-measures names", items=str),
            Key("seed", (int,), 0, "of the bootstrap", low=0),
        ),
    ),
    Table(
        "costs",
        (
            Key("carbon_intensity", _NUMBER, 0.341, "kg CO2 a kWh", low=0.0),
            Key("tdp_watts", _NUMBER, 0.0, "the CPUs' thermal design power; 0 to look it up", low=0.0),
            Key("co2", (str,), CO2_METHODS[0], "how CO2 is had", choices=CO2_METHODS),
        ),
    ),
    Table("run", (Key("workers", (int,), 0, "processes for the scoring pass; 0 for one a core", low=0, high=1000),)),
)

# `{ from, to, step }` in place of a list of cutoffs.
RANGE_KEYS = ("from", "to", "step")


def check(document: dict[str, Any], add: AddProblem) -> dict[str, Any]:
    """Check a parsed TOML document against `SCHEMA` and fill in defaults.

    Args:
        document: what `tomllib` gave.
        add: called with (what, fix, path) for each problem.

    Returns:
        the tables with every key; a key that is missing or wrong has its default, or None if it has none.
    """
    tables = {table.name: table for table in SCHEMA}
    for name in document:
        if name not in tables:
            add(f"unknown table [{name}]", _suggest(name, tables), (name,))
    return {table.name: _table(table, document.get(table.name), add) for table in SCHEMA}


def _table(table: Table, value: Any, add: AddProblem) -> Any:
    if table.many:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            add(f"[{table.name}] is not an array of tables", f"write [[{table.name}]]", (table.name,))
            return []
        return [_keys(table, item, (table.name, index), add) for index, item in enumerate(value)]
    if value is None:
        if table.required:
            needed = ", ".join(key.name for key in table.keys if key.default is REQUIRED)
            add(f"the table [{table.name}] is missing", f"add [{table.name}] with {needed}", ())
        return {key.name: _default(key) for key in table.keys}
    if not isinstance(value, dict):
        add(f"{table.name!r} is not a table", f"write [{table.name}]", (table.name,))
        return {key.name: _default(key) for key in table.keys}
    return _keys(table, value, (table.name,), add)


def _keys(table: Table, value: dict[str, Any], path: tuple[str | int, ...], add: AddProblem) -> dict[str, Any]:
    keys = {key.name: key for key in table.keys}
    for name in value:
        if name not in keys:
            add(f"unknown key {name!r} in [{table.name}]", _suggest(name, keys), (*path, name))
    found = {}
    for key in table.keys:
        found[key.name] = _default(key)
        if key.name not in value:
            if key.default is REQUIRED:
                add(f"[{table.name}] has no {key.name!r}", f"add {key.name}: {key.meaning}", path)
            continue
        problem = _problem(key, value[key.name])
        if problem:
            add(*problem, (*path, key.name))
        else:
            found[key.name] = value[key.name]
    return found


def _problem(key: Key, value: Any) -> tuple[str, str] | None:
    # bool is an int to Python, not to a reader of TOML.
    fits = isinstance(value, key.kinds) and (bool in key.kinds or not isinstance(value, bool))
    if not fits:
        kinds = " or ".join(_KIND_NAMES[kind] for kind in key.kinds)
        return (
            f"{key.name!r} is {_KIND_NAMES.get(type(value), type(value).__name__)}",
            f"give {kinds}: {key.meaning}",
        )
    if key.choices and value not in key.choices:
        return f"{key.name!r} cannot be {value!r}", f"use one of {', '.join(filter(None, key.choices))}"
    if key.low is not None and not key.low <= value <= key.high:
        bound = f"at most {key.high:g}" if value > key.high else f"at least {key.low:g}"
        return f"{key.name!r} is out of range: {value!r:.20}", f"choose a value of {bound}"
    if key.items and not all(isinstance(item, key.items) for item in value):
        return f"an item of {key.name!r} is not {_KIND_NAMES[key.items]}", f"give a list of {key.meaning}"
    return None


_KIND_NAMES: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _default(key: Key) -> Any:
    return None if key.default is REQUIRED else key.default


def _suggest(name: str, known: Any) -> str:
    close = get_close_matches(name, list(known), 1)
    return f"write {close[0]!r}" if close else f"use one of {', '.join(known)}"
