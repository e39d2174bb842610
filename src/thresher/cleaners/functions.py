"""Python functions of the caller as scorers and cleaners."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner, parse_scorer
from thresher.cleaners.scorer import BLOCK, DECISION, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.pages import Detail, Segments

BlockFunction: TypeAlias = Callable[[Segments], Sequence[float] | Sequence[bool] | npt.NDArray[Any]]
"""Returns for each block of a page a number, or whether it stays."""
AnyScorer: TypeAlias = str | BlockFunction | Scorer
AnyCleaner: TypeAlias = str | BlockFunction | Cleaner


class FunctionScorer(Scorer):
    """Scores blocks by a function; a block stays if its score is 0.5 or more, or true."""

    name = "function"
    in_registry = False
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    source = "the caller's"
    detail = Detail.ELEMENTS
    parameters = (Parameter("of", str, "", "the function's name", bare=True),)

    def __init__(self, function: BlockFunction) -> None:
        super().__init__(of=getattr(function, "__qualname__", type(function).__name__))
        self._function = function
        # Its code may change, so no scores that an earlier process left are its own.
        self._fingerprint = uuid.uuid4().hex

    @property
    def fingerprint(self) -> str:
        """A different text for each object."""
        return self._fingerprint

    def score(self, segments: Segments) -> Scores:
        """Return the result of the function for each block."""
        scores = np.asarray(self._function(segments), dtype=np.float32)
        blocks = len(segments.block_ends)
        if scores.shape != (blocks,):
            what = f"a page has {blocks} blocks, and the function returns an array of shape {scores.shape}"
            raise ConfigError(what, "return a number for each of `segments.blocks`", self.canonical_name)
        return scores


def take_scorer(scorer: AnyScorer) -> Scorer:
    """Return the scorer of a name or a function, or the scorer itself."""
    if isinstance(scorer, str):
        return parse_scorer(scorer).scorer
    if isinstance(scorer, Scorer):
        return scorer
    if callable(scorer):
        return FunctionScorer(scorer)
    raise ConfigError(f"a scorer is not a {type(scorer).__name__}", "give a name, a function or a `Scorer`")


def take_cleaner(cleaner: AnyCleaner) -> Cleaner:
    """Return the cleaner of a name or a function, or the cleaner itself."""
    if isinstance(cleaner, str):
        return parse_cleaner(cleaner)
    if isinstance(cleaner, Cleaner):
        return cleaner
    if callable(cleaner):
        return Cleaner((Cut(FunctionScorer(cleaner), DECISION),))
    raise ConfigError(f"a cleaner is not a {type(cleaner).__name__}", "give a name, a function or a `Cleaner`")


def check_for_workers(cleaner: Cleaner) -> None:
    """Check that other processes can get the functions of a cleaner."""
    for scorer in cleaner.scorers:
        if isinstance(scorer, FunctionScorer):
            try:
                pickle.dumps(scorer)
            except Exception as error:  # an object may raise any error
                what = f"other processes cannot get it ({error})"
                raise ConfigError(what, "define it at the top of a module", scorer.canonical_name) from error
