"""What was made, in words: how many topics, what was left out, and what to do with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thresher.pseudo_topics.records import Made
from thresher.pseudo_topics.writing import QRELS_FILE, TOPICS_FILE

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
