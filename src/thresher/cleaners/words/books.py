"""The language model `books`: English bigrams from the word counts that symspellpy ships, built at first use.

The counts are of Google Books n-grams, cut to a dictionary of 82,765 words. Its bigrams occur at least some 10,000
times, so perplexities are high, and cutoffs differ from cutoffs for other models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from thresher.base.errors import MissingDependencyError
from thresher.base.files import file_digest
from thresher.cleaners.words.ngrams import BEGIN, END, UNKNOWN, WEIGHTS, Bigram, History, MixtureCounts, write_mixture
from thresher.cleaners.words.tokenisers import NORMALISATIONS, WORDS
from thresher.cleaners.words.word_model import BIGRAM_FORMULA, FLOOR, UNSEEN_WORDS, ModelCard

NAME = "books"
_WORDS = "frequency_dictionary_en_82_765.txt"
_PAIRS = "frequency_bigramdictionary_en_243_342.txt"


def build(folder: Path) -> None:
    """Write `model.arpa` and `card.json` into `folder`, which exists."""
    counts = read_counts()
    path = folder / "model.arpa"
    ngrams = write_counts(path, counts.unigrams, counts.bigrams)
    ModelCard(
        name=NAME,
        language="en",
        corpus=f"Google Books n-gram counts as shipped by symspellpy ({_WORDS}, {_PAIRS})",
        order=2,
        ngrams=tuple(ngrams),
        formula=f"{BIGRAM_FORMULA})",
        tokeniser=WORDS,
        unknown_words=UNSEEN_WORDS,
        sentence_ends="<s> begins a sentence, </s> is not scored",
        digest=file_digest(path),
        normalisation=NORMALISATIONS[WORDS],
    ).write(folder / "card.json")


def write_counts(path: Path, unigrams: Mapping[str, int], bigrams: Mapping[str, Mapping[str, int]]) -> MixtureCounts:
    """Write P(w | v) = 0.8 · C(v w) / Σ_u C(v u) + 0.2 · C(v) / Σ_u C(u) + 1e-6 as an ARPA file.

    This is PyPlexity's bigram model (its source uses the unigram of the *previous* word), so that its cutoffs of 1K to 14K
    apply. A word's bigrams are normalised by their own sum, since bigram and unigram counts may be on different scales.
    `<s>` and `<unk>` were never counted.
    """
    total = sum(unigrams.values())
    word_weight, pair_weight = WEIGHTS[2]

    def rest(history: str) -> float:
        return word_weight * (unigrams.get(history, 0) / total) + FLOOR

    def pairs() -> Iterator[Bigram]:
        for history, followers in sorted(bigrams.items()):
            share = pair_weight / sum(followers.values())
            for word, count in sorted(followers.items()):
                yield Bigram(history, word, share * count + rest(history))

    vocabulary = set(unigrams) | set(bigrams)
    for followers in bigrams.values():
        vocabulary.update(followers)
    histories = [History(UNKNOWN, FLOOR), History(BEGIN, FLOOR), History(END, None)]
    for word in sorted(vocabulary):
        histories.append(History(word, rest(word)))
    return write_mixture(path, histories, pairs(), sum(map(len, bigrams.values())))


class Counts(NamedTuple):
    """The counts of words, and of each word's followers."""

    unigrams: dict[str, int]
    bigrams: dict[str, dict[str, int]]


def read_counts() -> Counts:
    """Return the counts that symspellpy ships."""
    unigrams: dict[str, int] = {}
    for line in _lines(_WORDS):
        word, count = line.split()
        unigrams[word] = int(count)
    bigrams: dict[str, dict[str, int]] = {}
    for line in _lines(_PAIRS):
        first, second, count = line.split()
        bigrams.setdefault(first, {})[second] = int(count)
    return Counts(unigrams, bigrams)


def _lines(name: str) -> list[str]:
    try:
        return (files("symspellpy") / name).read_text(encoding="utf-8-sig").splitlines()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise MissingDependencyError(
            f"the word counts {name} are missing", "install symspellpy: pip install symspellpy", "language model books"
        ) from error
