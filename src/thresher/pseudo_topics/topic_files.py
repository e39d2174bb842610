"""Pseudo-topics as records and as files: the options, the topics, and what an experiment reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.defaults import PSEUDO_COUNTS
from thresher.errors import StateError
from thresher.files import atomic_path, user_error, write_json, write_text

TITLES, ANCHORS = "titles", "anchors"
SOURCES = (TITLES, ANCHORS)
"""What topics can be made from."""


@dataclass(frozen=True)
class PseudoOptions:
    """Which topics to make.

    Attributes:
        sources: some of `SOURCES`.
        topics: the most to make, from all sources together.
        seed: of the sample.
        stop_list: the language whose stop words don't count in a text's length, such as `English`.
    """

    sources: tuple[str, ...] = SOURCES
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
        raise StateError(
            f"it would be replaced, but holds {others[0]}, which is not of pseudo-topics",
            "name a new or an empty folder",
            str(folder),
        )


def write_topics(made: Made, folder: Path, about: Mapping[str, Any]) -> None:
    """Write `topics.tsv`, `qrels.txt` and `pseudo-topics.json` into a folder, all or none.

    Args:
        made: the topics and the counts.
        folder: replaced if it exists.
        about: what `pseudo-topics.json` holds besides the counts.
    """
    with atomic_path(folder) as temporary:
        temporary.mkdir(parents=True)
        write_text(temporary / TOPICS_FILE, "".join(f"{topic.id}\t{topic.query}\n" for topic in made.topics))
        write_text(
            temporary / QRELS_FILE,
            "".join(f"{topic.id} 0 {document} 1\n" for topic in made.topics for document in topic.documents),
        )
        write_json(temporary / PSEUDO_COUNTS, {**about, "counts": made.counts})


MEASURES = ("RR", "nDCG@10")
"""The measures that suit topics with one relevant page."""


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
    # Strings and lists of JSON are TOML as well.
    topics, qrels, measures = (
        json.dumps(value, ensure_ascii=False)
        for value in (str(folder.resolve() / TOPICS_FILE), str(folder.resolve() / QRELS_FILE), MEASURES)
    )
    return f"[topics]\npath = {topics}\n\n[qrels]\npath = {qrels}\n\n[evaluation]\nmeasures = {measures}"
