"""What a scorer declares. One declaration feeds validation, names, the command line, the docs and the manifest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.errors import ConfigError
from thresher.pages import Segments

Scores = npt.NDArray[np.float32]
Value = str | int | float | bool

BLOCK, SENTENCE = "block", "sentence"
KEEP_HIGH, KEEP_LOW = "keep high", "keep low"


@dataclass(frozen=True)
class Parameter:
    """A named, typed value that changes what a scorer or a cleaner does.

    `choices` are the values allowed, or empty where `low` and `high` (inclusive, None for no bound) say it.
    """

    name: str
    type: type
    default: Value
    description: str
    choices: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None

    def parse(self, text: str, where: str) -> Value:
        """Return the value that `text` spells.

        Raises:
            ConfigError: if it is not of this parameter's type or out of its range.
        """
        try:
            value: Value = self.type(text)
        except ValueError as error:
            raise ConfigError(
                f"the value {text!r} of {self.name!r} is no {self.type.__name__}",
                f"give one such as {self.default}",
                where,
            ) from error
        if self.choices and value not in self.choices:
            allowed = ", ".join(map(str, self.choices))
            raise ConfigError(f"{self.name!r} cannot be {text!r}", f"use one of {allowed}", where)
        check_range(float(value), self.low, self.high, repr(self.name), where) if self.type is not str else None
        return value


class Scorer(ABC):
    """Gives each segment of a page one number. A subclass is declared by its class attributes and its docstring.

    Attributes:
        name: what canonical names begin with.
        segment: `BLOCK` or `SENTENCE`: what is scored.
        keep: `KEEP_HIGH` where high scores are content (a segment stays if score >= cutoff), `KEEP_LOW` where low scores
            are (score <= cutoff).
        unit: what the score counts, for axes and tables.
        low, high: the range of cutoffs, inclusive; None for no bound.
        grid: cutoffs worth trying, as published.
        source: where the method is described.
        parameters: what can be set; values come to the constructor by name.
    """

    name: ClassVar[str]
    segment: ClassVar[str]
    keep: ClassVar[str]
    unit: ClassVar[str]
    low: ClassVar[float | None] = None
    high: ClassVar[float | None] = None
    grid: ClassVar[tuple[float, ...]] = ()
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, **values: Any) -> None:
        self.values: Mapping[str, Value] = {
            parameter.name: values.get(parameter.name, parameter.default) for parameter in self.parameters
        }

    @property
    def canonical_name(self) -> str:
        """The scorer's name with all its parameters, as scores are stored under."""
        return with_values(self.name, self.values)

    def prepare(self) -> None:
        """Build or check what scoring needs, once, before workers start."""
        return

    @abstractmethod
    def score(self, segments: Segments) -> Scores:
        """Return one score for each block or sentence of the page, in order; shape (segments,)."""


def with_values(name: str, values: Mapping[str, Value]) -> str:
    """Print a name with its parameters.

    >>> with_values("perplexity", {"lm": "books"})
    'perplexity(lm=books)'
    """
    inside = ",".join(f"{key}={value}" for key, value in values.items())
    return f"{name}({inside})" if inside else name


def check_range(value: float, low: float | None, high: float | None, what: str, where: str) -> float:
    """Return `value` if it is a number within [low, high].

    Raises:
        ConfigError: if it is not.
    """
    above = low is None or value >= low
    below = high is None or value <= high
    if value == value and abs(value) != float("inf") and above and below:
        return value
    span = " and ".join(
        part
        for part in (
            f"at least {low:g}" if low is not None else "",
            f"at most {high:g}" if high is not None else "",
        )
        if part
    )
    raise ConfigError(f"{what} is out of range: {value:g}", f"choose a value of {span or 'any finite size'}", where)
