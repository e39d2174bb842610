"""Records of finished stages: a stage is keyed by a digest of all it depends on, and done if its record has that key."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.files import digest, write_json

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
