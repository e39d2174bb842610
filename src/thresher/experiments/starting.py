"""A first experiment file for one's own collection, topics and qrels, written after looking at them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from thresher.collections import IdRule, JsonFields, ReadOptions, Source, documents, open_collection
from thresher.errors import InputError, ThresherError
from thresher.evaluation import read_qrels, read_topics
from thresher.files import read_bytes

LOOKED_AT = 20_000
"""Most pages that are looked at."""
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "docno", "docid", "doc_id", "_id", "identifier", "uid"),
    "html": ("html", "raw_html", "raw", "page"),
    "text": ("contents", "text", "content", "body", "raw_content"),
    "url": ("url", "uri", "link"),
}


@dataclass(frozen=True)
class Look:
    """What was seen of a collection.

    Args:
        reading: how its ids come out as the qrels have them, as far as that can be.
        pages: looked at.
        failed: of these, without a text or id.
        judged: documents of the qrels; 0 without qrels.
        known: of these, among the pages.
    """

    reading: ReadOptions
    pages: int
    failed: int
    judged: int
    known: int


def starting_file(
    pages: Path, topics: Path | None, qrels: Path | None, name: str, folder: Path
) -> tuple[str, list[str]]:
    """Return the text of an experiment file, and what was seen, in sentences.

    Args:
        pages: the collection.
        topics, qrels: None where there are none: the file then names those that `thresher pseudo-topics` makes.
        name: of the experiment.
        folder: that the file will be in; paths are relative to it.

    Raises:
        InputError: if the collection has no page that can be read, or topics and qrels do not fit together.
        ThresherError: as `open_collection`, `read_topics` and `read_qrels`.
    """
    if (topics is None) is not (qrels is None):
        raise InputError("topics and qrels belong together", "give both, or none of them", str(topics or qrels))
    judgments = read_qrels(qrels) if qrels else {}
    seen = look(pages, {document for grades in judgments.values() for document in grades})
    said = [f"{seen.pages:,} pages looked at, {seen.failed:,} of them cannot be read."]
    if topics and qrels:
        found = read_topics(topics)
        matching = sum(topic in judgments for topic in found)
        said.append(f"{len(found):,} topics, {matching:,} of them with judgments.")
        if not matching:
            raise InputError("no topic has judgments", "give topics and qrels that belong together", str(qrels))
        said.append(f"{seen.known:,} of {seen.judged:,} judged pages are among those looked at.")
    else:
        made = folder / f"{name}-topics"
        topics, qrels = made / "topics.tsv", made / "qrels.txt"
        said.append(
            f"Topics are made of titles and links: thresher pseudo-topics {pages} -o {made}{_flags(seen.reading)}"
        )
    return _text(name, seen, *(_relative(path, folder) for path in (pages, topics, qrels))), said


def look(pages: Path, judged: set[str]) -> Look:
    """Look at a collection: find the names of its JSON fields, and the rule that makes its ids those of the qrels.

    Raises:
        InputError: if it has no page that can be read.
        ThresherError: as `open_collection`.
    """
    fields = _fields(pages)
    best: Look | None = None
    for rule in _rules(pages):
        seen = _seen(pages, ReadOptions(rule, fields=fields), judged)
        if seen is not None and (best is None or seen.known > best.known):
            best = seen
        if best is not None and best.known == len(judged):
            break
    if best is None or best.failed == best.pages:
        raise InputError("it has no page that can be read", "check the folder, and the format of its files", str(pages))
    return best


def _rules(pages: Path) -> Iterator[IdRule]:
    yield IdRule()
    yield IdRule(keep_suffix=True)
    folders = sorted({Path(source.file).parts[0] for source in _sources(pages, ReadOptions()) if "/" in source.file})
    if len(folders) == 1:
        yield IdRule(prefix=folders[0])
        yield IdRule(prefix=folders[0], keep_suffix=True)
    yield IdRule("stem")
    yield IdRule("stem", keep_suffix=True)


def _sources(pages: Path, reading: ReadOptions) -> Iterable[Source]:
    return islice(documents(open_collection(pages, reading)), LOOKED_AT)


def _seen(pages: Path, reading: ReadOptions, judged: set[str]) -> Look | None:
    """Return what a rule for ids makes of the collection; None if it does not work there."""
    ids, failed, count = set(), 0, 0
    try:
        for source in _sources(pages, reading):
            count += 1
            failed += source.problem is not None
            ids.add(source.id)
    except ThresherError:
        return None
    if len(ids) < count - failed:
        return None
    return Look(reading, count, failed, len(judged), len(judged & ids))


def _fields(pages: Path) -> JsonFields:
    """Return the names of JSON fields: of those that the first line has, the usual ones."""
    first = next((path for path in sorted(pages.rglob("*")) if path.is_file()), pages) if pages.is_dir() else pages
    try:
        line = json.loads(read_bytes(first).split(b"\n", 1)[0])
    except (ThresherError, ValueError):
        return JsonFields()
    names = set(line) if isinstance(line, dict) else set()
    chosen = {what: tuple(name for name in usual if name in names)[:1] for what, usual in _FIELDS.items()}
    return replace(JsonFields(), **{what: found for what, found in chosen.items() if found})


def _relative(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder)


def _flags(reading: ReadOptions) -> str:
    flags = [f" --{key.replace('_', '-')} {value}" for key, value in _changed(reading) if not isinstance(value, bool)]
    return "".join([*flags, *(f" --{key.replace('_', '-')}" for key, value in _changed(reading) if value is True)])


def _changed(reading: ReadOptions) -> Iterator[tuple[str, str | bool]]:
    """Give the keys of [collection] that are not at their defaults."""
    rule, plain = reading.rule, IdRule()
    for key in ("ids", "prefix", "keep_suffix"):
        if getattr(rule, key) != getattr(plain, key):
            yield key, getattr(rule, key)
    for what in ("id", "html", "text", "url"):
        names = getattr(reading.fields, what)
        if names != getattr(JsonFields(), what):
            yield f"{what}_field", names[0]


def _text(name: str, seen: Look, pages: str, topics: str, qrels: str) -> str:
    keys = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in _changed(seen.reading))
    quoted = {
        key: json.dumps(value, ensure_ascii=False)
        for key, value in {"name": name, "pages": pages, "topics": topics, "qrels": qrels}.items()
    }
    return f"""# Every key and its default: docs/experiment-files.md. Paths are relative to this file.

[experiment]
name = {quoted["name"]}

[collection]
path = {quoted["pages"]}
{keys}
[topics]
path = {quoted["topics"]}

[qrels]
path = {quoted["qrels"]}

# A sweep tries cutoffs of one scorer; `thresher cleaners` lists them all.
[[sweep]]
scorer = "content"
cutoffs = [0.1, 0.3, 0.5, 0.7]

[[sweep]]
scorer = "words"
cutoffs = [3, 5, 11, 20]

# Index pruning: the better half of each document's terms, and other shares; `thresher arms` lists the rules.
[[sweep]]
scorer = "none|dcp"
cutoffs = [0.25, 0.5, 0.75]

# Cleaners without cutoffs, and single variants.
[cleaners]
names = ["justext", "boilerpipe(rules=words)", "content@0.5|dcp@0.5"]

[retrieval]
models = ["qld"]

# Run it:             thresher run THIS_FILE
# Every cutoff:       thresher explore THIS_FILE
# Which one to use:   thresher choose THIS_FILE
"""
