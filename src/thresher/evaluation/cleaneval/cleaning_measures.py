"""Measures of a cleaned page against its gold text, over words and tokens.

Words are separated by white space and compared as they are, with case and punctuation; tokens are runs of letters, digits and
underscores in lower case. If the cleaned page is empty, precision is 1 if the gold text is empty too, else 0; if the gold text
is empty; so has recall.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from statistics import fmean, median, stdev
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from thresher.pages import read_text_page

TOKEN = re.compile(r"\w+")
"""A run of letters, digits and underscores."""
_RUN_OFFSETS = {3: (0, 1, 2), 8: (0, 3, 5), 32: (0, 8, 16, 24)}
"""The lengths of the indexed runs of words, each with the offsets of the shorter runs that compose it; they only affect
speed.
"""
_ABSENT = -1
"""The number of a run that the second sequence does not have."""

Positions = dict[int, list[int]]
Sentence = tuple[str, ...]


class Match(NamedTuple):
    """`size` equal words, from position `a` of the first sequence and `b` of the second."""

    a: int
    b: int
    size: int


class _RunIndex(NamedTuple):
    """The runs of `length` words in the second sequence.

    Attributes:
        length: the words of a run.
        numbers: the number of each distinct run, by its word or by the numbers of the shorter runs that compose it.
        runs: the number of the run at each position.
        positions: the positions of each run, ascending, by its number.
    """

    length: int
    numbers: dict[Hashable, int]
    runs: list[int]
    positions: Positions


class _Level(NamedTuple):
    """The runs of `length` words at each position of the first sequence, and their positions in the second."""

    length: int
    runs: list[int]
    positions: Positions


class _Range(NamedTuple):
    """A part of both sequences, and the level of the longest run that it may contain."""

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int
    level: int


def matching_blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Return the blocks of `difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()`.

    The longest common block is taken (ties: first in `a`, then first in `b`), and then recursively the longest left and right
    of it (Ratcliff and Obershelp's pattern matching, as Python's difflib documents it). Adjacent blocks are joined; difflib's
    last block, of size 0, is left out.

    A match of at least k words is a match of runs of k words, shorter by k - 1, at the same positions. Long runs rarely
    repeat, while common words occur by the thousand. So the search looks among long runs first; where a part has none, its
    smaller parts are searched for shorter runs only.
    """
    levels = _levels(a, tuple(b))
    matches: list[Match] = []
    waiting = [_Range(0, len(a), 0, len(b), 0)]
    while waiting:
        part = waiting.pop()
        if part.a_begin == part.a_end or part.b_begin == part.b_end:
            continue
        best = _longest(part, levels[part.level])
        if best.size:
            matches.append(best)
            left = part._replace(a_end=best.a, b_end=best.b)
            right = part._replace(a_begin=best.a + best.size, b_begin=best.b + best.size)
            waiting.append(left)
            waiting.append(right)
        elif part.level + 1 < len(levels):
            waiting.append(part._replace(level=part.level + 1))
    return _join_adjacent(sorted(matches))


def _levels(a: Sequence[Hashable], b: tuple[Hashable, ...]) -> list[_Level]:
    """Return a level for each run length, the longest first, down to single words."""
    indexes = _index(b)
    words = indexes[0]
    runs = [words.numbers.get(word, _ABSENT) for word in a]
    levels = [_Level(words.length, runs, words.positions)]
    for index in indexes[1:]:
        runs = [index.numbers.get(key, _ABSENT) for key in _compose(runs, index.length)]
        levels.append(_Level(index.length, runs, index.positions))
    levels.reverse()
    return levels


@lru_cache(maxsize=4)
def _index(b: tuple[Hashable, ...]) -> tuple[_RunIndex, ...]:
    """Return the index of single words and of each longer run, ascending by length.

    Many cleaners are compared with one gold text, whose index is cached.
    """
    index = _run_index(1, b)
    indexes = [index]
    for length in _RUN_OFFSETS:
        index = _run_index(length, _compose(index.runs, length))
        indexes.append(index)
    return tuple(indexes)


def _run_index(length: int, keys: Iterable[Hashable]) -> _RunIndex:
    """Number the distinct keys, one for each position, in the order of their first positions."""
    numbers: dict[Hashable, int] = {}
    runs: list[int] = []
    positions: Positions = {}
    for position, key in enumerate(keys):
        run = numbers.setdefault(key, len(numbers))
        runs.append(run)
        positions.setdefault(run, []).append(position)
    return _RunIndex(length, numbers, runs, positions)


def _compose(runs: list[int], length: int) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of the shorter runs that compose the run of `length` words at each position."""
    shifted = [runs[offset:] for offset in _RUN_OFFSETS[length]]
    return zip(*shifted, strict=False)


def _longest(part: _Range, level: _Level) -> Match:
    """Return the longest match of at least `level.length` words within the part; of size 0 if there is none."""
    length, runs, positions = level
    a_begin = part.a_begin
    b_begin = part.b_begin
    longest = 0
    b_end = part.b_end - length + 1
    # By position in b, the number of consecutive runs that match up to the previous and to this position of a.
    previous_sizes: dict[int, int] = {}
    for a_position in range(part.a_begin, part.a_end - length + 1):
        sizes: dict[int, int] = {}
        b_positions = positions.get(runs[a_position])
        if b_positions:
            first = bisect_left(b_positions, part.b_begin)
            last = bisect_left(b_positions, b_end)
            for b_position in b_positions[first:last]:
                size = previous_sizes.get(b_position - 1, 0) + 1
                sizes[b_position] = size
                if size > longest:
                    longest = size
                    a_begin = a_position - size + 1
                    b_begin = b_position - size + 1
        previous_sizes = sizes
    if not longest:
        return Match(a_begin, b_begin, 0)
    # Consecutive runs overlap in all words but one.
    return Match(a_begin, b_begin, longest + length - 1)


def _join_adjacent(matches: list[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in matches:
        if joined:
            last = joined[-1]
            if match.a == last.a + last.size and match.b == last.b + last.size:
                joined[-1] = last._replace(size=last.size + match.size)
                continue
        joined.append(match)
    return joined


@dataclass(frozen=True)
class Agreement:
    """The agreement of two texts: `precision`, `recall` and their harmonic mean `f1`, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


class AgreementValues(NamedTuple):
    """Precision, recall and F1 of each page, in order."""

    precision: list[float]
    recall: list[float]
    f1: list[float]


@dataclass(frozen=True)
class PageWords:
    """Word counts of a cleaned page (`words`) and its gold text (`gold`).

    `aligned` words lie in the longest matching blocks; `distance` is the Levenshtein distance.
    """

    words: int
    gold: int
    aligned: int
    distance: int

    @property
    def alignment(self) -> Agreement:
        """Word precision, recall and F by alignment (Evert 2008, NCleaner, section 4)."""
        return agreement(self.aligned, self.words, self.gold)

    @property
    def similarity(self) -> float:
        """Levenshtein similarity in per cent: 100 · (1 - distance / words of the longer text); 100 if both are empty.

        CleanEval's measure over tokens, in the form of the perplexity paper's Table 7 (section 4.2). Neither gives the
        divisor; the words of the longer text are the largest possible distance.
        """
        longer = max(self.words, self.gold)
        if not longer:
            return 100.0
        return 100 * (1 - self.distance / longer)


@dataclass(frozen=True)
class TokenCounts:
    """Token counts of a cleaned page (`cleaned`) and its gold text (`gold`); `shared` are common to both bags."""

    cleaned: int
    gold: int
    shared: int

    @property
    def bag(self) -> Agreement:
        """Precision, recall and F1 over bags of tokens (Foley 2026, WCXB, where F1 is called word F1)."""
        return agreement(self.shared, self.cleaned, self.gold)


@dataclass(frozen=True)
class Summary:
    """A measure over pages: mean, standard deviation of the sample (0 for one page) and median."""

    mean: float
    sd: float
    median: float


@dataclass(frozen=True)
class CleaningSummary:
    """A cleaner's measures over pages: shares in [0, 1], `similarity` in per cent.

    `micro` pools the words of all pages; all others average over pages (macro).
    """

    pages: int
    emptied: int
    micro: Agreement
    precision: Summary
    recall: Summary
    f1: Summary
    similarity: Summary


def compare_words(cleaned: str, gold: str) -> PageWords:
    """Compare the words of a cleaned page with the words of its gold text.

    The alignment is that of `difflib.SequenceMatcher(None, cleaned, gold, autojunk=False)` over words, with which NCleaner
    was evaluated. The Levenshtein distance is over words too; insertion, deletion and substitution cost 1.
    """
    cleaned_words = cleaned.split()
    gold_words = gold.split()
    # Numbers, since rapidfuzz compares words by their hash.
    numbers: dict[str, int] = {}
    cleaned_numbers = [numbers.setdefault(word, len(numbers)) for word in cleaned_words]
    gold_numbers = [numbers.setdefault(word, len(numbers)) for word in gold_words]
    return PageWords(
        words=len(cleaned_words),
        gold=len(gold_words),
        aligned=sum(block.size for block in matching_blocks(cleaned_words, gold_words)),
        distance=Levenshtein.distance(cleaned_numbers, gold_numbers),
    )


def compare_tokens(cleaned: str, gold: str) -> TokenCounts:
    r"""Compare the tokens of a cleaned page with the tokens of its gold text: the matches of `\w+` in the lower-cased text."""
    cleaned_tokens = Counter(TOKEN.findall(cleaned.lower()))
    gold_tokens = Counter(TOKEN.findall(gold.lower()))
    shared_tokens = cleaned_tokens & gold_tokens
    return TokenCounts(cleaned_tokens.total(), gold_tokens.total(), shared_tokens.total())


def agreement(common: int, cleaned: int, gold: int) -> Agreement:
    """Return precision = common/cleaned, recall = common/gold and F1 = 2·common/(cleaned + gold), from numbers of units.

    If both `cleaned` and `gold` are 0, all three are 1; if only one is 0, all three are 0.
    """
    if cleaned == gold == 0:
        return Agreement(1.0, 1.0, 1.0)
    if cleaned == 0 or gold == 0:
        return Agreement(0.0, 0.0, 0.0)
    return Agreement(common / cleaned, common / gold, 2 * common / (cleaned + gold))


def summarize(values: Sequence[float]) -> Summary:
    """Return mean, standard deviation (n - 1) and median of at least one value."""
    deviation = 0.0
    if len(values) > 1:
        deviation = stdev(values)
    return Summary(fmean(values), deviation, float(median(values)))


def agreement_values(agreements: Iterable[Agreement]) -> AgreementValues:
    """Return the precision, recall and F1 of each agreement, in their order."""
    values = AgreementValues([], [], [])
    for page in agreements:
        values.precision.append(page.precision)
        values.recall.append(page.recall)
        values.f1.append(page.f1)
    return values


def summarize_pages(pages: Sequence[PageWords]) -> CleaningSummary:
    """Return a cleaner's measures over at least one page, micro and macro (NCleaner, section 4, Table 2)."""
    aligned = words = gold = emptied = 0
    for page in pages:
        aligned += page.aligned
        words += page.words
        gold += page.gold
        if page.words == 0:
            emptied += 1
    values = agreement_values(page.alignment for page in pages)
    return CleaningSummary(
        pages=len(pages),
        emptied=emptied,
        micro=agreement(aligned, words, gold),
        precision=summarize(values.precision),
        recall=summarize(values.recall),
        f1=summarize(values.f1),
        similarity=summarize([page.similarity for page in pages]),
    )


@dataclass(frozen=True)
class RougeCounts:
    """Token counts of ROUGE-LSum: `hits`, and all tokens of the cleaned page (`cleaned`) and of the gold text (`gold`)."""

    hits: int
    cleaned: int
    gold: int

    @property
    def agreement(self) -> Agreement:
        """Precision = hits/cleaned, recall = hits/gold and their harmonic mean; all 1 if there are no tokens at all."""
        return agreement(self.hits, self.cleaned, self.gold)


def rouge_lsum(cleaned: str, gold: str) -> RougeCounts:
    """Compare the sentences of a cleaned page with the sentences of its gold text."""
    cleaned_sentences = _sentences(cleaned)
    gold_sentences = _sentences(gold)
    # A repeated sentence hits the same tokens again.
    distinct = dict.fromkeys(cleaned_sentences)
    hits: Counter[str] = Counter()
    altered: list[Sentence] = []
    for sentence in gold_sentences:
        if sentence in distinct:
            hits.update(sentence)
        else:
            altered.append(sentence)
    hits.update(_hit_tokens(altered, distinct))
    available = Counter(chain.from_iterable(cleaned_sentences))
    return RougeCounts(
        hits=(hits & available).total(),
        cleaned=available.total(),
        gold=sum(map(len, gold_sentences)),
    )


def _sentences(text: str) -> list[Sentence]:
    return [tuple(sentence.split()) for sentence in read_text_page(text).sentences]


def _hit_tokens(gold: Sequence[Sentence], cleaned: Iterable[Sentence]) -> Iterator[str]:
    """Yield each token of the gold sentences that is in a longest common subsequence with some cleaned sentence."""
    fields = _Fields(gold)
    hit = 0
    # The longest first: it hits most tokens, so that shorter sentences can often be skipped.
    for sentence in sorted(cleaned, key=len, reverse=True):
        if fields.reach(sentence) & ~hit:
            hit |= _longest_common(fields, sentence)
    lowest_first = f"{hit:b}"[::-1]
    position = 0
    for sentence in gold:
        for token in sentence:
            if lowest_first[position : position + 1] == "1":
                yield token
            position += 1
        # The 0 above the field.
        position += 1


class _Column(NamedTuple):
    """The bits that a token matches, and the bits where the common subsequence grows by one."""

    matches: int
    rises: int


def _longest_common(fields: _Fields, tokens: Sentence) -> int:
    """Return the bits of one longest common subsequence of `tokens` with each field.

    First the lengths are computed from the first token on, for all fields at once, by Hyyrö's bit-parallel recurrence (Bit-
    Parallel LCS-length Computation Revisited, 2004): a bit of `level` is set where the field's prefix up to it has no longer
    subsequence than without its last token; the next token's matches M make it (level + (level & M)) | (level & ~M). The 0
    above a field takes the carry. Then the subsequence is traced back from the last token: each field is followed down to
    where it matches the token, which is a hit, or where the length would decrease.
    """
    level = fields.all
    columns: list[_Column] = []
    for token in tokens:
        matches = fields.occurrences.get(token, 0)
        if matches:
            matched = level & matches
            level = ((level + matched) | (level - matched)) & fields.all
        elif not columns or not columns[-1].matches:
            # Tokens before any match are not traced, and a series of tokens without a match is traced once.
            continue
        columns.append(_Column(matches, level ^ fields.all))
    hits = 0
    left = fields.all
    for column in reversed(columns):
        left = fields.filled(left & (column.matches | column.rises))
        highest = left ^ (left & left >> 1)
        new_hits = column.matches & highest
        hits |= new_hits
        left ^= new_hits
    return hits


class _Fields:
    """Sentences as fields of bits in one number: a bit for each token, the first token lowest, and a 0 above each field.

    Attributes:
        all: the bits of all tokens.
        occurrences: by token, the bits of its occurrences.
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.all = 0
        self.occurrences: dict[str, int] = {}
        bit = 1
        for sentence in sentences:
            for token in sentence:
                self.occurrences[token] = self.occurrences.get(token, 0) | bit
                bit <<= 1
            self.all |= bit - (bit >> len(sentence))
            bit <<= 1
        # By distance (1, 2, 4, ...), the bits whose field also has the bit at this distance above.
        self._below: dict[int, int] = {}
        distance = 1
        below = self.all & self.all >> 1
        while below:
            self._below[distance] = below
            below &= below >> distance
            distance *= 2

    def reach(self, tokens: Iterable[str]) -> int:
        """Return the bits of all occurrences of the tokens."""
        bits = 0
        for token in set(tokens):
            bits |= self.occurrences.get(token, 0)
        return bits

    def filled(self, bits: int) -> int:
        """Return the bits from the lowest of each field up to the highest that `bits` has in it."""
        for distance, below in self._below.items():
            bits |= bits >> distance & below
        return bits
