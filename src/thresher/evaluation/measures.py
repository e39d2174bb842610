"""Measures: their names, and their values for each topic.

Nearly all come from trec_eval's library (and, for `Judged` and `RR@k`, from ir-measures' own Python): no Perl, no download.
Some more are computed where a provider of ir-measures for them is installed, and named in `FURTHER`.
Negative grades are not relevant and gain nothing. Beyond that: `Bpref` and `judged_only` pass over such documents as if
they were not judged, `infAP` takes them for pooled but not judged, `Judged@k` counts them as judged.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.base.errors import ConfigError, InputError, MissingDependencyError, install_command
from thresher.evaluation.topics import About, Notice, Topic, notice

if TYPE_CHECKING:
    import ir_measures

MAX_EXPONENTIAL_GRADE = 20
"""The largest grade for gains 2^grade - 1: trec_eval's library takes memory for every gain up to it."""

_SUPPORTED = (
    *("P", "AP", "nDCG", "RR", "Rprec", "R", "Bpref", "infAP", "Success", "IPrec", "SetP", "SetR", "SetF", "SetAP"),
    "Judged",
)
FURTHER = {
    "ERR": "install the program perl",
    "Compat": "install ir-measures",
    **dict.fromkeys(
        ("RBP", "BPM", "SDCG", "INST", "INSQ", "NERR8", "NERR9", "NERR10", "NERR11"), "run `pip install cwl-eval`"
    ),
}
"""Measures that need a program or package besides trec_eval's library, and how to get it."""
_OF_SUBTOPICS = re.compile(r"(alpha|α)_n?DCG|n?ERR_IA|n?NRBP|AP_IA|MAP_IA|P_IA|StRecall")
_RANX = "map mrr ndcg ndcg_burges bpref precision recall r-precision hit_rate".split()
_AS_RANX = dict(zip(_RANX, "AP RR nDCG nDCG(dcg='exp-log2') Bpref P R Rprec Success".split(), strict=True))
_NAME = re.compile(r"(?P<name>[A-Za-zα_0-9]+?)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>[^\s@]+))?", re.DOTALL)


@cache
def _library() -> Any:
    # Late: cleaning and its evaluation do without.
    try:
        return import_module("ir_measures")
    except ImportError as error:
        fix = f"run `{install_command('evaluate')}`, or `{install_command('retrieval')}` to index and search as well"
        raise MissingDependencyError("the package ir-measures is missing", fix) from error


def parse_measure(name: str | ir_measures.Measure) -> ir_measures.Measure:
    """Parse the name of a measure, in the manner of ir-measures: `P@10`, `AP(rel=2)`, `nDCG(dcg='exp-log2')@10`.

    A measure of ir-measures itself is taken by its name.

    `str` of the result is the canonical name: aliases resolved, parameters in declared order, defaults left out. Names of
    trec_eval (`map`, `ndcg_cut_10`) and ranx (`ndcg@10`, `hit_rate@5`) are understood, too.
    """
    name = str(name)
    ranx, at, cutoff = name.strip().partition("@")
    measure = _known(name) or _of_trec_eval(name) or _known(f"{_AS_RANX.get(ranx, '')}{at}{cutoff}")
    if measure is None:
        raise _unknown(name)
    return measure


def _known(name: str) -> ir_measures.Measure | None:
    """Return the measure of that name in ir-measures; None if it is not computed here."""
    match = _NAME.fullmatch(name.strip())
    registry = _library().measures.registry
    kind = registry.get(match["name"]) if match else None
    if match is None or kind is None or kind.NAME not in (*_SUPPORTED, *FURTHER):
        return None
    try:
        params = {**kind.params, **_params(match["params"])}
        if match["at"]:
            params[kind.AT_PARAM] = ast.literal_eval(match["at"])
        measure: Any = kind(**{key: params.pop(key) for key in kind.SUPPORTED_PARAMS if key in params}, **params)
        measure.validate_params()
        problem = _out_of_range(measure)
    except SyntaxError:
        problem = f"{match['at']!r} is not a number"
    except (AssertionError, ValueError, TypeError) as error:
        problem = " ".join(str(error).split()) or "not a valid parameter"
    if problem:
        raise ConfigError(f"the measure `{name}` cannot be used ({problem})", f"write it as {_usage(kind)}")
    if not _supports(measure, _providers()):
        raise ConfigError(f"what the measure `{name}` is computed by is not installed", FURTHER[str(measure.NAME)])
    parsed: ir_measures.Measure = measure
    return parsed


def _of_trec_eval(name: str) -> ir_measures.Measure | None:
    try:
        found = _library().parse_trec_measure(name.strip())
    except (ValueError, TypeError, KeyError, IndexError):
        found = []
    found = [measure for measure in found if measure.NAME in _SUPPORTED]
    if len(found) > 1:
        raise ConfigError(f"`{name}` is {len(found)} measures", f"name one of them, such as {found[0]}")
    return _known(str(found[0])) if found else None


def _unknown(name: str) -> ConfigError:
    if _OF_SUBTOPICS.match(name.strip()):
        what = f"the measure `{name}` needs qrels by subtopic, which are not read here"
        return ConfigError(what, "use a measure of whole topics, such as nDCG@10 or ERR@10")
    meant = _meant(name.strip())
    every = f"one of {', '.join((*_SUPPORTED, *FURTHER))}, written like P@10, AP(rel=2) or nDCG(dcg='exp-log2')@10"
    return ConfigError(f"there is no measure `{name}` here", f"did you mean {meant}?" if meant else f"use {every}")


def _meant(name: str) -> str:
    """Return the measure that an unknown name probably means; empty if none is close."""
    match = re.fullmatch(r"(?P<letters>[A-Za-z_]+?)_?(?:cut_)?@?(?P<at>[0-9]*)", name)
    close = get_close_matches(match["letters"].lower(), _BY_LOWER, 1) if match else []
    if not match or not close:
        return ""
    nearest = _BY_LOWER[close[0]]
    # Some need a cutoff, some have none.
    for meant in (f"{nearest}@{match['at']}", nearest, f"{nearest}@10"):
        with suppress(ConfigError):
            if (measure := _known(meant)) is not None:
                return str(measure)
    return ""


_BY_LOWER = {name.lower(): name for name in (*_SUPPORTED, *FURTHER)}


def evaluate(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[str],
    topics: Sequence[str],
) -> dict[str, dict[str, float]]:
    """Evaluate a run over an explicit set of topics.

    Documents are ordered as trec_eval orders them: by score in single precision, equal scores by document id,
    descending. A topic of which nothing was retrieved, or that has no relevant document, has the value 0.

    `nDCG(dcg='exp-log2')` has the gains 2^grade - 1 (0 for negative grades) over log2(rank + 1), Eq. 6 of the
    PyPlexity paper (Burges et al. 2005); it is trec_eval's nDCG with these gains instead of the grades.

    Args:
        qrels: grade by document by topic.
        run: score by document by topic.
        measures: names that `parse_measure` takes.
        topics: the topics to give values for; nothing else of `qrels` and `run` is looked at.

    Returns:
        Value by topic (in the order of `topics`) by canonical name of the measure; finite, in [0, 1].
    """
    judged = {topic: dict(qrels[topic]) for topic in topics if qrels.get(topic)}
    ranked = {topic: _ranked(run[topic]) for topic in topics if topic in judged and run.get(topic)}
    result: dict[str, dict[str, float]] = {}
    for measure in map(parse_measure, measures):
        # One measure at a time: ir-measures lets measures of one call share the mapped gains of another.
        effective = _with_gains(measure, judged)
        computed = _with_something_to_find(measure, judged)
        if measure.NAME in FURTHER:
            computed = _without_negative(measure, computed)
        retrieved = {topic: ranked[topic] for topic in computed if topic in ranked}
        values: dict[str, float] = {}
        if retrieved:
            provider = next(one for one in _providers() if one.supports(effective))
            evaluator = provider.evaluator([effective], computed)
            values = {metric.query_id: float(metric.value) for metric in evaluator.iter_calc(retrieved)}
        result[str(measure)] = {topic: values.get(topic, 0.0) for topic in topics}
    return result


def topic_set(
    topics: Mapping[str, Topic], qrels: Mapping[str, Mapping[str, int]], where: str | None = None
) -> tuple[list[str], list[Notice]]:
    """Return the ids of the topics to evaluate, all with at least one judgment, in the order of `topics`; and notices
    about topics without judgments or relevant documents, and judgments without topic. `where` names the qrels in errors.
    """
    chosen = [topic for topic in topics if qrels.get(topic)]
    if not chosen:
        raise InputError(
            f"no topic has judgments (topics: {_first(list(topics))}; qrels: {_first(list(qrels))})",
            "use topics and qrels that belong together",
            where,
        )
    notices: list[Notice] = []
    if unjudged := [topic for topic in topics if not qrels.get(topic)]:
        notices.append(notice(About.UNJUDGED, unjudged))
    if irrelevant := [topic for topic in chosen if max(qrels[topic].values()) <= 0]:
        notices.append(notice(About.IRRELEVANT, irrelevant))
    if unknown := [topic for topic in qrels if topic not in topics]:
        notices.append(notice(About.UNKNOWN, unknown))
    return chosen, notices


def check_overlap(
    run: Mapping[str, Mapping[str, float]],
    qrels: Mapping[str, Mapping[str, int]],
    topics: Sequence[str],
    where: str | None = None,
) -> None:
    """Check that at least one judged document is retrieved for one of the topics; `where` names the run in errors."""
    if not any(run.values()):
        fix = "check that it was written to its end, and that topics and pages are in one language"
        raise InputError("nothing was retrieved for any topic: the run is empty", fix, where)
    pairs = [(run.get(topic, {}), qrels.get(topic, {})) for topic in topics]
    if any(document in judged for retrieved, judged in pairs for document in retrieved):
        return
    judged_topics = [topic for topic in topics if qrels.get(topic)]
    if not any(topic in run for topic in judged_topics):
        raise InputError(
            f"no topic of the run ({_first(list(run))}) is among the judged ones ({_first(judged_topics)})",
            "check that run and qrels use the same topic ids",
            where,
        )
    retrieved_id = next((document for retrieved, _ in pairs for document in retrieved), None)
    judged_id = next((document for _, judged in pairs for document in judged), None)
    raise InputError(
        "no judged document was retrieved for any topic (the first id in the run is "
        f"{retrieved_id or 'missing'}, in the qrels {judged_id or 'missing'})",
        "check that collection and qrels use the same document ids",
        where,
    )


def _params(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    call = ast.parse(f"f({text})", mode="eval").body
    if not isinstance(call, ast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
        raise ValueError("parameters are named")
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


def _out_of_range(measure: ir_measures.Measure) -> str:
    """Return what ir-measures' own check lets through but trec_eval's library cannot compute; empty if nothing."""
    for key, value in measure.params.items():
        if key in ("cutoff", "rel") and (isinstance(value, bool) or not 1 <= value < 2**31):
            return f"{key} is an integer from 1"
        if key == "recall" and not (0 <= value <= 1 and math.isclose(value, round(value, 2), abs_tol=1e-12)):
            return "recall is in [0, 1] with two decimals"
        if key == "beta" and not 0 < value <= 1000:
            return "beta is in (0, 1000]"
        if key == "gains":
            return "gains are 'log2' or 'exp-log2' of dcg"
    return "" if _supports(measure, _every_provider()) else "this combination of parameters is not computed"


def _supports(measure: ir_measures.Measure, providers: Iterable[Any]) -> bool:
    return any(provider.supports(_with_gains(measure, {})) for provider in providers)


def _every_provider() -> tuple[Any, ...]:
    known = _library().providers.registry
    return tuple(known[one] for one in ("pytrec_eval", "judged", "msmarco", "gdeval", "accuracy", "compat", "cwl_eval"))


@cache
def _providers() -> tuple[Any, ...]:
    return tuple(provider for provider in _every_provider() if provider.is_available())


def _with_gains(measure: ir_measures.Measure, qrels: Mapping[str, Mapping[str, int]]) -> ir_measures.Measure:
    """Replace exponential gains by a mapping from grades to integers, as trec_eval's library needs."""
    if measure.NAME != "nDCG" or measure["dcg"] != "exp-log2":
        return measure
    grades = {grade for judged in qrels.values() for grade in judged.values()}
    if grades and max(grades) > MAX_EXPONENTIAL_GRADE:
        raise InputError(
            f"the qrels have the grade {max(grades)}, too large for gains of 2^grade - 1",
            f"use grades up to {MAX_EXPONENTIAL_GRADE} or a measure with linear gains, nDCG@10",
        )
    gains = {grade: 2**grade - 1 for grade in sorted(grades) if grade > 0}
    linear: ir_measures.Measure = measure(dcg="log2", gains=gains)
    return linear


_MAX_GRADE_OF_ERR = 4
"""The largest grade that gdeval knows."""


def _without_negative(
    measure: ir_measures.Measure, judged: Mapping[str, Mapping[str, int]]
) -> dict[str, Mapping[str, int]]:
    """Return judgments with 0 for negative grades, from which other programs would take negative gains."""
    most = max((grade for grades in judged.values() for grade in grades.values()), default=0)
    if measure.NAME == "ERR" and most > _MAX_GRADE_OF_ERR:
        raise InputError(
            f"the qrels have the grade {most}, too large for ERR by gdeval",
            f"use grades up to {_MAX_GRADE_OF_ERR} or another measure, nDCG@10",
        )
    return {topic: {name: max(grade, 0) for name, grade in grades.items()} for topic, grades in judged.items()}


def _with_something_to_find(
    measure: ir_measures.Measure, qrels: Mapping[str, Mapping[str, int]]
) -> dict[str, Mapping[str, int]]:
    """Leave out the topics whose value is 0 because no document is relevant.

    Not only to save time: trec_eval's library writes beyond its memory for topics whose grades are all
    negative, and reads beyond it where `rel` exceeds all grades.
    """
    if measure.NAME == "Judged":
        return dict(qrels)
    least = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1
    return {topic: judged for topic, judged in qrels.items() if max(judged.values()) >= least}


def _ranked(documents: Mapping[str, float]) -> dict[str, float]:
    """Replace scores by ones without ties, in trec_eval's order: every provider sees the same ranking."""
    # A score beyond single precision is infinite.
    with np.errstate(over="ignore"):
        scores = {document: float(np.float32(score)) for document, score in documents.items()}
    order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
    return {document: float(len(order) - rank) for rank, document in enumerate(order)}


def _usage(prototype: ir_measures.Measure) -> str:
    params = ", ".join(key for key in prototype.SUPPORTED_PARAMS if key not in (prototype.AT_PARAM, "gains"))
    at = prototype.SUPPORTED_PARAMS.get(prototype.AT_PARAM)
    cutoff = f"@{prototype.AT_PARAM}" if at else ""
    return f"{prototype.NAME}{f'({params})' if params else ''}{cutoff}, every parameter as name=value"


def _first(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
