"""The rows that the columns of topics read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thresher.base.numbers import Floats
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable


@dataclass(frozen=True)
class TopicValue:
    """The value of a measure for a topic.

    Args:
        variant: the name of the variant, or of a baseline run of another system.
        retrieval: the retrieval model.
        held_out: whether it is a held-out topic.
        topic: the id of the topic.
        measure: the name of the measure.
        value: the value of the measure.
    """

    variant: str
    retrieval: str
    held_out: bool
    topic: str
    measure: str
    value: float


@dataclass(frozen=True)
class TopicChange:
    """A topic's value of the main measure with the baseline and with a variant."""

    topic: str
    query: str
    baseline: float
    variant: float

    @property
    def difference(self) -> float:
        """The variant's value less the baseline's."""
        return self.variant - self.baseline


def topic_values(results: Results) -> Iterator[TopicValue]:
    """Give the values of built variants, and of baseline runs, by topic and measure."""
    for table in results.tables:
        for index in table.built:
            yield from _values_of(table.rows[index].name, table, table.topics, table.values[:, index])
        for index in table.built:
            name = table.rows[index].name
            yield from _values_of(name, table, table.held_out_topics, table.held_out[:, index], held_out=True)
    first = results.tables[0]
    for system in results.facts.systems:
        yield from _values_of(system.name, first, first.topics, system.values)


def _values_of(
    variant: str, table: VariantTable, topics: Sequence[str], values: Floats, held_out: bool = False
) -> Iterator[TopicValue]:
    """Give the values of a variant or system by measure and topic; `values` has the shape (measures, topics)."""
    for measure, values_of_measure in zip(table.measures, values.tolist(), strict=True):
        for topic, value in zip(topics, values_of_measure, strict=True):
            yield TopicValue(variant, table.retrieval, held_out, topic, measure, value)


def topic_changes(results: Results, table: VariantTable, measure: str, index: int) -> list[TopicChange]:
    """Return each topic's change with a variant, from the most gained to the most lost."""
    values = table.of(measure)
    changes: list[TopicChange] = []
    for topic, baseline, variant in zip(table.topics, values[0].tolist(), values[index].tolist(), strict=True):
        changes.append(TopicChange(topic, results.facts.topics.get(topic, ""), baseline, variant))
    return sorted(changes, key=lambda change: (-change.difference, change.topic))
