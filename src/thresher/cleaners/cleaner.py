"""Cleaners and their canonical names: `none`, `words@11`, `perplexity(lm=books)@8000`, `words@5+density(headings=keep)@10`.

Names and cleaners convert into each other, and every cleaner has one canonical name. Scorers that decide have no cutoff in
their names: `bte`, `boilerpipe(rules=words)+words@5`. A cutoff may be a percentile of the collection
(`perplexity(lm=books)@p70`) or of a model's reference text (`@r70`), or a quota of each page's words (`@doc50`): see
`thresher.cleaners.relative_cutoffs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thresher.base.defaults import DEFAULT_CLEANER, DOCUMENT, REFERENCE, SEARCH_CLEANER
from thresher.base.errors import ConfigError
from thresher.base.number_text import number_text
from thresher.cleaners import relative_cutoffs
from thresher.cleaners import scorer as base
from thresher.cleaners.registry import scorer_class, scorers

BASELINE = "none"

SCORE = "score"
HEADLINE = "headline"
KEEP = "keep"
DROP = "drop"
HEADINGS = base.Parameter(
    "headings",
    str,
    SCORE,
    "how the cut treats the title and headings: by their scores, or it keeps the headline, keeps all, or drops all",
    choices=(SCORE, HEADLINE, KEEP, DROP),
)
FLOOR = base.Parameter(
    "floor",
    int,
    0,
    "the number of words that a page keeps at least, if it has them: in its best-scored segments",
    low=0,
)
"""Options of the cut, not of the scorer: they change no score."""
CUT_PARAMETERS = (HEADINGS, FLOOR)

TERM = re.compile(
    r"\s*(?P<name>\w[\w-]*)\s*(?:\((?P<arguments>[^()]*)\))?\s*(?:@\s*(?P<cutoff>[^+@()|\s]+))?\s*", re.ASCII
)
"""A name with parameters and a cutoff, of a scorer or a pruning method."""
# Cutoffs beyond this place of a grid are no useful examples.
_LAST_EXAMPLE = 10

WHICH_CLEANER = (
    "Which cleaner to choose:",
    f"    {DEFAULT_CLEANER}: for text of any kind of page and in any language; the default of `thresher clean`",
    f"    {SEARCH_CLEANER}: for search; it keeps all headings. `thresher choose` finds the cutoff that your topics allow",
    "    words@5: without a model, for languages with spaces between words; fast, and seldom wrong",
    "    none: the baseline, and for pages without boilerplate, such as abstracts and manuals",
    "    justext: for prose alone; it drops tables, lists and short text, and needs lang= for languages other than English",
)
RELATIVE_CUTOFFS = (
    "A cutoff may be a percentile: @p70 of the collection's words, or perplexity(lm=MODEL)@r70 of the reference text in "
    "the model's card. A cutoff may be a quota: @doc50 keeps each page's best-scored segments with half of its words."
)


@dataclass(frozen=True)
class Cut:
    """A scorer with its cutoff.

    Attributes:
        scorer: gives the scores that the cut compares.
        cutoff: a number; `DECISION` if the scorer decides; None in a sweep's template, and for a percentile until
            `thresher.scores.percentiles` has computed it.
        headings: a choice of `HEADINGS`.
        percentile: the cutoff as a percentile; None for other cutoffs. Names always show it.
        floor: the number of words that a page keeps at least, if it has them: see `thresher.scores.cutting`.
        quota: whether the cutoff is a percentage of each page's words: see `thresher.scores.cutting`.
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
        text = self.scorer.input_text
        if text is None:
            return self.name_without_text
        return f"{text.canonical_name}+{self.name_without_text}"

    @property
    def name_without_text(self) -> str:
        """The name without the name of the text that it cuts."""
        values = self.scorer.named_values
        if self.headings != SCORE or self.scorer.headings != SCORE:
            values[HEADINGS.name] = self.headings
        if self.floor:
            values[FLOOR.name] = self.floor
        name = base.with_values(self.scorer.name, values)
        if self.percentile is not None:
            return f"{name}@{self.percentile.name}"
        if self.quota:
            if self.cutoff is None:
                return f"{name}@{DOCUMENT}"
            return f"{name}@{relative_cutoffs.Quota(self.cutoff).name}"
        if self.cutoff is None or self.scorer.decides:
            return name
        return f"{name}@{number_text(self.cutoff)}"

    @property
    def threshold(self) -> float:
        """The number that scores are compared with, or the percentage of a quota.

        Raises:
            ConfigError: if it is a percentile that no collection has resolved, or is missing.
        """
        if self.cutoff is None:
            cutoff = f"the percentile {self.percentile.name}" if self.percentile else "the cutoff"
            what = f"{cutoff} is not a number without the scores of a collection"
            raise ConfigError(what, "clean a collection, or give a number", self.name)
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
        """Return this cut at another cutoff, a number, a percentile or a quota.

        Raises:
            ConfigError: if the scorer decides, or the cutoff is out of range; it names `where`.
        """
        kind = type(self.scorer)
        if kind.decides:
            raise ConfigError(f"{kind.name!r} decides by itself and has no cutoff", f"write {self.name}", where)
        if isinstance(cutoff, relative_cutoffs.Percentile):
            relative_cutoffs.check_percentile(cutoff, self.scorer, where)
            return replace(self, cutoff=None, percentile=cutoff, quota=False)
        if isinstance(cutoff, relative_cutoffs.Quota):
            relative_cutoffs.check_quota(cutoff, self.scorer, where)
            return replace(self, cutoff=cutoff.value, percentile=None, quota=True)
        base.check_range(cutoff, kind.low, kind.high, f"the cutoff of {self.scorer.name!r}", where)
        return replace(self, cutoff=cutoff, percentile=None, quota=False)

    def with_input(self, text: base.TextMaker) -> Cut:
        """Return this cut of another text of the page."""
        return replace(self, scorer=self.scorer.with_input(text))


@dataclass(frozen=True)
class Cleaner:
    """A conjunction of cuts: a segment is kept if it passes all. The baseline has none.

    A cut with a floor or a quota counts the words that the cuts before it keep. All cuts are of one text.
    """

    cuts: tuple[Cut, ...] = ()

    @property
    def name(self) -> str:
        """The canonical name."""
        if not self.cuts:
            return BASELINE
        # The first cut has the name of the text that all cuts read.
        names = [self.cuts[0].name]
        names += [cut.name_without_text for cut in self.cuts[1:]]
        return "+".join(names)

    @property
    def input_name(self) -> str:
        """The name of the text that it cuts: empty for the page's own."""
        return self.cuts[0].scorer.input_name if self.cuts else ""

    def check_own_text(self) -> None:
        """Check that it cuts the page's own text, which stands in the page's tree."""
        if self.input_name:
            what = "only the page's own blocks become HTML or Markdown"
            raise ConfigError(what, "leave HTML and Markdown out", self.name)

    @property
    def on_page(self) -> Cleaner:
        """The cleaner of the page's own blocks: this one, or the maker of the text that this one cuts."""
        if not self.cuts:
            return self
        maker = self.cuts[0].scorer.input_text
        if maker is None:
            return self
        if isinstance(maker, CleanedText):
            return maker.cleaner
        return Cleaner((Cut(maker, base.DECISION),))

    def checked(self) -> Cleaner:
        """Return this cleaner after checking its cuts."""
        return Cleaner(tuple(cut.checked() for cut in self.cuts))

    @property
    def scorers(self) -> tuple[base.Scorer, ...]:
        """The scorers of its cuts."""
        return tuple(cut.scorer for cut in self.cuts)

    @property
    def resolved_cutoffs(self) -> dict[str, float]:
        """The resolved percentile cutoffs, by the cuts' names."""
        cutoffs: dict[str, float] = {}
        for cut in self.cuts:
            if cut.percentile is not None and cut.cutoff is not None:
                cutoffs[cut.name] = cut.cutoff
        return cutoffs


class CleanedText(base.TextMaker):
    """The text that a cleaner leaves of a page, for scores of whole pages behind it."""

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
        """The fingerprints of the cleaner's scorers."""
        return ", ".join(scorer.fingerprint for scorer in self.cleaner.scorers)

    @property
    def on_page(self) -> tuple[base.Scorer, ...]:
        """The cleaner's scorers."""
        return self.cleaner.scorers


def parse_cleaner(text: str, where: str | None = None) -> Cleaner:
    """Parse a cleaner's name; a scorer without a cutoff has its usual one, if there is one.

    Raises:
        ConfigError: if the name does not parse; it names `where`, by default the name itself.
    """
    where = where or text
    if text.strip() == BASELINE:
        return Cleaner()
    cuts = _parse_cuts(text, where)
    parts = text.split("+")[-len(cuts) :]
    with_cutoffs: list[Cut] = []
    for cut, part in zip(cuts, parts, strict=True):
        with_cutoffs.append(_with_cutoff(cut, part, where))
    return Cleaner(tuple(with_cutoffs))


def _with_cutoff(cut: Cut, part: str, where: str) -> Cut:
    """Return a cut at its cutoff or, if its name `part` has none, at its scorer's usual one."""
    if cut.cutoff is not None or cut.percentile is not None:
        return cut
    if cut.scorer.usual is not None:
        return cut.at(cut.scorer.usual, where)
    example = f"{cut.name}@{middle_cutoff(type(cut.scorer))}"
    raise ConfigError(f"the cleaner {part.strip()!r} has no cutoff", f"write one, such as {example}", where)


def parse_scorer(text: str, where: str | None = None) -> Cut:
    """Parse a scorer's name, `perplexity(lm=books)` or `bte`, as a cut without a cutoff unless the scorer decides.

    Raises:
        ConfigError: if the name does not parse, or has a cutoff.
    """
    where = where or text
    cuts = _parse_cuts(text, where)
    if len(cuts) > 1:
        raise _unparsed(text, where)
    cut = cuts[0]
    has_cutoff = cut.cutoff is not None or cut.percentile is not None
    if has_cutoff and not cut.scorer.decides:
        fix = f"write {cut.scorer.canonical_name}; a sweep lists its cutoffs under `cutoffs`"
        raise ConfigError(f"the scorer {text!r} has a cutoff", fix, where)
    return cut


def parse_sweep(text: str, where: str | None = None) -> Cut:
    """Parse a sweep's scorer as a cut without a cutoff."""
    where = where or text
    cut = parse_scorer(text, where)
    if cut.scorer.decides:
        what = f"the scorer {text!r} of a sweep decides by itself and has no cutoffs"
        raise ConfigError(what, "name it under [cleaners]", where)
    return cut


def sweep_name(template: Cut, cutoff: relative_cutoffs.Cutoff) -> str:
    """Return a sweep's name: the template's, with `@p` or `@r` behind it for percentiles, `@doc` for quotas."""
    kind = relative_cutoffs.kind_of(cutoff)
    return f"{template.name}@{kind}" if kind else template.name


def middle_cutoff(kind: type[base.Scorer]) -> str:
    """Return a cutoff of a scorer as an example: from the middle of its grid, or before, as high cutoffs leave no text."""
    if not kind.grid:
        return number_text(1)
    middle = min(len(kind.grid) // 2, _LAST_EXAMPLE)
    return number_text(kind.grid[middle])


def _parse_cuts(text: str, where: str) -> list[Cut]:
    """Return the cuts of a name. A text in front of cuts is no cut itself: the cuts read it."""
    parts = text.split("+")
    cuts = [_parse_cut(part, text, where) for part in parts]
    first = cuts[0].scorer
    for cut in cuts[1:]:
        if isinstance(cut.scorer, base.TextMaker):
            fix = "put it first: the cuts behind it then cut its text"
            raise ConfigError(f"{cut.name!r} stands behind another cleaner", fix, where)
    if isinstance(first, base.TextMaker) and len(cuts) > 1:
        return [cut.with_input(first) for cut in cuts[1:]]
    is_page_level = [cut.scorer.page_level for cut in cuts]
    if is_page_level[0] or not any(is_page_level):
        return cuts
    index = is_page_level.index(True)
    cleaned = _cleaned_text("+".join(parts[:index]), where)
    return [cut.with_input(cleaned) for cut in cuts[index:]]


def _cleaned_text(cleaner: str, where: str) -> CleanedText:
    """Return the text that a cleaner leaves, for scores of whole pages behind it."""
    text = CleanedText(parse_cleaner(cleaner, where))
    for cut in text.cleaner.cuts:
        if cut.percentile is not None or cut.scorer.needs_collection:
            what = f"{text.canonical_name!r} before a score of pages needs the whole collection"
            fix = "write a number as its cutoff, and a scorer of single pages with a model that is there"
            raise ConfigError(what, fix, where)
    return text


def _parse_cut(part: str, text: str, where: str) -> Cut:
    """Return the cut of one part of a name; `text` is the whole name."""
    match = TERM.fullmatch(part)
    if not match:
        raise _unparsed(text, where)
    arguments = match["arguments"] or ""
    kind = scorer_class(match["name"], where).variant_for(arguments, where)
    parameters = list(kind.parameters)
    parameters += _cut_parameters(kind)
    values = parse_values(kind.name, parameters, arguments, where)
    headings = str(values.pop(HEADINGS.name, kind.headings))
    floor = int(values.pop(FLOOR.name, FLOOR.default))
    cutoff = base.DECISION if kind.decides else None
    cut = Cut(kind(**values), cutoff, headings, floor=floor)
    if match["cutoff"] is None:
        return cut
    if kind.decides:
        return cut.at(base.DECISION, where)  # raises: it has no cutoffs
    return cut.at(relative_cutoffs.parse_cutoff(match["cutoff"], kind.name, where), where)


def _cut_parameters(kind: type[base.Scorer]) -> tuple[base.Parameter, ...]:
    """Return the options of a cut by a scorer: none for a text, which nothing cuts."""
    return () if issubclass(kind, base.TextMaker) else CUT_PARAMETERS


def _unparsed(text: str, where: str) -> ConfigError:
    fix = "write it like perplexity(lm=books)@8000"
    if "|" in text:
        fix = "name the cleaner alone: the part behind | weighs or prunes an index, as `thresher run` does"
    return ConfigError(f"the name {text!r} does not parse", fix, where)


def parse_values(name: str, parameters: Sequence[base.Parameter], arguments: str, where: str) -> dict[str, base.Value]:
    """Return the values of the arguments `key=value,…` of a name, by parameter.

    Raises:
        ConfigError: if a parameter is unknown, has no value, or is given twice, or a value is not allowed.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    bare = ""
    for parameter in parameters:
        if parameter.bare:
            bare = parameter.name
    values: dict[str, base.Value] = {}
    for item in arguments.split(","):
        item = item.strip()
        if not item:
            continue
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if bare and not equals:
            if bare in values:
                item = f"{values[bare]},{item}"
            values[bare] = item
            continue
        if key not in by_name:
            fix = f"use one of {', '.join(by_name)}" if by_name else "write none"
            raise ConfigError(f"{name!r} has no parameter {key!r}", fix, where)
        if not equals:
            what = f"the parameter {key!r} of {name!r} has no value"
            raise ConfigError(what, f"write {key}={base.value_text(by_name[key].default)}", where)
        if key in values:
            raise ConfigError(f"the parameter {key!r} is given twice", "give it once", where)
        values[key] = by_name[key].parse(value, where)
    return values


def declarations() -> list[dict[str, Any]]:
    """Return the declarations of all scorers, by name, as JSON values."""
    return [_declaration(kind) for kind in scorers().values()]


def describe() -> str:
    """Return the declarations as text for a terminal."""
    lines = list(WHICH_CLEANER)
    lines += ["", BASELINE, "    The baseline: removes tags, scripts and styles, and keeps all text.", ""]
    for declared in declarations():
        head = declared["name"]
        rule = "decides: no cutoff"
        if not declared["decides"]:
            head = f"{head}@CUTOFF"
            rule = f"{declared['keep']}; cutoffs {declared['cutoffs']}"
        lines.extend(declaration_lines(declared, head, f"scores each {declared['segment']}; {rule}"))
    lines.append("a+b applies both: a segment stays if it passes each.")
    lines.append(RELATIVE_CUTOFFS)
    return "\n".join(lines)


def declaration_lines(declared: Mapping[str, Any], head: str, usage: str) -> list[str]:
    """Return the lines of a declaration for a terminal: below the `head`, the description, `usage` and parameters."""
    lines = [head, f"    {declared['description']}", f"    {usage}, such as {declared['example']}"]
    for parameter in declared["parameters"]:
        default = base.value_text(parameter["default"])
        lines.append(f"    {parameter['name']}={default}: {parameter['description']} ({parameter['values']})")
    lines += [f"    source: {declared['source']}", ""]
    return lines


def declaration(
    kind: type[base.Declared],
    further: Mapping[str, Any],
    cutoffs: str,
    example: str,
    parameters: Sequence[base.Parameter],
) -> dict[str, Any]:
    """Return the declaration of a scorer or pruning method as JSON values.

    Args:
        kind: the class.
        further: the members that only scorers, or only pruning methods, have.
        cutoffs: the range of cutoffs in words.
        example: a name with a cutoff.
        parameters: the parameters of the class, and of a cut by it.
    """
    return {
        "name": kind.name,
        "description": " ".join((kind.__doc__ or "").split()),
        **further,
        "unit": kind.unit,
        "cutoffs": cutoffs,
        "grid": [number_text(cutoff) for cutoff in kind.grid],
        "example": example,
        "parameters": [_parameter_values(parameter) for parameter in parameters],
        "source": kind.source,
    }


def _parameter_values(parameter: base.Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": parameter.default,
        "description": parameter.description,
        "values": parameter.spelling,
        "choices": list(parameter.choices),
    }


def _declaration(kind: type[base.Scorer]) -> dict[str, Any]:
    cutoffs, example = "none", kind().canonical_name
    if not kind.decides:
        cutoffs = base.range_text(kind.low, kind.high)
        example = f"{example}@{middle_cutoff(kind)}"
        if kind.usual:
            cutoffs = f"{cutoffs}, {number_text(kind.usual)} by default"
    parameters = list(kind.parameters)
    for parameter in _cut_parameters(kind):
        if parameter is HEADINGS:
            parameter = replace(HEADINGS, default=kind.headings)
        parameters.append(parameter)
    further = {"segment": kind.segment, "keep": kind.keep, "decides": kind.decides}
    return declaration(kind, further, cutoffs, example, parameters)
