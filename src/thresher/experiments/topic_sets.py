"""Topics with the qrels that judge them, from files or from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thresher.evaluation import Topic, read_qrels, read_topics, spelled_as, topic_set
from thresher.evaluation.catalogue_topics import read_catalogue_qrels, read_catalogue_topics
from thresher.experiments.locations import CatalogueId, Location, TopicSource
from thresher.files import digest, file_digest
from thresher.pseudo_topics.writing import COUNTS_FILE

_PSEUDO = (
    "these are pseudo-topics: on them cleaners that keep titles and headings look far better than they are, and must not be "
    "compared with others"
)


@dataclass(frozen=True)
class TopicSet:
    """Topics and their qrels: grade by document by topic. `ids` are the topics with a judgment, in order.

    Those are evaluated; all are searched, with the field of `source` as the query. `digests` are of "topics" and "qrels".
    """

    topics: Mapping[str, Topic]
    qrels: Mapping[str, Mapping[str, int]]
    ids: tuple[str, ...]
    notices: tuple[str, ...]
    source: TopicSource
    digests: Mapping[str, str]

    @property
    def judged(self) -> set[str]:
        """The documents judged for any of the topics that are evaluated."""
        return {document for topic in self.ids for document in self.qrels[topic]}


def read_topic_set(source: TopicSource) -> TopicSet:
    """Read topics and qrels.

    Raises:
        InputError: if one of them is missing or broken, or they do not belong together.
        MissingDependencyError: if they are in the catalogue and ir_datasets is not installed.
    """
    topics = _topics(source.file, source.field)
    qrels = _qrels(source.qrels, source.column)
    topics = spelled_as(topics, qrels)
    ids, notices = topic_set(topics, qrels)
    if isinstance(source.file, Path) and (source.file.parent / COUNTS_FILE).exists():
        notices = [*notices, _PSEUDO]
    digests = {
        "topics": _digest(source.file, [[topic.id, topic.query] for topic in topics.values()]),
        "qrels": _digest(source.qrels, qrels),
    }
    return TopicSet(topics, qrels, tuple(ids), tuple(notices), source, digests)


def same_queries(topics: TopicSet, held_out: TopicSet) -> list[str]:
    """Return the held-out topics that ask what one of `topics` does: for them the choice has seen the test."""
    asked = {topics.topics[topic].query.casefold() for topic in topics.ids}
    return [topic for topic in held_out.ids if held_out.topics[topic].query.casefold() in asked]


def _topics(location: Location, field: str) -> dict[str, Topic]:
    if isinstance(location, CatalogueId):
        return read_catalogue_topics(location.id, field)
    return read_topics(location, field=field)


def _qrels(location: Location, column: str) -> dict[str, dict[str, int]]:
    if isinstance(location, CatalogueId):
        return read_catalogue_qrels(location.id)
    return read_qrels(location, column)


def _digest(location: Location, content: object) -> str:
    return digest(content) if isinstance(location, CatalogueId) else file_digest(location)
