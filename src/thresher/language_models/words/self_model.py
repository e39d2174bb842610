"""The language model `self`, trained on the collection that it then scores."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files import atomic_path
from thresher.language_models.words.cards import ModelCard
from thresher.language_models.words.counts import BLOCK, merge_runs, read_array, write_run
from thresher.language_models.words.interpolated import CURRENT
from thresher.language_models.words.models import CARD
from thresher.language_models.words.tokenisers import CHARACTERS
from thresher.language_models.words.training import INTERPOLATED, Plan, train
from thresher.pages.plain import Ints

NAME = "self"
LEAST_WORDS = 1000
"""From fewer words nothing is learnt."""
MOST_PAGES = 2
"""Sentences of more pages are no content; a page that is there twice still is."""

ESTIMATOR, UNIGRAM, ORDER = INTERPOLATED, CURRENT, 3
# `characters` treats text with spaces as `words` does, so that collections of several languages need no choice.
TOKENISER = CHARACTERS
# Raised when the same sentences would make another model.
_VERSION = 1
SETTINGS: dict[str, str | int] = {
    "version": _VERSION,
    "estimator": ESTIMATOR,
    "unigram": UNIGRAM,
    "order": ORDER,
    "tokeniser": TOKENISER,
    "most_pages": MOST_PAGES,
    "least_words": LEAST_WORDS,
}
"""All that the model depends on besides its sentences."""


Sentences = Callable[[], Iterable[Sequence[str]]]
"""Gives the sentences of descriptive blocks page by page, the same as often as it is called."""


def learn(sentences: Sentences, output: Path, language: str, workers: int = 1, where: str = NAME) -> None:
    """Write the model's folder, unless it is there.

    Memory is bounded but for the vocabulary and a byte for each different sentence; sentences are told apart by a digest of
    64 bits, in lower case.

    Args:
        sentences: called twice if there is no model yet.
        output: the folder; files for work lie beside it.
        language: whose abbreviations end no sentence.
        workers: how many processes.
        where: what the model is for, for errors.

    Raises:
        InputError: if there are fewer than `LEAST_WORDS` words to learn from.
        ThresherError: for errors of the operating system.
    """
    if (output / CARD).is_file():
        return
    with atomic_path(output) as folder:
        work = folder / "work"
        work.mkdir(parents=True)
        pages = _count_pages(sentences(), work)
        text = work / "descriptive-sentences.txt"
        count = _write_sentences(sentences(), work, text) if pages else 0
        # So little text that it will be refused takes no time to train on.
        card = train(_plan(text, work / NAME, language, workers)) if count else None
        words = card.training.words if card and card.training else 0
        if card is None or words < LEAST_WORDS:
            raise InputError(
                f"too little descriptive text to learn a model from: {words} words in {count} different sentences of "
                f"{pages} pages, and {LEAST_WORDS} words are needed",
                "give a larger collection, or another model such as lm=books",
                where,
            )
        for path in (work / NAME).iterdir():
            path.replace(folder / path.name)
        _described(card, count, pages).write(folder / CARD)
        shutil.rmtree(work)


def _plan(text: Path, output: Path, language: str, workers: int) -> Plan:
    return Plan(
        (text,),
        output,
        order=ORDER,
        estimator=ESTIMATOR,
        unigram=UNIGRAM,
        tokeniser=TOKENISER,
        language=language,
        # A sentence that the model has not seen would look worse than its like.
        hold_out=False,
        workers=workers,
    )


def _described(card: ModelCard, sentences: int, pages: int) -> ModelCard:
    return replace(
        card,
        corpus=f"{sentences} different sentences of descriptive blocks on {pages} pages of the collection itself, without "
        f"those on more than {MOST_PAGES} pages",
    )


def _count_pages(pages: Iterable[Sequence[str]], work: Path) -> int:
    """Count on how many pages each sentence stands; return how many pages have any."""
    runs: list[Path] = []
    waiting: list[Ints] = []
    size = total = 0

    def write() -> None:
        keys, counts = np.unique(np.concatenate(waiting), return_counts=True)
        runs.append(work / f"run-{len(runs):06d}.keys")
        write_run(runs[-1], keys, counts)
        waiting.clear()

    for sentences in pages:
        if sentences:
            waiting.append(np.unique(_keys(sentences)))
            size += len(waiting[-1])
            total += 1
        if size >= BLOCK:
            write()
            size = 0
    if waiting:
        write()
    if runs:
        merge_runs(runs, _merged(work))
    return total


def _write_sentences(pages: Iterable[Sequence[str]], work: Path, text: Path) -> int:
    """Write a line for each different sentence that stands on `MOST_PAGES` pages at most; return how many."""
    keys = read_array(_merged(work).with_suffix(".keys"))
    is_rare = read_array(_merged(work).with_suffix(".counts")) <= MOST_PAGES
    count = 0
    with text.open("w", encoding="utf-8", newline="\n") as out:
        for sentence in _once(pages, keys, is_rare):
            out.write(sentence + "\n")
            count += 1
    return count


def _once(pages: Iterable[Sequence[str]], keys: Ints, is_wanted: npt.NDArray[np.bool_]) -> Iterator[str]:
    for sentences in pages:
        if not sentences:
            continue
        for place, sentence in zip(np.searchsorted(keys, _keys(sentences)).tolist(), sentences, strict=True):
            if is_wanted[place]:
                is_wanted[place] = False
                yield sentence


def _keys(sentences: Sequence[str]) -> Ints:
    digests = [blake2b(sentence.lower().encode(), digest_size=8).digest() for sentence in sentences]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)


def _merged(work: Path) -> Path:
    return work / "sentences.keys"
