"""The two filters that Kohlschuetter et al. (2010), section 4.3.2, put behind their rules: largest and main content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.scorers.boilerpipe_rules import Mask

# The paper has eleven strings "like User comments:" and names no other; these are ours.
COMMENT_MARKS = frozenset(
    (
        "comments",
        "user comments",
        "reader comments",
        "readers' comments",
        "your comments",
        "latest comments",
        "add a comment",
        "leave a comment",
        "post a comment",
        "have your say",
        "leave a reply",
    )
)
_LONGEST_MARK = 60
_NO_LETTERS = re.compile(r"[^a-z']+")
# A dash or slash parts a title only between spaces, a bar or arrow always, a colon before one.
_TITLE_PARTS = re.compile(r"\s+[-–—/]+\s+|\s*[|»«·]+\s*|:\s+")
_NO_WORD = re.compile(r"[\W_]+")
_LETTER = re.compile(r"[^\W_]")
_FEWEST_TITLE_WORDS = 2
# So many in the code they released. With one word, "Comments (12)" below a headline took the whole article out.
_FEWEST_WORDS_ABOVE_COMMENTS = 60


def largest_content(content: Mask, words: npt.NDArray[Any]) -> Mask:
    """Return the run of content blocks that holds the most words, the first of several; shape (blocks,).

    Released code fuses content blocks in a row before it takes the largest: of single blocks, one paragraph would be left.
    """
    edges = np.flatnonzero(np.diff(content, prepend=False, append=False))
    kept = np.zeros(len(content), dtype=np.bool_)
    if len(edges):
        total = np.concatenate(([0], np.cumsum(words)))
        begins, ends = edges[::2], edges[1::2]
        largest = int(np.argmax(total[ends] - total[begins]))
        kept[begins[largest] : ends[largest]] = True
    return kept


def between_title_and_comments(content: Mask, words: npt.NDArray[Any], blocks: Sequence[str], title: str) -> Mask:
    """Return the content between the page's title and its comments; shape (blocks,).

    What stands above the first block that repeats the title is left out, unless that is all content. So are the first block
    with nothing in it but a comment mark that has 60 words of content above it, and all below.

    Args:
        content: what the rules keep.
        words: the words of each block.
        blocks: their texts; TITLE itself is none of them.
        title: what TITLE says.
    """
    first = first_with_title(blocks, title) or 0
    if not content[first:].any():
        first = 0
    between = content.copy()
    between[:first] = False
    above = np.cumsum(words * between)
    after = int(np.searchsorted(above, _FEWEST_WORDS_ABOVE_COMMENTS)) + 1
    while after < len(blocks) and not is_comment_mark(blocks[after]):
        after += 1
    between[after:] = False
    return between


def is_comment_mark(block: str) -> bool:
    """Return whether a block says nothing but that comments follow; digits and signs around it don't count.

    >>> is_comment_mark("User comments:"), is_comment_mark("Comments (12)"), is_comment_mark("No comments on this")
    (True, True, False)
    """
    if len(block) > _LONGEST_MARK:
        return False
    return _NO_LETTERS.sub(" ", block.lower().replace("’", "'")).strip() in COMMENT_MARKS


def first_with_title(blocks: Sequence[str], title: str) -> int | None:
    """Return the first block that is the title, or the part of it with the most words; None if there is none.

    Case and punctuation don't count, unless a block has more than twice the title's characters. One word alone is too common
    to tell.

    >>> first_with_title(["Home", "Storms in the North", "Rain is expected."], "Storms in the north - The Daily")
    1
    >>> first_with_title(["Home", "Rain is expected."], "Home | Daily")
    """
    whole = _bare(title)
    wanted = [
        words
        for words in (whole, max(map(_bare, _TITLE_PARTS.split(title)), key=len))
        if len(words) >= _FEWEST_TITLE_WORDS
    ]
    # Most blocks are told apart by their length and first letter, without a look at their words.
    initials = {words[0][0] for words in wanted}
    for index, block in enumerate(blocks):
        letter = _LETTER.search(block) if len(block) <= 2 * len(title) else None
        if letter and letter[0].casefold()[:1] in initials and _bare(block) in wanted:
            return index
    return None


def _bare(text: str) -> list[str]:
    """Return the words of a text without case and punctuation."""
    return _NO_WORD.sub(" ", text.casefold()).split()
