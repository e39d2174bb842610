"""What a user asks of a run over a gold standard, and the rows of the papers' tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from thresher.cleaneval.running import CutoffSweep
from thresher.errors import ConfigError, ConfigErrors
from thresher.scorers.cleaners import BASELINE, Cleaner, parse_cleaner, parse_sweep
from thresher.scorers.relative_cutoffs import Cutoff, parse_cutoff, same_kind

ROWS = (
    "bars",
    "ncleaner@0",
    "ncleaner(model=nonlexical)@0",
    "justext",
    "boilerpipe(rules=words)",
    "boilerpipe(rules=density)",
    "boilerpipe(rules=cleaneval)",
    "boilerpipe(rules=words,filter=article)",
    "bte",
    "words@10",
    "density@10.5",
    "perplexity(lm=books)@8000",
    "perplexity(lm=books)@10000",
)
"""The cleaners of the papers' tables, below all text: heuristics only, NCleaner's models, jusText, Boilerpipe's rules, BTE,
the least words and text density of a block, the perplexity paper's two cutoffs."""

MOST_CUTOFFS = 20

Parsed = TypeVar("Parsed")

_SWEEP = re.compile(r"(?P<name>[^()=]+(?:\([^()]*\))?)\s*(?:=(?P<cutoffs>.*))?")


def asked(names: Sequence[str], sweeps: Sequence[str]) -> tuple[tuple[Cleaner, ...], tuple[CutoffSweep, ...]]:
    """Return the cleaners to measure, all text first, and the sweeps; without names the cleaners of `ROWS`.

    Two spellings of a name are one; a scorer that is swept twice is swept over all its cutoffs.

    Raises:
        ConfigErrors: all that is wrong: names that do not parse or name what is not there, cutoffs that are no numbers or out
            of range, a sweep over a scorer that decides by itself.
    """
    problems: list[ConfigError] = []
    cleaners = _each((BASELINE, *(names or ROWS)), lambda name: parse_cleaner(name).checked(), problems)
    swept = _each(sweeps, asked_sweep, problems)
    if problems:
        raise ConfigErrors(problems)
    by_name = {cleaner.name: cleaner for cleaner in cleaners}
    merged: dict[str, CutoffSweep] = {}
    for sweep in swept:
        before = merged[sweep.name].cutoffs if sweep.name in merged else ()
        merged[sweep.name] = CutoffSweep(sweep.template, tuple(dict.fromkeys((*before, *sweep.cutoffs))))
    return tuple(by_name.values()), tuple(merged.values())


def asked_sweep(text: str) -> CutoffSweep:
    """Return the sweep that a text means: `density` over the scorer's grid, `density=5,8,10.5` over these cutoffs.

    Cutoffs may be percentiles, too: `density=p10,p20`.

    Of a long grid `MOST_CUTOFFS` are taken, evenly: every cutoff aligns every page anew.

    Raises:
        ConfigError: if the name does not parse, the scorer decides by itself, a cutoff is no number or out of range, or
            numbers and percentiles are mixed.
    """
    match = _SWEEP.fullmatch(text.strip())
    if not match:
        raise ConfigError(f"the sweep {text!r} does not parse", "write it like density or density=5,8,10.5", "--sweep")
    template = parse_sweep(match["name"], "--sweep").checked()
    if match["cutoffs"] is None:
        grid = template.scorer.grid
        places = dict.fromkeys(round(step * (len(grid) - 1) / (MOST_CUTOFFS - 1)) for step in range(MOST_CUTOFFS))
        cutoffs: tuple[Cutoff, ...] = tuple(float(grid[place]) for place in places)
    else:
        cutoffs = tuple(_cutoff(part, text) for part in match["cutoffs"].split(","))
    if not same_kind(cutoffs):
        raise ConfigError(
            f"the sweep {text!r} mixes numbers and percentiles, or two kinds of these", "sweep over one kind", "--sweep"
        )
    for cutoff in cutoffs:
        template.at(cutoff, "--sweep").checked()
    return CutoffSweep(template, tuple(dict.fromkeys(cutoffs)))


def _each(texts: Sequence[str], parse: Callable[[str], Parsed], problems: list[ConfigError]) -> list[Parsed]:
    parsed = []
    for text in texts:
        try:
            parsed.append(parse(text))
        except ConfigError as problem:
            problems.append(problem)
    return parsed


def _cutoff(part: str, text: str) -> Cutoff:
    try:
        return parse_cutoff(part, text, "--sweep")
    except ConfigError as error:
        raise ConfigError(
            f"the cutoff {part.strip()!r} of {text!r} is no number", "write it like density=5,8,10.5", "--sweep"
        ) from error
