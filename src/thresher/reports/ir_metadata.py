"""Metadata of a run in the form of ir_metadata 0.2-beta: what made it, from what, on what, at what cost.

The scheme is that of Breuer, Keller and Schaer (SIGIR 2022) by the PRIMAD model, with the part `resources`
that 0.2-beta added. Keys have spaces, as the scheme writes them. What is not known is left out, never
guessed.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from thresher.results.records import Cost

SCHEMA = 0.2


def run_metadata(
    tag: str,
    *,
    experiment: Mapping[str, Any],
    variant: Mapping[str, Any],
    retrieval: Mapping[str, Any],
    collection: Mapping[str, Any],
    topics: Mapping[str, Any],
    qrels: Mapping[str, Any],
    machine: Mapping[str, Any],
    costs: Mapping[str, Cost],
) -> str:
    """Return the metadata of one run as YAML. Keys that a mapping lacks, and None, are left out.

    Args:
        tag: the run's tag, the last column of the run file.
        experiment: `name`, `title`, `measures` (a list), `baseline` (a run tag), `test`, `correction`,
            `command`, `repository`, `commit`, `version` (of thresher), `libraries` (a list of `name==version`
            a language), `toolkits` (likewise, without languages), `actor` (the scheme's mapping).
        variant: `name`, and anything else that describes the cleaning.
        retrieval: `name`, `method`, `parameters` (a mapping), `ties`, `tokenizer`, `stemmer`, `stopwords`,
            `stored` (what the index holds).
        collection: `name`, `source`, `ir_datasets`, `documents`, `digest`.
        topics: `source`, `count`, `digest`.
        qrels: likewise.
        machine: `cpu` (the scheme's mapping: `model`, `architecture`, `number of cores`), `ram`, `kernel`,
            `distribution`.
        costs: per stage what it took; `runtime` and `ram` of the whole are their sums and their maximum.
    """
    data = {
        "schema version": SCHEMA,
        "tag": tag,
        "actor": experiment.get("actor"),
        "platform": _platform(experiment, machine),
        "implementation": _implementation(experiment),
        "resources": _resources(costs),
        "research goal": _goal(experiment),
        "data": _data(collection, topics, qrels),
        "method": _method(variant, retrieval),
    }
    text: str = yaml.safe_dump(_filled(data), sort_keys=False, allow_unicode=True, width=1000)
    return "# ir_metadata 0.2-beta\n" + text


def _platform(experiment: Mapping[str, Any], machine: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "hardware": {"cpu": machine.get("cpu"), "ram": machine.get("ram")},
        "operating system": {"kernel": machine.get("kernel"), "distribution": machine.get("distribution")},
        "software": {
            "libraries": experiment.get("libraries"),
            "retrieval toolkit": experiment.get("toolkits"),
        },
    }


def _implementation(experiment: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "executable": {"cmd": experiment.get("command"), "version": experiment.get("version")},
        "source": {
            "lang": ["python"],
            "repository": experiment.get("repository"),
            "commit": experiment.get("commit"),
        },
    }


def _resources(costs: Mapping[str, Cost]) -> dict[str, Any]:
    if not costs:
        return {}
    whole: dict[str, Any] = _cost(
        sum(cost.wall_seconds for cost in costs.values()),
        sum(cost.cpu_seconds for cost in costs.values()),
        max(cost.peak_mib for cost in costs.values()),
    )
    stages = {
        name: {**_cost(cost.wall_seconds, cost.cpu_seconds, cost.peak_mib), "emissions": _emissions(cost)}
        for name, cost in costs.items()
    }
    return {**whole, "stages": stages}


def _cost(wall_seconds: float, cpu_seconds: float, peak_mib: float) -> dict[str, Any]:
    return {
        "runtime": {"wallclock": f"{1000 * wall_seconds:.0f} ms", "cpu": f"{1000 * cpu_seconds:.0f} ms"},
        "ram": {"used process": {"max": f"{peak_mib:.0f} MiB"}},
    }


def _emissions(cost: Cost) -> str:
    return "below resolution" if cost.co2_grams is None else f"{float(cost.co2_grams)!r} g CO2"


def _goal(experiment: Mapping[str, Any]) -> dict[str, Any]:
    baseline, test = experiment.get("baseline"), experiment.get("test")
    return {
        "name": experiment.get("name"),
        "title": experiment.get("title"),
        "evaluation": {
            "reported measures": experiment.get("measures"),
            "baseline": [baseline] if baseline else None,
            "significance test": (
                [{"name": test, "correction method": experiment.get("correction")}] if test else None
            ),
        },
    }


def _data(collection: Mapping[str, Any], topics: Mapping[str, Any], qrels: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part `data`: the scheme's topics and qrels are their sources, the rest stands beside."""
    details = {
        f"{name} {key}": value
        for name, mapping in (("topics", topics), ("qrels", qrels))
        for key, value in mapping.items()
        if key != "source"
    }
    known = ("name", "source", "ir_datasets")
    return {
        "test collection": {
            **{key: collection.get(key) for key in known},
            "topics": topics.get("source"),
            "qrels": qrels.get("source"),
            **{key: value for key, value in collection.items() if key not in known},
            **details,
        }
    }


def _method(variant: Mapping[str, Any], retrieval: Mapping[str, Any]) -> dict[str, Any]:
    parameters = retrieval.get("parameters") or {}
    return {
        "automatic": True,
        "score ties": retrieval.get("ties"),
        "cleaning": dict(variant),
        "indexing": {key: retrieval.get(key) for key in ("tokenizer", "stemmer", "stopwords", "stored")},
        "retrieval": [{"name": retrieval.get("name"), "method": retrieval.get("method"), **parameters}],
    }


def _filled(value: Any) -> Any:
    """Return `value` as plain YAML types without None and without empty mappings and lists."""
    if isinstance(value, Mapping):
        items = {str(key): _filled(item) for key, item in value.items()}
        return {key: item for key, item in items.items() if item is not None} or None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [item for item in map(_filled, value) if item is not None] or None
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else str(value)
