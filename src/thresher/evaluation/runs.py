"""Runs in TREC's format: what was retrieved for each topic, best first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path

import numpy as np

from thresher.errors import InputError
from thresher.files import atomic_path, read_text

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def write_run(path: Path, hits: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> None:
    """Write a run: lines of `topic Q0 docid rank score tag`, scores with six decimals, ranks from 1.

    Args:
        path: the file; it is whole or not there.
        hits: (document id, score) by topic, best first.
        tag: the run's name, one word.

    Raises:
        ValueError: if the tag is not one word, or if scores as written do not decrease strictly in single
            precision: trec_eval reads them so, and orders equal ones by document id, descending.
        InputError: if a document id holds white space, occurs twice for a topic, or the file cannot be written.
    """
    if len(tag.split()) != 1 or tag != tag.strip():
        raise ValueError(f"a run's tag is one word, not {tag!r}")
    lines: list[str] = []
    for topic, documents in hits.items():
        texts = [f"{score:.6f}" for _, score in documents]
        values = np.array(texts, dtype=np.float32)
        if not (np.isfinite(values).all() and (np.diff(values) < 0).all()):
            raise ValueError(f"topic {topic}: scores must be finite and strictly decreasing in single precision")
        seen: set[str] = set()
        for rank, ((document, _), text) in enumerate(zip(documents, texts, strict=True), start=1):
            if document.split() != [document]:
                raise InputError(
                    f"the document id `{document}` is empty or holds white space",
                    "give documents ids without white space",
                    str(path),
                )
            if document in seen:
                raise InputError(
                    f"document {document} is retrieved twice for topic {topic}",
                    "give each document its own id",
                    str(path),
                )
            seen.add(document)
            lines.append(f"{topic} Q0 {document} {rank} {text} {tag}\n")
    with atomic_path(path) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run. Like trec_eval, it goes by the scores; the ranks are not looked at.

    Returns:
        Score by document id by topic id, in the order of the file; empty for a file without lines.

    Raises:
        InputError: with the line, for a wrong number of columns, a score that is no finite number, or a
            document that is there twice for a topic.
    """
    run: dict[str, dict[str, float]] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        columns = line.split()
        if not columns:
            continue
        where = f"{path}:{number}"
        if len(columns) != 6:
            raise InputError(
                f"the line has {len(columns)} columns, not 6", "write `topic Q0 docid rank score tag`", where
            )
        topic, _, document, _, text, _ = columns
        _add(run, topic, document, float(text) if _DECIMAL.fullmatch(text) else math.inf, text, where)
    return run


def collect_run(hits: Iterable[tuple[str, str, float]], where: str) -> dict[str, dict[str, float]]:
    """Collect what was retrieved.

    Args:
        hits: topic, document and score.
        where: they are, for errors.

    Returns:
        Score by document id by topic id, in their order.

    Raises:
        InputError: for a score that is no finite number, or a document that is there twice for a topic.
    """
    run: dict[str, dict[str, float]] = {}
    for topic, document, score in hits:
        _add(run, topic, document, float(score) if isinstance(score, Real) else math.inf, score, where)
    return run


def _add(run: dict[str, dict[str, float]], topic: str, document: str, score: float, shown: object, where: str) -> None:
    if not math.isfinite(score):
        raise InputError(f"the score `{shown}` is no finite number", "write a decimal number", where)
    documents = run.setdefault(topic, {})
    if document in documents:
        raise InputError(f"document {document} is there twice for topic {topic}", "keep one of the two", where)
    documents[document] = score
