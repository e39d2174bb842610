"""Importing existing models as folders with a model card; PyPlexity's `.st` models as ARPA files with the same perplexities.

A `.st` file is Perl's Storable: an array of two hashes (pairs of words with P(w2 | w1), words with P(w)) or of three (triples,
pairs, words). A key is its words with spaces between; `#` precedes a sentence. Source of the format and of the
formulas: PyPlexity 0.2.12, its classes of bigram and trigram models.

**Pairs.** P(w2 | w1) = 0.8 · P(w2 | w1) + 0.2 · P(w1) + 1e-6, which a back-off model holds exactly: see
`thresher.language_models.words.arpa.write_mixture`.

**Triples.** 0.6 · P(w3 | w1 w2) + 0.3 · P(w2 | w1) + 0.1 · P(w1) + 1e-6. No back-off model holds that: after a pair w1 w2
that was not seen, nothing is left that knows w1. But PyPlexity does not compute it for three words in a row. It lines up the
tokens t_1 … t_n of a sentence as (t_{i-1}, t_i, t_i), i from 1 to n - 1, with # for t_0: it looks up triples whose last two
words are the same, and never comes to the last token. That depends on pairs alone, so that an ARPA file of pairs holds it
exactly, with the tokeniser `pyplexity-trigrams`, which leaves out the last token too. Triples that PyPlexity never looks up
are not written.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from thresher.errors import ConfigError, InputError, needs_extra
from thresher.files import atomic_path, file_digest, user_error
from thresher.language_models.words.arpa import BEGIN, END, UNKNOWN, write_binary, write_mixture
from thresher.language_models.words.cards import BIGRAM_FORMULA, UNSEEN_WORDS, ModelCard
from thresher.language_models.words.estimates import FLOOR, WEIGHTS
from thresher.language_models.words.models import ARPA, BINARY, CARD
from thresher.language_models.words.tokenisers import NORMALISATIONS, PYPLEXITY, PYPLEXITY_TRIGRAMS, WORDS, tokeniser
from thresher.language_models.words.word_model import KENLM, LINE_BYTES, WordModel, arpa_counts
from thresher.streams import open_stream

_BOUNDARY = "#"
# KenLM's special words; PyPlexity's tokens contain neither < nor >.
_RESERVED = frozenset((BEGIN, END, UNKNOWN, "<UNK>"))
_CONTROL = re.compile("[\0-\x1f]")
_TRIGRAM_FORMULA = (
    "0.6 * P(w | previous w) + 0.3 * P(w | previous) + 0.1 * P(previous) + 1e-6; a sentence's last token is counted and not "
    "scored (what PyPlexity 0.2.12 computes with a trigram model, exactly; no back-off model holds the formula for three "
    "words in a row)"
)
_STORABLE = b"pst0"
# The header of KenLM's binaries: magic text and test values, then order, probing multiplier, kind, whether words are listed,
# version of the search, and the n-gram counts.
_TEST_VALUES = 88
_PARAMETERS = struct.Struct("<B3xfiB3xI")
# Models have 3 to 10.
_MOST_RATIO, _LEAST_BYTES = 100, 64 * 2**20
_CORPUS = "unknown: imported from {}"
_UNKNOWN = "<unk>, as the file has it"
_NO_UNKNOWN = "log10 P = -100, as KenLM sets it: the file has no <unk>"


@dataclass(frozen=True)
class Converted:
    """The result of a conversion.

    Attributes:
        ngrams: the number of words and of pairs.
        formula: what P is.
        has_triples: whether the model has triples.
        left_out: the number of entries that no text matches: keys that are not UTF-8, that have more or fewer words than they
            should, or a control character.
    """

    ngrams: tuple[int, int]
    formula: str
    has_triples: bool
    left_out: int


def convert(source: Path, path: Path) -> Converted:
    """Write a `.st` model to `path` as an ARPA file.

    Memory: some 200 bytes per entry, as in PyPlexity.

    Raises:
        InputError: if it is missing, damaged, or not a PyPlexity model.
        MissingDependencyError: if the package `storable` is not installed.
    """
    hashes = _read(source)
    order = len(hashes)
    tables = [_Table(entries, order - at, source) for at, entries in enumerate(hashes)]
    mixture = _Mixture(
        WEIGHTS[order],
        {word: probability for (word,), probability in tables[-1]},
        tables[-2],
        # PyPlexity looks up only these triples.
        {(key[0], key[1]): probability for table in tables[:-2] for key, probability in table if key[1] == key[2]},
    )
    vocabulary = set(mixture.words)
    count = 0
    for first, second, _ in mixture.pairs():
        vocabulary |= {first, second}
        count += 1
    vocabulary.discard(BEGIN)
    special = ((UNKNOWN, FLOOR), (END, None), (BEGIN, mixture.rest(_BOUNDARY)))
    histories = [*special, *((word, mixture.rest(word)) for word in sorted(vocabulary))]
    return Converted(
        write_mixture(path, histories, mixture.pairs(), count),
        _TRIGRAM_FORMULA if order > 2 else f"{BIGRAM_FORMULA}, exactly)",
        order > 2,
        sum(table.left_out() for table in tables),
    )


@dataclass(frozen=True)
class _Table:
    """A hash of the file; iterating gives the words of each key that text can match, and its probability."""

    entries: Mapping[Any, Any]
    words: int
    source: Path

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], float]]:
        for raw, value in self.entries.items():
            key = _key(raw, self.words)
            if key:
                yield key, self._probability(value)

    def __contains__(self, words: tuple[str, ...]) -> bool:
        key = " ".join(words)
        return key in self.entries or key.encode() in self.entries

    def left_out(self) -> int:
        """Return how many keys no text can match."""
        return sum(not _key(raw, self.words) for raw in self.entries)

    def _probability(self, value: Any) -> float:
        try:
            probability = float(value)
        except (TypeError, ValueError):
            probability = math.nan
        # Sums of rounded numbers may be a little more than 1.
        if 0 <= probability <= 1 + FLOOR:
            return probability
        raise InputError(f"{value!r} is not a probability", "give a model that PyPlexity reads", str(self.source))


@dataclass(frozen=True)
class _Mixture:
    """PyPlexity's P(w2 | w1) over the tables of a file; `doubled` are the triples w1 w2 w2."""

    weights: tuple[float, ...]
    words: Mapping[str, float]
    table: _Table
    doubled: Mapping[tuple[str, str], float]

    def rest(self, first: str) -> float:
        """Return the probability of an unseen pair after `first`."""
        return self.weights[0] * self.words.get(first, 0.0) + FLOOR

    def pairs(self) -> Iterator[tuple[str, str, float]]:
        """Yield all pairs that were seen, alone or in a triple, with their sums."""
        for first, second, value in self._seen():
            yield first, second, value
            # A sentence begins like what follows a # in the text.
            if first == _BOUNDARY:
                yield BEGIN, second, value

    def _seen(self) -> Iterator[tuple[str, str, float]]:
        pair_weight, triple_weight = (*self.weights[1:], 0.0)[:2]
        for (first, second), probability in self.table:
            triple = self.doubled.get((first, second), 0.0)
            yield first, second, triple_weight * triple + pair_weight * probability + self.rest(first)
        for (first, second), triple in self.doubled.items():
            if (first, second) not in self.table:
                yield first, second, triple_weight * triple + self.rest(first)


def _key(raw: Any, words: int) -> tuple[str, ...] | None:
    """Return the words of a key, or None if no text has them.

    PyPlexity looks a key up by its bytes in UTF-8. The package gives bytes where the hash has keys that Perl knows to be
    text, as PyPlexity's have; else text, and numbers for what looks like one.
    """
    try:
        text = raw.decode() if isinstance(raw, bytes) else str(raw)
    except UnicodeDecodeError:
        return None
    key = tuple(text.split(" "))
    usable = len(key) == words and all(key) and not _CONTROL.search(text) and _RESERVED.isdisjoint(key)
    return key if usable else None


def _read(source: Path) -> list[dict[Any, Any]]:
    """Return the hashes in a `.st` file: those of triples if it has them, of pairs, of words."""
    with needs_extra("storable", "reading PyPlexity's models needs the package storable", str(source)):
        from storable import retrieve
    try:
        content = retrieve(str(source))
    except OSError as error:
        raise user_error(error, source) from error
    # Corrupt lengths may cause a MemoryError.
    except (struct.error, LookupError, ValueError, TypeError, RecursionError, OverflowError, MemoryError) as error:
        raise InputError("the Storable file is damaged", "get it again", str(source)) from error
    if isinstance(content, list) and len(content) in (2, 3) and all(isinstance(part, dict) for part in content):
        return content
    raise InputError(
        "it is Perl's Storable, but no model of PyPlexity's: an array of two or three hashes",
        "give a model that PyPlexity reads",
        str(source),
    )


def import_model(source: Path, output: Path, tokeniser_name: str | None = None, name: str | None = None) -> ModelCard:
    """Write the model in a file as a folder that `load_model` reads.

    Args:
        source: an ARPA file, compressed or not, a KenLM binary, or a PyPlexity `.st` model.
        output: the folder to write; an old model there is replaced.
        tokeniser_name: that of the training text; by default `words`, or PyPlexity's for its models.
        name: the model's name; by default the file's stem.

    Returns:
        the model card.

    Raises:
        ConfigError: if there is no such tokeniser, or the folder holds anything but a model.
        InputError: if the file is missing, damaged or no model.
        MissingDependencyError: if it is PyPlexity's, and the package to read it is not installed.
    """
    if tokeniser_name is not None:
        tokeniser(tokeniser_name, "--tokeniser")
    if output.exists() and not (output.is_dir() and {file.name for file in output.iterdir()} <= {ARPA, BINARY, CARD}):
        raise ConfigError("it exists and is not the folder of a language model", "choose another folder", str(output))
    head = _head(source)
    with atomic_path(output.absolute()) as folder:
        folder.mkdir()
        if head.startswith(_STORABLE):
            card = _import_pyplexity(source, folder, tokeniser_name, name or _stem(source))
        else:
            card = _import_ngrams(source, folder, head, tokeniser_name, name or _stem(source))
        if (folder / ARPA).exists():
            write_binary(folder / ARPA, folder / BINARY)
        card.write(folder / CARD)
    return card


def _import_pyplexity(source: Path, folder: Path, tokeniser_name: str | None, name: str) -> ModelCard:
    path = folder / ARPA
    written = convert(source, path)
    cut_by = tokeniser_name or (PYPLEXITY_TRIGRAMS if written.has_triples else PYPLEXITY)
    _load(path, source)
    left_out = f"; {written.left_out:,} entries that no text can match are left out" if written.left_out else ""
    return ModelCard(
        name=name,
        language="unknown",
        corpus=_CORPUS.format(source.name) + left_out,
        order=2,
        ngrams=written.ngrams,
        formula=written.formula,
        tokeniser=cut_by,
        unknown_words=UNSEEN_WORDS,
        sentence_ends="<s> stands for PyPlexity's #, </s> is not scored",
        digest=file_digest(path),
        normalisation=NORMALISATIONS[cut_by],
    )


def _import_ngrams(source: Path, folder: Path, head: bytes, tokeniser_name: str | None, name: str) -> ModelCard:
    is_binary = head.startswith(KENLM)
    path = folder / (BINARY if is_binary else ARPA)
    _copy(source, path)
    ngrams, knows_unknown = (_binary_counts(path, source), True) if is_binary else _arpa_counts(path, source)
    order = _load(path, source).order
    if order != len(ngrams):
        raise InputError("the counts in its header are broken", "write the file again", str(source))
    cut_by = tokeniser_name or WORDS
    return ModelCard(
        name=name,
        language="unknown",
        corpus=_CORPUS.format(source.name),
        order=order,
        ngrams=ngrams,
        formula=f"{order}-grams with back-off, as the file has them",
        tokeniser=cut_by,
        unknown_words=_UNKNOWN if knows_unknown else _NO_UNKNOWN,
        sentence_ends="<s> begins a sentence, </s> is not scored",
        digest=file_digest(path),
        normalisation=NORMALISATIONS[cut_by],
    )


def _head(source: Path) -> bytes:
    try:
        with source.open("rb") as file:
            return file.read(_TEST_VALUES)
    except OSError as error:
        raise user_error(error, source) from error


def _copy(source: Path, path: Path) -> None:
    try:
        with open_stream(source) as stream, path.open("wb") as out:
            size, most = 0, max(_MOST_RATIO * source.stat().st_size, _LEAST_BYTES)
            while piece := stream.read(2**20):
                size += len(piece)
                if size > most:
                    raise InputError("no language model compresses so well", "check the file", str(source))
                out.write(piece)
            stream.check_whole()
    except OSError as error:
        raise user_error(error, source) from error


def _load(path: Path, source: Path) -> WordModel:
    """Load the written model, as a check; errors name `source`."""
    try:
        return WordModel(path, tokeniser(WORDS, ""))
    except InputError as error:
        raise InputError(error.what, error.fix, str(source)) from error


def _arpa_counts(path: Path, source: Path) -> tuple[tuple[int, ...], bool]:
    """Return the counts of n-grams in an ARPA file's header, and whether `<unk>` is among its words.

    Raises:
        InputError: if it is not an ARPA file.
    """
    with path.open("rb") as file:
        if counts := arpa_counts(file):
            lines = iter(partial(file.readline, LINE_BYTES), b"")
            words = takewhile(lambda line: not line.startswith(b"\\"), lines)
            return counts, any(b"<unk>" in line.lower() for line in words)
    raise InputError(
        "it is neither an ARPA file, nor a binary of KenLM's, nor a model of PyPlexity's", "check the path", str(source)
    )


def _binary_counts(path: Path, source: Path) -> tuple[int, ...]:
    """Return the counts of n-grams in the header of a KenLM binary.

    Raises:
        InputError: if the header is incomplete.
    """
    with path.open("rb") as file:
        file.seek(_TEST_VALUES)
        header = file.read(_PARAMETERS.size)
        order = header[0] if header else 0
        counts = file.read(8 * order)
    if len(header) < _PARAMETERS.size or len(counts) < 8 * order:
        raise InputError("the KenLM binary is damaged", "build it again", str(source))
    return struct.unpack(f"<{order}Q", counts)


def _stem(source: Path) -> str:
    name = source.name.removesuffix(".gz")
    return Path(name).stem
