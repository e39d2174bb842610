"""Relevance judgments and runs, in TREC's formats; judgments also in BEIR's, or from a dataset of ir_datasets."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from thresher.base.defaults import GRADES
from thresher.base.errors import ConfigError, InputError
from thresher.base.files import atomic_path, read_text
from thresher.collections.catalogue import CATALOGUE_PREFIX, records

MAX_GRADE = 100_000
"""The largest grade, positive or negative: trec_eval's library takes memory for every grade up to it."""
_BEIR = ["query-id", "corpus-id", "score"]
# As of trec_eval, in qrels and runs.
_COMMENT = "#"
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_qrels(path: Path, column: str = GRADES[0]) -> dict[str, dict[str, int]]:
    """Read relevance judgments.

    Every line has four columns, `topic iteration docid relevance`, or every line has six, as in the TREC 2019
    Decision Track, `topic iteration docid relevance effectiveness credibility`, or three under BEIR's heading
    `query-id corpus-id score`. Columns are separated by white space, so document ids cannot hold any. Negative
    grades are kept (see `thresher.evaluation.measures`). Lines that begin with `#` are comments.

    Args:
        path: a UTF-8 file, perhaps compressed (a byte order mark is skipped).
        column: the column of the grade, one of `GRADES`.

    Returns:
        Grade by document id by topic id, in the order of the file.
    """
    if column not in GRADES:
        raise ConfigError(f"there is no column `{column}` of grades", f"use one of {', '.join(GRADES)}", str(path))
    qrels: dict[str, dict[str, int]] = {}
    width = 0
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        columns = line.split()
        if not columns or line.startswith(_COMMENT):
            continue
        where = f"{path}:{number}"
        if not width:
            if columns == _BEIR:
                width = 3
                continue
            width = 6 if len(columns) == 6 else 4
        _check_width(columns, width, column, where)
        if width > 3:
            # The iteration is ignored.
            del columns[1]
        topic, document, *values = columns
        grades = [_grade(value, where) for value in values]
        grade = grades[GRADES.index(column)]
        _add_judgment(qrels, topic, document, grade, ("keep one judgment per document", where))
    if not qrels:
        raise InputError("it holds no judgments", "write lines of `topic 0 docid grade`", str(path))
    return qrels


def _check_width(columns: Sequence[str], width: int, column: str, where: str) -> None:
    """Check that a line has `width` columns, among them the grade `column`."""
    if len(columns) != width:
        form = "topic 0 docid grade"
        if width == 3:
            form = " ".join(_BEIR)
        fix = f"write `{form}`, with a document id without spaces"
        raise InputError(f"the line has {len(columns)} columns, not {width}", fix, where)
    if width < 6 and column != GRADES[0]:
        raise InputError(f"the line has one grade and no {column}", f"use the column {GRADES[0]}", where)


def read_catalogue_qrels(dataset_id: str) -> dict[str, dict[str, int]]:
    """Read the relevance judgments of a dataset: grade by document id by topic id, in the dataset's order."""
    judged = _catalogue_judgments(dataset_id)
    return collect_qrels(judged, CATALOGUE_PREFIX + dataset_id, "give the qrels as a file", "use another id")


def _catalogue_judgments(dataset_id: str) -> Iterator[tuple[str, str, object]]:
    for record in records(dataset_id, "qrels"):
        yield str(record.query_id), str(record.doc_id), getattr(record, "relevance", None)


def collect_qrels(
    judged: Iterable[tuple[str, str, object]], where: str, fix: str, fix_without_judgments: str
) -> dict[str, dict[str, int]]:
    """Collect judgments (topic, document, grade): grade by document id by topic id, in their order.

    For errors, `where` names the source; `fix` is for a grade that is not an integer, and
    `fix_without_judgments` for a source without judgments.
    """
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in judged:
        # numpy's integers are integers too.
        if not isinstance(grade, Integral) or abs(int(grade)) > MAX_GRADE:
            raise _no_grade(grade, fix, where)
        _add_judgment(qrels, topic, document, int(grade), (f"{fix}, with one judgment per document", where))
    if not qrels:
        raise InputError("it holds no judgments", fix_without_judgments, where)
    return qrels


def _grade(value: str, where: str) -> int:
    grade = int(value) if _INTEGER.fullmatch(value) else MAX_GRADE + 1
    if abs(grade) > MAX_GRADE:
        raise _no_grade(value, "write an integer grade, with document ids without spaces", where)
    return grade


def _no_grade(value: object, fix: str, where: str) -> InputError:
    return InputError(f"the grade `{value}` is not an integer between -{MAX_GRADE} and {MAX_GRADE}", fix, where)


def _add_judgment(
    qrels: dict[str, dict[str, int]], topic: str, document: str, grade: int, error: tuple[str, str]
) -> None:
    """Add a judgment; `error` has the fix for a document with two grades, and where that is."""
    if (first_grade := qrels.setdefault(topic, {}).setdefault(document, grade)) != grade:
        raise InputError(f"document {document} of topic {topic} has the grades {first_grade} and {grade}", *error)


def write_run(path: Path, hits: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> None:
    """Write a run (`-`: to standard output), whole or not at all: `topic Q0 docid rank score tag`, six decimals, ranks from 1.

    `hits` are (document id, score) by topic, best first; `tag` is one word.
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
                fix = "give documents ids without white space"
                raise InputError(f"the document id `{document}` is empty or holds white space", fix, str(path))
            if document in seen:
                fix = "give each document its own id"
                raise InputError(f"document {document} is retrieved twice for topic {topic}", fix, str(path))
            seen.add(document)
            lines.append(f"{topic} Q0 {document} {rank} {text} {tag}\n")
    if str(path) == "-":
        # In UTF-8, whatever the terminal's encoding.
        sys.stdout.flush()
        sys.stdout.buffer.write("".join(lines).encode("utf-8"))
        return
    with atomic_path(path) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run: score by document id by topic id, in the order of the file; empty for a file without lines.

    As in trec_eval, the scores rank; the rank column is ignored, and so are lines that begin with `#`.
    """
    run: dict[str, dict[str, float]] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        row = line.split()
        if not row or line.startswith(_COMMENT):
            continue
        where = f"{path}:{number}"
        if len(row) != 6:
            raise InputError(f"the line has {len(row)} columns, not 6", "write `topic Q0 docid rank score tag`", where)
        topic, _, document, _, text, _ = row
        score = math.inf
        if _DECIMAL.fullmatch(text):
            score = float(text)
        _add(run, topic, document, score, text, where)
    return run


def collect_run(hits: Iterable[tuple[str, str, float]], where: str) -> dict[str, dict[str, float]]:
    """Collect hits (topic, document, score): score by document id by topic id, in their order; `where` is
    for errors.
    """
    run: dict[str, dict[str, float]] = {}
    for topic, document, value in hits:
        score = math.inf
        if isinstance(value, Real):
            score = float(value)
        _add(run, topic, document, score, value, where)
    return run


def _add(run: dict[str, dict[str, float]], topic: str, document: str, score: float, shown: object, where: str) -> None:
    if not math.isfinite(score):
        raise InputError(f"the score `{shown}` is not a finite number", "write a decimal number", where)
    documents = run.setdefault(topic, {})
    if document in documents:
        raise InputError(f"document {document} occurs twice for topic {topic}", "keep one of the two", where)
    documents[document] = score
