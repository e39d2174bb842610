"""Names of measures: of ir-measures, trec_eval and ranx.

Nearly all measures come from trec_eval's library, `Judged` and `RR@k` from ir-measures' own Python: no Perl, no download. The
measures of `FURTHER` need another program or package.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.base.errors import (
    ConfigError,
    InputError,
    MissingDependencyError,
    install_command,
    is_out_of_memory,
    memory_error,
)

if TYPE_CHECKING:
    from ir_measures import Measure

MAX_EXPONENTIAL_GRADE = 20
"""The largest grade for gains 2^grade - 1: trec_eval's library takes memory for every gain up to it."""
SUPPORTED = (
    "P",
    "AP",
    "nDCG",
    "RR",
    "Rprec",
    "R",
    "Bpref",
    "infAP",
    "Success",
    "IPrec",
    "SetP",
    "SetR",
    "SetF",
    "SetAP",
    "Judged",
)
"""The measures that trec_eval's library and ir-measures compute."""
_CWL = "run `pip install cwl-eval`"
FURTHER = {
    "ERR": "install the program perl",
    "Compat": "install ir-measures",
    "RBP": _CWL,
    "BPM": _CWL,
    "SDCG": _CWL,
    "INST": _CWL,
    "INSQ": _CWL,
    "NERR8": _CWL,
    "NERR9": _CWL,
    "NERR10": _CWL,
    "NERR11": _CWL,
}
"""The measures that need a program or package besides, with how to get it."""
_PROVIDERS = ("pytrec_eval", "judged", "msmarco", "gdeval", "accuracy", "compat", "cwl_eval")
"""The providers of ir-measures, in the order of preference."""
_NAMES = SUPPORTED + tuple(FURTHER)
_BY_LOWER_CASE = {name.lower(): name for name in _NAMES}
_RANX_NAMES = {
    "map": "AP",
    "mrr": "RR",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
    "bpref": "Bpref",
    "precision": "P",
    "recall": "R",
    "r-precision": "Rprec",
    "hit_rate": "Success",
}
_OF_SUBTOPICS = re.compile(r"(alpha|α)_n?DCG|n?ERR_IA|n?NRBP|AP_IA|MAP_IA|P_IA|StRecall")
_LETTERS_AND_CUTOFF = re.compile(r"(?P<letters>[A-Za-z_]+?)_?(?:cut_)?@?(?P<cutoff>[0-9]*)")
_BEFORE_PARAMETERS = re.compile(r"(?P<name>\w+)\s*[(@]")
_PARSE_ERROR = re.compile(r"problem parsing measure (?P<reason>.*); must be in format .*", re.DOTALL)


@cache
def library() -> Any:
    """Import ir-measures when it is needed: cleaning and its evaluation run without it.

    Raises:
        MissingDependencyError: if it is not installed.
    """
    try:
        return import_module("ir_measures")
    except ImportError as error:
        if is_out_of_memory(error):
            raise memory_error() from error
        fix = f"run `{install_command('evaluate')}`, or `{install_command('retrieval')}` to index and search as well"
        raise MissingDependencyError("the package ir-measures is missing", fix) from error


def parse_measure(name: str | Measure) -> Measure:
    """Parse the name of a measure as ir-measures does: `P@10`, `AP(rel=2)`, `nDCG(dcg='exp-log2')@10`.

    `str` of the result is the canonical name: aliases resolved, parameters in declared order, defaults left out. Names of
    trec_eval (`map`, `ndcg_cut_10`) and ranx (`ndcg@10`, `hit_rate@5`) are understood, too.

    Args:
        name: the name, or a measure of ir-measures.

    Raises:
        ConfigError: if the measure is unknown, or its parameters cannot be used.
    """
    text = str(name).strip()
    measure = _parsed(text) or _parsed(_from_trec_eval(text)) or _parsed(_from_ranx(text))
    if measure is None:
        raise _unknown(text)
    return measure


def with_gains(measure: Measure, qrels: Mapping[str, Mapping[str, int]]) -> Measure:
    """Replace exponential gains by a mapping from grades to integers, as trec_eval's library needs.

    Raises:
        InputError: if a grade is larger than `MAX_EXPONENTIAL_GRADE`.
    """
    if measure.NAME != "nDCG" or measure["dcg"] != "exp-log2":
        return measure
    grades: set[int] = set()
    for judged in qrels.values():
        grades.update(judged.values())
    if grades and max(grades) > MAX_EXPONENTIAL_GRADE:
        raise InputError(
            f"the qrels have the grade {max(grades)}, too large for gains of 2^grade - 1",
            f"use grades up to {MAX_EXPONENTIAL_GRADE} or a measure with linear gains, nDCG@10",
        )
    gains: dict[int, int] = {}
    for grade in sorted(grades):
        if grade > 0:
            gains[grade] = 2**grade - 1
    linear: Measure = measure(dcg="log2", gains=gains)
    return linear


@cache
def installed_providers() -> tuple[Any, ...]:
    """Return the installed providers of ir-measures, in the order of preference."""
    return tuple(provider for provider in _all_providers() if provider.is_available())


def _all_providers() -> tuple[Any, ...]:
    registry = library().providers.registry
    return tuple(registry[name] for name in _PROVIDERS)


def _supports(measure: Measure, providers: Iterable[Any]) -> bool:
    return any(provider.supports(with_gains(measure, {})) for provider in providers)


def _parsed(text: str) -> Measure | None:
    """Return the measure that ir-measures parses; None if it has no measure of this name, or it is not computed here."""
    try:
        measure = library().parse_measure(text)
    except NameError:
        return None
    except ValueError as error:
        match = _BEFORE_PARAMETERS.match(text)
        if match is None or not _is_computed(match["name"]):
            return None
        reason = str(error)
        refused = _PARSE_ERROR.fullmatch(reason)
        if refused:
            reason = refused["reason"]
        raise _unusable(text, reason, library().measures.registry[match["name"]]) from error
    if not _is_computed(measure.NAME):
        return None
    kind = library().measures.registry[measure.NAME]
    try:
        measure.validate_params()
    except (AssertionError, ValueError, TypeError) as error:
        raise _unusable(text, str(error), kind) from error
    problem = _out_of_range(measure)
    if problem:
        computed = _computed_form(measure)
        if computed:
            raise ConfigError(f"the measure `{text}` cannot be used ({problem})", f"write it as {computed}")
        raise _unusable(text, problem, kind)
    if not _supports(measure, installed_providers()):
        raise ConfigError(f"the program that computes `{text}` is not installed", FURTHER[measure.NAME])
    return _canonical(measure)


def _canonical(measure: Measure) -> Measure:
    """Return the measure with its parameters in declared order."""
    kind = library().measures.registry[measure.NAME]
    parameters: dict[str, Any] = {}
    for key in kind.SUPPORTED_PARAMS:
        if key in measure.params:
            parameters[key] = measure.params[key]
    ordered: Measure = kind(**parameters)
    return ordered


def _is_computed(name: str) -> bool:
    kind = library().measures.registry.get(name)
    return kind is not None and (kind.NAME in SUPPORTED or kind.NAME in FURTHER)


def _from_trec_eval(name: str) -> str:
    """Return the name in ir-measures of a measure of trec_eval; empty if trec_eval has none of this name."""
    try:
        measures = library().parse_trec_measure(name)
    except (ValueError, TypeError, KeyError, IndexError):
        return ""
    names: list[str] = []
    for measure in measures:
        if measure.NAME in SUPPORTED:
            names.append(str(measure))
    if len(names) > 1:
        raise ConfigError(f"`{name}` is {len(names)} measures", f"name one of them, such as {names[0]}")
    if not names:
        return ""
    return names[0]


def _from_ranx(name: str) -> str:
    """Return the name in ir-measures of a measure of ranx; empty if ranx has none of this name."""
    measure, at, cutoff = name.partition("@")
    if measure not in _RANX_NAMES:
        return ""
    return f"{_RANX_NAMES[measure]}{at}{cutoff}"


def _out_of_range(measure: Measure) -> str:
    """Return the problem that ir-measures lets through but trec_eval's library cannot compute; empty without one."""
    for key, value in measure.params.items():
        if key in ("cutoff", "rel") and (isinstance(value, bool) or not 1 <= value < 2**31):
            return f"{key} is an integer from 1"
        if key == "recall" and not (0 <= value <= 1 and math.isclose(value, round(value, 2), abs_tol=1e-12)):
            return "recall is in [0, 1] with two decimals"
        if key == "beta" and not 0 < value <= 1000:
            return "beta is in (0, 1000]"
        if key == "gains":
            return "gains are 'log2' or 'exp-log2' of dcg"
    if not _supports(measure, _all_providers()):
        return "this combination of parameters is not computed"
    return ""


def _computed_form(measure: Measure) -> str:
    """Return the name of a similar measure that is computed, with the lowest relevant grade; empty without one."""
    kind = library().measures.registry[measure.NAME]
    if measure.NAME not in FURTHER or "rel" not in kind.SUPPORTED_PARAMS or "rel" in measure.params:
        return ""
    with_cutoff = kind(**measure.params, rel=1)
    if _supports(with_cutoff, _all_providers()):
        return str(with_cutoff)
    params = dict(measure.params)
    params.pop("cutoff", None)
    without_cutoff = kind(**params, rel=1)
    if _supports(without_cutoff, _all_providers()):
        return str(without_cutoff)
    return ""


def _unusable(name: str, problem: str, kind: Measure) -> ConfigError:
    parameters: list[str] = []
    for key in kind.SUPPORTED_PARAMS:
        if key not in (kind.AT_PARAM, "gains"):
            parameters.append(key)
    usage = str(kind.NAME)
    if parameters:
        usage += f"({', '.join(parameters)})"
    if kind.AT_PARAM in kind.SUPPORTED_PARAMS:
        usage += f"@{kind.AT_PARAM}"
    reason = " ".join(problem.split()) or "not a valid parameter"
    return ConfigError(
        f"the measure `{name}` cannot be used ({reason})", f"write it as {usage}, every parameter as name=value"
    )


def _unknown(name: str) -> ConfigError:
    if _OF_SUBTOPICS.match(name):
        what = f"the measure `{name}` needs qrels by subtopic, which are not read here"
        return ConfigError(what, "use a measure of whole topics, such as nDCG@10 or ERR@10")
    what = f"there is no measure `{name}` here"
    suggestion = _suggestion(name)
    if suggestion:
        return ConfigError(what, f"did you mean {suggestion}?")
    return ConfigError(what, f"use one of {', '.join(_NAMES)}, written like P@10, AP(rel=2) or nDCG(dcg='exp-log2')@10")


def _suggestion(name: str) -> str:
    """Return the measure that an unknown name probably means; empty if none is close."""
    match = _LETTERS_AND_CUTOFF.fullmatch(name)
    if match is None:
        return ""
    close = get_close_matches(match["letters"].lower(), _BY_LOWER_CASE, 1)
    if not close:
        return ""
    nearest = _BY_LOWER_CASE[close[0]]
    # Some measures need a cutoff, others have none.
    for candidate in (f"{nearest}@{match['cutoff']}", nearest, f"{nearest}@10"):
        with suppress(ConfigError):
            measure = _parsed(candidate)
            if measure is not None:
                return str(measure)
    return ""
