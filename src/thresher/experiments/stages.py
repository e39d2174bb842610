"""What an index depends on."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from thresher.errors import StateError
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored
from thresher.files import digest, user_error, write_json
from thresher.lucene.indexing import IndexOptions
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.score_pass import ScorePlan, ScoreReport


def index_key(plan: ScorePlan, scores: ScoreReport, cleaner: Cleaner, options: IndexOptions) -> str:
    """Return the key of the stage that indexes what `cleaner`, resolved, leaves of scored pages."""
    cutoffs = cleaner.found_cutoffs
    # A model's card may change under the same scores.
    found = {"cutoffs": cutoffs} if cutoffs else {}
    totals = [scores.documents, scores.scored, scores.emptied, scores.failed, scores.words]
    return stage_key(scores=plan.key(), variant=cleaner.name, options=asdict(options), totals=totals, **found)


def evidence_key(experiment: Experiment, scored: Scored) -> str:
    """Return a digest of all that decides the value of a measure at a cutoff, and of nothing else.

    Of explorations with the same key, what one says of a cutoff the other says too, whichever cutoffs the experiment names,
    and whoever worked on them.
    """
    sources = [source for source in (experiment.topics, experiment.held_out) if source is not None]
    return stage_key(
        scores=scored.plan.key(),
        inputs=dict(scored.inputs.digests),
        read=[[source.field, source.column] for source in sources],
        options=asdict(experiment.index),
        models=[model.name for model in experiment.retrieval],
        depth=experiment.depth,
        measures=experiment.measures,
    )


# Raised when a stage would give other results from the same inputs.
STAGE_VERSION = 1


def stage_key(**depends_on: Any) -> str:
    """Return the digest of what a stage depends on."""
    return digest({"version": STAGE_VERSION, **depends_on})


@dataclass(frozen=True)
class StageRecords:
    """The records in a folder, one file a stage."""

    folder: Path

    def read(self, name: str, key: str) -> dict[str, Any] | None:
        """Return what was recorded for the stage, or None if it was never finished with this key."""
        try:
            stored = json.loads((self.folder / f"{name}.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(stored, dict) or stored.get("key") != key:
            return None
        record = stored.get("record")
        return record if isinstance(record, dict) else None

    def write(self, name: str, key: str, record: dict[str, Any]) -> None:
        """Record that the stage is finished."""
        write_json(self.folder / f"{name}.json", {"key": key, "record": record})


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold `folder` for this process; the system lets go of it however the process ends.

    Raises:
        StateError: if another process holds it, naming that process.
    """
    path = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise user_error(error, folder) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            handle.seek(0)
            raise StateError(
                f"another run is at work here: {_holder(handle.read())}",
                "wait until it has ended",
                str(folder),
            ) from error
        handle.truncate(0)
        handle.write(
            json.dumps(
                {
                    "pid": os.getpid(),
                    "host": socket.gethostname(),
                    "since": datetime.now().astimezone().isoformat(timespec="seconds"),
                    "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
                }
            )
        )
        handle.flush()
        yield


def _holder(text: str) -> str:
    try:
        found = json.loads(text)
        return f"`{found['command']}`, process {found['pid']} on {found['host']} since {found['since']}"
    except (ValueError, KeyError, TypeError):
        return "a process that has just begun"
