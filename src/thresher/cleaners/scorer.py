"""Declarations of scorers and their parameters, for validation, names, the command line, the docs and the manifest."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.cleaners.languages import UNSPACED
from thresher.collections.sources import Page
from thresher.pages import Detail, Segments

Scores = npt.NDArray[np.float32]
Value = str | int | float | bool

BLOCK = "block"
SENTENCE = "sentence"
KEEP_HIGH = "keep high"
KEEP_LOW = "keep low"
DECISION = 0.5
"""The cutoff between the two scores of a scorer that decides."""
_TRUTH_VALUES = {"true": True, "false": False}
_TYPE_NAMES: dict[type, str] = {int: "a whole number", float: "a number"}
_WORD = re.compile(r"\w+")
_ALIGNED_WORDS = 5
"""Words in a row that align a block with another text."""
_MOST_CHOICES = 12
"""Longer lists of choices are abbreviated."""


@dataclass(frozen=True)
class Parameter:
    """A named, typed value that changes a scorer or a cleaner.

    Attributes:
        name: the name in front of `=`.
        type: the type of the value: str, int, float or bool.
        default: the value of a name that leaves the parameter out.
        description: its meaning, for help and docs.
        choices: the allowed values; empty if `low` and `high` bound the value instead.
        low, high: the bounds, inclusive; None for no bound.
        terse: whether names leave the parameter out where it has its default.
        bare: whether names write the value without `name=`. All values without a name belong to it, joined by commas.
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
        """The allowed values in words: `true or false`, `words or density`, `from 0 to 1`."""
        if len(self.choices) > _MOST_CHOICES:
            first, last = value_text(self.choices[0]), value_text(self.choices[-1])
            return f"{first} to {last}, {len(self.choices)} in all (`thresher cleaners --json` has them)"
        if self.choices:
            return " or ".join(self._choice_texts)
        if self.type is bool:
            return " or ".join(_TRUTH_VALUES)
        if self.type is str:
            return "any text"
        return range_text(self.low, self.high)

    @property
    def _choice_texts(self) -> list[str]:
        return [value_text(choice) for choice in self.choices]

    def parse(self, text: str, where: str) -> Value:
        """Return the value that `text` spells.

        Raises:
            ConfigError: if the text is no value of this type, no choice, or out of range; it names `where`.
        """
        if self.type is bool:
            if text not in _TRUTH_VALUES:
                raise ConfigError(f"{self.name!r} cannot be {text!r}", f"use one of {', '.join(_TRUTH_VALUES)}", where)
            return _TRUTH_VALUES[text]
        try:
            value: Value = self.type(text)
            # A whole number may be too large for a float.
            number = 0.0 if self.type is str else float(value)
        except (ValueError, OverflowError) as error:
            what = f"the value {text!r} of {self.name!r} is not {_TYPE_NAMES[self.type]}"
            raise ConfigError(what, f"give one such as {self.default}", where) from error
        if self.choices and value not in self.choices:
            raise self._no_choice(text, where)
        if self.type is not str:
            check_range(number, self.low, self.high, repr(self.name), where)
        return value

    def _no_choice(self, text: str, where: str) -> ConfigError:
        choices = self._choice_texts
        if len(choices) > _MOST_CHOICES:
            choices = get_close_matches(text, choices, 3) or [self.spelling]
        return ConfigError(f"{self.name!r} cannot be {text!r}", f"use one of {', '.join(choices)}", where)


@dataclass(frozen=True)
class TrainingData:
    """Training data from the collection to be scored.

    Attributes:
        sentences: returns, for each page, the sentences of its descriptive blocks; each call returns the same sentences.
        language: selects the abbreviations of the sentence splitter.
        workers: the number of processes.
    """

    sentences: Callable[[], Iterable[Sequence[str]]]
    language: str
    workers: int


class Declared:
    """Declarations by class attributes and docstring: a name, a range of cutoffs, and parameters with values.

    Attributes:
        name: the beginning of canonical names.
        unit: the unit of the cutoff, for axes and tables.
        low, high: the range of cutoffs, inclusive; None for no bound.
        grid: cutoffs worth trying, as published.
        source: the publication of the method.
        parameters: the constructor's keyword arguments.
        in_registry: whether the registry lists the class under its name. It leaves out a class that shares its
            name with another; `variant_for` of the listed class selects it.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    low: ClassVar[float | None] = None
    high: ClassVar[float | None] = None
    grid: ClassVar[tuple[float, ...]] = ()
    source: ClassVar[str]
    in_registry: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, **values: Any) -> None:
        with_defaults: dict[str, Value] = {}
        for parameter in self.parameters:
            with_defaults[parameter.name] = values.get(parameter.name, parameter.default)
        self.values: Mapping[str, Value] = with_defaults

    @property
    def canonical_name(self) -> str:
        """The name with the parameters in names; the key of stored scores."""
        return with_values(self.name, self.named_values)

    @property
    def named_values(self) -> dict[str, Value]:
        """The values that names show, by parameter: all but terse ones at their default. A bare parameter has the key ""."""
        values: dict[str, Value] = {}
        for parameter in self.parameters:
            value = self.values[parameter.name]
            if parameter.terse and value == parameter.default:
                continue
            values["" if parameter.bare else parameter.name] = value
        return values

    def check(self, where: str) -> None:
        """Check cheaply that the files and models named by parameters exist, and that values without a default are there."""

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
        keep: `KEEP_HIGH` if high scores are content (a segment stays if score >= cutoff), `KEEP_LOW` if low scores
            are (score <= cutoff).
        decides: whether scores are decisions, 1 to keep and 0 to drop. A scorer that decides keeps high scores and has no
            cutoffs: the cut is at `DECISION`, names do not show it, and no sweep runs over it.
        headings: the usual treatment of headings by cuts: a choice of `thresher.cleaners.cleaner.HEADINGS`.
        usual: the published cutoff, which a name without a cutoff has; None if a name must have a cutoff.
        reference: the parameter that names a model with a reference text for percentiles; empty if there is none.
        detail: the detail of the page that it uses: `TAGS` for `Segments.marks` or derived features such as linked words,
            `ELEMENTS` for `Segments.elements`.
        needs_spaces: whether it works on words between spaces, which texts in scripts without spaces hardly have.
        other_languages: the scorer to choose for pages in another language than `language`; empty if there is none.
        page_level: whether all blocks of a page have one score. Behind other cuts it scores the text that these leave.
        input_text: makes the text that it scores instead of the page's own; None for the page's own.
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
    page_level: ClassVar[bool] = False
    input_text: TextMaker | None = None

    @classmethod
    def variant_for(cls, arguments: str, where: str) -> type[Scorer]:  # noqa: ARG003, for subclasses
        """Return the class that the text in the parentheses of a name selects, by default this one."""
        return cls

    def with_input(self, text: TextMaker | None) -> Self:
        """Return this scorer for another text of the page; None for the page's own."""
        changed = copy(self)
        changed.input_text = text
        return changed

    @property
    def canonical_name(self) -> str:
        """The name with the parameters in names, behind the name of the text that it scores; the key of stored scores."""
        name = with_values(self.name, self.named_values)
        if self.input_text is None:
            return name
        return f"{self.input_text.canonical_name}+{name}"

    @property
    def input_name(self) -> str:
        """The name of the text that a cut by this scorer reads: empty for the page's own."""
        return "" if self.input_text is None else self.input_text.canonical_name

    @property
    def required_texts(self) -> tuple[TextMaker, ...]:
        """The makers of the other texts of a page that it needs, in `Segments.texts`."""
        return () if self.input_text is None else (self.input_text,)

    @property
    def fingerprint(self) -> str:
        """Further dependencies of the scores, such as the digest of a model file; empty if there are none."""
        return ""

    @property
    def learns(self) -> bool:
        """Whether it must be trained on the collection by `for_collection` before scoring."""
        return False

    @property
    def needs_collection(self) -> bool:
        """Whether its scores of a page depend on the other pages of the collection."""
        return self.learns

    def for_collection(self, data: TrainingData, folder: Path) -> Scorer:  # noqa: ARG002, for subclasses
        """Return the scorer of the same name trained on the collection; it must be picklable.

        The training data is costly, so read it only if needed. `folder` keeps trained models, so `fingerprint` must change if
        training on the same collection would give another model.

        Raises:
            InputError: if there is too little text.
        """
        return self

    def reference_percentiles(self) -> Mapping[float, float]:
        """Return scores by percentile of a reference text, rising; empty if unknown."""
        return {}

    def meaning(self, cutoff: float) -> str:  # noqa: ARG002, for subclasses
        """Return a sentence on the meaning of a cutoff for the model at hand; empty if there is nothing to say."""
        return ""

    @property
    def language(self) -> str:
        """The language whose words it knows, as `thresher.cleaners.languages` names it; empty if it depends on none."""
        return ""

    def knows(self, language: str) -> bool:
        """Return whether it can tell content from boilerplate in a language."""
        if self.needs_spaces and language in UNSPACED:
            return False
        return self.language in ("", language)

    def prepare(self) -> None:
        """Build or check required models, once, before workers start."""

    @abstractmethod
    def score(self, segments: Segments) -> Scores:
        """Return one score for each block or sentence of the page, in order; shape (segments,)."""


class PageScorer(Scorer):
    """A scorer that gives all blocks of a page one score, so that a cutoff keeps or drops the whole page.

    Behind a cleaner or another text it scores the text that is left: `content@0.5+pages(perplexity)@1000`.
    """

    segment = BLOCK
    keep = KEEP_HIGH
    page_level = True

    def score(self, segments: Segments) -> Scores:
        """Return the page's score for each block; NaN, which passes no cutoff, for a page without words."""
        value = math.nan
        if segments.words_in_blocks.any():
            value = self.score_page(segments)
        return np.full(len(segments.block_ends), value, dtype=np.float32)

    @abstractmethod
    def score_page(self, page: Segments) -> float:
        """Return the score of a page that has words; NaN passes no cutoff."""


class TextMaker(Scorer):
    """Makes another text of a page, which is indexed as it is, or cut by scorers that read it.

    As a scorer it decides which of the page's own blocks are in that text.
    """

    in_registry = False
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"

    @property
    def input_name(self) -> str:
        """Its own name."""
        return self.canonical_name

    @property
    def required_texts(self) -> tuple[TextMaker, ...]:
        """Itself."""
        return (self,)

    @property
    def on_page(self) -> tuple[Scorer, ...]:
        """The scorers that decide which of the page's own blocks are in the text."""
        return (self,)

    def score(self, segments: Segments) -> Scores:
        """Return 1 for blocks most of whose words are in the text, else 0.

        Raises:
            ConfigError: if the page has no text of this maker, because it is a plain text.
        """
        if self.canonical_name not in segments.texts:
            what = "an extractor needs pages of HTML, and there is text alone"
            raise ConfigError(what, "clean pages", self.canonical_name)
        shares = aligned_shares(segments.blocks, segments.texts[self.canonical_name].blocks)
        return (shares > DECISION).astype(np.float32)


class PageText(TextMaker):
    """Makes a text from the page itself, without scores."""

    @abstractmethod
    def make(self, page: Page, html: str, segments: Segments) -> str:
        """Return the text of a page, a block a line; an exception costs this text of the page alone.

        `page` has its id, `html` is the decoded page, and `segments` are the segments of the page itself.
        """


def aligned_shares(blocks: Sequence[str], lines: Sequence[str]) -> Scores:
    """Return the share of each block's words that are in another text: within `_ALIGNED_WORDS` in a row, or as a whole line.

    Case and punctuation do not count. The time is linear in the words, unlike alignment by longest matches. Shape (blocks,),
    range 0 to 1; 0 for blocks without words.
    """
    whole_lines: set[tuple[str, ...]] = set()
    text: list[str] = []
    for line in lines:
        words_of_line = _WORD.findall(line.lower())
        whole_lines.add(tuple(words_of_line))
        text += words_of_line
    runs_in_text = set(_runs(text))
    shares = np.zeros(len(blocks), dtype=np.float32)
    for number, block in enumerate(blocks):
        words = _WORD.findall(block.lower())
        if not words:
            continue
        if tuple(words) in whole_lines:
            shares[number] = 1.0
            continue
        aligned = np.zeros(len(words), dtype=np.bool_)
        for begin, run in enumerate(_runs(words)):
            if run in runs_in_text:
                aligned[begin : begin + _ALIGNED_WORDS] = True
        shares[number] = aligned.mean()
    return shares


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return each `_ALIGNED_WORDS` words in a row."""
    begins = range(len(words) - _ALIGNED_WORDS + 1)
    return [tuple(words[begin : begin + _ALIGNED_WORDS]) for begin in begins]


def with_values(name: str, values: Mapping[str, Value]) -> str:
    """Return a name with its parameters.

    >>> with_values("perplexity", {"lm": "books"})
    'perplexity(lm=books)'
    """
    items: list[str] = []
    for key, value in values.items():
        items.append(f"{key}={value_text(value)}" if key else value_text(value))
    if not items:
        return name
    return f"{name}({','.join(items)})"


def value_text(value: Value) -> str:
    """Return a value as in names: one spelling for each, without `+`, which joins names.

    >>> value_text(True), value_text(8), value_text(0.1), value_text(-0.0), value_text(1e20)
    ('true', '8', '0.1', '0.0', '1e20')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        # Adding 0 turns -0 into 0.
        return repr(value + 0.0).replace("e+", "e")
    return str(value)


def check_range(value: float, low: float | None, high: float | None, what: str, where: str) -> float:
    """Return `value` if it is a number within [low, high].

    Raises:
        ConfigError: if it is not; it names `what` and `where`.
    """
    above_low = low is None or value >= low
    below_high = high is None or value <= high
    if math.isfinite(value) and above_low and below_high:
        return value
    bounds = []
    if low is not None:
        bounds.append(f"at least {low:g}")
    if high is not None:
        bounds.append(f"at most {high:g}")
    allowed = " and ".join(bounds) or "any finite size"
    raise ConfigError(f"{what} is out of range: {value:g}", f"choose a value of {allowed}", where)


def range_text(low: float | None, high: float | None) -> str:
    """Return a range in words, bounds included; None for no bound.

    >>> range_text(0, 1), range_text(1, None), range_text(None, None)
    ('from 0 to 1', 'from 1', 'of any size')
    """
    if low is None and high is None:
        return "of any size"
    if low is None:
        return f"up to {high:g}"
    if high is None:
        return f"from {low:g}"
    return f"from {low:g} to {high:g}"


def text_makers(scorers: Sequence[Scorer]) -> dict[str, TextMaker]:
    """Return the makers of the other texts that scorers need, by name, in the order of names."""
    makers: dict[str, TextMaker] = {}
    for scorer in scorers:
        for maker in scorer.required_texts:
            makers[maker.canonical_name] = maker
    return dict(sorted(makers.items()))


def own_block_scorers(scorers: Sequence[Scorer]) -> dict[str, Scorer]:
    """Return the scorers of the page's own blocks, by name.

    They include the scorers that decide which blocks are in the other texts that `scorers` read.
    """
    makers: dict[str, TextMaker] = {}
    for scorer in scorers:
        if scorer.input_text is not None:
            makers[scorer.input_text.canonical_name] = scorer.input_text
    all_scorers: list[Scorer] = []
    for _, maker in sorted(makers.items()):
        all_scorers.extend(maker.on_page)
    all_scorers.extend(scorers)
    return {scorer.canonical_name: scorer for scorer in all_scorers if scorer.input_text is None}


def input_names(scorers: Sequence[Scorer]) -> tuple[str, ...]:
    """Return the names of the other texts that are cut, and so stored, in alphabetical order."""
    names = {scorer.input_name for scorer in scorers}
    return tuple(sorted(names - {""}))
