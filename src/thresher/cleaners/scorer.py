"""Scorers and their declarations, used for validation, names, the command line, the docs and the manifest."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.cleaners.languages import UNSPACED
from thresher.collections.sources import Page
from thresher.pages import Detail, Segments

Scores = npt.NDArray[np.float32]
Value = str | int | float | bool

BLOCK, SENTENCE = "block", "sentence"
KEEP_HIGH, KEEP_LOW = "keep high", "keep low"
DECISION = 0.5
"""The cutoff between the two scores of a scorer that decides."""
_SPELLED = {"true": True, "false": False}
_TYPES: dict[type, str] = {int: "a whole number", float: "a number"}
_WORD = re.compile(r"\w+")
_RUN = 5
# Longer lists of choices are abbreviated.
_MANY = 12


@dataclass(frozen=True)
class Parameter:
    """A named, typed value that changes what a scorer or a cleaner does.

    `choices` are the values allowed, or empty where `low` and `high` (inclusive, None for no bound) bound them. A `terse`
    parameter with its default value is left out of names. A `bare` one is written without its name, and takes all values that
    are, with commas between them.
    """

    name: str
    type: type
    default: Value
    description: str
    choices: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    terse: bool = False
    bare: bool = False

    @property
    def spelling(self) -> str:
        """The values allowed, in words: `true or false`, `words or density`, `from 0 to 1`."""
        if len(self.choices) > _MANY:
            first, last = printed(self.choices[0]), printed(self.choices[-1])
            return f"{first} to {last}, {len(self.choices)} in all (`thresher cleaners --json` has them)"
        if self.choices or self.type is bool:
            return " or ".join(map(printed, self.choices or _SPELLED.values()))
        return "any text" if self.type is str else span(self.low, self.high)

    def parse(self, text: str, where: str) -> Value:
        """Return the value that `text` spells."""
        if self.type is bool:
            if text not in _SPELLED:
                raise ConfigError(f"{self.name!r} cannot be {text!r}", f"use one of {', '.join(_SPELLED)}", where)
            return _SPELLED[text]
        try:
            value: Value = self.type(text)
            size = 0.0 if self.type is str else float(value)
        except (ValueError, OverflowError) as error:
            raise ConfigError(
                f"the value {text!r} of {self.name!r} is not {_TYPES[self.type]}",
                f"give one such as {self.default}",
                where,
            ) from error
        if self.choices and value not in self.choices:
            near = get_close_matches(text, map(printed, self.choices), 3) or [self.spelling]
            allowed = ", ".join(map(printed, self.choices) if len(self.choices) <= _MANY else near)
            raise ConfigError(f"{self.name!r} cannot be {text!r}", f"use one of {allowed}", where)
        if self.type is not str:
            check_range(size, self.low, self.high, repr(self.name), where)
        return value


@dataclass(frozen=True)
class TrainingData:
    """Training data from the collection to be scored.

    `sentences` returns those of descriptive blocks by page, the same at each call; `language` selects the abbreviations of the
    sentence splitter; `workers` is the number of processes.
    """

    sentences: Callable[[], Iterable[Sequence[str]]]
    language: str
    workers: int


class Declared:
    """Declarations by class attributes and docstring: a name, a range of cutoffs, and parameters with values.

    Attributes:
        name: the beginning of canonical names.
        unit: of the cutoff, for axes and tables.
        low, high: the range of cutoffs, inclusive; None for no bound.
        grid: cutoffs worth trying, as published.
        source: the publication of the method.
        parameters: the constructor's keyword arguments.
        listed: whether it has the name for itself; others are chosen by what has it.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    low: ClassVar[float | None] = None
    high: ClassVar[float | None] = None
    grid: ClassVar[tuple[float, ...]] = ()
    source: ClassVar[str]
    listed: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, **values: Any) -> None:
        self.values: Mapping[str, Value] = {
            parameter.name: values.get(parameter.name, parameter.default) for parameter in self.parameters
        }

    @property
    def canonical_name(self) -> str:
        """The name with the parameters in names; the key of stored scores."""
        return with_values(self.name, self.named_values)

    @property
    def named_values(self) -> dict[str, Value]:
        """The parameters in names: all but terse ones at their default."""
        return {
            "" if parameter.bare else parameter.name: self.values[parameter.name]
            for parameter in self.parameters
            if not (parameter.terse and self.values[parameter.name] == parameter.default)
        }

    def check(self, where: str) -> None:
        """Check cheaply that values without a useful default, files and models that parameters name are there."""

    def __eq__(self, other: object) -> bool:
        """Return whether the other is declared by the same class and has the same parameters."""
        if type(self) is not type(other) or not isinstance(other, Declared):
            return False
        return self.values == other.values and self.canonical_name == other.canonical_name

    def __hash__(self) -> int:
        """Return a hash of the name, parameters included."""
        return hash(self.canonical_name)


class Scorer(Declared, ABC):
    """Assigns a number to each segment of a page.

    Attributes:
        segment: the scored unit, `BLOCK` or `SENTENCE`.
        keep: `KEEP_HIGH` where high scores are content (a segment stays if score >= cutoff), `KEEP_LOW` where low scores
            are (score <= cutoff).
        decides: whether scores are decisions, 1 to keep and 0 to drop. Such a scorer keeps high scores and has no cutoffs:
            the cut is at `DECISION`, names do not show it, and no sweep runs over it.
        headings: what cuts do with headings where a name does not say: a choice of `thresher.cleaners.cleaner.HEADINGS`.
        usual: the cutoff of a name without one, as published; None if a name must have one.
        reference: the parameter that names a model whose reference text cutoffs may be percentiles of; empty for none.
        detail: what it uses of a page: `TAGS` for `Segments.marks` or derived features such as linked words, `ELEMENTS` for
            `Segments.elements`.
        needs_spaces: whether it works on words between spaces, of which texts in scripts without spaces have hardly any.
        other_languages: what to choose for pages in another language than `language`; empty if there is nothing.
        whole: whether all blocks of a page have one score; behind other cuts it scores what they leave.
        reads: what makes the text that it scores, in place of the page's own; None for the page's.
    """

    segment: ClassVar[str]
    keep: ClassVar[str]
    decides: ClassVar[bool] = False
    headings: ClassVar[str] = "score"
    usual: ClassVar[float | None] = None
    reference: ClassVar[str] = ""
    detail: ClassVar[Detail] = Detail.HEADINGS
    needs_spaces: ClassVar[bool] = False
    other_languages: ClassVar[str] = ""
    whole: ClassVar[bool] = False
    reads: TextMaker | None = None

    @classmethod
    def chosen(cls, inside: str, where: str) -> type[Scorer]:  # noqa: ARG003, for subclasses
        """Return the class that what stands in the parentheses of a name chooses."""
        return cls

    @property
    def canonical_name(self) -> str:
        """The name with the parameters in names, behind that of the text it scores; the key of stored scores."""
        own = with_values(self.name, self.named_values)
        return own if self.reads is None else f"{self.reads.canonical_name}+{own}"

    @property
    def text(self) -> str:
        """The name of the text that a cut by it leaves some of: empty for the page's own."""
        return "" if self.reads is None else self.reads.canonical_name

    @property
    def texts(self) -> tuple[TextMaker, ...]:
        """What makes the other texts of a page that it needs, in `Segments.texts`."""
        return () if self.reads is None else (self.reads,)

    @property
    def fingerprint(self) -> str:
        """Further dependencies of the scores, such as the digest of a model file; empty if none."""
        return ""

    @property
    def learns(self) -> bool:
        """Whether it must be trained on the collection by `for_collection` before scoring."""
        return False

    def for_collection(self, data: TrainingData, folder: Path) -> Scorer:  # noqa: ARG002, for subclasses
        """Return the scorer of the same name trained on the collection; it must be picklable.

        The training data is costly, so read only if needed; `folder` keeps trained models, so `fingerprint` must change if
        training on the same collection would give another model. Too little text is an `InputError`.
        """
        return self

    def reference_percentiles(self) -> Mapping[float, float]:
        """Return scores by percentile of a reference text, rising; empty if unknown."""
        return {}

    def meaning(self, cutoff: float) -> str:  # noqa: ARG002, for subclasses
        """Return a sentence on what a cutoff means for the model at hand; empty if there is nothing to say."""
        return ""

    @property
    def language(self) -> str:
        """The language whose words it knows, as `thresher.cleaners.languages` names it; empty if it knows none in
        particular.
        """
        return ""

    def knows(self, language: str) -> bool:
        """Return whether it can tell content from boilerplate in a language."""
        return self.language in ("", language) and not (self.needs_spaces and language in UNSPACED)

    def prepare(self) -> None:
        """Build or check required models, once, before workers start."""

    @abstractmethod
    def score(self, segments: Segments) -> Scores:
        """Return one score for each block or sentence of the page, in order; shape (segments,)."""


class TextMaker(Scorer):
    """Makes another text of a page, which is indexed as it is, or cut by scorers that read it.

    As a scorer it decides which of the page's own blocks are in that text.
    """

    listed = False
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"

    @property
    def text(self) -> str:
        """Its own name."""
        return self.canonical_name

    @property
    def texts(self) -> tuple[TextMaker, ...]:
        """Itself."""
        return (self,)

    @property
    def on_page(self) -> tuple[Scorer, ...]:
        """The scorers that say what of the page's own blocks is in the text."""
        return (self,)

    def score(self, segments: Segments) -> Scores:
        """Return 1 for blocks most of whose words are in the text, else 0."""
        return (self.shares(segments) > DECISION).astype(np.float32)

    def shares(self, segments: Segments) -> Scores:
        """Return the share of each block's words that are in the text, as `aligned_shares`."""
        if self.canonical_name not in segments.texts:
            what = "an extractor needs pages of HTML, and there is text alone"
            raise ConfigError(what, "clean pages", self.canonical_name)
        return aligned_shares(segments.blocks, segments.texts[self.canonical_name].blocks)


class PageText(TextMaker):
    """Makes a text of a page by itself, whatever the scores."""

    @abstractmethod
    def make(self, page: Page, html: str, segments: Segments) -> str:
        """Return the text of a page, a block a line; what it raises costs this text of the page alone.

        Args:
            page: with its id.
            html: decoded.
            segments: of the page itself.
        """


def aligned_shares(blocks: Sequence[str], lines: Sequence[str]) -> Scores:
    """Return the share of each block's words that are in another text: inside `_RUN` words in a row, or as a whole line.

    Case and punctuation do not count. Linear in the words, unlike alignment by longest matches. Shape (blocks,), range 0 to 1;
    blocks without words have 0.
    """
    words = [_WORD.findall(line.lower()) for line in lines]
    whole = {*map(tuple, words)}
    joined = [word for line in words for word in line]
    runs = {*zip(*(joined[at:] for at in range(_RUN)), strict=False)}
    shares = np.zeros(len(blocks), dtype=np.float32)
    for number, block in enumerate(blocks):
        own = _WORD.findall(block.lower())
        held = np.zeros(len(own), dtype=np.bool_)
        for at, run in enumerate(zip(*(own[at:] for at in range(_RUN)), strict=False)):
            held[at : at + _RUN] |= run in runs
        if own:
            shares[number] = 1.0 if tuple(own) in whole else held.mean()
    return shares


def with_values(name: str, values: Mapping[str, Value]) -> str:
    """Print a name with its parameters.

    >>> with_values("perplexity", {"lm": "books"})
    'perplexity(lm=books)'
    """
    inside = ",".join(f"{key}={printed(value)}" if key else printed(value) for key, value in values.items())
    return f"{name}({inside})" if inside else name


def printed(value: Value) -> str:
    """Print a value as in names: one spelling for each, without `+`, which joins names.

    >>> printed(True), printed(8), printed(0.1), printed(-0.0), printed(1e20)
    ('true', '8', '0.1', '0.0', '1e20')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value + 0.0).replace("e+", "e") if isinstance(value, float) else str(value)


def check_range(value: float, low: float | None, high: float | None, what: str, where: str) -> float:
    """Return `value` if it is a number within [low, high]."""
    if isfinite(value) and (low is None or value >= low) and (high is None or value <= high):
        return value
    limits = (("at least", low), ("at most", high))
    bounds = " and ".join(f"{word} {bound:g}" for word, bound in limits if bound is not None)
    raise ConfigError(f"{what} is out of range: {value:g}", f"choose a value of {bounds or 'any finite size'}", where)


def span(low: float | None, high: float | None) -> str:
    """Print a range, bounds included; None for no bound.

    >>> span(0, 1), span(1, None), span(None, None)
    ('from 0 to 1', 'from 1', 'of any size')
    """
    if low is None and high is None:
        return "of any size"
    if high is None:
        return f"from {low:g}"
    return f"up to {high:g}" if low is None else f"from {low:g} to {high:g}"


def makers_of(scorers: Sequence[Scorer]) -> dict[str, TextMaker]:
    """Return what makes the other texts that scorers need, by name, in the order of names."""
    return dict(sorted({maker.canonical_name: maker for scorer in scorers for maker in scorer.texts}.items()))


def own_scorers(scorers: Sequence[Scorer]) -> dict[str, Scorer]:
    """Return the scorers of the page's own blocks by name, those included that say what of them is in other texts."""
    makers = {maker.canonical_name: maker for scorer in scorers if (maker := scorer.reads) is not None}
    every = (*(scorer for _, maker in sorted(makers.items()) for scorer in maker.on_page), *scorers)
    return {scorer.canonical_name: scorer for scorer in every if scorer.reads is None}


def cut_texts(scorers: Sequence[Scorer]) -> tuple[str, ...]:
    """Return the names of the other texts that are cut, and so stored."""
    return tuple(sorted({scorer.text for scorer in scorers if scorer.text}))
