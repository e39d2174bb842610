"""Experiments in Python: tables as mappings, with pages, topics and judgments in memory.

Data in memory become files in `results/NAME/inputs/`, with an experiment file, for the command line, `explain` and later
sessions. Files are written only if their content is new, so that a rerun finds them unchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.base.files import write_text
from thresher.cleaners.name_paths import moved_paths
from thresher.collections.catalogue import CATALOGUE_PREFIX
from thresher.evaluation.comparing import as_records, take_qrels, take_run, take_topics
from thresher.experiments.config import NAME, Experiment, load_experiment
from thresher.experiments.schema import tables
from thresher.pages.decoding import decode

Source = Experiment | str | Path | Mapping[str, Any]
"""An experiment, its file, or its tables by name; see `thresher.load_experiment`."""
Table = dict[str, Any]

_PAGE_FIELDS = {"doc_id": "id", "id": "id", "html": "html", "text": "contents", "contents": "contents", "url": "url"}
"""The members of stored pages, by the names that records in memory have."""


def take_experiment(source: Source, results: Path, fresh: bool = False) -> Experiment:
    """Return an experiment as it is, from its file, or from tables, which are written to `results/NAME/inputs/`.

    Args:
        source: the experiment.
        results: the folder of results.
        fresh: whether to replace pages that were scored, with all results made of them.

    Raises:
        ConfigError: if a table or key is wrong.
        InputError: if data in memory are not pages, topics, judgments or runs.
        StateError: if other pages were scored under the same name, without `fresh`.
    """
    if isinstance(source, Experiment):
        return source
    if isinstance(source, str | Path):
        return load_experiment(Path(source))
    return load_experiment(_write_experiment(source, results, fresh))


def _write_experiment(source: Mapping[str, Any], results: Path, fresh: bool) -> Path:
    """Write an experiment file, with the data in memory beside it; return its path."""
    values: dict[str, list[Table]] = {}
    for table_name, content in source.items():
        values[table_name] = _tables_of(table_name, content)
    name = _experiment_name(values)
    folder = results / name / "inputs"
    pages_are_scored = (folder.parent / "scores").exists() and not fresh
    writer = _DataWriter(folder)
    for table in values.get("collection", []):
        writer.store(table, "path", "pages.jsonl", _html_lines, keep=pages_are_scored)
    for table in values.get("topics", []):
        writer.store(table, "path", "topics.tsv", _topic_lines)
    for table in values.get("qrels", []):
        writer.store(table, "path", "qrels.txt", _judgment_lines)
    for table in values.get("held_out", []):
        writer.store(table, "topics", "held-out-topics.tsv", _topic_lines)
        writer.store(table, "qrels", "held-out-qrels.txt", _judgment_lines)
    for number, table in enumerate(values.get("text", [])):
        writer.store(table, "path", f"text-{number}.jsonl", _text_lines)
    for number, table in enumerate(values.get("system", [])):
        writer.store(table, "path", f"system-{number}.trec", _run_lines)
    _move_names(values, folder)
    lines = []
    for table_name, members in values.items():
        value: Any = members
        if not _is_array(table_name):
            (value,) = members
        lines.append(f"{table_name} = {_toml(value)}\n")
    file = folder / f"{name}.toml"
    _write_if_new(file, "".join(lines))
    return file


def _experiment_name(values: Mapping[str, list[Table]]) -> str:
    name = ""
    for table in values.get("experiment", []):
        name = str(table.get("name", ""))
    if not NAME.fullmatch(name):
        fix = 'write {"experiment": "mine"}, with letters, digits, `.`, `_` and `-`'
        raise ConfigError(f"the name {name!r} cannot name a folder", fix, "experiment")
    return name


def _is_array(name: str) -> bool:
    """Return whether an experiment file has an array of tables of this name."""
    return name in tables() and tables()[name].many


def _tables_of(name: str, value: Any) -> list[Table]:
    """Return the tables of a name; only arrays have several."""
    if _is_array(name) and isinstance(value, list | tuple):
        return [_table(name, member) for member in value]
    return [_table(name, value)]


def _table(name: str, value: Any) -> Table:
    """Return a table; any other value becomes the table's first key: a list of cleaners is `names` of [cleaners]."""
    keys: list[str] = []
    if name in tables():
        keys = list(tables()[name].keys)
    if isinstance(value, Mapping):
        # Pages, topics and judgments may be mappings, too.
        may_be_data = name in ("collection", "topics", "qrels", "held_out")
        if not may_be_data or set(value) <= set(keys):
            return dict(value)
    return dict.fromkeys(keys[:1], value)


@dataclass(frozen=True)
class _DataWriter:
    """Writes data in memory to files of a folder."""

    folder: Path

    def store(
        self, table: Table, key: str, file_name: str, lines: Callable[[Any], Iterable[str]], keep: bool = False
    ) -> None:
        """Write the data of a key to a file, and put its name in their place; paths become relative to the folder.

        Args:
            table: the table, which is changed in place.
            key: the key of the data; if it is missing, nothing happens.
            file_name: the name of the file to write.
            lines: returns the file's lines.
            keep: whether to refuse to replace a file with other content.
        """
        value = table.get(key)
        if value is None:
            return
        if not isinstance(value, str | Path):
            _write_if_new(self.folder / file_name, "".join(lines(value)), keep)
            table[key] = file_name
        elif not str(value).startswith((CATALOGUE_PREFIX, "${")):
            table[key] = os.path.relpath(value, self.folder)


def _move_names(values: Mapping[str, list[Table]], folder: Path) -> None:
    """Make paths within the names of cleaners relative to the folder."""
    for table_name, key in (("sweep", "scorer"), ("cleaners", "names"), ("choose", "families")):
        for table in values.get(table_name, []):
            if key in table:
                table[key] = _moved_names(table[key], folder)


def _moved_names(value: Any, folder: Path) -> Any:
    """Return a name, or a list of them, whose paths are relative to the folder."""
    if isinstance(value, str):
        return moved_paths(value, Path(), folder)
    if isinstance(value, list | tuple):
        return [_moved_names(member, folder) for member in value]
    return value


def _write_if_new(path: Path, text: str, keep: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        if path.read_bytes() == text.encode():
            return
        if keep:
            fix = "give the experiment another name, or add fresh=True, which replaces all results"
            raise StateError("other pages were scored under this name", fix, str(path))
    write_text(path, text)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        members: list[str] = []
        for key, member in value.items():
            members.append(f"{json.dumps(str(key))} = {_toml(member)}")
        return f"{{ {', '.join(members)} }}"
    if isinstance(value, list | tuple):
        items = [_toml(item) for item in value]
        return f"[{', '.join(items)}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return json.dumps(str(value), ensure_ascii=False)


def _html_lines(pages: Any) -> Iterator[str]:
    """Return JSON lines of HTML by id, of `Page`s, or of records or a data frame with `doc_id` and `html` or `text`."""
    if isinstance(pages, Mapping):
        pages = _as_members(pages, "html")
    return _page_lines(pages)


def _text_lines(texts: Any) -> Iterator[str]:
    """Return JSON lines of texts by id, or of records or a data frame with `doc_id` and `text`."""
    if isinstance(texts, Mapping):
        texts = _as_members(texts, "text")
    return _page_lines(texts)


def _as_members(content_by_id: Mapping[Any, Any], content_name: str) -> list[dict[str, Any]]:
    """Return a record for each id, with its content as the member `content_name`."""
    records: list[dict[str, Any]] = []
    for document_id, content in content_by_id.items():
        records.append({"id": document_id, content_name: content})
    return records


def _page_lines(pages: Any) -> Iterator[str]:
    """Yield a line of JSON for each page."""
    for record in as_records(pages):
        members = _page_members(record)
        texts = _texts(members, record.get("charset"))
        if "id" not in members or not ("html" in texts or "contents" in texts):
            what = f"a page without id, or without HTML or text, has {', '.join(map(str, record))}"
            raise InputError(what, "give HTML by id, or a data frame with doc_id (docno) and html or text", "pages")
        texts["id"] = str(members["id"])
        yield json.dumps(texts) + "\n"


def _page_members(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a record by the members of stored pages."""
    # The content of a `Page` is bytes of HTML or text.
    content_name = "contents" if record.get("is_text") else "html"
    members = {content_name: record.get("content")}
    for name, value in record.items():
        if name in _PAGE_FIELDS:
            members[_PAGE_FIELDS[name]] = value
    return members


def _texts(members: Mapping[str, Any], charset: str | None) -> dict[str, str]:
    """Return the members that are texts or bytes of text."""
    texts: dict[str, str] = {}
    for name, value in members.items():
        if isinstance(value, bytes):
            value = decode(value, charset).utf8.decode()
        if isinstance(value, str):
            texts[name] = value.encode("utf-8", "replace").decode()
    return texts


def _topic_lines(topics: Any) -> Iterator[str]:
    for topic, query in take_topics(topics):
        yield f"{topic}\t{' '.join(query.split())}\n"


def _judgment_lines(qrels: Any) -> Iterator[str]:
    for topic, grades in take_qrels(qrels).items():
        for document, grade in grades.items():
            yield f"{topic} 0 {document} {grade}\n"


def _run_lines(run: Any) -> Iterator[str]:
    for topic, hits in take_run(run).items():
        for rank, document in enumerate(hits, 1):
            yield f"{topic} Q0 {document} {rank} {hits[document]!r} run\n"
