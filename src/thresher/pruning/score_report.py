"""What a scoring pass came to, over all shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from thresher.pruning.store import ShardReport, ShardTimes


@dataclass(frozen=True)
class Learning:
    """What it took that scorers learnt from the collection before the pass; `seconds` by canonical name, of all workers."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: float = 0.0


@dataclass(frozen=True)
class ScoreReport:
    """What the pass came to: `documents = scored + emptied + failed`.

    `seconds` are those of all workers by stage: `pages` and each scorer's canonical name. `wall_seconds` is the
    shards' wall time divided by the workers, so that a resumed pass has one too; `peak_mib` is the largest worker's. What
    a scorer learnt from the collection beforehand is its own time, and part of all sums.
    """

    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    bytes: int
    shards: int
    workers: int
    seconds: Mapping[str, float]
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float


def total(reports: Sequence[ShardReport], times: Sequence[ShardTimes], workers: int, learning: Learning) -> ScoreReport:
    """Add up what all shards hold and took, and what was learnt before."""
    seconds: dict[str, float] = {}
    for spending in (*(shard.seconds for shard in times), learning.seconds):
        for stage, spent in spending.items():
            seconds[stage] = seconds.get(stage, 0.0) + spent
    return ScoreReport(
        documents=sum(report.documents for report in reports),
        scored=sum(report.scored for report in reports),
        emptied=sum(report.emptied for report in reports),
        failed=sum(report.failed for report in reports),
        words=sum(report.words for report in reports),
        bytes=sum(report.bytes for report in reports),
        shards=len(reports),
        workers=workers,
        seconds=seconds,
        wall_seconds=sum(shard.wall_seconds for shard in times) / workers + learning.wall_seconds,
        cpu_seconds=sum(shard.cpu_seconds for shard in times) + learning.cpu_seconds,
        peak_mib=max((*(shard.peak_mib for shard in times), learning.peak_mib), default=0.0),
    )
