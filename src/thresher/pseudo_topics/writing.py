"""Pseudo-topics as files: topics and qrels as an experiment reads them, and what became of all that was looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from thresher.errors import StateError
from thresher.files import atomic_path, user_error, write_json, write_text
from thresher.pseudo_topics.records import Made

TOPICS_FILE, QRELS_FILE, COUNTS_FILE = "topics.tsv", "qrels.txt", "pseudo-topics.json"


def check_folder(folder: Path) -> None:
    """See that a folder may be replaced.

    Raises:
        StateError: if it holds anything but these files, or is none.
    """
    try:
        others = sorted(
            path.name for path in folder.iterdir() if path.name not in (TOPICS_FILE, QRELS_FILE, COUNTS_FILE)
        )
        found = next(folder.iterdir(), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise user_error(error, folder) from error
    if found and not (folder / COUNTS_FILE).exists():
        others = others or [found.name]
    if others:
        raise StateError(
            f"it would be replaced, but holds {others[0]}, which is not of pseudo-topics",
            "name a new or an empty folder",
            str(folder),
        )


def write_topics(made: Made, folder: Path, about: Mapping[str, Any]) -> None:
    """Write `topics.tsv`, `qrels.txt` and `pseudo-topics.json` into a folder, whole or not at all.

    Args:
        made: the topics and the counts.
        folder: what is in it is replaced.
        about: what the last file holds beside the counts.

    Raises:
        ThresherError: if it cannot be written.
    """
    with atomic_path(folder) as temporary:
        temporary.mkdir(parents=True)
        write_text(temporary / TOPICS_FILE, "".join(f"{topic.id}\t{topic.query}\n" for topic in made.topics))
        write_text(
            temporary / QRELS_FILE,
            "".join(f"{topic.id} 0 {document} 1\n" for topic in made.topics for document in topic.documents),
        )
        write_json(temporary / COUNTS_FILE, {**about, "counts": made.counts})


MEASURES = ("RR", "nDCG@10")
"""The measures that suit topics with one relevant page."""


def summary(made: Made) -> Iterator[str]:
    """Give a line for each thing that was counted: what there is of it, and what became of it.

    >>> list(summary(Made((), {"titles": {"all": 3, "too short": 1, "an error page": 0, "topics": 2}})))
    ['titles: 3 = 1 too short + 2 topics']
    """
    for name, reasons in made.counts.items():
        total, *_ = reasons.values()
        parts = [f"{count} {reason}" for reason, count in list(reasons.items())[1:] if count]
        yield f"{name}: {total} = {' + '.join(parts)}" if parts else f"{name}: {total}"


def next_step(folder: Path) -> str:
    """Return the tables of an experiment file that use the topics in a folder."""
    topics, qrels, measures = folder.resolve() / TOPICS_FILE, folder.resolve() / QRELS_FILE, MEASURES
    quoted = ", ".join(f'"{measure}"' for measure in measures)
    return (
        f"[topics]\npath = {_string(topics)}\n\n[qrels]\npath = {_string(qrels)}\n\n[evaluation]\nmeasures = [{quoted}]"
    )


def _string(path: Path) -> str:
    """Return a path as a string of TOML."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
