"""Train a word model for `perplexity` on text: PyPlexity's mixture of maximum-likelihood estimates.

usage: python scripts/papers/word_training.py TEXT... -o FOLDER [--order 3] [--tokeniser characters] [--field body]

TEXT are files of text (.gz, .zst) or of JSON lines (.jsonl), or folders of HTML, cut as at scoring. One sentence in a hundred
is held out, if there are enough; the model's card lists the perplexities of these. KenLM's `lmplz` trains others, which
`thresher lm import` reads.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from lxml.etree import LxmlError

from thresher.collections import documents, open_collection
from thresher.collections.file_collection import HTML, kind_of
from thresher.collections.sources import PageError
from thresher.errors import ConfigError, ConfigErrors, InputError, ThresherError
from thresher.files import atomic_path, file_digest, user_error
from thresher.language_models.words.models import ARPA, CARD, find_model
from thresher.language_models.words.ngrams import ENDS, HISTORY, NO_COUNT, SPECIAL, WEIGHTS, formula
from thresher.language_models.words.tokenisers import NORMALISATIONS, TOKENISERS, WORDS, Tokeniser, tokeniser
from thresher.language_models.words.training import Encoded, encoded, write_model
from thresher.language_models.words.word_model import ModelCard, TextFile, Training, WordModel
from thresher.pages import PageOptions, Segments, read_html, read_text_page
from thresher.progress import progress
from thresher.streams import open_stream

PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
HELD_OUT = 100
"""Every 100th sentence of each portion is held out, if there are as many in all: fewer make unreliable percentiles."""
# Bytes of text per worker task; memory is some 40 times as much.
PORTION_BYTES = 4 * 2**20
_LINES, _JSON, _PAGES = "lines", "JSON lines", "HTML"


@dataclass(frozen=True)
class Portion:
    """Some megabytes of text.

    Attributes:
        kind: what the parts are: lines of text, JSON lines or HTML pages.
        parts: the bytes; for HTML one part per page.
        paths: the path of each part.
        line: the number of the part's first line in its file; 0 for pages.
    """

    kind: str
    parts: tuple[bytes, ...]
    paths: tuple[str, ...]
    line: int = 0


def describe(path: Path) -> TextFile:
    """Return a training text's name, size and digest; a folder's digest is over the names and bytes of its pages."""
    if not path.is_dir():
        digest = file_digest(path)
        return TextFile(path.name, path.stat().st_size, digest)
    sha = hashlib.sha256()
    total = 0
    for page, content in _pages(path):
        sha.update(f"{Path(page).relative_to(path).as_posix()}\0{len(content)}\0".encode("utf-8", "surrogatepass"))
        sha.update(content)
        total += len(content)
    return TextFile(path.name, total, sha.hexdigest())


def portions(paths: Sequence[Path], size: int = PORTION_BYTES) -> Iterator[Portion]:
    """Yield the training text in portions, in the order of the paths.

    Compressed files are decompressed; names with `.jsonl` hold JSON lines, folders HTML pages. A portion of about `size` bytes
    ends where a line ends; text with lines longer than that is cut at a space.
    """
    for path in paths:
        if path.is_dir():
            yield from _page_portions(path, size)
            continue
        kind = _JSON if ".jsonl" in [suffix.lower() for suffix in path.suffixes[-2:]] else _LINES
        line = 1
        for content in _blocks(path, size, may_cut=kind == _LINES):
            yield Portion(kind, (content,), (str(path),), line)
            line += content.count(b"\n")


def segments(portion: Portion, options: PageOptions, field: str) -> Iterator[Segments]:
    """Yield the segments of a portion, the same as when scoring: a line of text is a block, `field` a member of JSON lines."""
    if portion.kind == _PAGES:
        for path, content in zip(portion.paths, portion.parts, strict=True):
            try:
                yield read_html(content, options)
            except PageError as error:
                raise InputError(error.what, "leave the page out", path) from error
            except LxmlError as error:
                what = f"it cannot be parsed ({error})".splitlines()[0]
                raise InputError(what, "leave the page out", path) from error
        return
    content = portion.parts[0]
    try:
        text = content.decode("utf-8-sig" if portion.line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = portion.line + content.count(b"\n", 0, error.start)
        raise InputError("it is not UTF-8", "convert the file to UTF-8", f"{portion.paths[0]}:{line}") from error
    if portion.kind == _JSON:
        # Not splitlines: JSON strings may contain U+2028 unescaped.
        text = "\n".join(
            _member(line, field, f"{portion.paths[0]}:{number}")
            for number, line in enumerate(text.split("\n"), portion.line)
            if line.strip()
        )
    yield read_text_page(text, options)


def _member(line: str, field: str, where: str) -> str:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the line is not JSON ({error})", "correct or remove the line", where) from error
    text = record.get(field) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise InputError(f"the line has no text in {field!r}", "name the member that holds it: --field", where)
    return text


def _pages(folder: Path) -> Iterator[tuple[str, bytes]]:
    try:
        for source in documents(open_collection(folder, format=HTML)):
            if kind_of(source.file) != HTML:
                raise InputError(
                    "the folder holds no HTML", "give files of text, or folders of HTML pages", str(folder)
                )
            yield str(folder / source.file), source.page().content
    except OSError as error:
        raise user_error(error, error.filename or folder) from error
    except InputError as error:
        if error.where != str(folder):
            raise
        raise InputError(error.what, "give files of text, or folders of HTML pages", error.where) from error


def _page_portions(folder: Path, size: int) -> Iterator[Portion]:
    pages: list[tuple[str, bytes]] = []
    total = 0
    for page in _pages(folder):
        pages.append(page)
        total += len(page[1])
        if total >= size:
            yield _portion(pages)
            pages, total = [], 0
    if pages:
        yield _portion(pages)


def _portion(pages: Sequence[tuple[str, bytes]]) -> Portion:
    paths, contents = zip(*pages, strict=True)
    return Portion(_PAGES, contents, paths)


def _blocks(path: Path, size: int, may_cut: bool) -> Iterator[bytes]:
    """Yield a file's content in blocks that end at a line feed or, if `may_cut`, at a space in overlong lines."""
    waiting = b""
    try:
        with open_stream(path) as stream:
            while read := stream.read(size):
                waiting += read
                if len(waiting) >= size:
                    end = waiting.rfind(b"\n") + 1 or (waiting.rfind(b" ") + 1 if may_cut else 0)
                    if end:
                        yield waiting[:end]
                        waiting = waiting[end:]
            stream.check_whole()
    except OSError as error:
        raise user_error(error, path) from error
    if waiting:
        yield waiting


@dataclass(frozen=True)
class Plan:
    """A training configuration.

    Attributes:
        texts: files and folders, as `portions` reads them.
        order: the length of the longest n-grams, 2 or 3.
        unigram: whose unigram the model has, see `ngrams.interpolated`.
        language: whose abbreviations end no sentence.
        field: the member of JSON lines that holds the text.
        hold_out: whether sentences are held out for the card's perplexities.
        portion_bytes: text per worker task.
    """

    texts: tuple[Path, ...]
    output: Path
    order: int = 2
    unigram: str = HISTORY
    tokeniser: str = WORDS
    language: str = "en"
    field: str = "text"
    hold_out: bool = True
    workers: int = 2
    portion_bytes: int = PORTION_BYTES

    def check(self) -> None:
        """Validate the plan before reading text."""
        if problems := _problems(self):
            raise problems[0] if len(problems) == 1 else ConfigErrors(problems)


def _problems(plan: Plan) -> list[ConfigError]:
    problems = [
        ConfigError("there is no such file or folder", "check the path", str(path))
        for path in plan.texts
        if not path.exists()
    ]
    if not plan.texts:
        problems.append(ConfigError("there is no text to train on", "name files of text, or folders of HTML", "TEXT"))
    folder = plan.output
    replaceable = folder.is_dir() and ((folder / CARD).exists() or not any(folder.iterdir()))
    if folder.exists() and not replaceable:
        problems.append(
            ConfigError("it exists and is not a language model", "choose another folder", f"--output {plan.output}")
        )
    if plan.order not in WEIGHTS:
        fix = "choose 2 or 3, or train with KenLM's lmplz and import the model"
        problems.append(ConfigError("there are no models of that order", fix, f"--order {plan.order}"))
    if plan.tokeniser not in TOKENISERS:
        fix = f"use one of {', '.join(TOKENISERS)}"
        problems.append(ConfigError(f"unknown tokeniser {plan.tokeniser!r}", fix, f"--tokeniser {plan.tokeniser}"))
    return problems


def train(plan: Plan) -> ModelCard:
    """Train a model and write its folder atomically; an older model there is replaced.

    The ARPA file does not depend on the number of workers. The text is in memory as numbers, 4 bytes a word.
    """
    plan.check()
    files = [describe(path) for path in plan.texts]
    # For little text, starting processes takes longer than the work.
    workers = max(1, min(plan.workers, sum(file.bytes for file in files) // plan.portion_bytes))
    with atomic_path(plan.output) as folder:
        folder.mkdir(parents=True)
        read = _read(plan, workers)
        held = [one.take(is_held(one)) for one in read]
        hold_out = plan.hold_out and sum(len(one.lengths) for one in held) >= HELD_OUT
        learnt = [one.take(~is_held(one)) for one in read] if hold_out else read
        words = sum(len(one.numbers) for one in learnt)
        if not words:
            where = ", ".join(map(str, plan.texts))
            raise InputError("the training text has no words", "give text with words", where)
        counts = write_model(folder, learnt, plan.order, plan.unigram)
        model = WordModel(find_model(str(folder)), tokeniser(WORDS, ""))
        perplexities = np.concatenate(
            [model.of_tokens(lines(one), one.counts) for one in (held if hold_out else learnt)]
        )
        percentiles = np.percentile(perplexities, PERCENTILES)
        card = ModelCard(
            name=plan.output.name,
            language=plan.language,
            corpus=", ".join(file.name for file in files),
            order=plan.order,
            ngrams=counts,
            formula=formula(plan.order, plan.unigram),
            tokeniser=plan.tokeniser,
            unknown_words=NO_COUNT,
            sentence_ends=ENDS,
            digest=file_digest(folder / ARPA),
            normalisation=NORMALISATIONS[plan.tokeniser],
            training=Training(
                date=datetime.now(UTC).date().isoformat(),
                texts=tuple(files),
                words=words,
                sentences=sum(len(one.lengths) for one in learnt),
                vocabulary=counts[0] - len(SPECIAL),
                least_count=1,
                cut_words=0,
                perplexities={
                    str(at): round(float(value), 4) for at, value in zip(PERCENTILES, percentiles, strict=True)
                },
                perplexities_of="held-out sentences" if hold_out else "training sentences",
                perplexity_sentences=len(perplexities),
            ),
        )
        card.write(folder / CARD)
    return card


def is_held(text: Encoded) -> npt.NDArray[np.bool_]:
    """Return whether each sentence may be held out."""
    held: npt.NDArray[np.bool_] = np.arange(len(text.lengths)) % HELD_OUT == HELD_OUT - 1
    return held


def lines(text: Encoded) -> list[bytes]:
    """Return each sentence, with spaces between its words."""
    words = [text.distinct[number] for number in text.numbers.tolist()]
    ends = np.cumsum(text.lengths)
    return [
        b" ".join(words[begin:end]) for begin, end in zip((ends - text.lengths).tolist(), ends.tolist(), strict=True)
    ]


def _read(plan: Plan, workers: int) -> list[Encoded]:
    options, tokenise = PageOptions(language=plan.language), tokeniser(plan.tokeniser, "--tokeniser")
    encode = partial(_encode, options=options, field=plan.field, tokenise=tokenise)
    with ProcessPoolExecutor(workers, get_context("spawn")) if workers > 1 else nullcontext() as pool:
        found = (pool.map if pool else map)(encode, portions(plan.texts, plan.portion_bytes))
        return list(progress(found, "reading text", None, "portions"))


def _encode(portion: Portion, options: PageOptions, field: str, tokenise: Tokeniser) -> Encoded:
    return encoded(segments(portion, options, field), tokenise)


@click.command()
@click.argument("texts", metavar="TEXT...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The model's folder to write.")
@click.option("--order", default=2, show_default=True, help="The length of the longest n-grams, 2 or 3.")
@click.option("--tokeniser", default=WORDS, show_default=True, help=", ".join(TOKENISERS))
@click.option("--language", default="en", show_default=True, help="Whose abbreviations end no sentence.")
@click.option("--field", default="text", show_default=True, help="The member of JSON lines that holds the text.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
def main(**plan: Any) -> None:
    """Train a model on text: files of text (.gz, .zst) or of JSON lines (.jsonl), or folders of HTML."""
    output, order = plan["output"], plan["order"]
    card = train(Plan(**plan))
    training = card.training
    assert training is not None
    most = math.ceil(training.perplexities["90"])
    print(
        f"{output}: order {order}, {training.words:,} words in {training.sentences:,} sentences, "
        f"{' + '.join(f'{count:,}' for count in card.ngrams)} n-grams; 90 % of {training.perplexity_sentences:,} "
        f"{training.perplexities_of} have a perplexity of {most:,} or less; "
        f"use it as 'perplexity(lm={output})@{most}'"
    )


if __name__ == "__main__":
    try:
        main()
    except ThresherError as error:
        sys.exit("\n".join(f"error: {line}" for line in error.lines()))
