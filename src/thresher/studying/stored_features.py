"""Features of blocks from the score store: those of Kohlschütter, Fankhauser, Nejdl (2010), sections 3.2 to 3.4.

The store has them as scores, its texts the rest. The page's title, which a browser does not show in the page, is not a block.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.pages import Detail, Segments
from thresher.scorers.base import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.scorers.cleaners import parse_scorer
from thresher.scoring.store import page_values

Floats = npt.NDArray[np.float32]

_SCORED = {
    "words": "words",
    "density": "density",
    "links": "links",
    "position": "position(origin=top)",
    "sentence_length": "sentencelength",
    "word_length": "wordlength",
    "capital_share": "capitals",
    "full_stops": "fullstops",
    "words_quotient": "quotient(of=words)",
    "density_quotient": "quotient(of=density)",
}
RULES = {
    "Algorithm 1": "boilerpipe(rules=density)",
    "Algorithm 2": "boilerpipe(rules=words)",
    "CleanEval rule": "boilerpipe(rules=cleaneval)",
}
"""The paper's own classifiers, which need no training."""
_TAGS = ("p", "div")
LOCAL = (
    *(f"h{level}" for level in range(1, 7)),
    *_TAGS,
    "a",
    "words",
    "density",
    "links",
    "position",
    "index",
    "sentence_length",
    "word_length",
    "capitals",
    "capital_share",
    "full_stops",
    "dates",
    "bars",
)
"""Features of a block alone; the neighbours have these too."""
QUOTIENTS = ("words_quotient", "density_quotient")
FREQUENCY = "frequency"
PREVIOUS, NEXT = "previous_", "next_"
FEATURES = (
    *LOCAL,
    *QUOTIENTS,
    FREQUENCY,
    *(f"{side}{name}" for side in (PREVIOUS, NEXT) for name in (*LOCAL, FREQUENCY)),
)
"""All features, in the order of columns."""

MEANINGS: Mapping[str, str] = {
    **{f"h{level}": f"1 within H{level}." for level in range(1, 7)},
    **{tag: f"1 within {tag.upper()}, however far." for tag in _TAGS},
    "a": "1 if all its words are linked.",
    "words": "Number of words.",
    "density": "Text density (Eq. 1).",
    "links": "Link density.",
    "position": "Relative position: 0 is the page's begin, 1 its end.",
    "index": "Absolute position, from 0.",
    "sentence_length": "Average sentence length, in words.",
    "word_length": "Average word length, in characters.",
    "capitals": "Number of words that begin in upper case.",
    "capital_share": "Their share of the words.",
    "full_stops": "Full stops by words.",
    "dates": "Number of tokens of date or time.",
    "bars": "Number of vertical bars.",
    "words_quotient": "Words by those of the previous block.",
    "density_quotient": "Text density by that of the previous block.",
    FREQUENCY: "Number of the set's pages that have a block of the same text.",
}
"""What the features of a block are."""

# The paper does not publish its list.
_DATE = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[ap]\.?m\b|(?:19|20)\d\d"
    r"|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})(?!\w)",
    re.IGNORECASE,
)


class WithinTag(Scorer):
    """Whether an element of a tag is around the block."""

    name = "within"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "1 or 0"
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.2"
    )
    detail = Detail.ELEMENTS
    parameters = (Parameter("tag", str, "p", "the tag"),)

    def score(self, segments: Segments) -> Scores:
        """Return 1 for each block inside the tag, else 0."""
        elements = segments.elements
        tag = self.values["tag"]
        # Elements follow those around them.
        inside: list[bool] = []
        for description, parent in zip(elements.descriptions, elements.parents.tolist(), strict=True):
            inside.append(description.split(" ", 1)[0] == tag or (parent >= 0 and inside[parent]))
        return np.array(inside, dtype=np.float32)[elements.innermost]


@cache
def study_scorers() -> dict[str, Scorer]:
    """Return the scorers that a study needs, by feature or rule."""
    named = {name: parse_scorer(text).scorer for name, text in {**_SCORED, **RULES}.items()}
    return {**named, **{tag: WithinTag(tag=tag) for tag in _TAGS}}


def date_tokens(text: str) -> int:
    """Return the number of tokens of date or time: months, days of the week, years, times.

    >>> date_tokens("Posted Monday, 3 March 2008 at 10:30 pm, 12/04/2008")
    6
    """
    return sum(1 for _ in _DATE.finditer(text))


def features_in(table: pa.Table, row: int, texts: list[str]) -> Floats:
    """Return the features `LOCAL` and `QUOTIENTS` of all blocks of a shard's page, its title among them.

    Args:
        table: the shard.
        row: of the page.
        texts: of its blocks.

    Returns:
        shape (features, blocks).
    """
    scored = {name: scores_in(table, row, name) for name in (*_SCORED, *_TAGS)}
    levels = page_values(table, row, "levels")
    words = scored["words"]
    made: dict[str, npt.NDArray[Any]] = {
        **{f"h{level}": levels == level for level in range(1, 7)},
        "a": (scored["links"] >= 1) & (words > 0),
        "index": np.arange(len(texts)),
        "capitals": np.rint(scored["capital_share"] * words),
        "dates": np.array([date_tokens(text) for text in texts]),
        "bars": np.array([text.count("|") for text in texts]),
    }
    every = {**scored, **made}
    return np.array([every[name] for name in (*LOCAL, *QUOTIENTS)], dtype=np.float32)


def scores_in(table: pa.Table, row: int, name: str) -> Scores:
    """Return the scores of a page's blocks by the scorer of a feature or rule; shape (blocks,)."""
    return page_values(table, row, f"score:{study_scorers()[name].canonical_name}")
