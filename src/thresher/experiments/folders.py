"""Where an experiment writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thresher.experiments.variants import folder_name
from thresher.files import safe_name
from thresher.lucene.retrieval import RetrievalModel
from thresher.variants.table import Variant


@dataclass(frozen=True)
class Folders:
    """The folders of an experiment's results and indexes."""

    results: Path
    indexes: Path

    @property
    def scores(self) -> Path:
        """The score store."""
        return self.results / "scores"

    def stage(self, name: str) -> Path:
        """The record of a stage."""
        return self.results / "stages" / f"{name}.json"

    def run(self, variant: Variant, model: RetrievalModel, only_model: bool, held_out: bool) -> Path:
        """The run file of a variant; its name holds the retrieval model, if there are several, and says `held-out`."""
        suffix = "" if only_model else f".{safe_name(model.name)}"
        return self.results / "runs" / f"{folder_name(variant)}{suffix}{'.held-out' if held_out else ''}.trec"
