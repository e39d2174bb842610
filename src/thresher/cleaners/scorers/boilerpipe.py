"""Boilerpipe: decisions from words, text density and link density of a block and its neighbours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.cleaners.scorers.shallow_features import (
    COUNT,
    MOST_LINKED,
    MOST_LINKED_BEFORE,
    Mask,
    Neighbourhood,
    densities,
    link_densities,
    neighbourhood,
)
from thresher.pages import Detail, Segments
from thresher.pages.parsing import TITLE_LEVEL

# The paper mentions eleven strings "like User comments:" without listing them; these are ours.
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
# A dash or slash separates a title's parts only between spaces, a bar or arrow always, a colon before a space.
_TITLE_PARTS = re.compile(r"\s+[-–—/]+\s+|\s*[|»«·]+\s*|:\s+")
_NO_WORD = re.compile(r"[\W_]+")
_LETTER = re.compile(r"[^\W_]")
_FEWEST_TITLE_WORDS = 2
# As in the released code. With one word, "Comments (12)" below a headline removed the whole article.
_FEWEST_WORDS_ABOVE_COMMENTS = 60
# The largest step between the numbers of neighbouring blocks of an article: it skips one block.
_FARTHEST = 2


def by_words(words: Neighbourhood, links: Neighbourhood) -> Mask:
    """Return which blocks are content by the number of words (Algorithm 2)."""
    after_text = (words.current > 16) | (words.next > 15) | (words.previous > 4)
    after_links = (words.current > 40) | (words.next > 17)
    return _unlinked(links) & np.where(links.previous <= MOST_LINKED_BEFORE, after_text, after_links)


def by_density(density: Neighbourhood, links: Neighbourhood) -> Mask:
    """Return which blocks are content by text density (Algorithm 1)."""
    thin = (density.next > 10) | (density.previous > 4)
    after_text = np.where(density.current <= 9, thin, density.next > 0)
    return _unlinked(links) & np.where(links.previous <= MOST_LINKED_BEFORE, after_text, density.next > 11)


def by_cleaneval_rule(density: Floats, links: Floats) -> Mask:
    """Return which blocks are content by the rule learned from CleanEval (section 4.3.2), without neighbours."""
    return (density >= 7) & (links <= 0.35)


def _unlinked(links: Neighbourhood) -> Mask:
    return links.current <= MOST_LINKED


def largest_content(content: Mask, words: npt.NDArray[Any]) -> Mask:
    """Return the run of content blocks with the most words, the first of several; shape (blocks,).

    The released code joins consecutive content blocks before choosing the largest; otherwise only one paragraph would be left.
    """
    is_largest = np.zeros(len(content), dtype=np.bool_)
    edges = np.flatnonzero(np.diff(content, prepend=False, append=False))
    if not len(edges):
        return is_largest
    begins, ends = edges[::2], edges[1::2]
    words_before = np.concatenate(([0], np.cumsum(words)))
    largest = int(np.argmax(words_before[ends] - words_before[begins]))
    is_largest[begins[largest] : ends[largest]] = True
    return is_largest


def largest_block(content: Mask, words: npt.NDArray[Any]) -> Mask:
    """Return the content block with the most words, the first of several (section 4.3.2, to the letter)."""
    is_largest = np.zeros(len(content), dtype=np.bool_)
    if content.any():
        is_largest[np.argmax(np.where(content, words, -1))] = True
    return is_largest


def article(content: Mask, words: npt.NDArray[Any], blocks: Sequence[str], title: str) -> Mask:
    """Return the article of a news page, as the article extractor of the released code does; shape (blocks,).

    Content ends where comments begin. A run of content takes in the block above it, which often is a headline or the date.
    Runs with at most one block between them belong together, without that block; the group with the most words wins. If the
    page's title is above, it and the runs below it belong to the article too.

    Args:
        content: the blocks that the rules keep.
        words: the number of words of each block.
        blocks: the texts of the blocks, without TITLE's.
        title: the title of the page.
    """
    in_run = before_comments(content, words, blocks)
    in_run[:-1] |= in_run[1:]
    in_article = np.zeros(len(content), dtype=np.bool_)
    indices = np.flatnonzero(in_run)
    if not len(indices):
        return in_article
    group = np.cumsum(np.diff(indices, prepend=indices[0]) > _FARTHEST)
    largest = int(np.argmax(np.bincount(group, weights=words[indices])))
    in_article[indices[group == largest]] = True
    begin = int(np.argmax(in_article))
    headline = first_with_title(blocks, title)
    if headline is not None and headline < begin:
        in_article[headline:begin] = in_run[headline:begin]
        in_article[headline] = True
    return in_article


def between_title_and_comments(
    content: Mask, words: npt.NDArray[Any], blocks: Sequence[str], title: str, literal: bool = False
) -> Mask:
    """Return the content between the page's title and its comments; shape (blocks,).

    The blocks above the first block that repeats the title are left out, unless all content is there; and so are the blocks
    that `before_comments` leaves out.

    Args:
        content, words, blocks, title: see `article`.
        literal: whether blocks are left out even if no content, or few words of it, would remain, as in the paper.
    """
    first = first_with_title(blocks, title) or 0
    if not literal and not content[first:].any():
        first = 0
    below = content.copy()
    below[:first] = False
    least = 0 if literal else _FEWEST_WORDS_ABOVE_COMMENTS
    return before_comments(below, words, blocks, least)


def before_comments(
    content: Mask, words: npt.NDArray[Any], blocks: Sequence[str], least: int = _FEWEST_WORDS_ABOVE_COMMENTS
) -> Mask:
    """Return the content above the first comment mark with at least `least` words of content above it."""
    mark = 0
    if least:
        mark = int(np.searchsorted(np.cumsum(words * content), least)) + 1
    while mark < len(blocks) and not is_comment_mark(blocks[mark]):
        mark += 1
    before = content.copy()
    before[mark:] = False
    return before


def is_comment_mark(block: str) -> bool:
    """Return whether a block is a comment mark and nothing else; digits and punctuation don't count.

    >>> is_comment_mark("User comments:"), is_comment_mark("Comments (12)"), is_comment_mark("No comments on this")
    (True, True, False)
    """
    if len(block) > _LONGEST_MARK:
        return False
    return _NO_LETTERS.sub(" ", block.lower().replace("’", "'")).strip() in COMMENT_MARKS


def first_with_title(blocks: Sequence[str], title: str) -> int | None:
    """Return the first block that is the title, or the part of it with the most words, if any.

    Case and punctuation don't count. A block of one word, or of more than twice the title's characters, is not a title.

    >>> first_with_title(["Home", "Storms in the North", "Rain is expected."], "Storms in the north - The Daily")
    1
    >>> first_with_title(["Home", "Rain is expected."], "Home | Daily")
    """
    longest_part = max(map(_bare, _TITLE_PARTS.split(title)), key=len)
    titles: list[list[str]] = []
    for words in (_bare(title), longest_part):
        if len(words) >= _FEWEST_TITLE_WORDS:
            titles.append(words)
    initials = {words[0][0] for words in titles}
    for index, block in enumerate(blocks):
        # Length and first letter rule most blocks out, without splitting them into words.
        if len(block) > 2 * len(title):
            continue
        letter = _LETTER.search(block)
        if letter and letter[0].casefold()[:1] in initials and _bare(block) in titles:
            return index
    return None


def _bare(text: str) -> list[str]:
    return _NO_WORD.sub(" ", text.casefold()).split()


class Boilerpipe(Scorer):
    """Decides by words or text density, and by linked words, of the block and its two neighbours."""

    name = "boilerpipe"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    detail = Detail.TAGS
    unit = "decision"
    needs_spaces = True
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, Algorithms 1 and 2, "
        "section 4.3.2"
    )
    parameters = (
        Parameter(
            "rules",
            str,
            "words",
            "the tree over words (Algorithm 2) or over text density (Algorithm 1), or the rule learned from CleanEval",
            choices=("words", "density", "cleaneval"),
        ),
        Parameter(
            "filter",
            str,
            "none",
            "which content stays: all of it (none), the run of blocks with the most words (largest), that run between title "
            "and comments (main), the article with its headline (article), or one block, as the paper says (largest-block, "
            "main-block)",
            choices=("none", "largest", "main", "article", "largest-block", "main-block"),
            terse=True,
        ),
        COUNT,
    )

    def score(self, segments: Segments) -> Scores:
        """Return 1 for each block that is content, else 0."""
        title = segments.levels == TITLE_LEVEL
        content = self._content(segments, title)
        if self.values["filter"] != "none":
            body = np.flatnonzero(~title)
            blocks = [segments.blocks[index] for index in body.tolist()]
            filtered = self._filtered(content[body], segments.words_in_blocks[body], blocks, segments.title)
            content[:] = False
            content[body] = filtered
        return content.astype(np.float32)

    def _filtered(self, content: Mask, words: npt.NDArray[Any], blocks: Sequence[str], title: str) -> Mask:
        name = str(self.values["filter"])
        if name == "article":
            return article(content, words, blocks, title)
        literal = name.endswith("-block")
        if name.startswith("main"):
            content = between_title_and_comments(content, words, blocks, title, literal)
        if literal:
            return largest_block(content, words)
        return largest_content(content, words)

    def _content(self, segments: Segments, title: Mask) -> Mask:
        count = str(self.values["count"])
        links = link_densities(segments, count)
        if self.values["rules"] == "cleaneval":
            return by_cleaneval_rule(densities(segments, count), links)
        # The title is not displayed in the page, so it is not the neighbour of any block.
        parted = title[1:] | title[:-1]
        if self.values["rules"] == "density":
            return by_density(neighbourhood(densities(segments, count), parted), neighbourhood(links, parted))
        return by_words(neighbourhood(segments.words_in_blocks, parted), neighbourhood(links, parted))
