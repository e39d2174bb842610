"""Training a word model on text: PyPlexity's mixture of maximum-likelihood estimates.

Every hundredth sentence is held out, if there are enough; the model's card lists the perplexities of these. The ARPA file
does not depend on how the text is divided. The text is in memory as numbers, 4 bytes a word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError, ConfigErrors, InputError
from thresher.base.files import atomic_path, file_digest, user_error, user_errors
from thresher.base.streams import open_stream
from thresher.cleaners.words.models import ARPA, CARD, find_model, is_model_folder
from thresher.cleaners.words.ngrams import ENDS, HISTORY, NO_COUNT, SPECIAL, WEIGHTS, Mixture
from thresher.cleaners.words.tokenisers import NORMALISATIONS, TOKENISERS, WORDS, tokeniser
from thresher.cleaners.words.training import PORTION, Encoded, encode_portions, write_model
from thresher.cleaners.words.word_model import ModelCard, TextFile, Training, WordModel
from thresher.collections import Source, documents
from thresher.collections.file_collection import HTML, Files, kind_of
from thresher.collections.sources import PageError
from thresher.pages import DEFAULT_OPTIONS as AS_AT_SCORING
from thresher.pages import Detail, PageOptions, read_page

PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)
HELD_OUT = 100
"""Every 100th sentence of each portion is held out, if there are as many in all: fewer make unreliable percentiles."""
_NO_PAGES = "give files of text, or folders of HTML pages"


@dataclass(frozen=True)
class TextOptions:
    """Options of training on text.

    Attributes:
        order: the length of the longest n-grams, 2 or 3.
        tokeniser: the name of a tokeniser.
        language: the abbreviations of this language end no sentence.
        field: the member of JSON lines that holds the text.
        workers: the number of processes.
    """

    order: int = 2
    tokeniser: str = WORDS
    language: str = "en"
    field: str = "text"
    workers: int = 2


DEFAULT_OPTIONS = TextOptions()


def train(texts: Sequence[Path], output: Path, options: TextOptions = DEFAULT_OPTIONS) -> ModelCard:
    """Train a model on files and folders, as `portions` reads them, and write its folder atomically.

    An older model there is replaced.

    Raises:
        ConfigError, ConfigErrors, InputError: if an option is wrong, or a text is missing, damaged or without words.
    """
    problems = _problems(texts, output, options)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ConfigErrors(problems)
    files = tuple(map(describe, texts))
    tokenise = tokeniser(options.tokeniser, "--tokeniser")
    reading = PageOptions(language=options.language)
    with atomic_path(output) as folder:
        folder.mkdir(parents=True)
        encoded = encode_portions(portions(texts, options.field), reading, tokenise, options.workers, str(output))
        split = _split(encoded)
        if not any(len(text.numbers) for text in split.training):
            raise InputError("the training text has no words", "give text with words", ", ".join(map(str, texts)))
        mixture = Mixture(options.order, HISTORY)
        ngrams = write_model(folder, split.training, mixture)
        card = ModelCard(
            name=output.name,
            language=options.language,
            corpus=", ".join(file.name for file in files),
            order=options.order,
            ngrams=ngrams,
            formula=mixture.formula,
            tokeniser=options.tokeniser,
            unknown_words=NO_COUNT,
            sentence_ends=ENDS,
            digest=file_digest(folder / ARPA),
            normalisation=NORMALISATIONS[options.tokeniser],
            training=_training(folder, files, split, ngrams[0] - len(SPECIAL)),
        )
        card.write(folder / CARD)
    return card


class _Split(NamedTuple):
    """Sentences to train on, and sentences that are held out: none if there are too few."""

    training: list[Encoded]
    held_out: list[Encoded]


def _split(texts: Sequence[Encoded]) -> _Split:
    held_out = [text.take(_is_held_out(text)) for text in texts]
    if sum(len(text.lengths) for text in held_out) < HELD_OUT:
        return _Split(list(texts), [])
    return _Split([text.take(~_is_held_out(text)) for text in texts], held_out)


def _is_held_out(text: Encoded) -> npt.NDArray[np.bool_]:
    is_last: npt.NDArray[np.bool_] = np.arange(len(text.lengths)) % HELD_OUT == HELD_OUT - 1
    return is_last


def _training(folder: Path, files: tuple[TextFile, ...], split: _Split, vocabulary: int) -> Training:
    """Return the training of a written model, with perplexities of its held-out sentences or, without any, of all."""
    model = WordModel(find_model(str(folder)), tokeniser(WORDS, ""))
    measured = split.held_out or split.training
    perplexities = np.concatenate([model.of_tokens(_lines(text), text.counts) for text in measured])
    at_percentiles = np.percentile(perplexities, PERCENTILES).tolist()
    by_percentile: dict[str, float] = {}
    for percentile, perplexity in zip(PERCENTILES, at_percentiles, strict=True):
        by_percentile[str(percentile)] = round(perplexity, 4)
    return Training(
        date=datetime.now(UTC).date().isoformat(),
        texts=files,
        words=sum(len(text.numbers) for text in split.training),
        sentences=sum(len(text.lengths) for text in split.training),
        vocabulary=vocabulary,
        least_count=1,
        cut_words=0,
        perplexities=by_percentile,
        perplexities_of="held-out sentences" if split.held_out else "training sentences",
        perplexity_sentences=len(perplexities),
    )


def _lines(text: Encoded) -> list[bytes]:
    """Return each sentence, with spaces between its words."""
    words = [text.distinct[number] for number in text.numbers.tolist()]
    lines: list[bytes] = []
    begin = 0
    for length in text.lengths.tolist():
        lines.append(b" ".join(words[begin : begin + length]))
        begin += length
    return lines


def _problems(texts: Sequence[Path], output: Path, options: TextOptions) -> list[ConfigError | InputError]:
    problems: list[ConfigError | InputError] = []
    for path in texts:
        if not path.exists():
            problems.append(InputError("there is no such file or folder", "check the path", str(path)))
    if not texts:
        problems.append(ConfigError("there is no text to train on", "name files of text, or folders of HTML", "TEXT"))
    if output.exists() and not is_model_folder(output):
        what = "it exists and is not a language model"
        problems.append(ConfigError(what, "choose another folder", f"--output {output}"))
    if options.order not in WEIGHTS:
        fix = "choose 2 or 3, or train with KenLM's lmplz and import the model"
        problems.append(ConfigError("there are no models of that order", fix, f"--order {options.order}"))
    if options.tokeniser not in TOKENISERS:
        what = f"unknown tokeniser {options.tokeniser!r}"
        fix = f"use one of {', '.join(TOKENISERS)}"
        problems.append(ConfigError(what, fix, f"--tokeniser {options.tokeniser}"))
    return problems


def describe(path: Path) -> TextFile:
    """Return a training text's name, size and digest; a folder's digest is over the names and bytes of its pages."""
    if not path.is_dir():
        digest = file_digest(path)
        return TextFile(path.name, path.stat().st_size, digest)
    sha = hashlib.sha256()
    total = 0
    for source in _pages(path):
        content = source.page().content
        sha.update(f"{source.file}\0{len(content)}\0".encode("utf-8", "surrogatepass") + content)
        total += len(content)
    return TextFile(path.name, total, sha.hexdigest())


def portions(paths: Sequence[Path], field: str = "text", size: int = PORTION) -> Iterator[str]:
    """Yield the training text in portions of whole lines, a block a line, in the order of the paths.

    Files hold lines of text, or JSON lines (.jsonl) with text in `field`, and may be compressed; folders hold HTML pages, cut
    as at scoring. A portion has about `size` bytes; text with lines longer than that is cut at a space.

    Raises:
        InputError: if a file is no UTF-8, or a line no JSON with text; it names the line.
    """
    for path in paths:
        if path.is_dir():
            yield from _page_portions(path, size)
        elif ".jsonl" in [suffix.lower() for suffix in path.suffixes[-2:]]:
            for portion in _text_portions(path, size, may_cut=False):
                yield "\n".join(_members(portion, field, path))
        else:
            for portion in _text_portions(path, size, may_cut=True):
                yield portion.text


class _Portion(NamedTuple):
    """Text of a file, and the number of its first line."""

    text: str
    first_line: int


def _text_portions(path: Path, size: int, may_cut: bool) -> Iterator[_Portion]:
    line = 1
    for content in _blocks(path, size, may_cut):
        try:
            text = content.decode("utf-8-sig" if line == 1 else "utf-8")
        except UnicodeDecodeError as error:
            position = line + content.count(b"\n", 0, error.start)
            raise InputError("it is not UTF-8", "convert the file to UTF-8", f"{path}:{position}") from error
        yield _Portion(text, line)
        line += content.count(b"\n")


def _members(portion: _Portion, field: str, path: Path) -> Iterator[str]:
    """Yield the text in a member of each of some JSON lines; blank lines are skipped."""
    # Not splitlines: JSON strings may contain U+2028 unescaped.
    for number, line in enumerate(portion.text.split("\n"), portion.first_line):
        if line.strip():
            yield _member(line, field, f"{path}:{number}")


def _member(line: str, field: str, where: str) -> str:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the line is not JSON ({error})", "correct or remove the line", where) from error
    text = record.get(field) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise InputError(f"the line has no text in {field!r}", "name the member that holds it: --field", where)
    return text


def _pages(folder: Path) -> Iterator[Source]:
    try:
        for source in documents(Files(folder, HTML)):
            if kind_of(source.file) != HTML:
                raise InputError("the folder holds no HTML", _NO_PAGES, str(folder))
            yield source
    except OSError as error:
        raise user_error(error, error.filename or folder) from error
    except InputError as error:
        if error.where == str(folder):
            raise InputError(error.what, _NO_PAGES, error.where) from None
        raise


def _page_portions(folder: Path, size: int) -> Iterator[str]:
    waiting: list[str] = []
    total = 0
    for source in _pages(folder):
        try:
            waiting.append(read_page(source.page(), AS_AT_SCORING, Detail.HEADINGS)[0].text)
        except PageError as error:
            raise InputError(error.what, "leave the page out", str(folder / source.file)) from error
        total += source.size
        if total >= size:
            yield "\n".join(waiting)
            waiting = []
            total = 0
    if waiting:
        yield "\n".join(waiting)


def _blocks(path: Path, size: int, may_cut: bool) -> Iterator[bytes]:
    """Yield a file's content in blocks that end at a line feed or, if `may_cut`, at a space in overlong lines."""
    waiting = b""
    with user_errors(path), open_stream(path) as stream:
        while piece := stream.read(size):
            waiting += piece
            if len(waiting) < size:
                continue
            end = waiting.rfind(b"\n") + 1
            if not end and may_cut:
                end = waiting.rfind(b" ") + 1
            if end:
                yield waiting[:end]
                waiting = waiting[end:]
        stream.check_whole()
    if waiting:
        yield waiting
