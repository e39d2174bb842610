"""Importing existing models as folders with a model card."""

from __future__ import annotations

import re
import shutil
import struct
from itertools import islice, takewhile
from pathlib import Path

from thresher.errors import ConfigError, InputError
from thresher.files import atomic_path, file_digest, user_error
from thresher.language_models.words.arpa import write_binary
from thresher.language_models.words.cards import UNSEEN_WORDS, ModelCard
from thresher.language_models.words.models import ARPA, BINARY, CARD
from thresher.language_models.words.pyplexity_models import convert
from thresher.language_models.words.tokenisers import NORMALISATIONS, PYPLEXITY, PYPLEXITY_TRIGRAMS, WORDS, tokeniser
from thresher.language_models.words.word_model import WordModel
from thresher.streams import open_stream

_KENLM, _STORABLE = b"mmap lm http://kheafield.com/code", b"pst0"
# The header of KenLM's binaries: magic text and test values, then order, probing multiplier, kind, whether words are listed,
# version of the search, and the n-gram counts.
_TEST_VALUES = 88
_PARAMETERS = struct.Struct("<B3xfiB3xI")
_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d+)")
_MOST_LINES = 1000
_CORPUS = "unknown: imported from {}"
_UNKNOWN = "<unk>, as the file has it"
_NO_UNKNOWN = "log10 P = -100, as KenLM sets it: the file has no <unk>"


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
        raise ConfigError("it is there already and no folder of a language model", "choose another folder", str(output))
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
    is_binary = head.startswith(_KENLM)
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
    """Decompress `source` to `path`."""
    try:
        with open_stream(source) as stream, path.open("wb") as out:
            shutil.copyfileobj(stream, out, 2**20)
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
    counts: list[int] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in islice(lines, _MOST_LINES):
            if count := _COUNT.fullmatch(line.strip()):
                counts.append(int(count[2]))
            elif line.startswith("\\1-grams") and counts:
                words = takewhile(lambda line: not line.startswith("\\"), lines)
                return tuple(counts), any("<unk>" in line.lower() for line in words)
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
