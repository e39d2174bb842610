"""The alphabets of character models, and n-grams over them as numbers.

Source: Evert, A Lightweight and Efficient Tool for Cleaning Web Pages, LREC 2008, section 3, and StupidOS, WAC 2007,
sections 3.2 and 3.4: characters outside ASCII become tildes; the non-lexical alphabet maps all letters, with accents too, to
`a` and all digits to `0`; that of vowels maps vowels to `a`, consonants to `t` and digits to `0` (footnote 6). The papers do
not give the history of a segment's first characters; here it is padding: no history reaches into the segment before.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.pages.parsing import outside_ascii
from thresher.pages.plain import without_invalid

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint8]

BEGIN = 0
"""The code of padding before a segment's first character; it separates segments and is never predicted."""
MOST = 9
"""The longest n-grams whose numbers fit into 64 bits with either alphabet."""
_OTHER = 127


@dataclass(frozen=True)
class Alphabet:
    """The symbols that a model distinguishes.

    `size` is the number of codes: `BEGIN` and `size - 1` symbols. `table` maps bytes 0 to 127 to codes; 127 represents
    everything outside ASCII, of which letters and digits become those of ASCII first if it `folds`.
    """

    name: str
    size: int
    table: bytes
    folds: bool = False


def _alphabet(name: str, same: Sequence[str]) -> Alphabet:
    """Make an alphabet of printable ASCII in which all characters of each text in `same` become its first."""
    signs = {chr(code): chr(code) for code in range(32, _OTHER)}
    for group in same:
        signs |= dict.fromkeys(group, group[0])
    numbers = {sign: number for number, sign in enumerate(sorted(set(signs.values())), start=1)}
    codes = [numbers[signs.get(chr(code), " ")] for code in range(_OTHER)]
    codes[ord("\n")] = BEGIN
    return Alphabet(name, len(numbers) + 1, bytes((*codes, numbers["~"])), folds=bool(same))


LEXICAL = _alphabet("lexical", ())
"""Printable ASCII, 95 characters."""
NON_LEXICAL = _alphabet("non-lexical", (string.ascii_letters, string.digits))
"""Printable ASCII with one symbol for all letters and one for all digits, 35 symbols."""
_VOWELS = "aeiouAEIOU"
_CONSONANTS = "".join(letter for letter in "t" + string.ascii_letters if letter not in _VOWELS)
VOWELS = _alphabet("vowels", (_VOWELS, _CONSONANTS, string.digits))
"""Printable ASCII with one symbol each for vowels, consonants (y too) and digits, 36 symbols."""
ALPHABETS = {alphabet.name: alphabet for alphabet in (LEXICAL, NON_LEXICAL, VOWELS)}


def normalise(segment: str) -> str:
    """Return a segment as models are trained on it: without invalid characters, white space as single spaces."""
    return without_invalid(" ".join(segment.encode("utf-8", "replace").decode().split()))


def folded(text: str) -> str:
    """Return `text` with an ASCII letter or digit for each letter, combining mark or number outside ASCII.

    A letter with an accent becomes the letter, one of another script, and a mark, `x`; so there are as many characters.

    >>> folded("été, Ünïcode ½ — 中٣")
    'ete, Unicode 1 — x0'
    """
    table = {}
    for character in outside_ascii(text):
        if (kind := unicodedata.category(character)[0]) in "LMN":
            plain = unicodedata.normalize("NFKD", character)[0]
            table[ord(character)] = plain if plain.isascii() else "0" if kind == "N" else "x"
    return text.translate(table)


def encode(text: str, alphabet: Alphabet) -> Codes:
    """Return one code for each character of `text`, in which line feeds separate segments."""
    if alphabet.folds:
        text = folded(text)
    if text.isascii():
        return np.frombuffer(text.encode().translate(_table_of_bytes(alphabet)), dtype=np.uint8)
    codes = np.minimum(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"), _OTHER)
    encoded: Codes = np.frombuffer(alphabet.table, dtype=np.uint8)[codes]
    return encoded


def ngrams(text: str, n: int, alphabet: Alphabet) -> Ints:
    """Return the number of the n-gram that ends at each character of `text`, in which line feeds separate segments.

    The number is Σ code · size^i over i = 0, 1, … characters before the last. Before each segment are max(1, n - 1) `BEGIN`;
    an n-gram that ends in one (its number modulo `size` is 0) belongs to no character. Shape (characters other than line
    feeds + max(1, n - 1) for each line feed).
    """
    return np.concatenate([np.zeros(0, dtype=np.int64), *ngram_pieces(text, n, alphabet)])


def ngram_pieces(text: str, n: int, alphabet: Alphabet, most: int = 1 << 20) -> Iterator[Ints]:
    """Yield what `ngrams` returns in pieces of at most `most` numbers: their memory does not grow with the text."""
    begin = "\n" * max(1, n - 1)
    # Single characters have no history, and need no padding before the first segment.
    first = 1 if n == 1 else 0
    codes = encode(begin + text.replace("\n", begin), alphabet)[first:]
    for at in range(0, len(codes) - n + 1, most):
        yield _windows(codes[at : at + most + n - 1].astype(np.int64), n, alphabet.size)


def _windows(codes: Ints, n: int, size: int) -> Ints:
    """Return the numbers of all n consecutive codes, from those of half as many."""
    if n == 1:
        return codes
    half = n // 2
    numbers = _windows(codes, half, size)
    doubled: Ints = numbers[:-half] * size**half + numbers[half:]
    return doubled if n % 2 == 0 else doubled[:-1] * size + codes[n - 1 :]


def _table_of_bytes(alphabet: Alphabet) -> bytes:
    return alphabet.table + alphabet.table[-1:] * 128
