"""Metadata of a run in the form of ir_metadata 0.2-beta: what made it, from what, on what, at what cost.

The scheme is that of Breuer, Keller and Schaer (SIGIR 2022) by the PRIMAD model, with the part `resources`
that 0.2-beta added. Keys have spaces, as the scheme writes them. What is not known is left out, never
guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from thresher.costs.machine import Machine
from thresher.costs.repeats import Times
from thresher.lucene.analysis import RetrievalModel
from thresher.lucene.indexing import IndexOptions
from thresher.scorers.cleaners import Cleaner
from thresher.variants.table import Cost

SCHEMA = 0.2


@dataclass(frozen=True)
class Software:
    """What ran: the command, the version of thresher and its commit (None if unknown), libraries as `name==version`."""

    command: str
    version: str
    commit: str | None
    libraries: tuple[str, ...]


@dataclass(frozen=True)
class Goal:
    """What the experiment is about; `baseline` is a run tag, `test` compares every run with it, `correction` corrects p."""

    name: str
    title: str
    measures: tuple[str, ...]
    baseline: str
    test: str
    correction: str


@dataclass(frozen=True)
class InputFile:
    """A collection, topics or qrels: its name, a digest of what it holds, and how many of its kind (None if not counted)."""

    name: str
    digest: str
    count: int | None = None


def run_metadata(
    tag: str,
    goal: Goal,
    software: Software,
    machine: Machine,
    architecture: str,
    collection: InputFile,
    topics: InputFile,
    qrels: InputFile,
    cleaner: Cleaner,
    index: IndexOptions,
    model: RetrievalModel,
    whole: Times,
    costs: Mapping[str, Cost],
    co2_method: str,
) -> str:
    """Return the metadata of one run as YAML.

    Args:
        tag: the run's tag, the last column of the run file.
        goal, software, machine: see there.
        architecture: of the CPU, such as `x86_64`.
        collection, topics, qrels: what was searched, with what, and how it was judged.
        cleaner, index, model: how it was cleaned, indexed and searched.
        whole: what all stages took together.
        costs: by stage.
        co2_method: how CO2 is determined, with all factors.
    """
    data = {
        "schema version": SCHEMA,
        "tag": tag,
        "platform": {
            "hardware": {
                "cpu": {
                    "model": machine.cpu_model,
                    "architecture": architecture,
                    "number of cores": machine.cores or machine.logical_cpus,
                },
                "ram": f"{machine.memory_mib} MiB",
            },
            "operating system": {"kernel": machine.platform},
            "software": {"libraries": list(software.libraries), "retrieval toolkit": ["pyserini"]},
        },
        "implementation": {
            "executable": {"cmd": software.command, "version": software.version},
            "source": {"lang": ["python"], **({"commit": software.commit} if software.commit else {})},
        },
        "resources": _resources(whole, costs, co2_method),
        "research goal": {
            "name": goal.name,
            "title": goal.title,
            "evaluation": {
                "reported measures": list(goal.measures),
                "baseline": [goal.baseline],
                "significance test": [{"name": goal.test, "correction method": goal.correction}],
            },
        },
        "data": {
            "test collection": {
                "name": collection.name,
                "topics": topics.name,
                "qrels": qrels.name,
                "documents": collection.count,
                "digest": collection.digest,
                "topics count": topics.count,
                "topics digest": topics.digest,
                "qrels digest": qrels.digest,
            }
        },
        "method": {
            "automatic": True,
            "score ties": "by document id, ascending",
            "cleaning": {
                "name": cleaner.name,
                "scorers": sorted({scorer.canonical_name for scorer in cleaner.scorers}),
            },
            "indexing": {
                "tokenizer": "Lucene's StandardTokenizer",
                "stemmer": index.stemmer,
                "stopwords": index.stopwords,
            },
            "retrieval": [{"name": model.name, "method": model.family, "parameters": model.parameters}],
        },
    }
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000)
    return "# ir_metadata 0.2-beta\n" + text


def _resources(whole: Times, costs: Mapping[str, Cost], co2_method: str) -> dict[str, Any]:
    stages = {name: {**_cost(cost), "emissions": _emissions(cost)} for name, cost in costs.items()}
    return {**_cost(whole), "stages": stages, "emissions method": co2_method}


def _cost(times: Times) -> dict[str, Any]:
    return {
        "runtime": {"wallclock": f"{1000 * times.wall:.0f} ms", "cpu": f"{1000 * times.cpu:.0f} ms"},
        "ram": {"used process": {"max": f"{times.peak:.0f} MiB"}},
    }


def _emissions(cost: Cost) -> str:
    return "below resolution" if cost.co2_grams is None else f"{float(cost.co2_grams)!r} g CO2"
