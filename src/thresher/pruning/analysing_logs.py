"""Analyses the query logs that arms need, as the collection is analysed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from thresher.arms.arm import Arm
from thresher.arms.query_logs import LoggedQuery, QueryLogs
from thresher.errors import ConfigError
from thresher.exploring.exploring import analyse_queries
from thresher.exploring.lexicon import hash_texts
from thresher.lucene.indexing import IndexOptions

LogTexts = Mapping[str, Sequence[str]]
"""The texts of the queries of each log, by the path that arms name it by."""


def analysed_logs(arms: Iterable[Arm], logs: LogTexts | None, options: IndexOptions) -> QueryLogs:
    """Return the logs that the arms need.

    Raises:
        ConfigError: if one is not given.
    """
    return {arm.log: _analysed(arm, logs or {}, options) for arm in arms if arm.log}


def _analysed(arm: Arm, logs: LogTexts, options: IndexOptions) -> list[LoggedQuery]:
    if arm.log not in logs:
        raise ConfigError(f"the query log {arm.log!r} is not given", "give its queries", arm.canonical_name)
    queries, terms = analyse_queries(logs[arm.log], options)
    hashes = hash_texts(terms).tolist()
    return [{hashes[term]: times for term, times in query.counts.items()} for query in queries]
