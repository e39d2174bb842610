"""N-gram counts of a corpus in bounded memory: sorted runs on disk, merged order by order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher.language_models.words.encoding import BEGIN, END, Vocabulary, sentences_of
from thresher.pages.plain import Ints
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import progress

BLOCK = 1 << 20
"""The approximate number of entries in memory at once."""


def write_run(path: Path, keys: Ints, counts: Ints) -> None:
    """Write distinct keys, ascending, and their counts to `path` (`.keys`, `.counts`)."""
    keys.astype(np.int64).tofile(path.with_suffix(".keys"))
    counts.astype(np.int64).tofile(path.with_suffix(".counts"))


def read_array(path: Path) -> Ints:
    """Map a file of 64-bit integers into memory."""
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=np.int64)
    return np.memmap(path, dtype=np.int64, mode="r")


def merge_runs(runs: Sequence[Path], merged: Path, block: int = BLOCK) -> None:
    """Merge runs that `write_run` wrote into one, adding the counts of equal keys. The runs are removed.

    The keys are cut at quantiles of a sample into ranges of about `block` entries of all runs together, which are merged one
    after the other.
    """
    keys = [read_array(run.with_suffix(".keys")) for run in runs]
    counts = [read_array(run.with_suffix(".counts")) for run in runs]
    step = max(1, block // (8 * max(1, len(runs))))
    sample = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *(run[step - 1 :: step] for run in keys)]))
    pivots = np.unique(sample[max(1, block // step) - 1 :: max(1, block // step)])
    # A range ends after its pivot; the last has none.
    cuts = [np.concatenate(([0], np.searchsorted(run, pivots, side="right"), [len(run)])) for run in keys]
    with merged.with_suffix(".keys").open("wb") as key_file, merged.with_suffix(".counts").open("wb") as count_file:
        for part in range(len(pivots) + 1):
            slices = [slice(cut[part], cut[part + 1]) for cut in cuts]
            range_keys = np.concatenate([run[at] for run, at in zip(keys, slices, strict=True)])
            if not len(range_keys):
                continue
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
    """

    keys: Ints
    counts: Ints
    prefixes: Ints
    size: int

    def suffixes(self, at: slice = slice(None)) -> Ints:
        """Return the numbers of the (n-1)-grams without the first words."""
        return self.keys[at] // self.size

    def firsts(self, at: slice = slice(None)) -> Ints:
        """Return the numbers of the first words."""
        return self.keys[at] % self.size

    def blocks(self) -> Iterator[slice]:
        """Cut the n-grams into blocks that fit into memory."""
        for begin in range(0, len(self.keys), BLOCK):
            yield slice(begin, min(begin + BLOCK, len(self.keys)))


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
    counts = words.counts.copy()
    if not corpus.ends:
        counts[END] = 0
    levels = [Level(np.arange(size), counts, np.zeros(size, dtype=np.int64), size)]
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
    edges = np.searchsorted(levels[length].keys, np.arange(len(level.keys) + 1) * level.size)
    return np.where(level.firsts() == BEGIN, level.counts, np.diff(edges))


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


def _level(corpus: Corpus, length: int, levels: Sequence[Level]) -> Level:
    """Map the merged n-grams of a length into memory, with their prefixes among the shorter ones."""
    path = _merged(corpus, length)
    keys = read_array(path.with_suffix(".keys"))
    below = levels[-1]
    bare = Level(keys, read_array(path.with_suffix(".counts")), keys, below.size)
    with path.with_suffix(".prefixes").open("wb") as out:
        for at in bare.blocks():
            # The prefix is the first word followed by the prefix of the suffix.
            wanted = below.prefixes[bare.suffixes(at)] * below.size + bare.firsts(at)
            np.searchsorted(below.keys, wanted).astype(np.int64).tofile(out)
    return Level(keys, bare.counts, read_array(path.with_suffix(".prefixes")), below.size)


def _run(corpus: Corpus, number: int) -> Path:
    return corpus.folder / f"run-{number:06d}.keys"


def _merged(corpus: Corpus, length: int) -> Path:
    return corpus.folder / f"grams-{length}.keys"


def _ending(corpus: Corpus, number: int, what: str) -> Path:
    return corpus.folder / f"ending-{number:06d}.{what}.npy"
