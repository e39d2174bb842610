"""A KenLM model with its tokeniser, and smoothed perplexity: with a sentence's neighbours, and a prior against short ones.

A sentence of two words has a low or high perplexity by chance, and boilerplate comes in runs. So the sum of log10 P and the
number of words are taken over the sentence and its neighbours, decaying with distance, and k unseen words are added:

    log10 perplexity = -(Σ_j c^|i-j| L_j + k µ) / (Σ_j c^|i-j| n_j + k)

with L_j the log10 P of sentence j of the page, n_j its words, c the context, k the prior and µ = `UNSEEN`. Over c it is a mean
weighted by distance (exponential smoothing, both ways); over k it is the mean of a posterior whose prior counts as k
words, as pseudo-counts do (Gelman et al., Bayesian Data Analysis, section 2.5). With c = k = 0 it is the plain perplexity.
"""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, repeat
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import kenlm
import numpy as np
import numpy.typing as npt

from thresher.base.errors import InputError, ResourceError, StateError
from thresher.base.files import user_errors
from thresher.base.numbers import Floats, Ints
from thresher.base.records import RecordFile
from thresher.cleaners.words.tokenisers import Tokeniser
from thresher.pages.plain import PlainText

FLOOR = 1e-6
"""The least probability of a pair of words: PyPlexity adds it to every mixture."""
UNSEEN = -6.0
"""The log10 P of a word of the prior: that of `FLOOR`."""
BIGRAM_FORMULA = "0.8 * P(w | previous) + 0.2 * P(previous) + 1e-6 (PyPlexity's bigram model"
UNSEEN_WORDS = "history of probability 0: an unknown word costs what any unseen pair costs"
GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""
KENLM = b"mmap lm http://kheafield.com/code"
"""The first bytes of KenLM's binaries."""
LINE_BYTES = 64 * 2**10
"""Longer than any line of an ARPA file."""
_COUNT = re.compile(rb"ngram\s+(\d{1,4})\s*=\s*(\d{1,18})")
_MOST_LINES = 1000
_NO_MODEL = "KenLM cannot read it: it is damaged, of another version, or neither an ARPA file nor KenLM's binary"
_TOO_LARGE = "it is larger than the memory, or damaged"
_SMALLER = "use a smaller model, or write this one again"
# KenLM's message: where in its source, the class, perhaps a condition in C++, the reason, its byte again.
_THROWN = re.compile(r"threw \w+(?: because `.*?'(?=\.\s))?\.\s+(.*?)(?:\s+Byte: \d+)?\)?\Z", re.DOTALL)
_BYTE = re.compile(r"Byte: (\d+)\)?\Z")
_AT_BYTE = re.compile(r"at byte \d")
_LONGEST_REASON = 300
_FIXES = {
    "\ufeff": "remove the byte order mark at its beginning",
    "build_binary -s": "add <s> and </s> to its words, or run KenLM's `build_binary -s` and import its output",
    "build_binary to substitute": "run KenLM's `build_binary -i` and import its output",
    "at least a bigram": "train a model of order 2 or more",
}
# Where KenLM's binaries have their order, and the orders that it is built for.
_ORDER_AT = 88
_ORDERS = range(2, 7)
_TRIAL_SECONDS = 30
# Loads a model and looks up words in it, as scoring does.
_TRIAL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import kenlm
config = kenlm.Config()
config.load_method = kenlm.LoadMethod.LAZY
model = kenlm.Model(sys.argv[1], config)
for sentence in ("the", "the the of the", "the of and to in", "\u4e2d \u6587"):
    model.score(sentence, True, False)
"""
# The bytes of an n-gram at least: a digit of probability, a letter of a word, and a separator behind each.
_LEAST_BYTES = 4
# Bytes of a card at most.
_MOST_BYTES = 16 * 2**20


@dataclass(frozen=True)
class TextFile:
    """A file or folder that a model was trained on: its name, its size in bytes and the SHA-256 of its bytes."""

    name: str
    bytes: int
    digest: str


@dataclass(frozen=True)
class Training:
    """The training of a model.

    Attributes:
        date: the day, by UTC, as YYYY-MM-DD.
        texts: the files and folders that it was trained on.
        words, sentences: the numbers of words and of sentences.
        vocabulary: the number of word types, without `<unk>`, `<s>` and `</s>`.
        least_count: rarer words are unknown.
        cut_words: the number of word tokens that became unknown by this limit.
        perplexities: perplexities at percentiles of sentences.
        perplexities_of: `held-out sentences`, or `training sentences` if too few were held out.
        perplexity_sentences: the number of these sentences.
    """

    date: str
    texts: tuple[TextFile, ...]
    words: int
    sentences: int
    vocabulary: int
    least_count: int
    cut_words: int
    perplexities: Mapping[str, float]
    perplexities_of: str
    perplexity_sentences: int


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """Metadata needed to interpret a model's perplexities.

    `ngrams` counts the n-grams of each order; `tokeniser` is the name of a tokeniser, `normalisation` describes it;
    `digest` is the SHA-256 of the model's file; `training` is None for imported models.
    """

    name: str
    language: str
    corpus: str
    order: int
    ngrams: tuple[int, ...]
    formula: str
    tokeniser: str
    log_base: str = "log10 in the file; perplexity = 10 ** (-log10 P / words)"
    unknown_words: str
    sentence_ends: str
    digest: str
    normalisation: str = ""
    training: Training | None = None

    def write(self, path: Path) -> None:
        """Write the card as JSON, whole or not at all."""
        _card_file(ModelCard, path).write(path, self)


@dataclass(frozen=True)
class CardHead:
    """The part of a `ModelCard` that workers need."""

    tokeniser: str
    digest: str


Card = TypeVar("Card", ModelCard, CardHead)


def read_card(path: Path) -> ModelCard:
    """Read a card that `ModelCard.write` wrote; fields missing in older cards have their defaults."""
    return _card_file(ModelCard, path).read(path)


def read_head(path: Path) -> CardHead:
    """Read the part of a card that workers need."""
    return _card_file(CardHead, path).read(path)


def _card_file(kind: type[Card], path: Path) -> RecordFile[Card]:
    return RecordFile(
        kind, "a model card", f"delete the folder {path.parent}", error=StateError, indent=2, most=_MOST_BYTES
    )


def smoothed_perplexities(logs: Floats, counts: npt.ArrayLike, context: float = 0.0, prior: float = 0.0) -> Floats:
    """Return the perplexity of each sentence of a page, smoothed.

    Infinite where there are no words and no prior; shape (sentences,).

    Args:
        logs: the log10 P of each sentence, in order; 0 for one without words.
        counts: the words of each.
        context: the weight of a neighbour's words, to the power of its distance; in [0, 1).
        prior: the number of words with log10 P = `UNSEEN` added to each sentence, at least 0.
    """
    sums = with_neighbours(logs, context) + prior * UNSEEN
    words = with_neighbours(np.asarray(counts, dtype=np.float64), context) + prior
    with np.errstate(over="ignore"):
        perplexities: Floats = 10.0 ** (-sums / np.where(words > 0, words, 1.0))
    perplexities[words <= 0] = np.inf
    return perplexities


def with_neighbours(values: Floats, context: float) -> Floats:
    """Return Σ_j context^|i-j| values_j for each i; shape (values)."""
    if not context:
        return values.astype(np.float64)
    forth = _decayed(values.tolist(), context)
    back = _decayed(values[::-1].tolist(), context)[::-1]
    # Both include the value itself.
    return forth + back - values


def _decayed(values: Iterable[float], context: float) -> Floats:
    decayed = list(accumulate(values, lambda before, value: context * before + value))
    return np.array(decayed, dtype=np.float64)


def arpa_counts(file: BinaryIO) -> tuple[int, ...]:
    """Return the counts of n-grams that an ARPA file begins with, and read up to the first n-gram; empty if it is none."""
    counts: list[int] = []
    for _ in range(_MOST_LINES):
        line = file.readline(LINE_BYTES).strip()
        if match := _COUNT.fullmatch(line):
            counts.append(int(match[2]))
        elif line.startswith(b"\\1-grams"):
            return tuple(counts)
    return ()


class WordModel:
    """A word n-gram model with its tokeniser.

    `order` is the length of its longest n-grams. KenLM's binary files are mapped into memory, page by page when first
    needed, so that processes share them.
    """

    def __init__(self, path: Path, tokenise: Tokeniser, card: Path | None = None) -> None:
        model = _read(path)
        self.order: int = model.order
        self._card = card
        self._tokenise = tokenise
        self._score = model.score

    @cached_property
    def card(self) -> ModelCard | None:
        """The model's card, None for a file without one."""
        if self._card is None:
            return None
        return read_card(self._card)

    def perplexities(self, plain: PlainText, ends: Ints, context: float = 0.0, prior: float = 0.0) -> Floats:
        """Return the perplexity of each sentence, 2^(-(1/n) Σ log2 P(w_i | history)); infinite where it has no words.

        Source: the PyPlexity paper, Eq. 1 to 3; `card` has the formula of P. `ends` are the ends of the sentences of `plain`;
        `context` and `prior` are as for `smoothed_perplexities`, 0 for none.
        """
        sentences, counts = self._tokenise(plain, ends)
        return self.of_tokens(sentences, counts, context, prior)

    def of_tokens(self, sentences: Sequence[bytes], counts: Ints, context: float = 0.0, prior: float = 0.0) -> Floats:
        """Return the perplexity of each sentence, given its tokens with spaces between and their number."""
        scores = map(self._score, sentences, repeat(True), repeat(False))
        logs = np.fromiter(scores, dtype=np.float64, count=len(sentences))
        return smoothed_perplexities(logs, counts, context, prior)


class _FileStart(NamedTuple):
    """The beginning of a model's file.

    Attributes:
        first_bytes: the bytes at the place of the first bytes of KenLM's binaries.
        order: the byte at the place where KenLM's binaries have their order; empty in a shorter file.
        ngrams: the counts of n-grams that an ARPA file begins with; empty for other files.
        size: the size of the file in bytes.
    """

    first_bytes: bytes
    order: bytes
    ngrams: tuple[int, ...]
    size: int


def _file_start(path: Path) -> _FileStart:
    with user_errors(path), path.open("rb") as file:
        first_bytes = file.read(len(KENLM))
        file.seek(0)
        ngrams = arpa_counts(file)
        size = path.stat().st_size
        file.seek(_ORDER_AT)
        return _FileStart(first_bytes, file.read(1), ngrams, size)


def _check_file(path: Path) -> None:
    """Refuse a file that KenLM cannot read, or that would end its process or take all memory."""
    start = _file_start(path)
    if start.first_bytes.startswith(GZIP):
        raise InputError(
            "it is compressed, and KenLM reads it as it is", f"run `thresher lm import {path} -o FOLDER`", str(path)
        )
    if start.first_bytes == KENLM:
        _check_binary(path, start.order)
        return
    # KenLM takes memory for long lines, and for the n-grams that are announced.
    if not start.ngrams:
        raise InputError(_NO_MODEL, "write it again", str(path))
    if sum(start.ngrams) * _LEAST_BYTES > start.size:
        raise InputError(_TOO_LARGE, _SMALLER, str(path))


def _read(path: Path) -> kenlm.Model:
    _check_file(path)
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    config.load_method = kenlm.LoadMethod.LAZY
    try:
        return kenlm.Model(str(path), config)
    except MemoryError as error:
        raise ResourceError("there is not the memory for the model", "use a smaller one", str(path)) from error
    except (OSError, RuntimeError, UnicodeDecodeError) as error:  # KenLM quotes the bytes of the file
        if "Cannot allocate memory" in str(error):
            raise InputError(_TOO_LARGE, _SMALLER, str(path)) from error
        raise _unreadable(error, path) from error


def _check_binary(path: Path, order: bytes) -> None:
    """Refuse a binary that ends its process or never ends: KenLM trusts the numbers in it.

    It is tried in a process of its own. Errors that KenLM notices itself are left to `_read`.
    """
    if order and order[0] not in _ORDERS:
        what = f"KenLM reads n-grams of {_ORDERS[0]} to {_ORDERS[-1]} words, and the header says {order[0]}"
        raise InputError(what, "write it again", str(path))
    # Workers get models that were tried before.
    if multiprocessing.parent_process() is not None or not sys.executable:
        return
    # Modules in the working folder are not ours.
    command = [sys.executable, "-P", "-c", _TRIAL, str(path.absolute())]
    try:
        trial = subprocess.run(command, capture_output=True, timeout=_TRIAL_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        what = f"KenLM takes longer than {_TRIAL_SECONDS} s for it: it is damaged"
        raise InputError(what, "write it again", str(path)) from error
    if trial.returncode < 0:
        raise InputError("KenLM crashes at it: it is damaged", "write it again", str(path))


def _unreadable(error: Exception, path: Path) -> InputError:
    """Return the error for a file that KenLM refuses, with KenLM's own reason and its byte."""
    message = str(error)
    if isinstance(error, UnicodeDecodeError):
        message = error.object.decode("utf-8", "backslashreplace")
    thrown = _THROWN.search(message)
    end_of_file = "End of file" in message
    if thrown is None and not end_of_file:
        return InputError(_NO_MODEL, "write it again", str(path))
    reason = thrown[1] if thrown else "End of file"
    reason = " ".join(reason.replace(str(path), "the file").split()).rstrip(".")
    byte = _BYTE.search(message)
    if byte and not _AT_BYTE.search(reason):
        reason += f", at byte {byte[1]}"
    fix = "write it again"
    for words, fix_of_words in _FIXES.items():
        if words in reason:
            fix = fix_of_words
            break
    shown = reason[:_LONGEST_REASON].replace("\ufeff", "\\ufeff")
    return InputError(f"KenLM cannot read it: {shown}", fix, str(path))
