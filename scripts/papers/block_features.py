"""The blocks of a gold standard with classes and features (Kohlschütter, Fankhauser, Nejdl 2010, sections 3.2 to 3.4).

The TITLE element is not a block, since a browser does not show it in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from lxml.etree import LxmlError

from block_classes import CLASSES, classed_texts, classes_of_text
from shallow_scorers import Capitals, FullStops, Position, Quotient, SentenceLength, WordLength
from thresher import Detail, GoldPage, InputError, Scorer, Segments, parse_gold_page, parse_scorer
from thresher.base.progress import progress
from thresher.cleaners.scorers.shallow_features import Density, Links, Words
from thresher.pages.parsing import TITLE_LEVEL

Ints = npt.NDArray[np.int64]
_SCORERS: dict[str, Scorer] = {
    "words": Words(),
    "density": Density(),
    "links": Links(),
    "position": Position(origin="top"),
    "sentence_length": SentenceLength(),
    "word_length": WordLength(),
    "capital_share": Capitals(),
    "full_stops": FullStops(),
    "words_quotient": Quotient(of="words"),
    "density_quotient": Quotient(of="density"),
}
RULES = {
    "Algorithm 1": parse_scorer("boilerpipe(rules=density)").scorer,
    "Algorithm 2": parse_scorer("boilerpipe(rules=words)").scorer,
    "CleanEval rule": parse_scorer("boilerpipe(rules=cleaneval)").scorer,
}
"""The paper's own classifiers, which need no training."""
LOCAL = (
    *(f"h{level}" for level in range(1, 7)),
    *("p", "div", "a", "words", "density", "links", "position", "index", "sentence_length", "word_length"),
    *("capitals", "capital_share", "upper", "upper_share", "full_stops", "dates", "bars"),
)
"""Features of a block alone. They are also computed for its neighbours."""
QUOTIENTS = ("words_quotient", "density_quotient")
FREQUENCY = "frequency"
"""Feature: the number of the set's pages that have a block with this text."""
FEATURES = (
    *(*LOCAL, *QUOTIENTS, FREQUENCY),
    *(f"{side}_{name}" for side in ("previous", "next") for name in (*LOCAL, FREQUENCY)),
)
"""All features, in the order of columns."""
# Thresher's own list of date and time tokens, since the paper does not publish its list.
_DATE = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[ap]\.?m\b|(?:19|20)\d\d"
    r"|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Problem:
    """A classification problem: its `classes`, and in `of_class` the number of the class for each of the gold's classes."""

    name: str
    classes: tuple[str, ...]
    of_class: dict[str, int]

    def labels(self, blocks: pd.DataFrame) -> Ints:
        """Return the number of each block's class."""
        numbers: Ints = blocks["class"].map(self.of_class).to_numpy(dtype=np.int64)
        return numbers


TWO = Problem("two", ("boilerplate", "content"), {name: int(name != "boilerplate") for name in CLASSES})
"""Content or boilerplate. Links to related articles are content, as Table 1's "any content" and Table 2's ZeroR show. ZeroR
has a recall of .638 of the words; content has .65 of the words with related articles, .56 without."""
FOUR = Problem(
    "four",
    ("boilerplate", "full text", "headline", "supplemental"),
    {"boilerplate": 0, "full text": 1, "headline": 2, "supplemental": 3, "comments": 1, "related": 0},
)
"""The paper's four classes (section 4.3.1). Comments are full text. Neither the paper's text nor its figures tell the class of
related content: full text has 59.2 % of the words (ZeroR). Full text and comments have 52 %, with related content 61 %."""


def read_blocks(pages: Sequence[GoldPage], workers: int = 1) -> tuple[pd.DataFrame, dict[str, tuple[str, ...]]]:
    """Return the blocks of pages with gold, in order, and by reason the stems of pages without blocks.

    Columns are `page`, `page_type`, `text`, `class`, `tokens` (white-space tokens, including those without a letter or
    digit), a column for each of `RULES` that tells whether the rule keeps the block, and `FEATURES`.

    Raises:
        InputError: no page has a block, or all blocks are content, or no block is content.
    """
    frames = joblib.Parallel(workers, return_as="generator")(joblib.delayed(page_blocks)(page) for page in pages)
    read = dict(zip((page.stem for page in pages), progress(frames, "reading", len(pages), "pages"), strict=True))
    failed = tuple(stem for stem, frame in read.items() if frame is None)
    empty = tuple(stem for stem, frame in read.items() if frame is not None and not len(frame))
    where = str(pages[0].path.parent)
    if len(failed) + len(empty) == len(read):
        raise InputError("no page has a block of text", "give pages with text", where)
    blocks = pd.concat([frame for frame in read.values() if frame is not None], ignore_index=True)
    content = TWO.labels(blocks) > 0
    if content.all() or not content.any():
        problem = "all blocks are content" if content.all() else "no block is content"
        raise InputError(f"by the gold {problem}", "give gold that keeps some text of the pages and not all", where)
    same_text = blocks.drop_duplicates(["page", "text"]).groupby("text").size()
    blocks[FREQUENCY] = blocks.text.map(same_text).astype(np.float32)
    near = blocks.groupby("page", sort=False)[[*LOCAL, FREQUENCY]]
    # Neighbours beyond a page's first and last block count as 0.
    around = [near.shift(step, fill_value=0).add_prefix(side) for side, step in (("previous_", 1), ("next_", -1))]
    return pd.concat([blocks, *around], axis=1), {"pages without blocks": empty, "unreadable pages": failed}


def page_blocks(page: GoldPage) -> pd.DataFrame | None:
    """Return a page's blocks with `LOCAL` features and quotients; None if the page does not parse."""
    try:
        segments = parse_gold_page(page, Detail.ELEMENTS)
    except LxmlError:
        return None
    scored = {name: scorer.score(segments) for name, scorer in _SCORERS.items()}
    upper = np.array([sum(map(str.isupper, text.split())) for text in segments.blocks])
    is_block = segments.levels != TITLE_LEVEL
    features = {
        **scored,
        **{f"h{level}": segments.levels == level for level in range(1, 7)},
        **{tag: _within(segments, tag) for tag in ("p", "div")},
        "a": (scored["links"] >= 1) & (scored["words"] > 0),
        "index": np.cumsum(is_block) - 1,
        "capitals": np.rint(scored["capital_share"] * scored["words"]),
        "upper": upper,
        "upper_share": upper / np.maximum(scored["words"], 1),
        "dates": [date_tokens(text) for text in segments.blocks],
        "bars": [text.count("|") for text in segments.blocks],
    }
    columns: dict[str, Any] = {
        "page": page.stem,
        "page_type": page.page_type,
        "text": np.array(segments.blocks, dtype=object),
        "tokens": segments.tokens_in_blocks,
        **{name: scorer.score(segments) > 0 for name, scorer in RULES.items()},
        **{name: np.array(features[name], dtype=np.float32) for name in (*LOCAL, *QUOTIENTS)},
    }
    blocks = pd.DataFrame(columns)[is_block]
    classes = classes_of_text(blocks.text.tolist(), classed_texts(page))
    blocks.insert(3, "class", np.array(CLASSES, dtype=object)[classes])
    return blocks


def _within(segments: Segments, tag: str) -> npt.NDArray[np.bool_]:
    """Return whether each block is inside an element of that tag, at any depth."""
    elements = segments.elements
    # An element follows its parent.
    inside: list[bool] = []
    for description, parent in zip(elements.descriptions, elements.parents.tolist(), strict=True):
        inside.append(description.split(" ", 1)[0] == tag or (parent >= 0 and inside[parent]))
    return np.array(inside, dtype=np.bool_)[elements.innermost]


def date_tokens(text: str) -> int:
    """Return the number of tokens of date or time: months, days of the week, years, times.

    >>> date_tokens("Posted Monday, 3 March 2008 at 10:30 pm, 12/04/2008")
    6
    """
    return sum(1 for _ in _DATE.finditer(text))
