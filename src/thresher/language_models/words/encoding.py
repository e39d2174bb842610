"""Training text as numbers: each portion is tokenised once, which also counts the vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.language_models.words.texts import Portion, segments
from thresher.language_models.words.tokenisers import Tokeniser
from thresher.pages import PageOptions
from thresher.pages.plain import Ints

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = (b"<unk>", b"<s>", b"</s>")
"""The words numbered 0, 1 and 2."""
HELD_OUT = 100
"""Every 100th sentence of each portion may be held out of training."""


@dataclass(frozen=True)
class Reading:
    """Reading options: the sentence splitter, the member of JSON lines with the text, the tokeniser."""

    options: PageOptions
    field: str
    tokenise: Tokeniser


@dataclass(frozen=True)
class PortionCounts:
    """A portion's distinct words, joined by line feeds, and how often each occurs.

    `held_counts` are of the sentences that may be held out, `counts` of the others; `held` and `sentences` are the numbers
    of these sentences, without those that have no words.
    """

    words: bytes
    counts: Ints
    held_counts: Ints
    sentences: int
    held: int


def encode(portion: Portion, number: int, folder: Path, reading: Reading) -> PortionCounts:
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
    numbers = {word: at for at, word in enumerate(dict.fromkeys(tokens))}
    ids = np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens))
    joined = b"\n".join(numbers)
    word_bytes = np.frombuffer(joined, dtype=np.uint8)
    np.savez(
        _path(folder, number), ids=ids, lengths=lengths, counted=np.array(counted, dtype=np.int64), words=word_bytes
    )
    is_held = _may_be_held(len(split))
    held_words = np.repeat(is_held, lengths)
    return PortionCounts(
        joined,
        np.bincount(ids[~held_words], minlength=len(numbers)),
        np.bincount(ids[held_words], minlength=len(numbers)),
        int((~is_held).sum()),
        int(is_held.sum()),
    )


class WordCounts:
    """The total counts of all portions."""

    def __init__(self) -> None:
        self.counts: Counter[bytes] = Counter()
        self.held_counts: Counter[bytes] = Counter()
        self.sentences = 0
        self.held = 0
        self.portions = 0

    def add(self, portion: PortionCounts) -> None:
        """Add a portion's counts."""
        words = portion.words.split(b"\n") if portion.words else []
        for totals, counts in ((self.counts, portion.counts), (self.held_counts, portion.held_counts)):
            for at in np.flatnonzero(counts).tolist():
                totals[words[at]] += int(counts[at])
        self.sentences += portion.sentences
        self.held += portion.held
        self.portions += 1

    def train_on_all(self) -> None:
        """Count the sentences that might be held out with the others."""
        self.counts.update(self.held_counts)
        self.sentences += self.held
        self.held_counts, self.held = Counter(), 0


@dataclass(frozen=True)
class Vocabulary:
    """The words of a model by number, with their counts; `counts[UNKNOWN]` is that of all words that were cut."""

    words: tuple[bytes, ...]
    counts: Ints


def vocabulary(counts: Counter[bytes], sentences: int, least: int = 1, most: int | None = None) -> Vocabulary:
    """Return the special words and the most frequent others, ties in the order of their bytes.

    Args:
        counts: how often each word occurs.
        sentences: their number, which is the count of `</s>`; that of `<s>`, which is not predicted, is 0.
        least: rarer words are cut.
        most: the number of words to keep, not counting the special ones; None keeps all.
    """
    ranked = sorted(
        ((word, count) for word, count in counts.items() if count >= least and word not in SPECIAL),
        key=lambda pair: (-pair[1], pair[0]),
    )[:most]
    cut = sum(counts.values()) - sum(count for _, count in ranked)
    return Vocabulary(
        (*SPECIAL, *(word for word, _ in ranked)),
        np.array([cut, 0, sentences, *(count for _, count in ranked)], dtype=np.int64),
    )


def number_portions(folder: Path, portions: int, words: Vocabulary) -> None:
    """Write for each portion the numbers of its words in the vocabulary."""
    numbers = {word: at for at, word in enumerate(words.words) if at > END}
    for portion in range(portions):
        with np.load(_path(folder, portion)) as stored:
            joined = stored["words"].tobytes()
        portion_words = joined.split(b"\n") if joined else []
        np.save(
            _map_path(folder, portion), np.array([numbers.get(word, UNKNOWN) for word in portion_words], dtype=np.int32)
        )


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


def sentences_to_score(folder: Path, portions: Iterable[int], held: bool) -> tuple[list[bytes], Ints]:
    """Return the sentences that may be held out, or all: their words with spaces between, and the tokeniser's counts."""
    lines: list[bytes] = []
    counts: list[int] = []
    for number in portions:
        with np.load(_path(folder, number)) as stored:
            ids, lengths, counted = stored["ids"], stored["lengths"], stored["counted"]
            portion_words = stored["words"].tobytes().split(b"\n")
        ends = np.cumsum(lengths)
        chosen = np.flatnonzero(_may_be_held(len(lengths))) if held else np.arange(len(lengths))
        for begin, end in zip((ends - lengths)[chosen].tolist(), ends[chosen].tolist(), strict=True):
            lines.append(b" ".join([portion_words[at] for at in ids[begin:end].tolist()]))
        counts.extend(counted[chosen].tolist())
    return lines, np.array(counts, dtype=np.int64)


def _may_be_held(sentences: int) -> npt.NDArray[np.bool_]:
    held: npt.NDArray[np.bool_] = np.arange(sentences) % HELD_OUT == HELD_OUT - 1
    return held


def _path(folder: Path, number: int) -> Path:
    return folder / f"portion-{number:06d}.npz"


def _map_path(folder: Path, number: int) -> Path:
    return folder / f"portion-{number:06d}.numbers.npy"
