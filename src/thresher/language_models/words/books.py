"""The language model `books`: English bigrams from the word counts that symspellpy ships, built at first use.

The counts are of Google Books n-grams, cut to a dictionary of 82,765 words. The list leaves out much (no bigram occurs
fewer than some 10,000 times), so its perplexities are high and its cutoffs are those of its own scale.
"""

from __future__ import annotations

from collections import defaultdict
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

from thresher.errors import MissingDependencyError
from thresher.files import file_digest
from thresher.language_models.words.arpa import write_interpolated_bigrams
from thresher.language_models.words.cards import ModelCard
from thresher.language_models.words.tokenisers import NORMALISATIONS, WORDS

NAME = "books"
_WORDS = "frequency_dictionary_en_82_765.txt"
_PAIRS = "frequency_bigramdictionary_en_243_342.txt"


def build(folder: Path) -> None:
    """Write `model.arpa` and `card.json` into `folder`, which exists.

    Raises:
        MissingDependencyError: if symspellpy or its word lists are not installed.
    """
    unigrams, bigrams = read_counts()
    path = folder / "model.arpa"
    ngrams = write_interpolated_bigrams(path, bigrams, unigrams)
    ModelCard(
        name=NAME,
        language="en",
        corpus=f"Google Books n-gram counts as shipped by symspellpy ({_WORDS}, {_PAIRS})",
        order=2,
        ngrams=ngrams,
        formula="0.8 * P(w | previous) + 0.2 * P(previous) + 1e-6 (PyPlexity's bigram model)",
        tokeniser=WORDS,
        log_base="log10 in the file; perplexity = 10 ** (-log10 P / words)",
        unknown_words="history of probability 0: an unknown word costs what any unseen pair costs",
        sentence_ends="<s> begins a sentence, </s> is not scored",
        digest=file_digest(path),
        normalisation=NORMALISATIONS[WORDS],
    ).write(folder / "card.json")


def read_counts() -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return the unigram counts, and the counts of each word's followers."""
    unigrams: dict[str, int] = {}
    for line in _lines(_WORDS):
        word, count = line.split()
        unigrams[word] = int(count)
    bigrams: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in _lines(_PAIRS):
        first, second, count = line.split()
        bigrams[first][second] = int(count)
    return unigrams, dict(bigrams)


def _lines(name: str) -> list[str]:
    try:
        resource: Traversable = files("symspellpy") / name
        with as_file(resource) as path:
            return path.read_text(encoding="utf-8-sig").splitlines()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise MissingDependencyError(
            f"the word counts {name} are missing",
            "install symspellpy: pip install symspellpy",
            "language model books",
        ) from error
