"""Importing ARPA files and KenLM binaries as folders with a model card."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import atomic_path, file_digest, user_errors
from thresher.base.streams import open_stream
from thresher.cleaners.words.models import ARPA, BINARY, CARD, is_model_folder
from thresher.cleaners.words.ngrams import write_binary
from thresher.cleaners.words.tokenisers import NORMALISATIONS, WORDS, tokeniser
from thresher.cleaners.words.word_model import KENLM, LINE_BYTES, ModelCard, WordModel, arpa_counts

# The header of KenLM's binaries: magic text and test values, then order, probing multiplier, kind, whether words are listed,
# version of the search, and the n-gram counts.
_TEST_VALUES = 88
_PARAMETERS = struct.Struct("<B3xfiB3xI")
# Models have 3 to 10.
_MOST_RATIO = 100
_LEAST_BYTES = 64 * 2**20
_UNKNOWN = "<unk>, as the file has it"
_NO_UNKNOWN = "log10 P = -100, as KenLM sets it: the file has no <unk>"


def import_model(source: Path, output: Path, tokeniser_name: str = WORDS, name: str | None = None) -> ModelCard:
    """Write the model in a file as a folder that `load_model` reads, and return its card.

    The source is an ARPA file, compressed or not, or a KenLM binary; an old model at `output` is replaced. The
    tokeniser is that of the training text, and the model's name by default the file's stem.
    """
    tokeniser(tokeniser_name, "--tokeniser")
    check_replaceable(output)
    with user_errors(source), source.open("rb") as file:
        is_binary = file.read(_TEST_VALUES).startswith(KENLM)
    with atomic_path(output.absolute()) as folder:
        folder.mkdir()
        path = folder / (BINARY if is_binary else ARPA)
        _copy(source, path)
        header = _binary_header(path, source) if is_binary else _arpa_header(path, source)
        order = _order(path, source)
        if order != len(header.ngrams):
            raise InputError("the counts in its header are broken", "write the file again", str(source))
        card = ModelCard(
            name=name or Path(source.name.removesuffix(".gz")).stem,
            language="unknown",
            corpus=f"unknown: imported from {source.name}",
            order=order,
            ngrams=header.ngrams,
            formula=f"{order}-grams with back-off, as the file has them",
            tokeniser=tokeniser_name,
            unknown_words=_UNKNOWN if header.knows_unknown else _NO_UNKNOWN,
            sentence_ends="<s> begins a sentence, </s> is not scored",
            digest=file_digest(path),
            normalisation=NORMALISATIONS[tokeniser_name],
        )
        if not is_binary:
            write_binary(path, folder / BINARY)
        card.write(folder / CARD)
    return card


def check_replaceable(folder: Path) -> None:
    """Check that nothing but a model would be replaced."""
    if folder.exists() and not is_model_folder(folder):
        raise ConfigError("it exists and is not the folder of a language model", "choose another folder", str(folder))


def _copy(source: Path, path: Path) -> None:
    with user_errors(source), open_stream(source) as stream, path.open("wb") as out:
        size = 0
        most = max(_MOST_RATIO * source.stat().st_size, _LEAST_BYTES)
        while piece := stream.read(2**20):
            size += len(piece)
            if size > most:
                raise InputError("no language model compresses so well", "check the file", str(source))
            out.write(piece)
        stream.check_whole()


def _order(path: Path, source: Path) -> int:
    """Load the written model, as a check, and return its order; errors name `source`."""
    try:
        return WordModel(path, tokeniser(WORDS, "")).order
    except InputError as error:
        raise InputError(error.what, error.fix, str(source)) from error


class _Header(NamedTuple):
    """The number of n-grams by length, and whether `<unk>` is among the words."""

    ngrams: tuple[int, ...]
    knows_unknown: bool


def _arpa_header(path: Path, source: Path) -> _Header:
    with path.open("rb") as file:
        counts = arpa_counts(file)
        if not counts:
            raise InputError("it is neither an ARPA file nor KenLM's binary", "check the path", str(source))
        while line := file.readline(LINE_BYTES):
            if line.startswith(b"\\"):
                break
            if b"<unk>" in line.lower():
                return _Header(counts, knows_unknown=True)
    return _Header(counts, knows_unknown=False)


def _binary_header(path: Path, source: Path) -> _Header:
    with path.open("rb") as file:
        file.seek(_TEST_VALUES)
        parameters = file.read(_PARAMETERS.size)
        order = parameters[0] if parameters else 0
        counts = file.read(8 * order)
    if len(parameters) < _PARAMETERS.size or len(counts) < 8 * order:
        raise InputError("the KenLM binary is damaged", "build it again", str(source))
    return _Header(struct.unpack(f"<{order}Q", counts), knows_unknown=True)
