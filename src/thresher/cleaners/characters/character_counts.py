"""N-grams of characters: their numbers, counts in clean and in raw text, and the probabilities from them.

Source: Evert, NCleaner, LREC 2008, section 3; StupidOS, WAC 2007, section 3.2.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError
from thresher.base.letters import outside_ascii
from thresher.base.numbers import Floats, Ints

Codes = npt.NDArray[np.uint8]

BEGIN = 0
"""The code of padding before a segment's first character; it separates segments and is never predicted."""
MOST = 9
"""The longest n-grams whose numbers fit into 64 bits with either alphabet."""
_OTHER = 127
_VOWELS = "aeiouAEIOU"
_CONSONANTS = "".join(letter for letter in "t" + string.ascii_letters if letter not in _VOWELS)


@dataclass(frozen=True)
class Alphabet:
    """The symbols that a model distinguishes.

    `size` is the number of codes: `BEGIN` and `size - 1` symbols. `table` maps bytes 0 to 127 to codes; 127 represents
    everything outside ASCII. If the alphabet `folds`, ASCII letters and digits first replace letters and digits outside ASCII.
    """

    name: str
    size: int
    table: bytes
    folds: bool = False


def _alphabet(name: str, groups: Sequence[str]) -> Alphabet:
    """Make an alphabet of printable ASCII. The characters of each group become its first character."""
    signs = {chr(code): chr(code) for code in range(32, _OTHER)}
    for group in groups:
        signs |= dict.fromkeys(group, group[0])
    numbers = {sign: number for number, sign in enumerate(sorted(set(signs.values())), start=1)}
    codes = [numbers[signs.get(chr(code), " ")] for code in range(_OTHER)]
    codes[ord("\n")] = BEGIN
    codes.append(numbers["~"])
    return Alphabet(name, len(numbers) + 1, bytes(codes), folds=bool(groups))


LEXICAL = _alphabet("lexical", ())
"""Printable ASCII, 95 characters."""
NON_LEXICAL = _alphabet("non-lexical", (string.ascii_letters, string.digits))
"""Printable ASCII with one symbol for all letters and one for all digits, 35 symbols."""
VOWELS = _alphabet("vowels", (_VOWELS, _CONSONANTS, string.digits))
"""Printable ASCII with one symbol each for vowels, consonants (y too) and digits, 36 symbols."""
ALPHABETS = {alphabet.name: alphabet for alphabet in (LEXICAL, NON_LEXICAL, VOWELS)}


def folded(text: str) -> str:
    """Return `text` with an ASCII letter or digit for each letter, combining mark or number outside ASCII.

    A letter with an accent becomes the letter; a letter of another script, or a mark, becomes `x`. The length stays.

    >>> folded("été, Ünïcode ½ — 中٣")
    'ete, Unicode 1 — x0'
    """
    table = {}
    for character in outside_ascii(text):
        kind = unicodedata.category(character)[0]
        if kind in "LMN":
            plain = unicodedata.normalize("NFKD", character)[0]
            if not plain.isascii():
                plain = "0" if kind == "N" else "x"
            table[ord(character)] = plain
    return text.translate(table)


def encode(text: str, alphabet: Alphabet) -> Codes:
    """Return one code for each character of `text`, whose segments are separated by line feeds."""
    if alphabet.folds:
        text = folded(text)
    if text.isascii():
        return np.frombuffer(text.encode().translate(alphabet.table + alphabet.table[-1:] * 128), dtype=np.uint8)
    codes = np.minimum(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"), _OTHER)
    encoded: Codes = np.frombuffer(alphabet.table, dtype=np.uint8)[codes]
    return encoded


def ngram_pieces(text: str, n: int, alphabet: Alphabet, most: int = 1 << 20) -> Iterator[Ints]:
    """Yield the number of the n-gram that ends at each character of `text`, whose segments are separated by line feeds.

    The number is Σ code · size^i over i = 0, 1, … characters before the last. Before each segment are max(1, n - 1) `BEGIN`;
    an n-gram that ends in `BEGIN` (its number modulo `size` is 0) belongs to no character. Each character has one number, and
    each line feed max(1, n - 1) numbers; at most `most` numbers come at once, to bound memory.
    """
    begin = "\n" * max(1, n - 1)
    # Single characters have no history, and need no padding before the first segment.
    first = 1 if n == 1 else 0
    codes = encode(begin + text.replace("\n", begin), alphabet)[first:]
    for begin_of_piece in range(0, len(codes) - n + 1, most):
        piece = codes[begin_of_piece : begin_of_piece + most + n - 1]
        yield _windows(piece.astype(np.int64), n, alphabet.size)


def _windows(codes: Ints, n: int, size: int) -> Ints:
    """Return the number of each n consecutive codes, from the numbers of half as many codes."""
    if n == 1:
        return codes
    half = n // 2
    numbers = _windows(codes, half, size)
    doubled: Ints = numbers[:-half] * size**half + numbers[half:]
    if n % 2 == 0:
        return doubled
    return doubled[:-1] * size + codes[n - 1 :]


@dataclass(frozen=True)
class Settings:
    """Hyperparameters: the n-gram size, the weight q of the next shorter history, the alphabet."""

    n: int = 3
    q: float = 0.5
    alphabet: Alphabet = LEXICAL

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST:
            raise ConfigError(f"the n-gram size cannot be {self.n}", f"choose a size from 1 to {MOST}", "n")
        if not 0 < self.q < 1:
            raise ConfigError(f"the weight of shorter histories cannot be {self.q:g}", "choose one within 0 and 1", "q")


STANDARD = Settings()
"""The papers' choice for the lexical alphabet."""
STANDARD_NON_LEXICAL = Settings(6, 0.4, NON_LEXICAL)
"""The papers' choice for the non-lexical alphabet."""


@dataclass(frozen=True)
class CharacterModel:
    """Two models in one: how often each n-gram occurs in clean and in raw text.

    Attributes:
        settings: n, q and the alphabet.
        keys: the n-grams that were seen, ascending, as `ngram_pieces` numbers them; shape (n-grams).
        clean, raw: how often each occurs in the cleaned and in the raw pages; shape (n-grams) each.
        pages: the number of pages.
        training: a description of their origin.
    """

    settings: Settings
    keys: Ints
    clean: Ints
    raw: Ints
    pages: int = 0
    training: str = ""


@dataclass(frozen=True)
class NGrams:
    """The n-grams of one length that were seen, ascending, and their probabilities in both models."""

    keys: Ints
    clean: Floats
    dirty: Floats


def unigrams(model: CharacterModel, literal: bool = False) -> NGrams:
    """Return the add-one probability of each symbol in the clean and the dirty model; 0 for `BEGIN`.

    P(c) = (count(c) + 1) / (characters + symbols). A difference below 0 counts as 0 before the one is added: StupidOS clamps
    to [0, 1] after training (`literal`), but a sign of probability 0 may decide its whole segment.
    """
    size = model.settings.alphabet.size
    last = model.keys % size
    clean: Floats = np.bincount(last, model.clean, size).astype(np.float64)
    dirty: Floats = np.bincount(last, model.raw, size) - clean
    if not literal:
        dirty = np.maximum(dirty, 0.0)
    return NGrams(np.arange(size), _add_one(clean), _add_one(dirty))


def ngrams_of_length(model: CharacterModel, length: int, literal: bool = False) -> NGrams:
    """Return the n-grams of a length of at least 2 and their probabilities.

    P(c | h) = count(hc) / count(h) in the clean model. In the dirty model counts are differences, raw less clean, and the
    result is clamped to [0, 1]; a history that is not more frequent in raw than in clean text gives 0. By the letter of
    StupidOS (`literal`) a less frequent history divides too, so that two negative differences give a probability above 0.
    """
    size = model.settings.alphabet.size
    keys, key_of_ngram = np.unique(model.keys % size**length, return_inverse=True)
    histories, history_of_key = np.unique(keys // size, return_inverse=True)

    def probabilities(counts: Ints) -> Floats:
        counts_of_keys = np.bincount(key_of_ngram, counts, len(keys))
        totals = np.bincount(history_of_key, counts_of_keys, len(histories))[history_of_key]
        divides = totals != 0 if literal else totals > 0
        quotients = np.divide(counts_of_keys, totals, out=np.zeros_like(counts_of_keys), where=divides)
        clipped: Floats = np.clip(quotients, 0.0, 1.0)
        return clipped

    return NGrams(keys, probabilities(model.clean), probabilities(model.raw - model.clean))


def _add_one(counts: Floats) -> Floats:
    signs = len(counts) - 1
    probabilities: Floats = np.clip((counts + 1) / (counts.sum() + signs), 0.0, 1.0)
    probabilities[0] = 0.0
    return probabilities
