"""The language model `self`, trained on the collection that it scores."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.files import atomic_path
from thresher.language_models.words.counts import merge_runs, write_run
from thresher.language_models.words.estimates import CURRENT
from thresher.language_models.words.models import CARD
from thresher.language_models.words.tokenisers import CHARACTERS
from thresher.language_models.words.training import INTERPOLATED, Plan, train
from thresher.language_models.words.word_files import BLOCK, read_array
from thresher.pages.plain import Ints

NAME = "self"
LEAST_WORDS = 1000
"""The minimum number of training words."""
MOST_PAGES = 2
"""Sentences on more pages are boilerplate; 2 allows for duplicate pages."""

_MODEL: dict[str, Any] = {
    "estimator": INTERPOLATED,
    "unigram": CURRENT,
    "order": 3,
    # As `words` for text with spaces, so that collections of several languages need no choice.
    "tokeniser": CHARACTERS,
}
SETTINGS: dict[str, str | int] = {
    # Increase when the same sentences would train another model.
    "version": 1,
    **_MODEL,
    "most_pages": MOST_PAGES,
    "least_words": LEAST_WORDS,
}
"""Everything besides its sentences that the model depends on."""

Sentences = Callable[[], Iterable[Sequence[str]]]
"""Returns the sentences of descriptive blocks by page, the same at each call."""


def learn(sentences: Sentences, output: Path, language: str, workers: int = 1, where: str = NAME) -> None:
    """Write the model's folder, unless it is there.

    Memory is that of `train`, and a byte for each distinct sentence. Sentences are equal if their lower case has the same
    digest of 64 bits.

    Args:
        sentences: called twice if there is no model yet.
        output: the folder; temporary files are beside it.
        language: whose abbreviations end no sentence.
        workers: the number of processes.
        where: the location named in errors.

    Raises:
        InputError: if there are fewer than `LEAST_WORDS` training words.
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
        # Nothing is held out: unseen sentences would score worse than others. Training on too little text counts its words.
        plan = Plan((text,), work / NAME, language=language, workers=workers, hold_out=False, **_MODEL)
        card = train(plan) if count else None
        words = card.training.words if card and card.training else 0
        if card is None or words < LEAST_WORDS:
            raise InputError(
                f"too little descriptive text to train a model on: {words} words in {count} different sentences of "
                f"{pages} pages, and {LEAST_WORDS} words are needed",
                "give a larger collection, or another model such as lm=books",
                where,
            )
        for path in (work / NAME).iterdir():
            path.replace(folder / path.name)
        corpus = (
            f"{count} different sentences of descriptive blocks on {pages} pages of the collection itself, without those on "
            f"more than {MOST_PAGES} pages"
        )
        replace(card, corpus=corpus).write(folder / CARD)
        shutil.rmtree(work)


def _count_pages(pages: Iterable[Sequence[str]], work: Path) -> int:
    """Count the pages that each sentence is on; return how many pages have any."""
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
    """Write a line for each distinct sentence that is on `MOST_PAGES` pages at most; return how many."""
    keys = read_array(_merged(work).with_suffix(".keys"))
    is_wanted = read_array(_merged(work).with_suffix(".counts")) <= MOST_PAGES
    count = 0
    with text.open("w", encoding="utf-8", newline="\n") as out:
        for sentences in filter(None, pages):
            for at, sentence in zip(np.searchsorted(keys, _keys(sentences)).tolist(), sentences, strict=True):
                if is_wanted[at]:
                    is_wanted[at] = False
                    out.write(sentence + "\n")
                    count += 1
    return count


def _keys(sentences: Sequence[str]) -> Ints:
    digests = [blake2b(sentence.lower().encode(), digest_size=8).digest() for sentence in sentences]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)


def _merged(work: Path) -> Path:
    return work / "sentences.keys"
