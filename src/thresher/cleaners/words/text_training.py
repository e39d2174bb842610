"""Training a word model on text: PyPlexity's mixture of maximum-likelihood estimates.

One sentence in a hundred is held out, if there are enough; the model's card lists the perplexities of these. The ARPA file
does not depend on how the text is divided. The text is in memory as numbers, 4 bytes a word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError, ConfigErrors, InputError
from thresher.base.files import atomic_path, file_digest, user_error, user_errors
from thresher.base.processes import Backend, run_tasks
from thresher.base.progress import progress
from thresher.base.streams import open_stream
from thresher.cleaners.words.models import ARPA, BINARY, CARD, find_model
from thresher.cleaners.words.ngrams import ENDS, HISTORY, NO_COUNT, SPECIAL, WEIGHTS, formula
from thresher.cleaners.words.tokenisers import NORMALISATIONS, TOKENISERS, WORDS, tokeniser
from thresher.cleaners.words.training import PORTION, Encoded, encode_text, write_model
from thresher.cleaners.words.word_model import ModelCard, TextFile, Training, WordModel
from thresher.collections import Source, documents, open_collection
from thresher.collections.file_collection import HTML, kind_of
from thresher.collections.sources import PageError
from thresher.pages import DEFAULT_OPTIONS, Detail, PageOptions, read_page

PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
HELD_OUT = 100
"""Every 100th sentence of each portion is held out, if there are as many in all: fewer make unreliable percentiles."""
_NO_PAGES = "give files of text, or folders of HTML pages"


def train(
    texts: Sequence[Path],
    output: Path,
    order: int = 2,
    tokeniser_name: str = WORDS,
    language: str = "en",
    field: str = "text",
    workers: int = 2,
    unigram: str = HISTORY,
) -> ModelCard:
    """Train a model on files and folders, as `portions` reads them, and write its folder atomically.

    An older model there is replaced. `order` is the length of the longest n-grams, 2 or 3; `language` that whose abbreviations
    end no sentence; `unigram` as in `ngrams.interpolated`.
    """
    if problems := [*_problems(texts, output, order, tokeniser_name)]:
        raise problems[0] if len(problems) == 1 else ConfigErrors(problems)
    files = tuple(map(describe, texts))
    cut = tokeniser(tokeniser_name, "--tokeniser")
    encode = partial(encode_text, options=PageOptions(language=language), tokenise=cut)
    with atomic_path(output) as folder:
        folder.mkdir(parents=True)
        pieces = portions(texts, field)
        # For little text, starting processes takes longer than the work.
        first = [*islice(pieces, 2)]
        tasks = ((piece,) for piece in chain(first, pieces))
        backend = Backend(workers=workers if len(first) > 1 else 1)
        results = run_tasks(backend, encode, tasks, "reading text", str(output), ordered=True)
        read = list(progress(results, "reading text", None, "portions"))
        held = [one.take(_is_held(one)) for one in read]
        hold_out = sum(len(one.lengths) for one in held) >= HELD_OUT
        learnt = [one.take(~_is_held(one)) for one in read] if hold_out else read
        words = sum(len(one.numbers) for one in learnt)
        if not words:
            raise InputError("the training text has no words", "give text with words", ", ".join(map(str, texts)))
        counts = write_model(folder, learnt, order, unigram)
        model = WordModel(find_model(str(folder)), tokeniser(WORDS, ""))
        every = [model.of_tokens(_lines(one), one.counts) for one in (held if hold_out else learnt)]
        perplexities = np.concatenate(every)
        at_percentiles = zip(PERCENTILES, np.percentile(perplexities, PERCENTILES), strict=True)
        card = ModelCard(
            name=output.name,
            language=language,
            corpus=", ".join(file.name for file in files),
            order=order,
            ngrams=counts,
            formula=formula(order, unigram),
            tokeniser=tokeniser_name,
            unknown_words=NO_COUNT,
            sentence_ends=ENDS,
            digest=file_digest(folder / ARPA),
            normalisation=NORMALISATIONS[tokeniser_name],
            training=Training(
                date=datetime.now(UTC).date().isoformat(),
                texts=files,
                words=words,
                sentences=sum(len(one.lengths) for one in learnt),
                vocabulary=counts[0] - len(SPECIAL),
                least_count=1,
                cut_words=0,
                perplexities={str(at): round(float(value), 4) for at, value in at_percentiles},
                perplexities_of="held-out sentences" if hold_out else "training sentences",
                perplexity_sentences=len(perplexities),
            ),
        )
        card.write(folder / CARD)
    return card


def _problems(texts: Sequence[Path], output: Path, order: int, name: str) -> Iterator[ConfigError | InputError]:
    for path in texts:
        if not path.exists():
            yield InputError("there is no such file or folder", "check the path", str(path))
    if not texts:
        yield ConfigError("there is no text to train on", "name files of text, or folders of HTML", "TEXT")
    if output.exists() and not (output.is_dir() and {one.name for one in output.iterdir()} <= {ARPA, BINARY, CARD}):
        yield ConfigError("it exists and is not a language model", "choose another folder", f"--output {output}")
    if order not in WEIGHTS:
        fix = "choose 2 or 3, or train with KenLM's lmplz and import the model"
        yield ConfigError("there are no models of that order", fix, f"--order {order}")
    if name not in TOKENISERS:
        yield ConfigError(f"unknown tokeniser {name!r}", f"use one of {', '.join(TOKENISERS)}", f"--tokeniser {name}")


def describe(path: Path) -> TextFile:
    """Return a training text's name, size and digest; a folder's digest is over the names and bytes of its pages."""
    if not path.is_dir():
        digest = file_digest(path)
        return TextFile(path.name, path.stat().st_size, digest)
    sha, total = hashlib.sha256(), 0
    for source in _pages(path):
        content = source.page().content
        sha.update(f"{source.file}\0{len(content)}\0".encode("utf-8", "surrogatepass") + content)
        total += len(content)
    return TextFile(path.name, total, sha.hexdigest())


def portions(paths: Sequence[Path], field: str = "text", size: int = PORTION) -> Iterator[str]:
    """Yield the training text in portions of whole lines, a block a line, in the order of the paths.

    Files hold lines of text, or JSON lines (.jsonl) with text in `field`, and may be compressed; folders hold HTML pages, cut
    as at scoring. A portion has about `size` bytes; text with lines longer than that is cut at a space.
    """
    for path in paths:
        if path.is_dir():
            yield from _page_portions(path, size)
            continue
        is_json = ".jsonl" in [suffix.lower() for suffix in path.suffixes[-2:]]
        line = 1
        for content in _blocks(path, size, may_cut=not is_json):
            try:
                text = content.decode("utf-8-sig" if line == 1 else "utf-8")
            except UnicodeDecodeError as error:
                at = line + content.count(b"\n", 0, error.start)
                raise InputError("it is not UTF-8", "convert the file to UTF-8", f"{path}:{at}") from error
            if is_json:
                # Not splitlines: JSON strings may contain U+2028 unescaped.
                numbered = enumerate(text.split("\n"), line)
                text = "\n".join(_member(one, field, f"{path}:{number}") for number, one in numbered if one.strip())
            yield text
            line += content.count(b"\n")


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
        for source in documents(open_collection(folder, format=HTML)):
            if kind_of(source.file) != HTML:
                raise InputError("the folder holds no HTML", _NO_PAGES, str(folder))
            yield source
    except OSError as error:
        raise user_error(error, error.filename or folder) from error
    except InputError as error:
        raise InputError(error.what, _NO_PAGES, error.where) if error.where == str(folder) else error from None


def _page_portions(folder: Path, size: int) -> Iterator[str]:
    waiting: list[str] = []
    total = 0
    for source in _pages(folder):
        try:
            waiting.append(read_page(source.page(), DEFAULT_OPTIONS, Detail.HEADINGS)[0].text)
        except PageError as error:
            raise InputError(error.what, "leave the page out", str(folder / source.file)) from error
        total += source.size
        if total >= size:
            yield "\n".join(waiting)
            waiting, total = [], 0
    if waiting:
        yield "\n".join(waiting)


def _blocks(path: Path, size: int, may_cut: bool) -> Iterator[bytes]:
    """Yield a file's content in blocks that end at a line feed or, if `may_cut`, at a space in overlong lines."""
    waiting = b""
    with user_errors(path), open_stream(path) as stream:
        while read := stream.read(size):
            waiting += read
            if len(waiting) >= size:
                end = waiting.rfind(b"\n") + 1 or (waiting.rfind(b" ") + 1 if may_cut else 0)
                if end:
                    yield waiting[:end]
                    waiting = waiting[end:]
        stream.check_whole()
    if waiting:
        yield waiting


def _is_held(text: Encoded) -> npt.NDArray[np.bool_]:
    held: npt.NDArray[np.bool_] = np.arange(len(text.lengths)) % HELD_OUT == HELD_OUT - 1
    return held


def _lines(text: Encoded) -> list[bytes]:
    """Return each sentence, with spaces between its words."""
    words = [text.distinct[number] for number in text.numbers.tolist()]
    ends = np.cumsum(text.lengths).tolist()
    return [b" ".join(words[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]
