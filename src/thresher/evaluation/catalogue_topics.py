"""Topics and qrels of a dataset of ir_datasets."""

from __future__ import annotations

from typing import Any

from thresher.collections.catalogue import CATALOGUE_PREFIX, records
from thresher.errors import InputError
from thresher.evaluation.qrels import MAX_GRADE
from thresher.evaluation.records import Topic

# The fields of TREC topics, under the names that records give them, the first that a record has.
_FIELDS = {
    "title": ("title", "query", "text"),
    "query": ("query", "title", "text"),
    "description": ("description", "desc"),
    "desc": ("desc", "description"),
    "narrative": ("narrative", "narr"),
    "narr": ("narr", "narrative"),
}


def read_catalogue_topics(dataset_id: str, field: str = "title") -> dict[str, Topic]:
    """Read the topics of a dataset, in its order.

    Args:
        dataset_id: such as `clueweb12/trec-web-2013`.
        field: which field is the query, as for `thresher.evaluation.topics.read_topics`: `title` is also called `query` or
            `text` there.

    Returns:
        Topic by id. White space in queries is collapsed to single spaces.

    Raises:
        ThresherError: if the package is missing, has no topics under the id, or cannot fetch them.
        InputError: if there is no topic, a topic without a query, an unfit id, or the same id twice.
    """
    where = CATALOGUE_PREFIX + dataset_id
    topics: dict[str, Topic] = {}
    for record in records(dataset_id, "queries"):
        topic, query = str(record.query_id), " ".join(_query(record, field, where).split())
        if len(topic.split()) != 1 or topic != topic.strip():
            raise InputError(
                f"the topic id `{topic}` is empty or holds white space", "give the topics as a file", where
            )
        if not query:
            raise InputError(f"topic {topic} has no query", f"use another field than {field}", where)
        if topic in topics:
            raise InputError(f"topic {topic} is there twice", "give the topics as a file, with one of the two", where)
        topics[topic] = Topic(topic, query)
    if not topics:
        raise InputError("it holds no topics", "use another id", where)
    return topics


def read_catalogue_qrels(dataset_id: str) -> dict[str, dict[str, int]]:
    """Read the relevance judgments of a dataset.

    Returns:
        Grade by document id by topic id, in the dataset's order.

    Raises:
        ThresherError: if the package is missing, has no qrels under the id, or cannot fetch them.
        InputError: for a grade that is no integer in [-`MAX_GRADE`, `MAX_GRADE`], two grades for one document of a topic, or
            no judgment.
    """
    where = CATALOGUE_PREFIX + dataset_id
    qrels: dict[str, dict[str, int]] = {}
    for record in records(dataset_id, "qrels"):
        grade = getattr(record, "relevance", None)
        if not isinstance(grade, int) or abs(grade) > MAX_GRADE:
            raise InputError(
                f"the grade `{grade}` is no integer between -{MAX_GRADE} and {MAX_GRADE}",
                "give the qrels as a file",
                where,
            )
        topic, document = str(record.query_id), str(record.doc_id)
        if qrels.setdefault(topic, {}).setdefault(document, grade) != grade:
            raise InputError(
                f"document {document} of topic {topic} has the grades {qrels[topic][document]} and {grade}",
                "give the qrels as a file, with one judgment a document",
                where,
            )
    if not qrels:
        raise InputError("it holds no judgments", "use another id", where)
    return qrels


def _query(record: Any, field: str, where: str) -> str:
    for name in _FIELDS.get(field, (field,)):
        value = getattr(record, name, None)
        if isinstance(value, str):
            return value
    fields = [name for name in record._fields if name != "query_id" and isinstance(getattr(record, name), str)]
    raise InputError(f"the topics have no field `{field}`", f"use one of {', '.join(fields)}", where)
