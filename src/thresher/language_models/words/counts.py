"""N-gram counts of a corpus in bounded memory: sorted runs on disk, merged order by order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.language_models.words.encoding import sentences_of
from thresher.language_models.words.vocabulary import BEGIN, END, MOST_RUNS, SPECIAL, Vocabulary
from thresher.language_models.words.word_files import blocks, common_ranges, read_array, scratch_array
from thresher.pages.plain import Ints
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import progress


def write_run(path: Path, keys: Ints, counts: Ints) -> None:
    """Write distinct keys, ascending, and their counts to `path` (`.keys`, `.counts`)."""
    keys.astype(np.int64).tofile(path.with_suffix(".keys"))
    counts.astype(np.int64).tofile(path.with_suffix(".counts"))


def merge_runs(runs: Sequence[Path], merged: Path) -> None:
    """Merge runs that `write_run` wrote into one, adding the counts of equal keys. The runs are removed."""
    if len(runs) > MOST_RUNS:
        groups = [runs[at : at + MOST_RUNS] for at in range(0, len(runs), MOST_RUNS)]
        parts = [group[0].with_stem(f"{group[0].stem}-merged") for group in groups]
        for group, part in zip(groups, parts, strict=True):
            merge_runs(group, part)
        merge_runs(parts, merged)
        return
    keys = [read_array(run.with_suffix(".keys")) for run in runs]
    counts = [read_array(run.with_suffix(".counts")) for run in runs]
    with merged.with_suffix(".keys").open("wb") as key_file, merged.with_suffix(".counts").open("wb") as count_file:
        for slices in common_ranges(keys, int):
            range_keys = np.concatenate([run[at] for run, at in zip(keys, slices, strict=True)])
            order = np.argsort(range_keys, kind="stable")
            range_keys = range_keys[order]
            starts = np.flatnonzero(np.concatenate(([True], range_keys[1:] != range_keys[:-1])))
            all_counts = np.concatenate([run[at] for run, at in zip(counts, slices, strict=True)])[order]
            range_keys[starts].tofile(key_file)
            np.add.reduceat(all_counts, starts).tofile(count_file)
    for run in runs:
        run.with_suffix(".keys").unlink()
        run.with_suffix(".counts").unlink()


@dataclass(frozen=True)
class Level:
    """The distinct n-grams of one length n, numbered in the order of their keys.

    Sentences begin with one `<s>`, which is never an n-gram's last word but for n = 1.

    Attributes:
        keys: suffix · size + first, where suffix is the number of the (n-1)-gram without the first word.
        counts: how often each occurs.
        prefixes: the number of the (n-1)-gram without the last word, its history.
        size: the number of words in the vocabulary.
        folder: where `array` puts its files.
    """

    keys: Ints
    counts: Ints
    prefixes: Ints
    size: int
    folder: Path

    def suffixes(self, at: slice = slice(None)) -> Ints:
        """Return the numbers of the (n-1)-grams without the first words."""
        return self.keys[at] // self.size

    def firsts(self, at: slice = slice(None)) -> Ints:
        """Return the numbers of the first words."""
        return self.keys[at] % self.size

    def blocks(self) -> Iterator[slice]:
        """Cut the n-grams into blocks that fit into memory."""
        return blocks(len(self.keys))

    def array(self, kind: npt.DTypeLike, size: int | None = None) -> npt.NDArray[Any]:
        """Return an array of zeros in a file, one for each n-gram if not of another size."""
        return scratch_array(self.folder, len(self.keys) if size is None else size, kind)


@dataclass(frozen=True)
class Corpus:
    """Portions in a folder, as `encoding` writes them, and which of their sentences count.

    `ends` counts `</s>` at the end of each sentence; `hold_out` leaves out the sentences that may be held out.
    """

    folder: Path
    portions: int
    ends: bool
    hold_out: bool


def count_levels(corpus: Corpus, words: Vocabulary, order: int, workers: int = 1) -> list[Level]:
    """Count the n-grams of all lengths from 1 to `order`.

    Args:
        corpus: the portions.
        words: the vocabulary they are numbered by.
        order: the longest n-grams.
        workers: the number of processes.

    Returns:
        the levels, lengths ascending. Their arrays are files in the corpus's folder.
    """
    size = len(words.words)
    levels = [_words(corpus, words)]
    for length in range(2, order + 1):
        tasks = ((corpus, number, length, size, length < order) for number in range(corpus.portions))
        backend, what = Backend(workers=min(workers, corpus.portions)), f"counting {length}-grams"
        for _ in progress(
            run_tasks(backend, _count, tasks, what, str(corpus.folder), keep=True), what, corpus.portions, "portions"
        ):
            pass
        merge_runs([_run(corpus, number) for number in range(corpus.portions)], _merged(corpus, length))
        levels.append(_level(corpus, length, levels))
    return levels


def adjusted_counts(levels: Sequence[Level], length: int) -> Ints:
    """Return for each n-gram of a length how many different words precede it.

    N-grams that begin with `<s>`, which nothing precedes, and those of the greatest length keep their counts.
    Source: Heafield, Pouzyrevsky, Clark, Koehn, Scalable Modified Kneser-Ney Language Model Estimation, ACL 2013, section 3.2.
    """
    level = levels[length - 1]
    if length == len(levels):
        return level.counts
    # Keys ascend by suffix, so that those of one suffix are contiguous.
    adjusted = level.array(np.int64)
    for at in level.blocks():
        edges = np.searchsorted(levels[length].keys, np.arange(at.start, at.stop + 1) * level.size)
        adjusted[at] = np.where(level.firsts(at) == BEGIN, level.counts[at], np.diff(edges))
    return adjusted


def _count(corpus: Corpus, number: int, length: int, size: int, go_on: bool) -> None:
    """Write a portion's n-grams of a length as a run; if longer ones follow, also which of them ends at each word."""
    words, positions = sentences_of(corpus.folder, number, corpus.ends, corpus.hold_out)
    # The first word of a sentence ends a bigram with <s>, the second a trigram with <s>, ...
    ending = np.flatnonzero(positions >= length - 2)
    below: Ints = words.astype(np.int64)
    if length > 2:
        known = read_array(_merged(corpus, length - 1).with_suffix(".keys"))
        # The number of the (n-1)-gram that ends at each word.
        ending_keys = np.load(_ending(corpus, number, "keys"))
        shorter = np.searchsorted(known, ending_keys)[np.load(_ending(corpus, number, "positions"))]
        below = shorter[positions[positions >= length - 3] >= length - 2]
    else:
        below = below[ending]
    back = ending - (length - 1)
    first = np.where(positions[ending] >= length - 1, words[np.maximum(back, 0)], BEGIN)
    keys = below * size + first
    if go_on:
        keys, where, counts = np.unique(keys, return_inverse=True, return_counts=True)
        np.save(_ending(corpus, number, "keys"), keys)
        np.save(_ending(corpus, number, "positions"), where.astype(np.int32))
    else:
        keys, counts = np.unique(keys, return_counts=True)
    write_run(_run(corpus, number), keys, counts)


def _words(corpus: Corpus, words: Vocabulary) -> Level:
    """Return the level of single words, whose history is the empty n-gram."""
    path, size = _merged(corpus, 1), len(words.words)
    with path.open("wb") as out:
        for at in blocks(size):
            np.arange(at.start, at.stop, dtype=np.int64).tofile(out)
    special = words.counts[: len(SPECIAL)].copy()
    if not corpus.ends:
        special[END] = 0
    with path.with_suffix(".counts").open("wb") as out:
        special.tofile(out)
        words.counts[len(SPECIAL) :].tofile(out)
    prefixes = np.broadcast_to(np.int64(0), size)
    return Level(read_array(path), read_array(path.with_suffix(".counts")), prefixes, size, corpus.folder)


def _level(corpus: Corpus, length: int, levels: Sequence[Level]) -> Level:
    """Map the merged n-grams of a length into memory, with their prefixes among the shorter ones."""
    path = _merged(corpus, length)
    keys = read_array(path.with_suffix(".keys"))
    below = levels[-1]
    bare = Level(keys, read_array(path.with_suffix(".counts")), keys, below.size, corpus.folder)
    with path.with_suffix(".prefixes").open("wb") as out:
        for at in bare.blocks():
            # The prefix is the first word followed by the prefix of the suffix.
            wanted = below.prefixes[bare.suffixes(at)] * below.size + bare.firsts(at)
            np.searchsorted(below.keys, wanted).astype(np.int64).tofile(out)
    return Level(keys, bare.counts, read_array(path.with_suffix(".prefixes")), below.size, corpus.folder)


def _run(corpus: Corpus, number: int) -> Path:
    return corpus.folder / f"run-{number:06d}.keys"


def _merged(corpus: Corpus, length: int) -> Path:
    return corpus.folder / f"grams-{length}.keys"


def _ending(corpus: Corpus, number: int, what: str) -> Path:
    return corpus.folder / f"ending-{number:06d}.{what}.npy"
