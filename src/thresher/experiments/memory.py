"""Experiments as Python has them: tables as mappings, whose pages, topics and judgments may be in memory.

These are kept as files in `results/NAME/inputs/`, with an experiment file, for the command line, `explain` and later sessions;
files are written only where their content is new, so that a rerun is one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.base.files import write_text
from thresher.collections.catalogue import CATALOGUE_PREFIX
from thresher.evaluation.comparing import as_records, take_qrels, take_run, take_topics
from thresher.experiments.config import NAME, Experiment, load_experiment
from thresher.experiments.schema import tables
from thresher.pages.decoding import decode

Source = Experiment | str | Path | Mapping[str, Any]
"""An experiment, its file, or its tables by name; see `thresher.load_experiment`."""


def take_experiment(source: Source, results: Path, fresh: bool = False) -> Experiment:
    """Return an experiment as it is, from its file, or from tables, which `results/NAME/inputs/` then has.

    Pages that were scored are replaced only by `fresh`, since what was made of them would be lost.
    """
    if isinstance(source, Experiment):
        return source
    return load_experiment(Path(source) if isinstance(source, str | Path) else _kept(source, results, fresh))


def _kept(source: Mapping[str, Any], results: Path, fresh: bool) -> Path:
    """Write an experiment file with what is in memory beside it; return its path."""
    several = {key: key in tables() and tables()[key].many and isinstance(source[key], list | tuple) for key in source}
    given = {key: [_table(key, one) for one in (every if several[key] else [every])] for key, every in source.items()}
    name = str(given.get("experiment", [{}])[0].get("name", ""))
    if not NAME.fullmatch(name):
        fix = 'write {"experiment": "mine"}, with letters, digits, `.`, `_` and `-`'
        raise ConfigError(f"the name {name!r} cannot name a folder", fix, "experiment")
    folder = results / name / "inputs"
    for (table, key), (file, lines) in _IN_MEMORY.items():
        for number, one in enumerate(given.get(table, ())):
            value = one.get(key)
            if isinstance(value, str | Path):
                known = str(value).startswith((CATALOGUE_PREFIX, "${"))
                one[key] = value if known else os.path.relpath(value, folder)
            elif value is not None:
                one[key] = file.format(number)
                scored = table == "collection" and not fresh and (folder.parent / "scores").exists()
                _write(folder / one[key], "".join(lines(value)), scored)
    every = {table: some if table in tables() and tables()[table].many else some[0] for table, some in given.items()}
    _write(folder / f"{name}.toml", "".join(f"{table} = {_toml(value)}\n" for table, value in every.items()))
    return folder / f"{name}.toml"


def _table(name: str, value: Any) -> dict[str, Any]:
    """Return a table; what is none stands for its first key, as a list of cleaners does for their `names`."""
    keys = [*tables()[name].keys] if name in tables() else []
    may_be_data = bool({(name, key) for key in keys[:1]} & _IN_MEMORY.keys())
    is_table = isinstance(value, Mapping) and ({*value} <= {*keys} or not may_be_data)
    return dict(value) if is_table else dict.fromkeys(keys[:1], value)


def _write(path: Path, text: str, scored: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != text.encode():
        if scored and path.exists():
            fix = "give the experiment another name, or add fresh=True, which replaces all results"
            raise StateError("other pages were scored under this name", fix, str(path))
        write_text(path, text)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(str(key))} = {_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return json.dumps(str(value), ensure_ascii=False)


_FIELDS = {"doc_id": "id", "id": "id", "html": "html", "text": "contents", "contents": "contents", "url": "url"}


def _page_lines(pages: Any, what: str = "html") -> Iterator[str]:
    """Give JSON lines of HTML by id, `Page`s, or records or a data frame with `doc_id` and `html` or `text`."""
    if isinstance(pages, Mapping):
        pages = [{"id": name, what: one} for name, one in pages.items()]
    for record in as_records(pages):
        # The content of a `Page` is bytes of HTML or text.
        named = {"contents" if record.get("is_text") else "html": record.get("content")}
        named |= {_FIELDS[name]: value for name, value in record.items() if name in _FIELDS}
        decoded = {
            key: decode(value, record.get("charset")).utf8.decode() if isinstance(value, bytes) else value
            for key, value in named.items()
        }
        line = {key: text.encode("utf-8", "replace").decode() for key, text in decoded.items() if isinstance(text, str)}
        if "id" not in named or not {"html", "contents"} & line.keys():
            what = f"a page without id, or without HTML or text, has {', '.join(map(str, record))}"
            raise InputError(what, "give HTML by id, or a data frame with doc_id (docno) and html or text", "pages")
        yield json.dumps({**line, "id": str(named["id"])}) + "\n"


def _topic_lines(topics: Any) -> Iterator[str]:
    return (f"{name}\t{' '.join(query.split())}\n" for name, query in take_topics(topics))


def _judged_lines(qrels: Any) -> Iterator[str]:
    for topic, judged in take_qrels(qrels).items():
        yield from (f"{topic} 0 {document} {grade}\n" for document, grade in judged.items())


def _run_lines(run: Any) -> Iterator[str]:
    for topic, hits in take_run(run).items():
        yield from (f"{topic} Q0 {name} {rank} {hits[name]!r} run\n" for rank, name in enumerate(hits, 1))


_IN_MEMORY: Mapping[tuple[str, str], tuple[str, Callable[[Any], Iterable[str]]]] = {
    ("collection", "path"): ("pages.jsonl", _page_lines),
    ("topics", "path"): ("topics.tsv", _topic_lines),
    ("qrels", "path"): ("qrels.txt", _judged_lines),
    ("held_out", "topics"): ("held-out-topics.tsv", _topic_lines),
    ("held_out", "qrels"): ("held-out-qrels.txt", _judged_lines),
    ("text", "path"): ("text-{}.jsonl", partial(_page_lines, what="text")),
    ("system", "path"): ("system-{}.trec", _run_lines),
}
