"""The filters behind the rules: largest and main content of Kohlschuetter et al. (2010), section 4.3.2, and their extractor of
articles.
"""

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
# The farthest step from block to block within an article: over one block.
_FARTHEST = 2


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


def article(content: Mask, words: npt.NDArray[Any], blocks: Sequence[str], title: str) -> Mask:
    """Return the article of a news page, as the extractor for articles in the code they released finds it; shape (blocks,).

    Content ends where comments begin. A run of content takes in the block above it, which often is a headline or the date.
    Runs with at most one block between them belong together, without that block; the most words win. Where the page's title
    stands above, it and the runs below it are the article's too.

    Args:
        content: what the rules keep.
        words: the words of each block.
        blocks: their texts; TITLE itself is none of them.
        title: what TITLE says.
    """
    taken = before_comments(content, words, blocks)
    taken[:-1] |= taken[1:]
    places = np.flatnonzero(taken)
    kept = np.zeros(len(content), dtype=np.bool_)
    if not len(places):
        return kept
    group = np.cumsum(np.diff(places, prepend=places[0]) > _FARTHEST)
    largest = int(np.argmax(np.bincount(group, weights=words[places])))
    kept[places[group == largest]] = True
    headline, begin = first_with_title(blocks, title), int(np.argmax(kept))
    if headline is not None and headline < begin:
        kept[headline:begin] = taken[headline:begin]
        kept[headline] = True
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
    below = content.copy()
    below[:first] = False
    return before_comments(below, words, blocks)


def before_comments(content: Mask, words: npt.NDArray[Any], blocks: Sequence[str]) -> Mask:
    """Return the content above the first block that says that comments follow and has 60 words of content above it."""
    before = content.copy()
    after = int(np.searchsorted(np.cumsum(words * content), _FEWEST_WORDS_ABOVE_COMMENTS)) + 1
    while after < len(blocks) and not is_comment_mark(blocks[after]):
        after += 1
    before[after:] = False
    return before


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
