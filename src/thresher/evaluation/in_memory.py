"""Qrels, runs and topics as Python has them: files, mappings, records as ir-measures has them, data frames of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.evaluation.topics import Topic, read_topics
from thresher.evaluation.trec_files import collect_qrels, collect_run, read_qrels, read_run

Qrels = str | Path | Mapping[str, Mapping[str, int]] | Iterable[Any]
"""A file; grades by document by topic; records or a data frame with `query_id`, `doc_id` and `relevance`."""
Run = str | Path | Mapping[str, Mapping[str, float]] | Iterable[Any]
"""A file; scores by document by topic; records or a data frame with `query_id`, `doc_id` and `score`."""
Topics = str | Path | Mapping[str, str | Topic] | Iterable[Topic]
"""A file; queries by id; topics."""


def take_qrels(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return judgments, grade by document by topic."""
    if isinstance(qrels, str | Path):
        return read_qrels(Path(qrels))
    return collect_qrels(_triples(qrels, "relevance", "qrels"), "qrels", "give an integer", "give some")


def take_run(run: Run) -> dict[str, dict[str, float]]:
    """Return what was retrieved, score by document by topic."""
    if isinstance(run, str | Path):
        return read_run(Path(run))
    return collect_run(_triples(run, "score", "run"), "run")


def take_topics(topics: Topics) -> list[tuple[str, str]]:
    """Return the topics' ids and queries."""
    if isinstance(topics, str | Path):
        topics = read_topics(Path(topics))
    if isinstance(topics, Mapping):
        return [(str(topic), one.query if isinstance(one, Topic) else one) for topic, one in topics.items()]
    return [(one.id, one.query) for one in topics]


def _triples(source: Any, value: str, what: str) -> Iterator[tuple[str, str, Any]]:
    names = ("query_id", "doc_id", value)
    if isinstance(source, Mapping):
        yield from (
            (str(topic), str(document), one) for topic, inner in source.items() for document, one in inner.items()
        )
        return
    if hasattr(source, "itertuples"):  # a data frame
        if missing := [name for name in names if name not in source.columns]:
            raise _lacks(missing, what)
        source = source[[*names]].itertuples(index=False)
    for record in source:
        if missing := [name for name in names if not hasattr(record, name)]:
            raise _lacks(missing, what)
        topic, document, one = (getattr(record, name) for name in names)
        yield str(topic), str(document), one


def _lacks(names: list[str], what: str) -> InputError:
    fix = "name fields and columns as ir-measures does: query_id, doc_id, relevance, score"
    return InputError(f"there is no {' and no '.join(names)}", fix, what)
