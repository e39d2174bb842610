"""ROUGE-LSum of a cleaned page against its gold text: longest common subsequences, sentence by sentence.

Source: Lin, ROUGE, 2004, section 3.2, in the form that Bevendorff et al. (An Empirical Comparison of Web Content Extraction
Algorithms, SIGIR 2023) measure cleaning by: `rougeLsum` of the package rouge-score, over tokens separated by white space.
For each pair of a gold and a cleaned sentence, the tokens of one longest common subsequence are hits in the gold sentence;
a gold token hit by several cleaned sentences counts once, and a token type at most as often as the cleaned page has
it. Among subsequences of the same length rouge-score's is taken: from the last tokens backwards, equal tokens are matched;
otherwise the gold token is skipped, unless the subsequence would be shorter without it; then the cleaned one is.

Sentences are split by this project's splitter, and end at line ends. Bevendorff et al. use nltk's Punkt, which has to be
downloaded and ignores line ends, so figures differ a little from theirs. Where the gold text is empty and the cleaned page is
not, they count recall as 1; here it is 0, as for words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress
from operator import or_

from thresher.cleaneval.cleaning_measures import Agreement, agreement
from thresher.pages import read_text_page

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
    hits = Counter(
        chain(*whole, _hits([sentence for sentence in gold_sentences if sentence not in distinct], distinct))
    )
    available = Counter(chain(*cleaned_sentences))
    return RougeCounts((hits & available).total(), available.total(), sum(map(len, gold_sentences)))


def _sentences(text: str) -> list[Sentence]:
    return [tuple(sentence.split()) for sentence in read_text_page(text).sentences]


def _hits(gold: Sequence[Sentence], cleaned: Iterable[Sentence]) -> Iterator[str]:
    """Return the tokens of gold sentences that cleaned ones hit."""
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
