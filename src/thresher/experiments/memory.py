"""Experiments as Python has them: tables as mappings, whose pages, topics and judgments may be in memory.

What is in memory is kept as files in `results/NAME/inputs/`, with an experiment file that names them: the command line, a
later session and `explain` then find the same experiment. Files are written only where their content is new, so that a
rerun is one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from thresher.collections.catalogue import CATALOGUE_PREFIX
from thresher.errors import ConfigError, InputError
from thresher.evaluation.comparing import as_records, take_qrels, take_run, take_topics
from thresher.experiments.config import NAME, Experiment, load_experiment
from thresher.experiments.schema import tables
from thresher.files import write_text
from thresher.pages.decoding import decode

Source = Experiment | str | Path | Mapping[str, Any]
"""An experiment, its file, or its tables by name; see `thresher.load_experiment`."""


def take_experiment(source: Source, results: Path) -> Experiment:
    """Return an experiment as it is, from its file, or from tables, which `results/NAME/inputs/` then has."""
    if isinstance(source, Experiment):
        return source
    return load_experiment(Path(source) if isinstance(source, str | Path) else _kept(source, results))


def _kept(source: Mapping[str, Any], results: Path) -> Path:
    """Write an experiment file with what is in memory beside it; return its path."""
    given: dict[str, list[dict[str, Any]]] = {}
    for name, value in source.items():
        several = name in tables() and tables()[name].many and isinstance(value, list | tuple)
        given[name] = [_table(name, one) for one in (value if several else [value])]
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
                _write(folder / one[key], "".join(lines(value)))
    text = []
    for table, every in given.items():
        head = f"[[{table}]]" if table in tables() and tables()[table].many else f"[{table}]"
        for one in every:
            text += [head, *(f"{key} = {_toml(value)}" for key, value in one.items()), ""]
    _write(folder / f"{name}.toml", "\n".join(text))
    return folder / f"{name}.toml"


def _table(name: str, value: Any) -> dict[str, Any]:
    """Return a table; what is none stands for its first key, as a list of cleaners does for their `names`."""
    keys = [*tables()[name].keys] if name in tables() else []
    if isinstance(value, Mapping) and (
        not {(name, key) for key in keys[:1]} & _IN_MEMORY.keys() or {*value} <= {*keys}
    ):
        return dict(value)
    return dict.fromkeys(keys[:1], value)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != text.encode():
        write_text(path, text)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(str(key))} = {_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return json.dumps(str(value), ensure_ascii=False)


def _page_lines(pages: Any) -> Iterator[str]:
    """Give JSON lines of HTML by id, `Page`s, or records or a data frame with `doc_id` and `html` or `text`."""
    if isinstance(pages, Mapping):
        pages = [{"id": name, "html": one} for name, one in pages.items()]
    for record in as_records(pages):
        whole = "contents" if record.get("is_text") else "html"
        names = {"id": ("id", "doc_id"), "html": ("html",), "contents": ("contents", "text"), "url": ("url",)}
        names[whole] = (*names[whole], "content")
        found = {key: next((record[name] for name in every if name in record), None) for key, every in names.items()}
        for key, value in found.items():
            if isinstance(value, bytes):
                found[key] = decode(value, record.get("charset")).utf8.decode()
        line = {
            key: value.encode("utf-8", "replace").decode() for key, value in found.items() if isinstance(value, str)
        }
        if found["id"] is None or not {"html", "contents"} & line.keys():
            fix = "give HTML by id, or a data frame with doc_id (docno) and html or text"
            raise InputError(
                f"a page without id, or without HTML or text, has {', '.join(map(str, record))}", fix, "pages"
            )
        yield json.dumps({**line, "id": str(found["id"])}) + "\n"


def _text_lines(texts: Any) -> Iterator[str]:
    """Give JSON lines of texts by id, or as `_page_lines` takes them."""
    if isinstance(texts, Mapping):
        texts = [{"id": name, "text": one} for name, one in texts.items()]
    return _page_lines(texts)


def _topic_lines(topics: Any) -> Iterator[str]:
    return (f"{name}\t{' '.join(query.split())}\n" for name, query in take_topics(topics))


def _judged_lines(qrels: Any) -> Iterator[str]:
    return (
        f"{topic} 0 {document} {grade}\n"
        for topic, judged in take_qrels(qrels).items()
        for document, grade in judged.items()
    )


def _run_lines(run: Any) -> Iterator[str]:
    return (
        f"{topic} Q0 {document} {rank} {score!r} run\n"
        for topic, hits in take_run(run).items()
        for rank, (document, score) in enumerate(hits.items(), 1)
    )


def _vector_lines(vectors: Mapping[str, Iterable[float]]) -> Iterator[str]:
    return (json.dumps({"id": str(name), "vector": [*map(float, one)]}) + "\n" for name, one in vectors.items())


_IN_MEMORY: Mapping[tuple[str, str], tuple[str, Callable[[Any], Iterable[str]]]] = {
    ("collection", "path"): ("pages.jsonl", _page_lines),
    ("topics", "path"): ("topics.tsv", _topic_lines),
    ("qrels", "path"): ("qrels.txt", _judged_lines),
    ("held_out", "topics"): ("held-out-topics.tsv", _topic_lines),
    ("held_out", "qrels"): ("held-out-qrels.txt", _judged_lines),
    ("text", "path"): ("text-{}.jsonl", _text_lines),
    ("system", "path"): ("system-{}.trec", _run_lines),
    ("vectors", "path"): ("vectors-{}.jsonl", _vector_lines),
    ("vectors", "queries"): ("query-vectors-{}.jsonl", _vector_lines),
}
