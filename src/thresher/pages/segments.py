"""A page as scorers see it: its text, and where blocks and sentences lie in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.pages.parsing import TITLE_LEVEL, linked_lines
from thresher.pages.plain import Ints, PlainText, count_by_end, plain_text, word_starts


@dataclass(frozen=True)
class Segments:
    """The text of a page and its parts.

    Blocks are joined by line feeds, words by single spaces. `block_ends` and `sentence_ends` hold where each part ends in
    `text`, the separator after it included, so that the parts of one kind laid end to end are the text; every block's end
    is a sentence's end. `levels` holds each block's heading level: 0 for none, 1 to 6 for H1 to H6, 7 for the page's title.
    `plain` is the plain form of the text, at the same offsets.
    `marked` is the text with marks at links, as `thresher.pages.parsing.flatten` gives it.
    """

    text: str
    plain: PlainText
    block_ends: Ints
    sentence_ends: Ints
    levels: npt.NDArray[np.int8]
    marked: str = ""

    @cached_property
    def blocks(self) -> list[str]:
        """The text of each block."""
        return self.text.split("\n") if self.text else []

    @cached_property
    def sentences(self) -> list[str]:
        """The text of each sentence, without its separator."""
        return [part.rstrip(" \n") for part in self._parts(self.sentence_ends)]

    @cached_property
    def block_of_sentence(self) -> Ints:
        """For each sentence, the index of its block."""
        return np.searchsorted(self.block_ends, self.sentence_ends, side="left")

    @cached_property
    def word_starts(self) -> Ints:
        """Where each word of the text begins."""
        return word_starts(self.plain)

    @cached_property
    def words_in_blocks(self) -> Ints:
        """For each block, its words: white-space tokens with at least one letter, digit or combining mark."""
        return count_by_end(self.word_starts, self.block_ends)

    @cached_property
    def words_in_sentences(self) -> Ints:
        """For each sentence, the words that begin in it; over a block they add up to the block's."""
        return count_by_end(self.word_starts, self.sentence_ends)

    @property
    def is_heading(self) -> npt.NDArray[np.bool_]:
        """For each block, whether it is the title or a heading."""
        return self.levels > 0

    @property
    def title(self) -> str:
        """The page's title, or an empty text."""
        return next((text for text, level in zip(self.blocks, self.levels, strict=True) if level == TITLE_LEVEL), "")

    @cached_property
    def linked_words_in_blocks(self) -> Ints:
        """For each block, its words inside A elements."""
        lines = linked_lines(self.marked) if self.marked else [""] * len(self.blocks)
        ends = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64)
        return count_by_end(word_starts(plain_text("\n".join(lines))), ends)

    def _parts(self, ends: Ints) -> Iterator[str]:
        start = 0
        for end in ends.tolist():
            yield self.text[start:end]
            start = end
