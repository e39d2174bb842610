"""Cleaners and their canonical names: `none`, `words@11`, `perplexity(lm=books)@8000`, `words@5+density(headings=keep)@10`.

Names and cleaners convert into each other; every cleaner has one canonical name. Scorers that decide have no cutoff in their
names: `bte`, `boilerpipe(rules=words)+words@5`. A cutoff may be a percentile, of the collection (`perplexity(lm=books)@p70`)
or of a model's reference text (`@r70`), or a quota of each page's words (`@doc50`): see `thresher.cleaners.relative_cutoffs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.base.defaults import DEFAULT_CLEANER, DOCUMENT, REFERENCE, SEARCH_CLEANER
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.cleaners import relative_cutoffs
from thresher.cleaners import scorer as base
from thresher.cleaners.registry import scorer_class, scorers

BASELINE = "none"

SCORE, HEADLINE, KEEP, DROP = "score", "headline", "keep", "drop"
HEADINGS = base.Parameter(
    "headings",
    str,
    SCORE,
    "whether title and headings are scored like any block, the headline is always kept, all are, or all are dropped",
    choices=(SCORE, HEADLINE, KEEP, DROP),
)
FLOOR = base.Parameter(
    "floor", int, 0, "words that a page keeps, if it has them, whatever the cutoff: its best-scored segments", low=0
)
"""Options of the cut, not of the scorer: they change no score."""
CUT_PARAMETERS = (HEADINGS, FLOOR)

TERM = re.compile(
    r"\s*(?P<name>\w[\w-]*)\s*(?:\((?P<inside>[^()]*)\))?\s*(?:@\s*(?P<cutoff>[^+@()|\s]+))?\s*", re.ASCII
)
"""A name with parameters and a cutoff, of a scorer or a pruning method."""


@dataclass(frozen=True)
class Cut:
    """A scorer with its cutoff: `DECISION` where the scorer decides, None in a sweep's template.

    `headings` is a choice of `HEADINGS`. `floor` is the least number of words that a page keeps, if it has them: see
    `thresher.scores.cutting`. If the cutoff is a percentile, `cutoff` is None until `thresher.scores.percentiles` has
    computed it; the name always shows the percentile. If `quota`, the cutoff is a percentage of each page's words: see
    `thresher.scores.cutting`.
    """

    scorer: base.Scorer
    cutoff: float | None
    headings: str = SCORE
    percentile: relative_cutoffs.Percentile | None = None
    floor: int = 0
    quota: bool = False

    @property
    def name(self) -> str:
        """The canonical name."""
        name = self.own_name
        return name if self.scorer.reads is None else f"{self.scorer.text}+{name}"

    @property
    def own_name(self) -> str:
        """The name without that of the text it cuts."""
        values = self.scorer.named_values
        if self.headings != SCORE or self.scorer.headings != SCORE:
            values[HEADINGS.name] = self.headings
        if self.floor:
            values[FLOOR.name] = self.floor
        name = base.with_values(self.scorer.name, values)
        if self.percentile is not None:
            return f"{name}@{self.percentile.name}"
        if self.quota:
            return f"{name}@{DOCUMENT if self.cutoff is None else relative_cutoffs.Quota(self.cutoff).name}"
        return name if self.cutoff is None or self.scorer.decides else f"{name}@{number_text(self.cutoff)}"

    @property
    def threshold(self) -> float:
        """The number that scores are compared with, or that of the quota."""
        if self.cutoff is None:
            what = f"the percentile {self.percentile.name}" if self.percentile else "the cutoff"
            raise ConfigError(
                f"{what} is not a number without the scores of a collection",
                "clean a collection, or give a number",
                self.name,
            )
        return self.cutoff

    @property
    def higher_is_stricter(self) -> bool:
        """Whether higher cutoffs keep less."""
        return self.scorer.keep == base.KEEP_HIGH and not self.quota

    def checked(self) -> Cut:
        """Return this cut after checking that its models exist."""
        self.scorer.check(self.name)
        if self.percentile is not None and self.percentile.kind == REFERENCE:
            relative_cutoffs.reference_cutoff(self.scorer, self.percentile, self.name)
        return self

    def at(self, cutoff: relative_cutoffs.Cutoff, where: str) -> Cut:
        """Return this cut at another cutoff, a number, a percentile or a quota."""
        kind = type(self.scorer)
        if kind.decides:
            raise ConfigError(f"{kind.name!r} decides by itself and has no cutoff", f"write {self.name}", where)
        if isinstance(cutoff, relative_cutoffs.Percentile):
            percentile = relative_cutoffs.check_percentile(cutoff, self.scorer, where)
            return replace(self, cutoff=None, percentile=percentile, quota=False)
        if isinstance(cutoff, relative_cutoffs.Quota):
            value = relative_cutoffs.check_quota(cutoff, self.scorer, where).value
            return replace(self, cutoff=value, percentile=None, quota=True)
        base.check_range(cutoff, kind.low, kind.high, f"the cutoff of {self.scorer.name!r}", where)
        return replace(self, cutoff=cutoff, percentile=None, quota=False)


@dataclass(frozen=True)
class Cleaner:
    """A conjunction of cuts: a segment is kept if it passes all. The baseline has none.

    A cut with a floor or a quota counts the words that the cuts before it keep.
    """

    cuts: tuple[Cut, ...] = ()

    @property
    def name(self) -> str:
        """The canonical name."""
        return "+".join([*(cut.name for cut in self.cuts[:1]), *(cut.own_name for cut in self.cuts[1:])]) or BASELINE

    @property
    def text(self) -> str:
        """The name of the text that it leaves some of: empty for the page's own. All its cuts are of one text."""
        return self.cuts[0].scorer.text if self.cuts else ""

    def check_own_text(self) -> None:
        """Check that it cuts the page's own text, whose headings, lists and tables Markdown has."""
        if self.text:
            raise ConfigError("only the page's own blocks become Markdown", "leave Markdown out", self.name)

    @property
    def on_page(self) -> Cleaner:
        """What it does to the page's own blocks: where it cuts another text, what made that."""
        maker = self.cuts[0].scorer.reads if self.cuts else None
        if isinstance(maker, CleanedText):
            return maker.cleaner
        return self if maker is None else Cleaner((Cut(maker, base.DECISION),))

    def checked(self) -> Cleaner:
        """Return this cleaner after checking its cuts."""
        return Cleaner(tuple(cut.checked() for cut in self.cuts))

    @property
    def scorers(self) -> tuple[base.Scorer, ...]:
        """The scorers it needs."""
        return tuple(cut.scorer for cut in self.cuts)

    @property
    def resolved_cutoffs(self) -> dict[str, float]:
        """The resolved percentile cutoffs, by the cuts' names."""
        return {cut.name: cut.cutoff for cut in self.cuts if cut.percentile is not None and cut.cutoff is not None}


class CleanedText(base.TextMaker):
    """What a cleaner leaves of a page, for scores of whole pages behind it."""

    name = "cleaned"
    source = "the cleaner's"

    def __init__(self, cleaner: Cleaner) -> None:
        super().__init__()
        self.cleaner = cleaner

    @property
    def canonical_name(self) -> str:
        """The cleaner's name."""
        return self.cleaner.name

    @property
    def fingerprint(self) -> str:
        """What the cleaner's scores depend on."""
        return ", ".join(scorer.fingerprint for scorer in self.cleaner.scorers)

    @property
    def on_page(self) -> tuple[base.Scorer, ...]:
        """The cleaner's scorers."""
        return self.cleaner.scorers


def parse_cleaner(text: str, where: str | None = None) -> Cleaner:
    """Parse a cleaner's name; a scorer without a cutoff has its usual one, if there is one."""
    where = where or text
    if text.strip() == BASELINE:
        return Cleaner()
    cuts = []
    found = _parse_cuts(text, where)
    for part, cut in zip(text.split("+")[-len(found) :], found, strict=True):
        if cut.cutoff is None and cut.percentile is None and cut.scorer.usual is not None:
            cut = cut.at(cut.scorer.usual, where)
        elif cut.cutoff is None and cut.percentile is None:
            example = f"{cut.name}@{middle_cutoff(type(cut.scorer))}"
            raise ConfigError(f"the cleaner {part.strip()!r} has no cutoff", f"write one, such as {example}", where)
        cuts.append(cut)
    return Cleaner(tuple(cuts))


def parse_scorer(text: str, where: str | None = None) -> Cut:
    """Parse a scorer's name, `perplexity(lm=books)` or `bte`, as a cut without a cutoff unless the scorer decides."""
    where = where or text
    *others, cut = _parse_cuts(text, where)
    if others:
        raise _unparsed(text, where)
    if (cut.cutoff is not None or cut.percentile is not None) and not cut.scorer.decides:
        raise ConfigError(f"the scorer {text!r} of a sweep has a cutoff", "list the cutoffs under `cutoffs`", where)
    return cut


def parse_sweep(text: str, where: str | None = None) -> Cut:
    """Parse a sweep's scorer as a cut without a cutoff."""
    where = where or text
    cut = parse_scorer(text, where)
    if cut.scorer.decides:
        raise ConfigError(
            f"the scorer {text!r} of a sweep decides by itself and has no cutoffs", "name it under [cleaners]", where
        )
    return cut


def sweep_name(template: Cut, cutoff: relative_cutoffs.Cutoff) -> str:
    """Return a sweep's name: the template's, with `@p` or `@r` appended where cutoffs are percentiles, `@doc` where quotas."""
    kind = relative_cutoffs.kind_of(cutoff)
    return f"{template.name}@{kind}" if kind else template.name


def middle_cutoff(kind: type[base.Scorer]) -> str:
    """Print a cutoff of a scorer as an example: of 100 cutoffs, those in the middle leave next to nothing."""
    return number_text(kind.grid[min(len(kind.grid) // 2, 10)] if kind.grid else 1)


def _parse_cuts(text: str, where: str) -> list[Cut]:
    """Return the cuts of a name; those behind a text cut that, and the text itself is then no cut."""
    cuts = [_parse(part, text, where) for part in text.split("+")]
    whole = next((at for at, cut in enumerate(cuts) if cut.scorer.whole), len(cuts))
    if 0 < whole < len(cuts) and not isinstance(cuts[0].scorer, base.TextMaker):
        return _behind(text, cuts[:whole], cuts[whole:], where)
    maker = cuts[0].scorer
    for cut in cuts[1:]:
        if isinstance(cut.scorer, base.TextMaker):
            fix = "put it first: what follows then cuts its text"
            raise ConfigError(f"{cut.name!r} stands behind another cleaner", fix, where)
        if isinstance(maker, base.TextMaker):
            cut.scorer.reads = maker
    return cuts[1:] if isinstance(maker, base.TextMaker) and len(cuts) > 1 else cuts


def _behind(text: str, before: Sequence[Cut], cuts: list[Cut], where: str) -> list[Cut]:
    """Return cuts of what those `before` leave of a page."""
    made = CleanedText(parse_cleaner("+".join(text.split("+")[: len(before)]), where))
    if any(cut.percentile is not None or cut.scorer.learns for cut in made.cleaner.cuts):
        fix = "write a number as its cutoff, and a model that is there"
        raise ConfigError(f"{made.canonical_name!r} before a score of pages needs the whole collection", fix, where)
    for cut in cuts:
        cut.scorer.reads = made
    return cuts


def _parse(part: str, text: str, where: str) -> Cut:
    match = TERM.fullmatch(part)
    if not match:
        raise _unparsed(text, where)
    kind = scorer_class(match["name"], where)
    kind = kind.chosen(match["inside"] or "", where)
    of_cut = () if issubclass(kind, base.TextMaker) else CUT_PARAMETERS
    values = parse_values(kind.name, (*kind.parameters, *of_cut), match["inside"] or "", where)
    headings = str(values.pop(HEADINGS.name, kind.headings))
    floor = int(values.pop(FLOOR.name, FLOOR.default))
    template = Cut(kind(**values), base.DECISION if kind.decides else None, headings, floor=floor)
    if match["cutoff"] is None:
        return template
    if kind.decides:
        return template.at(base.DECISION, where)  # raises: it has no cutoffs
    return template.at(relative_cutoffs.parse_cutoff(match["cutoff"], kind.name, where), where)


def _unparsed(text: str, where: str) -> ConfigError:
    fix = "write it like perplexity(lm=books)@8000"
    if "|" in text:
        fix = "name the cleaner alone: what is behind | prunes an index, as --prune of `thresher index` does"
    return ConfigError(f"the name {text!r} does not parse", fix, where)


def parse_values(name: str, parameters: Sequence[base.Parameter], inside: str, where: str) -> dict[str, base.Value]:
    """Return the values of `key=value,…` for what is called `name`."""
    known = {parameter.name: parameter for parameter in parameters}
    bare = next((parameter.name for parameter in parameters if parameter.bare), None)
    values: dict[str, base.Value] = {}
    for item in filter(None, map(str.strip, inside.split(","))):
        key, equals, value = map(str.strip, item.partition("="))
        if bare is not None and not equals:
            values[bare] = f"{values[bare]},{item}" if bare in values else item
            continue
        if key not in known:
            fix = f"use one of {', '.join(known)}" if known else "write none"
            raise ConfigError(f"{name!r} has no parameter {key!r}", fix, where)
        if not equals:
            what = f"the parameter {key!r} of {name!r} has no value"
            raise ConfigError(what, f"write {key}={base.printed(known[key].default)}", where)
        if key in values:
            raise ConfigError(f"the parameter {key!r} is given twice", "give it once", where)
        values[key] = known[key].parse(value, where)
    return values


WHICH = (
    "Which one to take:",
    f"    {DEFAULT_CLEANER} for text, of any kind of page and in any language: the default of `thresher clean`",
    f"    {SEARCH_CLEANER} for search: all headings stay; then `thresher choose` says what your own topics allow",
    "    words@5 where no model is wanted, in languages with spaces: fast, and seldom wrong",
    "    none to compare with, and where pages have no boilerplate, such as abstracts and manuals",
    "    justext for prose alone: drops tables, lists and short text; needs lang= for other languages than English",
)
RELATIVE_CUTOFFS = (
    "A cutoff may be a percentile: @p70 of the collection's words, perplexity(lm=MODEL)@r70 of the reference text in "
    "the model's card. Or a quota: @doc50 keeps the best-scored segments of each page that hold half of its words."
)


def declarations() -> list[dict[str, Any]]:
    """Return the declarations of all scorers, by name, as JSON values."""
    return [_declaration(kind) for kind in scorers().values()]


def describe() -> str:
    """Return the declarations as text for a terminal."""
    lines = [*WHICH, "", f"{BASELINE}", "    The baseline: tags, scripts and styles removed, all text kept.", ""]
    for entry in declarations():
        rule = "decides: no cutoff" if entry["decides"] else f"{entry['keep']}; cutoffs {entry['cutoffs']}"
        head = entry["name"] if entry["decides"] else f"{entry['name']}@CUTOFF"
        lines += entry_lines(entry, head, f"scores each {entry['segment']}; {rule}")
    lines.append("a+b applies both: a segment stays if it passes each.")
    lines.append(RELATIVE_CUTOFFS)
    return "\n".join(lines)


def entry_lines(entry: Mapping[str, Any], head: str, usage: str) -> Iterator[str]:
    """Yield the lines of a declaration for a terminal."""
    yield head
    yield f"    {entry['description']}"
    yield f"    {usage}, such as {entry['example']}"
    for parameter in entry["parameters"]:
        values = f"{base.printed(parameter['default'])}: {parameter['description']} ({parameter['values']})"
        yield f"    {parameter['name']}={values}"
    yield f"    source: {entry['source']}"
    yield ""


def declaration(
    kind: type[base.Declared], own: Mapping[str, Any], cutoffs: str, example: str, more: Iterable[base.Parameter] = ()
) -> dict[str, Any]:
    """Return the declaration of a scorer or pruning method as JSON values; `own` are those that the other has not."""
    parameters = [
        {
            "name": parameter.name,
            "default": parameter.default,
            "description": parameter.description,
            "values": parameter.spelling,
            "choices": [*parameter.choices],
        }
        for parameter in (*kind.parameters, *more)
    ]
    return {
        "name": kind.name,
        "description": " ".join((kind.__doc__ or "").split()),
        **own,
        "unit": kind.unit,
        "cutoffs": cutoffs,
        "grid": [number_text(cutoff) for cutoff in kind.grid],
        "example": example,
        "parameters": parameters,
        "source": kind.source,
    }


def _declaration(kind: type[base.Scorer]) -> dict[str, Any]:
    usual = f", {number_text(kind.usual)} by default" if kind.usual else ""
    return declaration(
        kind,
        {"segment": kind.segment, "keep": kind.keep, "decides": kind.decides},
        "none" if kind.decides else base.span(kind.low, kind.high) + usual,
        kind().canonical_name + ("" if kind.decides else f"@{middle_cutoff(kind)}"),
        () if issubclass(kind, base.TextMaker) else (replace(HEADINGS, default=kind.headings), FLOOR),
    )
