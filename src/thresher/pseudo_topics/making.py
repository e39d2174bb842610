"""Pseudo-topics from a collection: one pass that extracts titles, links and other texts, then the choice of topics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from thresher.base.defaults import PSEUDO_COUNTS
from thresher.base.errors import ConfigError, InputError, StateError
from thresher.base.files import atomic_path, temporary_folder, user_error, user_errors, write_json, write_text
from thresher.cleaners.languages import languages, stop_list
from thresher.collections import ID_RULES, Collection, IdRule, ReadOptions, open_collection
from thresher.collections.file_collection import HTML, Files
from thresher.collections.tar import Tar
from thresher.pseudo_topics.candidates import Candidates, find_anchors, find_texts, sample, shares, text_queries
from thresher.pseudo_topics.link_tables import NEUTRAL, PLAIN, READ, ExtractWork, Store, Truths, open_store
from thresher.scores.backends import Backend
from thresher.scores.parts import DEFAULT_LIMITS, Limits, run_parts

TITLES, ANCHORS, SENTENCES = "titles", "anchors", "sentences"
SOURCES = (TITLES, ANCHORS, "descriptions", "questions", SENTENCES)
"""Sources of topics: titles of pages, the text of links to them, their meta descriptions, questions of their JSON-LD, random
sentences."""
_OTHERS = ("meta descriptions", "questions in JSON-LD", "sentences")
_MADE_OF = dict(zip(SOURCES, ("titles", "links to each other", *_OTHERS), strict=True))


@dataclass(frozen=True)
class PseudoOptions:
    """Options of the topics to make.

    Attributes:
        sources: some of `SOURCES`.
        topics: the most to make, from all sources together.
        seed: of the sample.
        stop_list: the language whose stop words don't count in a text's length, such as `English`.
    """

    sources: tuple[str, ...] = (TITLES, ANCHORS)
    topics: int = 500
    seed: int = 0
    stop_list: str = "English"


DEFAULT_OPTIONS = PseudoOptions()


@dataclass(frozen=True)
class PseudoTopic:
    """A known-item topic: its id, its query, what it was made from, and the item: the documents with one address."""

    id: str
    query: str
    source: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Made:
    """The topics, and counts of documents, titles, links and anchors by outcome, the first being the sum of the others."""

    topics: tuple[PseudoTopic, ...]
    counts: Mapping[str, Mapping[str, int]]


def by_page(topics: Iterable[PseudoTopic]) -> dict[str, list[str]]:
    """Return the queries that each page answers, by its id."""
    found: dict[str, list[str]] = {}
    for topic in topics:
        for document in topic.documents:
            found.setdefault(document, []).append(topic.query)
    return found


TOPICS_FILE, QRELS_FILE = "topics.tsv", "qrels.txt"


def check_folder(folder: Path) -> None:
    """Check that a folder may be replaced."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise user_error(error, folder) from error
    others = [name for name in names if name not in (TOPICS_FILE, QRELS_FILE, PSEUDO_COUNTS)]
    if names and PSEUDO_COUNTS not in names:
        others = others or names
    if others:
        what = f"it would be replaced, but holds {others[0]}, which is not of pseudo-topics"
        raise StateError(what, "name a new or an empty folder", str(folder))


def write_topics(made: Made, folder: Path, about: Mapping[str, Any] | None = None) -> None:
    """Write `topics.tsv`, `qrels.txt` and `pseudo-topics.json` into a folder, all or none; the folder is replaced.

    `about` are the members of `pseudo-topics.json` besides the counts; without it the file is left out.
    """
    with atomic_path(folder) as temporary:
        temporary.mkdir(parents=True)
        write_text(temporary / TOPICS_FILE, "".join(f"{topic.id}\t{topic.query}\n" for topic in made.topics))
        write_text(
            temporary / QRELS_FILE,
            "".join(f"{topic.id} 0 {document} 1\n" for topic in made.topics for document in topic.documents),
        )
        if about is not None:
            write_json(temporary / PSEUDO_COUNTS, {**about, "counts": made.counts})


def summary(made: Made) -> Iterator[str]:
    """Yield a line of counts for documents, titles, links and anchors each.

    >>> list(summary(Made((), {"titles": {"all": 3, "too short": 1, "an error page": 0, "topics": 2}})))
    ['titles: 3 = 1 too short + 2 topics']
    """
    for name, reasons in made.counts.items():
        total, *_ = reasons.values()
        parts = [f"{count} {reason}" for reason, count in list(reasons.items())[1:] if count]
        yield f"{name}: {total} = {' + '.join(parts)}" if parts else f"{name}: {total}"


def next_step(folder: Path) -> str:
    """Return the tables of an experiment file that use the topics in a folder."""
    # Strings of JSON are TOML as well.
    topics, qrels = (json.dumps(str(folder.resolve() / name), ensure_ascii=False) for name in (TOPICS_FILE, QRELS_FILE))
    return f"[topics]\npath = {topics}\n\n[qrels]\npath = {qrels}"


_PART_PAGES = 256
_SAME, _OUTSIDE = "with the text of a title", "of pages outside the sample"
_NOT_DRAWN, _TOPICS = "not drawn", "topics"


def make_pseudo_topics(
    source: str | Path,
    output: str | Path,
    options: PseudoOptions = DEFAULT_OPTIONS,
    *,
    format: str = "",
    reading: ReadOptions | None = None,
    limits: Limits = DEFAULT_LIMITS,
    backend: Backend | None = None,
) -> Made:
    """Make known-item topics for a collection without judgments, from titles and anchor texts.

    Writes `topics.tsv`, `qrels.txt` and `pseudo-topics.json` into the folder `output`, all or none. The same collection and
    options give the same bytes, whatever the number of workers and the order of pages in files. Returns the topics, and the
    counts that are in `pseudo-topics.json`.

    Args:
        source: what `thresher.collections.open_collection` takes.
        output: a new folder, an empty one, or one written by this function.
        options: which topics to make.
        format: of the collection's files; empty to detect it.
        reading: how documents are read; the limit of a page's bytes comes from `limits`.
        limits: of time and memory for a page.
        backend: the workers; by default one process per core. Those on other machines must see the collection, and the
            folder that `output` is in, under the same paths.
    """
    source, output = Path(source), Path(output)
    reading = reading or ReadOptions()
    check_folder(output)
    with extracted(source, output.parent, options, format, reading, limits, backend) as store:
        made = choose(store, options)
    if not made.topics:
        fix = f"give pages with {' or '.join(_MADE_OF[name] for name in options.sources)}, or ask for other sources"
        raise InputError(f"no topic was found ({'; '.join(summary(made))})", fix, str(source))
    about = {
        "collection": source.name,
        "options": asdict(options),
        "ids": asdict(reading.rule),
        "fields": asdict(reading.fields),
        "failures": store.failures,
    }
    write_topics(made, output, about)
    return made


@contextmanager
def extracted(
    source: Path,
    parent: Path,
    options: PseudoOptions,
    format: str,
    reading: ReadOptions,
    limits: Limits,
    backend: Backend | None,
) -> Iterator[Store]:
    """Yield the titles, links and other texts of a collection, in a folder within `parent` that is removed afterwards."""
    _check(options, reading.rule)
    neutral = replace(reading, rule=NEUTRAL, max_bytes=int(limits.mib * 2**20))
    collection = open_collection(source, neutral, format)
    with user_errors(parent):
        parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(parent) as folder:
        by_path = isinstance(collection, Files) and collection.format in (HTML, Tar.name)
        work = ExtractWork(collection, folder, limits, reading.rule, by_path, options.stop_list)
        run_parts(work, _PART_PAGES, backend or Backend())
        store = open_store(work.folder)
        _check_store(store, collection)
        yield store


def _check(options: PseudoOptions, rule: IdRule) -> None:
    if options.topics < 1:
        raise ConfigError(f"{options.topics} topics are none", "ask for at least 1", "topics")
    unknown = set(options.sources) - set(SOURCES)
    if unknown or not options.sources:
        named = ", ".join(sorted(unknown)) or "nothing"
        raise ConfigError(f"topics can't be made from {named}", f"use {' or '.join(SOURCES)}", "sources")
    if options.stop_list not in languages():
        fix = f"use one of {', '.join(languages())}"
        raise ConfigError(f"there is no stop list of the language {options.stop_list!r}", fix, "stop_list")
    if rule.ids not in ID_RULES:
        raise ConfigError(f"there is no rule for ids {rule.ids!r}", f"use one of {', '.join(ID_RULES)}", "ids")


def _check_store(store: Store, collection: Collection) -> None:
    if store.counts[READ]:
        return
    where = str(collection.path)
    if not store.counts["all"]:
        raise InputError("the collection is empty", "check the path", where)
    if store.counts[PLAIN]:
        raise InputError(
            f"its documents are plain text, which has no titles and links ({store.counts[PLAIN]} of {store.counts['all']})",
            "give the pages as HTML: a member `html` of JSON lines, WARC responses, a folder of pages",
            where,
        )
    reason = next(iter(store.failures))
    what = f"none of its {store.counts['all']} documents can be read, the most frequent reason is: {reason}"
    raise InputError(what, "check the path, the format and the options of ids", where)


def choose(store: Store, options: PseudoOptions, among: Truths | None = None) -> Made:
    """Find the pages that titles, anchors and other texts identify, and draw topics at random.

    With `among`, a mask of pages, only topics that these answer are drawn.
    """
    stop_words = stop_list(options.stop_list)
    counts: dict[str, dict[str, int]] = {"documents": store.counts}
    candidates: dict[str, Candidates] = {}
    for name in SOURCES:
        if name in options.sources and name != ANCHORS:
            candidates[name], counts[name] = find_texts(store, name[:-1], stop_words)
    if ANCHORS in options.sources:
        candidates[ANCHORS], counts["links"] = find_anchors(store)
        counts[ANCHORS] = {"all": len(candidates[ANCHORS].keys)}
        if TITLES in candidates:
            same = np.isin(candidates[ANCHORS].hashes, candidates[TITLES].hashes)
            candidates[ANCHORS] = candidates[ANCHORS].take(~same)
            counts[ANCHORS][_SAME] = int(same.sum())
    if among is not None:
        for name, pages in candidates.items():
            candidates[name] = pages.take(np.isin(pages.keys, store.keys[among]))
            counts[name][_OUTSIDE] = len(pages.keys) - len(candidates[name].keys)
    topics: list[PseudoTopic] = []
    many = shares([len(pages.keys) for pages in candidates.values()], options.topics)
    for (name, pages), most in zip(candidates.items(), many, strict=True):
        drawn = sample(pages, most, options.seed)
        if name != ANCHORS:
            queries = text_queries(store, name[:-1], drawn, stop_words)
        else:
            texts = store.texts(drawn.hashes.tolist())
            queries = {key: texts[one] for key, one in zip(drawn.keys.tolist(), drawn.hashes.tolist(), strict=True)}
        documents = _documents(store, drawn)
        keys = sorted(queries, key=documents.__getitem__)
        topics += [
            PseudoTopic(f"{name[:-1]}-{at}", queries[key], name, documents[key]) for at, key in enumerate(keys, 1)
        ]
        counts[name][_NOT_DRAWN] = len(pages.keys) - len(drawn.keys)
        counts[name][_TOPICS] = len(drawn.keys)
    return Made(tuple(topics), counts)


def _documents(store: Store, drawn: Candidates) -> dict[int, tuple[str, ...]]:
    wanted = store.good & np.isin(store.keys, drawn.keys)
    documents: dict[int, list[str]] = {}
    for start, ids in store.column("id"):
        for row in np.flatnonzero(wanted[start : start + len(ids)]).tolist():
            documents.setdefault(int(store.keys[start + row]), []).append(ids[row])
    return {key: tuple(sorted(ids)) for key, ids in documents.items()}
