"""Measures of a cleaned page against its gold text, over words and tokens.

Words are separated by white space and compared as they are, with case and punctuation; tokens are runs of letters, digits and
underscores in lower case. If the cleaned page is empty, precision is 1 if the gold text is empty too, else 0; if the gold text
is empty, recall likewise.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import chain, compress
from operator import or_
from statistics import fmean, median, stdev
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from thresher.pages import read_text_page

_RUNS = ((3, (0, 1, 2)), (8, (0, 3, 5)), (32, (0, 8, 16, 24)))
"""Lengths of the indexed runs of words, each with the offsets of the shorter runs that compose it; they only affect speed."""

Positions = dict[int, list[int]]
Numbers = dict[tuple[int, ...], int]
Level = tuple[int, list[int], Positions]


class Match(NamedTuple):
    """`size` equal words, from position `a` of the first sequence and `b` of the second."""

    a: int
    b: int
    size: int


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
    repeat, while common words occur by the thousand; so the longest match is looked up among long runs first, and parts of a
    part without any are not searched for them again.
    """
    levels = _levels(a, tuple(b))
    matches: list[Match] = []
    waiting = [_Range(0, len(a), 0, len(b), 0)]
    while waiting:
        part = waiting.pop()
        if part.a_begin == part.a_end or part.b_begin == part.b_end:
            continue
        best = _longest(part, *levels[part.level])
        if best.size:
            matches.append(best)
            after_a, after_b = best.a + best.size, best.b + best.size
            waiting.append(_Range(part.a_begin, best.a, part.b_begin, best.b, part.level))
            waiting.append(_Range(after_a, part.a_end, after_b, part.b_end, part.level))
        elif part.level + 1 < len(levels):
            waiting.append(part._replace(level=part.level + 1))
    return _joined(sorted(matches))


def _levels(a: Sequence[Hashable], b: tuple[Hashable, ...]) -> list[Level]:
    """Return for each run length, down to 1: the length, the run at each position of `a`, the positions of each run in `b`.

    Runs are numbered; -1 is a run that `b` does not have.
    """
    words, positions, longer = _index(b)
    runs = [words.get(word, -1) for word in a]
    levels = [(1, runs, positions)]
    for (length, offsets), (numbers, positions) in zip(_RUNS, longer, strict=True):
        runs = [numbers.get(run, -1) for run in zip(*(runs[offset:] for offset in offsets), strict=False)]
        levels.append((length, runs, positions))
    return levels[::-1]


@lru_cache(maxsize=4)
def _index(b: tuple[Hashable, ...]) -> tuple[dict[Hashable, int], Positions, list[tuple[Numbers, Positions]]]:
    """Return the number of each word, the positions of each number, and both for longer runs.

    Many cleaners are compared with one gold text, whose index is kept.
    """
    words: dict[Hashable, int] = {}
    runs = [words.setdefault(word, len(words)) for word in b]
    first = _positions(runs)
    longer = []
    for _, offsets in _RUNS:
        known: Numbers = {}
        runs = [known.setdefault(run, len(known)) for run in zip(*(runs[offset:] for offset in offsets), strict=False)]
        longer.append((known, _positions(runs)))
    return words, first, longer


def _positions(runs: list[int]) -> Positions:
    positions: Positions = {}
    for position, run in enumerate(runs):
        positions.setdefault(run, []).append(position)
    return positions


def _longest(part: _Range, length: int, runs: list[int], positions: Positions) -> Match:
    """Return the longest match of at least `length` words within the part; of size 0 if there is none."""
    best_a, best_b, best_size = part.a_begin, part.b_begin, 0
    b_begin, b_end = part.b_begin, part.b_end - length + 1
    sizes: dict[int, int] = {}
    for position in range(part.a_begin, part.a_end - length + 1):
        # By position in b: how many consecutive runs match up to it.
        grown: dict[int, int] = {}
        others = positions.get(runs[position])
        if others:
            for at in range(bisect_left(others, b_begin), len(others)):
                other = others[at]
                if other >= b_end:
                    break
                size = grown[other] = sizes.get(other - 1, 0) + 1
                if size > best_size:
                    best_a, best_b, best_size = position - size + 1, other - size + 1, size
        sizes = grown
    return Match(best_a, best_b, best_size + length - 1 if best_size else 0)


def _joined(matches: list[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in matches:
        if joined and (joined[-1].a + joined[-1].size, joined[-1].b + joined[-1].size) == match[:2]:
            last = joined.pop()
            match = Match(last.a, last.b, last.size + match.size)
        joined.append(match)
    return joined


TOKEN = re.compile(r"\w+")
"""A run of letters, digits and underscores."""


@dataclass(frozen=True)
class Agreement:
    """The agreement of two texts: `precision`, `recall` and their harmonic mean `f1`, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


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
        return 100 * (1 - self.distance / longer) if longer else 100.0


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
    """Compare the words of a cleaned page with those of its gold text.

    The alignment is that of `difflib.SequenceMatcher(None, cleaned, gold, autojunk=False)` over words, with which NCleaner
    was evaluated. The Levenshtein distance is over words too; insertion, deletion and substitution cost 1.
    """
    words, wanted = cleaned.split(), gold.split()
    numbers: dict[str, int] = {}
    return PageWords(
        len(words),
        len(wanted),
        sum(block.size for block in matching_blocks(words, wanted)),
        # Numbers, since rapidfuzz compares words by their hash.
        Levenshtein.distance(*([numbers.setdefault(word, len(numbers)) for word in text] for text in (words, wanted))),
    )


def compare_tokens(cleaned: str, gold: str) -> TokenCounts:
    r"""Compare the tokens of a cleaned page with those of its gold text: the matches of `\w+` in the lower-cased text."""
    tokens, wanted = (Counter(TOKEN.findall(text.lower())) for text in (cleaned, gold))
    return TokenCounts(tokens.total(), wanted.total(), (tokens & wanted).total())


def agreement(common: int, cleaned: int, gold: int) -> Agreement:
    """Return precision = common/cleaned, recall = common/gold and F1 = 2·common/(cleaned + gold), from numbers of units.

    If one of `cleaned` and `gold` is 0, all three are 0; if both are, all three are 1.
    """
    if not cleaned or not gold:
        value = float(cleaned == gold)
        return Agreement(value, value, value)
    return Agreement(common / cleaned, common / gold, 2 * common / (cleaned + gold))


def summarize(values: Sequence[float]) -> Summary:
    """Return mean, standard deviation (n - 1) and median of at least one value."""
    return Summary(fmean(values), stdev(values) if len(values) > 1 else 0.0, float(median(values)))


def summarize_pages(pages: Sequence[PageWords]) -> CleaningSummary:
    """Return a cleaner's measures over at least one page, micro and macro (NCleaner, section 4, Table 2)."""
    words, gold = sum(page.words for page in pages), sum(page.gold for page in pages)
    aligned = [page.alignment for page in pages]
    return CleaningSummary(
        pages=len(pages),
        emptied=sum(page.words == 0 for page in pages),
        micro=agreement(sum(page.aligned for page in pages), words, gold),
        precision=summarize([page.precision for page in aligned]),
        recall=summarize([page.recall for page in aligned]),
        f1=summarize([page.f1 for page in aligned]),
        similarity=summarize([page.similarity for page in pages]),
    )


Sentence = tuple[str, ...]


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
    """Compare the sentences of a cleaned page with those of its gold text."""
    cleaned_sentences, gold_sentences = _sentences(cleaned), _sentences(gold)
    # A repeated sentence hits the same tokens again.
    distinct = dict.fromkeys(cleaned_sentences)
    whole = (sentence for sentence in gold_sentences if sentence in distinct)
    hits = Counter(chain(*whole, _hits([one for one in gold_sentences if one not in distinct], distinct)))
    available = Counter(chain(*cleaned_sentences))
    return RougeCounts((hits & available).total(), available.total(), sum(map(len, gold_sentences)))


def _sentences(text: str) -> list[Sentence]:
    return [tuple(sentence.split()) for sentence in read_text_page(text).sentences]


def _hits(gold: Sequence[Sentence], cleaned: Iterable[Sentence]) -> Iterator[str]:
    fields = _Fields(gold)
    hit = 0
    # The longest first: they hit most, and shorter ones can then often be skipped.
    for sentence in sorted(cleaned, key=len, reverse=True):
        if fields.reach(sentence) & ~hit:
            hit |= _longest_common(fields, sentence)
    # From the lowest bit up, with something for the bit above each field.
    bits = (bit == "1" for bit in reversed(f"{hit:b}"))
    return compress(chain(*((*sentence, "") for sentence in gold)), bits)


def _longest_common(fields: _Fields, tokens: Sentence) -> int:
    """Return the bits of one longest common subsequence of `tokens` with each field.

    First the lengths are computed from the first token on, for all fields at once, by Hyyrö's bit-parallel recurrence (Bit-
    Parallel LCS-length Computation Revisited, 2004): a bit of `level` is set where the field's prefix up to it has no longer
    subsequence than without its last token; the next token's matches M make it (level + (level & M)) | (level & ~M). The 0
    above a field takes the carry. Then the subsequence is traced back from the last token: each field is followed down to
    where it matches the token, which is a hit, or where the length would decrease.
    """
    level = fields.all
    columns: list[tuple[int, int]] = []
    for token in tokens:
        if matches := fields.occurrences.get(token, 0):
            matched = level & matches
            level = ((level + matched) | (level - matched)) & fields.all
        elif not columns or not columns[-1][0]:
            # Tokens before any match are not traced, and a series of tokens without a match is traced once.
            continue
        columns.append((matches, level ^ fields.all))
    hits = 0
    left = fields.all
    for matches, rises in reversed(columns):
        left = fields.filled(left & (matches | rises))
        # The highest bit of each filled field.
        taken = matches & (left ^ (left & left >> 1))
        hits |= taken
        left ^= taken
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
        # For distances 1, 2, 4, ...: the bits with another bit of their field that far above.
        self._below: list[tuple[int, int]] = []
        below, distance = self.all & self.all >> 1, 1
        while below:
            self._below.append((distance, below))
            below &= below >> distance
            distance *= 2

    def reach(self, tokens: Iterable[str]) -> int:
        """Return the bits of all occurrences of the tokens."""
        return reduce(or_, (self.occurrences.get(token, 0) for token in set(tokens)), 0)

    def filled(self, bits: int) -> int:
        """Return the bits from the lowest of each field up to the highest that `bits` has in it."""
        for distance, below in self._below:
            bits |= bits >> distance & below
        return bits
