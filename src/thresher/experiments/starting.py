"""A first experiment file for the user's collection, topics and qrels, written after looking at them."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from string import Template

from thresher.base.defaults import DEFAULT_INDEX
from thresher.base.errors import ConfigError, InputError
from thresher.base.number_text import counted
from thresher.collections import IdRule, JsonFields, ReadOptions, open_collection
from thresher.collections.file_collection import HTML, Files
from thresher.collections.isolated import documents_apart, likely_fields_apart
from thresher.collections.tar import Tar
from thresher.evaluation.topics import read_topics, spelled_as
from thresher.evaluation.trec_files import read_qrels
from thresher.experiments.config import NAME

LOOKED_AT = 20_000
"""Most pages that are looked at."""
_PATHS = IdRule(keep_suffix=True)
"""Makes whole paths ids, of which every other rule makes what it makes of the path."""


@dataclass(frozen=True)
class Look:
    """The first pages of a collection.

    Args:
        reading: how its ids come out as the qrels have them, as far as that can be.
        pages: that were read.
        failed: others, without a text or id.
        judged: documents of the qrels; 0 without qrels.
        known: of these, among the pages.
        first: the first page's id.
    """

    reading: ReadOptions
    pages: int
    failed: int
    judged: int
    known: int
    first: str


def starting_file(pages: Path, topics: Path, qrels: Path, name: str, file: Path) -> tuple[str, list[str]]:
    """Return the text of an experiment file, and what was seen, in sentences.

    Paths are relative to the folder of `file`.
    """
    folder = file.parent
    if not NAME.fullmatch(name):
        fix = "use letters, digits, `.`, `_` and `-`"
        raise ConfigError(f"the name {name!r} cannot name a folder", fix, "--name")
    judgments = read_qrels(qrels)
    seen = look(pages, {document for grades in judgments.values() for document in grades})
    said = [f"{counted(seen.pages, 'page')} read, and {seen.failed:,} that cannot be read."]
    topics_read = spelled_as(read_topics(topics), judgments)
    matching = sum(topic in judgments for topic in topics_read)
    said.append(f"{counted(len(topics_read), 'topic')}, {matching:,} with judgments.")
    if not matching:
        raise InputError("no topic has judgments", "give topics and qrels that belong together", str(qrels))
    said.append(f"{seen.known:,} of {seen.judged:,} judged pages are among those read.")
    if not seen.known:
        judged = next((document for grades in judgments.values() for document in grades), "none")
        said.append(f"The first page's id is {seen.first}, the first judged one {judged}: set `ids` in [collection].")
    paths = (os.path.relpath(path, folder) for path in (pages, topics, qrels))
    return _text(name, seen, shlex.quote(str(file)), *paths), said


def look(pages: Path, judged: set[str]) -> Look:
    """Look at a collection: find the names of its JSON fields, and the rule that makes its ids those of the qrels."""
    collection = open_collection(pages, ReadOptions(_PATHS))
    if isinstance(collection, Files):
        likely = likely_fields_apart(pages, collection.format, JsonFields()).likely
        fields = replace(JsonFields(), **{use: (name,) for use, name in likely.items()})
        collection = replace(collection, options=ReadOptions(_PATHS, fields=fields))
    seen = [(source.id, source.problem) for source in islice(documents_apart(collection, LOOKED_AT), LOOKED_AT)]
    ids = [document for document, problem in seen if not problem]
    if not ids:
        raise InputError("it has no page that can be read", "check the folder, and the format of its files", str(pages))
    of_paths = isinstance(collection, Files) and collection.format in (HTML, Tar.name)

    def fit(rule: IdRule) -> tuple[bool, int]:
        found = set(map(rule.apply, ids) if of_paths else ids)
        return len(found) == len(ids), len(found & judged)

    # Of equal ones the first.
    best = max(_rules(ids) if of_paths else [IdRule()], key=fit)
    reading = ReadOptions(best, fields=collection.options.fields)
    return Look(
        reading, len(ids), len(seen) - len(ids), len(judged), fit(best)[1], best.apply(ids[0]) if of_paths else ids[0]
    )


def _rules(paths: Iterable[str]) -> list[IdRule]:
    folders = {path.partition("/")[0] if "/" in path else "" for path in paths}
    prefixes = ("", *folders) if len(folders) == 1 else ("",)
    rules = [*(IdRule(prefix=prefix) for prefix in prefixes), IdRule("stem")]
    return [replace(rule, keep_suffix=keep_suffix) for rule in rules for keep_suffix in (False, True)]


def _changed(reading: ReadOptions) -> Iterator[tuple[str, str | bool]]:
    rule, plain = reading.rule, IdRule()
    for key in ("ids", "prefix", "keep_suffix"):
        if getattr(rule, key) != getattr(plain, key):
            yield key, getattr(rule, key)
    for what in ("id", "html", "text", "url"):
        names = getattr(reading.fields, what)
        if names != getattr(JsonFields(), what):
            yield f"{what}_field", names[0]


def _text(name: str, seen: Look, file: str, pages: str, topics: str, qrels: str) -> str:
    given = {"name": name, "pages": pages, "topics": topics, "qrels": qrels, "index": DEFAULT_INDEX}
    quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in given.items()}
    keys = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in _changed(seen.reading))
    template = files("thresher.experiments").joinpath("starting.toml").read_text(encoding="utf-8")
    return Template(template).substitute(quoted, keys=keys, file=file)
