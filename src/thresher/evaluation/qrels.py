"""Relevance judgments in TREC's format."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from thresher.errors import InputError
from thresher.files import read_text

MAX_GRADE = 100_000
"""The largest grade, positive or negative: trec_eval's library takes memory for every grade up to it."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read relevance judgments.

    Every line has four columns, `topic iteration docid grade`, or every line has six, as in the TREC 2019
    Decision Track, `topic iteration docid relevance effectiveness credibility`, of which the relevance is the
    grade. Columns are separated by white space, so document ids cannot hold any. Negative grades are kept
    (see `thresher.evaluation.measures`).

    Returns:
        Grade by document id by topic id, in the order of the file.

    Raises:
        InputError: with the line, for a wrong number of columns, a grade that is no integer in
            [-`MAX_GRADE`, `MAX_GRADE`], or two grades for one document of a topic; or if there is no
            judgment.
    """
    qrels: dict[str, dict[str, int]] = {}
    width = 0
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        columns = line.split()
        if not columns:
            continue
        where = f"{path}:{number}"
        width = width or len(columns)
        if width not in (4, 6) or len(columns) != width:
            raise InputError(
                f"the line has {len(columns)} columns, not {width if width in (4, 6) else 4}",
                "write `topic 0 docid grade`, with a document id without spaces",
                where,
            )
        topic, document = columns[0], columns[2]
        grade, *_ = (_grade(value, where) for value in columns[3:])
        if qrels.setdefault(topic, {}).setdefault(document, grade) != grade:
            raise InputError(
                f"document {document} of topic {topic} has the grades {qrels[topic][document]} and {grade}",
                "keep one judgment a document",
                where,
            )
    if not qrels:
        raise InputError("it holds no judgments", "write lines of `topic 0 docid grade`", str(path))
    return qrels


def check_judged_documents(qrels: Mapping[str, Mapping[str, int]], document_ids: Collection[str]) -> list[str]:
    """Return the judged documents that are not in `document_ids` (a set, best), each once, sorted."""
    return sorted({document for judged in qrels.values() for document in judged if document not in document_ids})


def _grade(value: str, where: str) -> int:
    grade = int(value) if _INTEGER.fullmatch(value) else MAX_GRADE + 1
    if abs(grade) > MAX_GRADE:
        raise InputError(
            f"the grade `{value}` is no integer between -{MAX_GRADE} and {MAX_GRADE}",
            "write an integer grade, with document ids without spaces",
            where,
        )
    return grade
