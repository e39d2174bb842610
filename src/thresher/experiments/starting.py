"""A first experiment file for the user's collection, topics and qrels, written after looking at them."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from string import Template
from typing import NamedTuple

from thresher.base.defaults import LANGUAGE
from thresher.base.errors import ConfigError, InputError
from thresher.collections import Collection, IdRule, JsonFields, ReadOptions, Source, open_collection
from thresher.collections.file_collection import HTML, Files
from thresher.collections.isolated import documents_apart, likely_fields_apart
from thresher.collections.tar import Tar
from thresher.evaluation.topics import read_topics, spelled_as
from thresher.evaluation.trec_files import read_qrels
from thresher.experiments.config import NAME
from thresher.experiments.page_language import (
    cleaners_for,
    families_for,
    language_of_pages,
    language_tables,
    sweeps_for,
)

LOOKED_AT = 20_000
"""The most pages that are read."""
_FIRST_PAGES = 20
_PAGE_STEP = 200
"""The language is detected on the first `_FIRST_PAGES` pages and on every `_PAGE_STEP`th page."""
_WHOLE_PATHS = IdRule(keep_suffix=True)
"""The rule that makes whole paths ids: every other rule can be applied to a path."""


@dataclass(frozen=True)
class CollectionSummary:
    """The first pages of a collection.

    Args:
        reading: how documents are read; their ids match the qrels as far as possible.
        pages: the number of readable pages.
        failed: the number of pages without a text or an id.
        judged: the number of documents in the qrels.
        judged_seen: the number of judged documents among the pages.
        first_id: the id of the first page.
        language: the language of most pages, by ISO 639-1.
    """

    reading: ReadOptions
    pages: int
    failed: int
    judged: int
    judged_seen: int
    first_id: str
    language: str = LANGUAGE


@dataclass(frozen=True)
class StartingFile:
    """A first experiment file, and its inputs.

    Args:
        text: the text of the file.
        collection: the first pages.
        topics: the number of topics.
        topics_with_judgments: the number of topics with judgments.
        first_judged: the first document of the qrels; empty without any.
        keys: the keys of [collection] that make ids as in the qrels, with their values.
    """

    text: str
    collection: CollectionSummary
    topics: int
    topics_with_judgments: int
    first_judged: str
    keys: Mapping[str, str | bool]


def starting_file(pages: Path, topics: Path, qrels: Path, name: str, file: Path) -> StartingFile:
    """Make a first experiment file.

    Args:
        pages: the collection.
        topics: topics in TSV, TREC, XML or JSON.
        qrels: TREC qrels.
        name: the name of the experiment.
        file: the experiment file; its paths are relative to its folder.

    Raises:
        ConfigError: if the name cannot name a folder.
        InputError: if no page can be read, or no topic has judgments.
    """
    if not NAME.fullmatch(name):
        fix = "use letters, digits, `.`, `_` and `-`"
        raise ConfigError(f"the name {name!r} cannot name a folder", fix, "--name")
    judgments = read_qrels(qrels)
    judged: list[str] = []
    for grades in judgments.values():
        judged.extend(grades)
    summary = summarised(pages, set(judged))
    spelled = spelled_as(read_topics(topics), judgments)
    with_judgments: list[str] = []
    for topic in spelled:
        if topic in judgments:
            with_judgments.append(topic)
    if not with_judgments:
        raise InputError("no topic has judgments", "give topics and qrels that belong together", str(qrels))
    paths = {"pages": pages, "topics": topics, "qrels": qrels}
    return StartingFile(
        text=_text(name, file, paths, summary),
        collection=summary,
        topics=len(spelled),
        topics_with_judgments=len(with_judgments),
        first_judged=judged[0] if judged else "",
        keys=_changed_keys(summary.reading),
    )


def summarised(pages: Path, judged: set[str]) -> CollectionSummary:
    """Look at the first pages of a collection, for the names of its JSON fields and for ids as in the qrels.

    Args:
        pages: the collection.
        judged: the documents of the qrels.

    Raises:
        InputError: if no page can be read.
    """
    collection = _with_likely_fields(open_collection(pages, ReadOptions(_WHOLE_PATHS)), pages)
    ids: list[str] = []
    failed = 0
    sample: list[Source] = []
    for source in islice(documents_apart(collection, LOOKED_AT), LOOKED_AT):
        if source.problem:
            failed += 1
            continue
        if len(ids) < _FIRST_PAGES or len(ids) % _PAGE_STEP == 0:
            sample.append(source)
        ids.append(source.id)
    if not ids:
        raise InputError("it has no page that can be read", "check the folder, and the format of its files", str(pages))
    rule = IdRule()
    if isinstance(collection, Files) and collection.format in (HTML, Tar.name):
        # Among equally good rules, `max` returns the first.
        rule = max(_id_rules(ids), key=lambda candidate: _fit(candidate, ids, judged))
        ids = [rule.apply(path) for path in ids]
    return CollectionSummary(
        reading=ReadOptions(rule, fields=collection.options.fields),
        pages=len(ids),
        failed=failed,
        judged=len(judged),
        judged_seen=len(judged & set(ids)),
        first_id=ids[0],
        language=language_of_pages(sample),
    )


def _with_likely_fields(collection: Collection, pages: Path) -> Collection:
    """Return a collection of files with the JSON fields that its first lines have."""
    if not isinstance(collection, Files):
        return collection
    likely = likely_fields_apart(pages, collection.format, JsonFields()).likely
    fields = JsonFields()
    for use, name in likely.items():
        fields = replace(fields, **{use: (name,)})
    return replace(collection, options=ReadOptions(_WHOLE_PATHS, fields=fields))


class _Fit(NamedTuple):
    is_unique: bool
    judged: int


def _fit(rule: IdRule, paths: Sequence[str], judged: set[str]) -> _Fit:
    """Return whether a rule gives each page an id of its own, and how many judged documents are among these ids."""
    ids = {rule.apply(path) for path in paths}
    return _Fit(len(ids) == len(paths), len(ids & judged))


def _id_rules(paths: Sequence[str]) -> list[IdRule]:
    """Return the rules to try: whole paths, paths below the only folder, and names of files, each with and without suffix."""
    rules = [IdRule(prefix="")]
    folders: set[str] = set()
    for path in paths:
        folder, slash, _ = path.partition("/")
        folders.add(folder if slash else "")
    if len(folders) == 1:
        rules.append(IdRule(prefix=folders.pop()))
    rules.append(IdRule("stem"))
    with_and_without_suffix: list[IdRule] = []
    for rule in rules:
        with_and_without_suffix.append(replace(rule, keep_suffix=False))
        with_and_without_suffix.append(replace(rule, keep_suffix=True))
    return with_and_without_suffix


def _changed_keys(reading: ReadOptions) -> dict[str, str | bool]:
    """Return the keys of [collection] whose values are not the defaults."""
    changed: dict[str, str | bool] = {}
    for key in ("ids", "prefix", "keep_suffix"):
        value = getattr(reading.rule, key)
        if value != getattr(IdRule(), key):
            changed[key] = value
    for use in ("id", "html", "text", "url"):
        names = getattr(reading.fields, use)
        if names != getattr(JsonFields(), use):
            changed[f"{use}_field"] = names[0]
    return changed


def in_toml(values: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
    """Return texts, and lists of texts, as TOML has them."""
    literals: dict[str, str] = {}
    for key, value in values.items():
        literals[key] = json.dumps(value, ensure_ascii=False)
    return literals


def _text(name: str, file: Path, paths: Mapping[str, Path], summary: CollectionSummary) -> str:
    language = summary.language
    values: dict[str, str | list[str]] = {
        "name": name,
        "cleaners": cleaners_for(language),
        "families": families_for(language),
    }
    for key, path in paths.items():
        values[key] = os.path.relpath(path, file.parent)
    keys = ""
    for key, value in _changed_keys(summary.reading).items():
        keys += f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
    sweeps = ""
    for scorer, cutoffs in sweeps_for(language):
        sweeps += f"[[sweep]]\nscorer = {json.dumps(scorer)}\ncutoffs = {json.dumps(cutoffs)}\n\n"
    template = files("thresher.experiments").joinpath("starting.toml").read_text(encoding="utf-8")
    return Template(template).substitute(
        in_toml(values), keys=keys, sweeps=sweeps, language=language_tables(language), file=shlex.quote(str(file))
    )
