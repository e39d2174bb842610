"""NCleaner's formulas straight from the papers: dictionaries, one character at a time."""

from __future__ import annotations

import math
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

SIGNS = {False: [chr(code) for code in range(32, 127)]}
SIGNS[True] = [sign for sign in SIGNS[False] if sign in "a0" or not sign.isalnum()]


def fold(segment: str, non_lexical: bool) -> str:
    """ASCII only, `~` for the rest; all letters (with marks) a and all numbers 0 in the non-lexical alphabet."""
    if non_lexical:
        kinds = [unicodedata.category(character)[0] for character in segment]
        # Some numbers have a compatible form in letters, as Roman ones do, and some letters one of digits.
        plain = [unicodedata.normalize("NFKD", character)[0] for character in segment]
        segment = "".join(
            character
            if character.isascii() or kind not in "LMN"
            else base
            if base.isascii()
            else "0"
            if kind == "N"
            else "a"
            for character, kind, base in zip(segment, kinds, plain, strict=True)
        )
    folded = ["~" if ord(character) > 126 else character for character in segment]
    if non_lexical:
        folded = [
            "a" if character in string.ascii_letters else "0" if character in string.digits else character
            for character in folded
        ]
    return "".join(folded)


def windows(segment: str, n: int, length: int) -> Iterable[str]:
    """The n-grams of `length` that end at each character, with begin signs (^ stands for itself, so \\n here)."""
    padded = "\n" * (n - 1) + segment
    for place in range(n - 1, len(padded)):
        yield padded[place - length + 1 : place + 1]


class Oracle:
    """P* of the clean and of the dirty model."""

    def __init__(
        self,
        pages: Sequence[tuple[Sequence[str], Sequence[str]]],
        n: int,
        q: float,
        non_lexical: bool,
        literal: bool = False,
    ) -> None:
        self.n, self.q, self.non_lexical, self.literal = n, q, non_lexical, literal
        self.signs = SIGNS[non_lexical]
        self.clean: Counter[str] = Counter()
        self.dirty: Counter[str] = Counter()
        for clean, raw in pages:
            for segment in clean:
                for length in range(1, n + 1):
                    self.clean.update(windows(fold(segment, non_lexical), n, length))
            for segment in raw:
                for length in range(1, n + 1):
                    self.dirty.update(windows(fold(segment, non_lexical), n, length))
        self.dirty.subtract(self.clean)
        self.totals = [Counter[str](), Counter[str]()]
        for total, counts in zip(self.totals, (self.clean, self.dirty), strict=True):
            for ngram, count in counts.items():
                total[ngram[:-1]] += count

    def unigram(self, character: str, dirty: bool) -> float:
        counts = {sign: (self.dirty if dirty else self.clean)[sign] for sign in self.signs}
        if not self.literal:
            counts = {sign: max(0, count) for sign, count in counts.items()}
        return min(1.0, max(0.0, (counts[character] + 1) / (sum(counts.values()) + len(self.signs))))

    def probability(self, ngram: str, dirty: bool) -> float:
        """P(c | h), by maximum likelihood, clamped."""
        if len(ngram) == 1:
            return self.unigram(ngram, dirty)
        counts = self.dirty if dirty else self.clean
        total = self.totals[dirty][ngram[:-1]]
        return min(1.0, max(0.0, counts[ngram] / total)) if total > 0 or (self.literal and total) else 0.0

    def smoothed(self, ngram: str, dirty: bool) -> float:
        """P*(c | h), Eq. 1."""
        n, q = len(ngram), self.q
        terms = [q**k * self.probability(ngram[k:], dirty) for k in range(n)]
        return (1 - q) / (1 - q**n) * sum(terms)

    def score(self, segment: str) -> float:
        """(ln P*_clean - ln P*_dirty) a character; one space for white space is the caller's."""
        segment = fold(segment, self.non_lexical)
        if not segment:
            return -math.inf
        pairs = [
            (self.smoothed(ngram, False), self.smoothed(ngram, True)) for ngram in windows(segment, self.n, self.n)
        ]
        differences = [math.log(clean) - math.log(dirty) if dirty else math.inf for clean, dirty in pairs]
        return math.fsum(differences) / len(segment)
