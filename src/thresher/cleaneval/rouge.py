"""ROUGE-LSum of a cleaned page against its gold text: longest common subsequences, sentence by sentence.

Source: Lin, ROUGE, 2004, section 3.2, in the form that Bevendorff et al. (An Empirical Comparison of Web Content Extraction
Algorithms, SIGIR 2023) measure cleaning by: `rougeLsum` of the package rouge-score, tokens being what white space separates,
as they stand. For each gold sentence and each cleaned one the places of one longest common subsequence in the gold sentence
are hits, counted once whichever cleaned sentences hit them; of a token no more hits count than the cleaned page has of it.
Of subsequences of the same length rouge-score's counts: from the last tokens back, equal ones are taken; of others the gold
token is left, unless the subsequence would be shorter without it; then the cleaned one is.

Sentences are this project's, and end with a line. Bevendorff et al. take those of nltk's Punkt, which has to be downloaded
and which a line's end does not end, so that figures differ a little from theirs. Where the gold text is empty and the cleaned
page is not, they count recall as 1; here it is 0, as for words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress
from operator import or_

from thresher.cleaneval.measures import Agreement, agreement
from thresher.pages import read_text_page

Sentence = tuple[str, ...]


@dataclass(frozen=True)
class RougeCounts:
    """What ROUGE-LSum counts: `hits` of `found` tokens in the cleaned page and `wanted` in the gold text."""

    hits: int
    found: int
    wanted: int

    @property
    def agreement(self) -> Agreement:
        """Precision = hits/found, recall = hits/wanted and their harmonic mean; all 1 if there are no tokens at all."""
        return agreement(self.hits, self.found, self.wanted)


def rouge_lsum(cleaned: str, gold: str) -> RougeCounts:
    """Compare the sentences of a cleaned page with those of its gold text."""
    found, wanted = _sentences(cleaned), _sentences(gold)
    # Each cleaned sentence once, since it hits the same places again.
    others = dict.fromkeys(found)
    whole = (sentence for sentence in wanted if sentence in others)
    hits = Counter(chain(*whole, _hits([sentence for sentence in wanted if sentence not in others], others)))
    available = Counter(chain(*found))
    return RougeCounts((hits & available).total(), available.total(), sum(map(len, wanted)))


def _sentences(text: str) -> list[Sentence]:
    return [tuple(sentence.split()) for sentence in read_text_page(text).sentences]


def _hits(gold: Sequence[Sentence], cleaned: Iterable[Sentence]) -> Iterator[str]:
    """Return the tokens of gold sentences that cleaned ones hit."""
    fields = _Fields(gold)
    hit = 0
    # The longest first, since they hit most and shorter ones are then often not needed.
    for sentence in sorted(cleaned, key=len, reverse=True):
        if fields.reach(sentence) & ~hit:
            hit |= _longest_common(fields, sentence)
    # From the lowest bit up, with something for the bit above each field.
    bits = (bit == "1" for bit in reversed(f"{hit:b}"))
    return compress(chain(*((*sentence, "") for sentence in gold)), bits)


def _longest_common(fields: _Fields, tokens: Sentence) -> int:
    """Return the bits of one longest common subsequence of `tokens` with each field.

    First the lengths are found from the first token on, for all fields at once, by Hyyrö's bit-parallel recurrence (Bit-
    Parallel LCS-length Computation Revisited, 2004): with a bit of `level` set where a field up to there has no longer
    subsequence than without its last token, the next token's matches M make it (level + (level & M)) | (level & ~M). The 0
    above a field takes the carry. Then the subsequence is followed from the last token back: at a token, each field is
    left down to where it matches, which is a hit, or where its length would fall.
    """
    level = fields.all
    columns: list[tuple[int, int]] = []
    for token in tokens:
        if here := fields.places.get(token, 0):
            matched = level & here
            level = ((level + matched) | (level - matched)) & fields.all
        elif not columns or not columns[-1][0]:
            # Before any match there is nothing to follow, and of tokens that match nothing one after another one does.
            continue
        columns.append((here, level ^ fields.all))
    hits = 0
    left = fields.all
    for here, rises in reversed(columns):
        left = fields.filled(left & (here | rises))
        # Of a field's bits, which are filled, the highest.
        taken = here & (left ^ (left & left >> 1))
        hits |= taken
        left ^= taken
    return hits


class _Fields:
    """Sentences as fields of bits in one number: a bit for each token, the first token's the lowest, and a 0 above each field.

    Attributes:
        all: the bits of all tokens.
        places: by token, the bits where it stands.
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.all = 0
        self.places: dict[str, int] = {}
        bit = 1
        for sentence in sentences:
            for token in sentence:
                self.places[token] = self.places.get(token, 0) | bit
                bit <<= 1
            self.all |= bit - (bit >> len(sentence))
            bit <<= 1
        # For 1, 2, 4, ... the bits that have another so far above them in their field.
        self._below: list[tuple[int, int]] = []
        below, distance = self.all & self.all >> 1, 1
        while below:
            self._below.append((distance, below))
            below &= below >> distance
            distance *= 2

    def reach(self, tokens: Iterable[str]) -> int:
        """Return the bits of all places of the tokens."""
        return reduce(or_, (self.places.get(token, 0) for token in set(tokens)), 0)

    def filled(self, bits: int) -> int:
        """Return the bits from the lowest of each field up to the highest that `bits` has in it."""
        for distance, below in self._below:
            bits |= bits >> distance & below
        return bits
