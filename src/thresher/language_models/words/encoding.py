"""Training text as numbers: each portion is tokenised once, which also counts its words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.language_models.words.texts import Portion, segments
from thresher.language_models.words.tokenisers import Tokeniser
from thresher.language_models.words.vocabulary import END, merge_words, write_word_run
from thresher.language_models.words.word_files import read_array, read_words
from thresher.pages import PageOptions
from thresher.pages.plain import Ints

HELD_OUT = 100
"""Every 100th sentence of each portion may be held out of training."""


@dataclass(frozen=True)
class Reading:
    """Reading options: the sentence splitter, the member of JSON lines with the text, the tokeniser."""

    options: PageOptions
    field: str
    tokenise: Tokeniser


@dataclass(frozen=True)
class SentenceCounts:
    """How many sentences with words a portion has: `held` that may be held out, and `sentences` others."""

    sentences: int
    held: int


def encode(portion: Portion, number: int, folder: Path, reading: Reading) -> SentenceCounts:
    """Tokenise a portion and write it as numbers to `folder`.

    Args:
        portion: the text.
        number: the portion's number.
        folder: an existing folder for temporary files.
        reading: how text is read.

    Raises:
        InputError: as `texts.segments`.
    """
    split: list[list[bytes]] = []
    counted: list[int] = []
    for page in segments(portion, reading.options, reading.field):
        for sentence, count in zip(*reading.tokenise(page.plain, page.sentence_ends), strict=True):
            if words := sentence.split():
                split.append(words)
                counted.append(int(count))
    lengths = np.fromiter(map(len, split), np.int64, len(split))
    tokens = [*chain.from_iterable(split)]
    words_of = sorted(set(tokens))
    numbers = {word: at for at, word in enumerate(words_of)}
    ids = np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens))
    is_held = _may_be_held(len(split))
    held_words = np.repeat(is_held, lengths)
    np.savez(
        _path(folder, number),
        ids=ids,
        lengths=lengths,
        counted=np.array(counted, dtype=np.int64),
        held_counts=np.bincount(ids[held_words], minlength=len(numbers)),
    )
    counts = np.bincount(ids[~held_words], minlength=len(numbers))
    write_word_run(_words_path(folder, number), pa.array(words_of, pa.large_binary()), counts)
    return SentenceCounts(int((~is_held).sum()), int(is_held.sum()))


def merge_portions(folder: Path, portions: int, hold_out: bool) -> Path:
    """Merge the words of all portions, in the order of their bytes; `hold_out` as for `sentences_of`."""
    runs = [_words_path(folder, number) for number in range(portions)]
    if not hold_out:
        for number, run in enumerate(runs):
            with np.load(_path(folder, number)) as stored:
                path = run.with_suffix(".counts")
                (np.fromfile(path, dtype=np.int64) + stored["held_counts"]).tofile(path)
    merged = folder / "words"
    merge_words(runs, merged)
    return merged


def number_portions(folder: Path, portions: int, merged: Path) -> None:
    """Write for each portion the numbers of its words in the vocabulary."""
    numbers = read_array(merged.with_suffix(".numbers"))
    for portion in range(portions):
        indices = read_array(_words_path(folder, portion).with_suffix(".indices"))
        np.save(_map_path(folder, portion), numbers[indices].astype(np.int32))


def sentences_of(folder: Path, number: int, ends: bool, hold_out: bool) -> tuple[npt.NDArray[np.int32], Ints]:
    """Return a portion's training sentences, concatenated.

    Args:
        folder: where `encode` and `number_portions` wrote.
        number: the portion's number.
        ends: add `</s>` to each sentence.
        hold_out: leave out the sentences that may be held out.

    Returns:
        the number of each word, and its position in its sentence from 0; shape (words) each.
    """
    with np.load(_path(folder, number)) as stored:
        ids, lengths = stored["ids"], stored["lengths"]
    words = np.load(_map_path(folder, number))[ids] if len(ids) else ids
    if hold_out:
        kept = ~_may_be_held(len(lengths))
        words, lengths = words[np.repeat(kept, lengths)], lengths[kept]
    if ends:
        words = np.insert(words, np.cumsum(lengths), END)
        lengths = lengths + 1
    begins = np.cumsum(lengths) - lengths
    return words, np.arange(len(words)) - np.repeat(begins, lengths)


def sentences_to_score(folder: Path, number: int, held: bool) -> tuple[list[bytes], Ints]:
    """Return a portion's sentences that may be held out, or all: words with spaces between, and the tokeniser's counts."""
    with np.load(_path(folder, number)) as stored:
        ids, lengths, counted = stored["ids"], stored["lengths"], stored["counted"]
    words = read_words(_words_path(folder, number)).tolist()
    ends = np.cumsum(lengths)
    chosen = np.flatnonzero(_may_be_held(len(lengths))) if held else np.arange(len(lengths))
    lines = [
        b" ".join([words[at] for at in ids[begin:end].tolist()])
        for begin, end in zip((ends - lengths)[chosen].tolist(), ends[chosen].tolist(), strict=True)
    ]
    return lines, counted[chosen]


def _may_be_held(sentences: int) -> npt.NDArray[np.bool_]:
    held: npt.NDArray[np.bool_] = np.arange(sentences) % HELD_OUT == HELD_OUT - 1
    return held


def _path(folder: Path, number: int) -> Path:
    return folder / f"portion-{number:06d}.npz"


def _map_path(folder: Path, number: int) -> Path:
    return folder / f"portion-{number:06d}.numbers.npy"


def _words_path(folder: Path, number: int) -> Path:
    return folder / f"portion-{number:06d}"
