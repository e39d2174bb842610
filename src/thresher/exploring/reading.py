"""The shards of a store with their words split, read while others are worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from thresher.exploring.shard_words import ShardWords, split_words
from thresher.progress import progress
from thresher.pruning.store import read_shard, shards

_AHEAD = 2
"""Shards held before they are asked for."""

SplitShard = tuple[pa.Table, ShardWords]


@contextmanager
def split_shards(store: Path, columns: Sequence[str]) -> Iterator[Iterator[SplitShard]]:
    """Give an iterator over the shards that have a page; a thread begins with the first of them at once.

    Args:
        store: the score store.
        columns: those to read, `text` and `sentence_ends` among them.

    Raises:
        StateError: if a shard is damaged or lacks a column, when it is asked for.
    """
    paths = shards(store)
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(_split, path, columns) for path in paths[:_AHEAD])
        try:
            yield _given(paths, columns, pool, waiting)
        finally:
            pool.shutdown(cancel_futures=True)


def _given(
    paths: Sequence[Path], columns: Sequence[str], pool: ThreadPoolExecutor, waiting: deque[Future[SplitShard | None]]
) -> Iterator[SplitShard]:
    for place in progress(range(len(paths)), "exploring", len(paths), "shards"):
        found = waiting.popleft().result()
        if place + _AHEAD < len(paths):
            waiting.append(pool.submit(_split, paths[place + _AHEAD], columns))
        if found is not None:
            yield found


def _split(path: Path, columns: Sequence[str]) -> SplitShard | None:
    table = read_shard(path, columns).combine_chunks()
    return (table, split_words(table)) if len(table) else None
