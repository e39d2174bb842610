"""The input of scorers: a page's text, blocks and sentences.

A sentence ends at `.`, `!`, `?` or `…` (with closing quotes or brackets) before a space and anything but a lower-case
Latin letter, unless the full stop belongs to an abbreviation or an initial; and after a full stop of a script that
writes no spaces. A block's end always ends a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages.marks import Elements, Marks, find_elements
from thresher.pages.parsing import TITLE_LEVEL
from thresher.pages.plain import CLOSER, LETTER, LOWER, ODD, SPACE, STOP, PlainText, count_by_end, word_starts
from thresher.pages.references import References

# In plain text, where typographic quotes are `ODD` and an ellipsis is a full stop.
_PLAIN_CLOSERS, _PLAIN_OPENERS = "\"')]" + ODD, "\"'([" + ODD
# In the text itself: stops that need no space after them.
_STOPS, _CLOSERS = "。！？｡", "\"')\\]’”»」』）"
_UNSPACED = re.compile(rf"[{_STOPS}][{_CLOSERS}]* ?(?=[^ \n{_CLOSERS}{_STOPS}])")
_WORD = re.compile(r"\w+")
_LANGUAGE_ROWS = files("thresher.pages").joinpath("languages.tsv").read_text(encoding="utf-8").splitlines()
_WORDS_BY_LANGUAGE = dict(row.split("\t") for row in _LANGUAGE_ROWS)
LANGUAGES = frozenset(_WORDS_BY_LANGUAGE)
"""The codes of languages, ISO 639-1."""
ABBREVIATIONS = {code: frozenset(words.split()) for code, words in _WORDS_BY_LANGUAGE.items() if words.split()}
"""Abbreviations that occur in running text before a capital or a digit, by language; their full stop ends no sentence."""


def sentence_breaks(text: str, plain: PlainText, language: str = "en") -> list[int]:
    """Return the offsets in `text`, ascending, at which a sentence within a block follows another.

    Blocks are joined by line feeds, words by single spaces. Languages beyond `ABBREVIATIONS` are split without any.
    """
    abbreviations = ABBREVIATIONS.get(language, frozenset())
    breaks = [at + 2 for at in _stops_before_spaces(plain) if not _ends_no_sentence(plain.text, at, abbreviations)]
    if plain.text is not text and any(stop in text for stop in _STOPS):
        unspaced = [match.end() for match in _UNSPACED.finditer(text)]
        breaks = sorted(set(breaks).union(unspaced))
    return breaks


def _stops_before_spaces(plain: PlainText) -> list[int]:
    """Return the offsets of stops and closers before a space and anything but a letter of a to z."""
    classes = plain.classes
    ends = (classes[:-2] & (STOP | CLOSER) > 0) & (classes[1:-1] == SPACE) & (classes[2:] & LOWER == 0)
    return np.flatnonzero(ends).tolist()


def _ends_no_sentence(plain: str, at: int, abbreviations: frozenset[str]) -> bool:
    """Return whether the stop or closer at `at` belongs to an abbreviation or initial, or follows no stop."""
    if plain[at] != ".":
        while plain[at] in _PLAIN_CLOSERS and at > 0:
            at -= 1
        return plain[at] not in ".!?"
    # Search this word only: a page of one long block would make the search quadratic.
    before = plain.rfind(" ", 0, at) + 1
    before = max(before, plain.rfind("\n", before, at) + 1)
    word = plain[before:at].lstrip(_PLAIN_OPENERS)
    is_initial = len(word) == 1 and word.isupper() and plain[at + 2].isalpha()
    return is_initial or word.lower() in abbreviations


@dataclass(frozen=True)
class Segments:
    """The text of a page and its parts.

    Blocks are joined by line feeds, words by single spaces. The ends of blocks and sentences are offsets in `text`, each after
    the part's separator. So all blocks add up to the text, and so do all sentences. Every block's end is a sentence's end.

    Attributes:
        text: the blocks.
        plain: the plain form of the text, with the same offsets.
        block_ends: the offset where each block ends; shape (blocks,).
        levels: 0 for text, 1 to 6 for H1 to H6, 7 for the page's title; shape (blocks,).
        marked: the text with marks that `thresher.pages.parsing.flatten` returns; empty for plain text, None if the page was
            read without marks.
        places: the position of each character of the text in `marked`; shape (characters,).
        language: the code of a language; its abbreviations end no sentence.
        descriptions: the page's elements as `thresher.pages.parsing.described` returns them; None if the page was read
            without elements.
        texts: other texts of the page, by name.
        page_id: the document's id, for scorers that need it.
        references: the page's references; None if they were not read.
    """

    text: str
    plain: PlainText
    block_ends: Ints
    levels: npt.NDArray[np.int8]
    marked: bytes | None = b""
    places: Ints | None = None
    language: str = "en"
    descriptions: Sequence[str] | None = ()
    texts: Mapping[str, Segments] = field(default_factory=dict)
    page_id: str = ""
    references: References | None = None

    @cached_property
    def sentence_ends(self) -> Ints:
        """The offset where each sentence ends, ascending."""
        breaks = sentence_breaks(self.text, self.plain, self.language)
        return np.sort(np.concatenate((self.block_ends, np.array(breaks, dtype=np.int64))))

    @cached_property
    def page_sentence_ends(self) -> Ints:
        """The offset where each sentence ends if the page is read as one line, ascending; sentences may cross blocks.

        The offsets are a subset of `sentence_ends`.
        """
        if not self.text:
            return self.block_ends
        breaks = sentence_breaks(self.text.replace("\n", " "), self.plain.on_one_line(), self.language)
        breaks.append(len(self.text))
        return np.array(breaks, dtype=np.int64)

    @cached_property
    def blocks(self) -> list[str]:
        """The text of each block."""
        if not self.text:
            return []
        return self.text.split("\n")

    @cached_property
    def sentences(self) -> list[str]:
        """The text of each sentence, without its separator."""
        return [part.rstrip(" \n") for part in self._parts(self.sentence_ends)]

    @cached_property
    def block_of_sentence(self) -> Ints:
        """For each sentence, the index of its block."""
        return self.block_ends.searchsorted(self.sentence_ends, side="left")

    @cached_property
    def spaces(self) -> Ints:
        """The offsets of spaces and line feeds in the text."""
        return (self.plain.classes & SPACE > 0).nonzero()[0]

    @cached_property
    def word_starts(self) -> Ints:
        """The offset of each word of the text."""
        return word_starts(self.plain, self.spaces)

    @cached_property
    def token_starts(self) -> Ints:
        """The offset of each token of the text; white space separates tokens, words or not."""
        if not self.text:
            return self.spaces
        return np.concatenate(([0], self.spaces + 1))

    @cached_property
    def words_in_blocks(self) -> Ints:
        """Each block's number of words: white-space tokens with at least one letter, digit or combining mark."""
        return count_by_end(self.word_starts, self.block_ends)

    @cached_property
    def words_in_sentences(self) -> Ints:
        """The number of words that begin in each sentence; over a block they add up to the block's."""
        return count_by_end(self.word_starts, self.sentence_ends)

    @property
    def is_heading(self) -> npt.NDArray[np.bool_]:
        """For each block, whether it is the title or a heading."""
        return self.levels > 0

    @property
    def title(self) -> str:
        """The page's title, or an empty text."""
        for text, level in zip(self.blocks, self.levels, strict=True):
            if level == TITLE_LEVEL:
                return text
        return ""

    @cached_property
    def tokens_in_blocks(self) -> Ints:
        """Each block's number of tokens (Kohlschuetter et al. 2010, Eq. 1 and Table 1: with non-words)."""
        return count_by_end(self.token_starts, self.block_ends)

    @cached_property
    def linked_words_in_blocks(self) -> Ints:
        """Each block's number of words inside A elements."""
        return self._linked(self.word_starts, self.plain.classes & LETTER > 0)

    @cached_property
    def linked_tokens_in_blocks(self) -> Ints:
        """Each block's number of tokens inside A elements."""
        return self._linked(self.token_starts, self.plain.classes & SPACE == 0)

    def _linked(self, starts: Ints, counts: npt.NDArray[np.bool_]) -> Ints:
        """Return each block's number of tokens that have a character of `counts` in A; tokens begin at `starts`."""
        classes = self.plain.classes
        begins, ends = self.marks.links
        first = starts.searchsorted(begins)
        after = starts.searchsorted(ends)
        steps = np.bincount(first, minlength=len(starts) + 1) - np.bincount(after, minlength=len(starts) + 1)
        linked = steps[:-1].cumsum() > 0
        # A link may end or begin within a token. The token counts if its part inside the link has a character of `counts`.
        broken = ((first < after) & (ends < len(classes))).nonzero()[0]
        broken = broken[(classes[ends[broken]] & SPACE == 0) & ~counts[starts[after[broken] - 1]]]
        for word, end in zip(after[broken] - 1, ends[broken], strict=True):
            linked[word] = counts[starts[word] : end].any()
        inside = ((begins > 0) & (classes[begins - 1] & SPACE == 0) & (first > 0)).nonzero()[0]
        word_ends = np.append(self.spaces, len(self.text))
        for word, begin, end in zip(first[inside] - 1, begins[inside], ends[inside], strict=True):
            word_end = word_ends[self.spaces.searchsorted(starts[word])]
            linked[word] |= counts[begin : min(end, word_end)].any()
        return count_by_end(starts[linked], self.block_ends)

    @cached_property
    def linked_characters_in_blocks(self) -> Ints:
        """Each block's number of characters inside A elements, spaces between words included."""
        return np.diff(self.marks.linked_before(self.block_ends), prepend=0)

    @cached_property
    def marks(self) -> Marks:
        """Features of the blocks from the page's tags."""
        if self.marked is None:
            raise RuntimeError(
                "the page was read without its marks: the scorer that needs them declares `detail = Detail.TAGS`"
            )
        marked = self.marked or self.text.encode()
        places = self.places
        if places is None:
            places = (np.frombuffer(marked, dtype=np.uint8) & 0xC0 != 0x80).nonzero()[0]
        return Marks(marked, places, self.block_ends, has_tags=bool(self.marked))

    @cached_property
    def elements(self) -> Elements:
        """The page's elements and where its blocks are in them."""
        if self.descriptions is None:
            raise RuntimeError(
                "the page was read without its elements: the scorer that needs them declares `detail = Detail.ELEMENTS`"
            )
        return find_elements(self.marks, self.descriptions)

    @property
    def is_list_item(self) -> npt.NDArray[np.bool_]:
        """For each block, whether it is the first of a list item."""
        return self.marks.is_list_item

    def without_tags(self) -> Segments:
        """Return the text and its parts, to stay in memory: marks, elements and scorers' results take many times the text."""
        reduced = replace(self, marked=None, places=None, descriptions=None, texts={}, references=None)
        # `cached_property` finds its values there.
        vars(reduced).update(sentence_ends=self.sentence_ends, words_in_sentences=self.words_in_sentences)
        return reduced

    def _parts(self, ends: Ints) -> Iterator[str]:
        start = 0
        for end in ends.tolist():
            yield self.text[start:end]
            start = end
