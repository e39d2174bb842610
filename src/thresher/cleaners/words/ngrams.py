"""Word n-grams: counting them, PyPlexity's mixture of orders from the counts, and the ARPA format that KenLM reads.

Source: Fernandez-Pichel, Prada-Corral, Losada, Pichel, Gamallo, An unsupervised perplexity-based method for boilerplate
removal, Natural Language Engineering 2023, section 3, and the public source of PyPlexity, which has the weights and the 1e-6.

P(w | h) = C(hw) / Σ_v C(hv) over the words v that follow h within sentences. The ends of sentences are not scored and not
predicted, so that these P of one history add up to 1.

PyPlexity differs outside the formula. It trains across sentence boundaries, so that `#`, its history of a sentence's first
word, is as good as unseen. Its trigram score is shifted: the term for the word w after v looks up v w w instead of u v w, and
the last word of a sentence has no term. Its bigram is w after v and its unigram is v, as here with the previous word's
unigram.
"""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.files import atomic_path
from thresher.base.numbers import Floats, Ints
from thresher.cleaners.words.word_model import FLOOR

UNKNOWN = "<unk>"
BEGIN = "<s>"
END = "</s>"
SPECIAL = (UNKNOWN, BEGIN, END)
"""The words numbered 0, 1 and 2."""
_BEGIN = 1
WEIGHTS = {2: (0.2, 0.8), 3: (0.1, 0.3, 0.6)}
"""By order, the weights of the unigram, the bigram and the trigram."""
CURRENT = "current"
HISTORY = "history"
"""The unigram of a mixture: the predicted word's, as in textbooks, or the previous word's, as in PyPlexity."""
NO_COUNT = "<unk> was not seen in training: a word of count 0"
ENDS = "<s> begins a sentence, </s> is neither counted nor scored"
"""The sentences of cards on unknown words and on the ends of sentences."""
NEVER = -99.0
"""log10 of the probability 0 in ARPA files."""
PROGRAM = "build_binary"
# N-grams whose lines are made at once.
_LINES = 1 << 18

Logs = npt.NDArray[np.float32]
Texts = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Mixture:
    """The estimator of all models here: PyPlexity's mixture of maximum-likelihood estimates of orders.

    Attributes:
        order: the length of the longest n-grams, 2 or 3.
        unigram: `CURRENT` or `HISTORY`.
    """

    order: int
    unigram: str

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the unigram, the bigram and the trigram."""
        return WEIGHTS[self.order]

    @property
    def formula(self) -> str:
        """The formula in words, for cards."""
        history = "v" if self.unigram == HISTORY else "w"
        terms = [f"{self.weights[0]:g} * P({history})", f"{self.weights[1]:g} * P(w | v)"]
        if self.order == 3:
            terms.append(f"{self.weights[2]:g} * P(w | u v)")
        return f"{' + '.join(reversed(terms))} + {FLOOR:g}, by maximum likelihood"


class Run(NamedTuple):
    """Distinct keys, ascending, and how often each occurs."""

    keys: Ints
    counts: Ints


class Section(NamedTuple):
    """The n-grams of one length in a back-off model; no back-off weights for the longest."""

    logs: Logs
    """log10 of probabilities."""
    backoffs: Logs | None
    """log10 of back-off weights."""


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


@dataclass(frozen=True)
class Sentences:
    """Some sentences in order: the number of each word in the vocabulary, and the number of words of each sentence."""

    words: npt.NDArray[np.int32]
    lengths: Ints


def merged(runs: Sequence[Run]) -> Run:
    """Merge runs into one."""
    keys_of_runs = [np.zeros(0, np.int64)]
    counts_of_runs = [np.zeros(0, np.int64)]
    for run in runs:
        keys_of_runs.append(run.keys)
        counts_of_runs.append(run.counts)
    keys = np.concatenate(keys_of_runs)
    counts = np.concatenate(counts_of_runs)
    if not len(keys):
        return Run(keys, counts)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    counts = counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    return Run(keys[starts], np.add.reduceat(counts, starts))


def add_run(runs: list[Run], keys: Ints) -> None:
    """Count keys and add them to the runs; runs of like length become one, so that few and short runs are merged."""
    distinct, counts = np.unique(keys, return_counts=True)
    runs.append(Run(distinct, counts))
    while len(runs) > 1 and len(runs[-2].keys) < 2 * len(runs[-1].keys):
        runs[-2:] = [merged(runs[-2:])]


def count_levels(portions: Sequence[Sentences], counts: Ints, order: int) -> list[Level]:
    """Count the n-grams of each length up to the order.

    Args:
        portions: the text.
        counts: the number of occurrences of each word of the vocabulary.
        order: 2 or 3.
    """
    size = len(counts)
    levels = [Level(np.arange(size), counts, np.zeros(size, dtype=np.int64), size)]
    for _ in range(2, order + 1):
        runs: list[Run] = []
        for portion in portions:
            add_run(runs, _keys(portion, levels))
        counted = merged(runs)
        suffixes, firsts = np.divmod(counted.keys, size)
        # The prefix is the first word followed by the prefix of the suffix.
        shorter = levels[-1]
        prefixes = np.searchsorted(shorter.keys, shorter.prefixes[suffixes] * size + firsts)
        levels.append(Level(counted.keys, counted.counts, prefixes, size))
    return levels


def _keys(portion: Sentences, levels: Sequence[Level]) -> Ints:
    """Return the keys of all bigrams, or of all trigrams if the bigrams are counted."""
    words = portion.words.astype(np.int64)
    ends = np.cumsum(portion.lengths)
    positions = np.arange(len(words)) - np.repeat(ends - portion.lengths, portion.lengths)
    bigrams = words * levels[0].size + np.where(positions > 0, np.roll(words, 1), _BEGIN)
    if len(levels) == 1:
        return bigrams
    distinct, which = np.unique(bigrams, return_inverse=True)
    suffixes = np.searchsorted(levels[1].keys, distinct)[which]
    # The second word of a sentence ends a trigram with `<s>`, the first ends none.
    trigrams = suffixes * levels[0].size + np.where(positions > 1, np.roll(words, 2), _BEGIN)
    return trigrams[positions > 0]


def interpolated(levels: Sequence[Level], mixture: Mixture) -> list[Section]:
    """Return a mixture as a back-off model, which is exact, by length from 1.

    The bigram model is 0.8 P(w | v) + 0.2 P(x) + 1e-6, the trigram model 0.6 P(w | u v) + 0.3 P(w | v) + 0.1 P(x) + 1e-6,
    where x is w or v as `mixture.unigram` says. `<s>` is a history like a word, but has P(<s>) = 0; a sentence's first word
    has `<s> <s>` as its history in the trigram model, so that both weights go to P(w | <s>).

    An n-gram's value is the share of its own order plus the value of the n-gram without its first word, which back-off gives
    to an unseen n-gram: all back-off weights are 1, and the values of lower orders are the sum's last terms. With the
    previous word's unigram, which the n-gram without that word does not know, unigrams have the value 1, and the rest of the
    sum as their back-off weight. N-grams that begin with `<s>` are looked up only where sentences begin, so that they may have
    values of their own.

    Args:
        levels: the counts for each length from 1 to the mixture's order.
        mixture: the estimator.
    """
    weights = mixture.weights
    words = levels[0]
    base: Floats = weights[0] * (words.counts / words.counts.sum()) + FLOOR
    zeros = np.zeros(len(base), dtype=np.float32)
    if mixture.unigram == CURRENT:
        shorter = base
        sections = [Section(_log10(base), zeros)]
    else:
        shorter = np.ones(len(base))
        sections = [Section(zeros, _log10(base))]
    for length in range(2, mixture.order + 1):
        level = levels[length - 1]
        suffixes, firsts = np.divmod(level.keys, level.size)
        histories = len(levels[length - 2].keys)
        totals = np.bincount(level.prefixes, weights=level.counts, minlength=histories)
        # No history is longer than from <s> on: this one has the weights of longer ones too.
        weight = np.where(firsts == _BEGIN, sum(weights[length - 1 :]), weights[length - 1])
        uses_history = length == 2 and mixture.unigram == HISTORY
        rest = base[firsts] if uses_history else shorter[suffixes]
        shorter = weight * (level.counts / totals[level.prefixes]) + rest
        backoffs = None
        if length < mixture.order:
            backoffs = np.zeros(len(shorter), dtype=np.float32)
        sections.append(Section(_log10(shorter), backoffs))
    return sections


def _log10(probabilities: Floats) -> Logs:
    """Return log10 of probabilities, at most 0 as KenLM demands; `NEVER` for 0."""
    with np.errstate(divide="ignore"):
        logs = np.log10(probabilities)
    # Adding 0 turns -0 into 0.
    return (np.clip(logs, NEVER, 0.0) + 0.0).astype(np.float32)


def write_arpa(path: Path, words: Sequence[bytes], levels: Sequence[Level], sections: Sequence[Section]) -> None:
    """Write the sections of a model as an ARPA file, with the precision of 32 bits, which is KenLM's.

    The vocabulary begins with the words of `SPECIAL`.
    """
    vocabulary = np.array([word.decode() for word in words], dtype=object)
    blocks = (_lines(vocabulary, levels[: n + 1], section) for n, section in enumerate(sections))
    _write(path, [len(level.keys) for level in levels], blocks)


class MixtureCounts(NamedTuple):
    """The number of unigrams and of bigrams of a model."""

    unigrams: int
    bigrams: int


class History(NamedTuple):
    """A word v, and the part of P(w | v) that does not depend on w; None for `</s>`, which is no history."""

    word: str
    rest: float | None


class Bigram(NamedTuple):
    """The words v and w, and P(w | v)."""

    first: str
    second: str
    probability: float


def write_mixture(path: Path, histories: Sequence[History], bigrams: Iterable[Bigram], count: int) -> MixtureCounts:
    """Write P(w | v) = share(v, w) + rest(v) exactly as a back-off model, to the precision of seven decimals.

    A back-off model gives an unseen bigram P(w) · backoff(v). With every P(w) = 1 and backoff(v) = rest(v) that is the value
    of the mixture; seen bigrams are listed with theirs.

    Args:
        path: the file.
        histories: all words of the vocabulary, the three special ones included.
        bigrams: the bigrams that were seen; a probability above 1 becomes 1, as KenLM demands.
        count: the number of bigrams.
    """
    with atomic_path(path) as temporary:
        _write(temporary, (len(histories), count), (_unigram_lines(histories), _bigram_lines(bigrams)))
    return MixtureCounts(len(histories), count)


def _unigram_lines(histories: Iterable[History]) -> Iterator[bytes]:
    for word, rest in histories:
        backoff = "" if rest is None else f"\t{math.log10(rest):.7f}"
        yield f"0\t{word}{backoff}\n".encode()


def _bigram_lines(bigrams: Iterable[Bigram]) -> Iterator[bytes]:
    for first, second, probability in bigrams:
        yield f"{min(0.0, math.log10(probability)):.7f}\t{first} {second}\n".encode()


def _write(path: Path, sizes: Sequence[int], sections: Iterable[Iterable[bytes]]) -> None:
    """Write the frame of an ARPA file around the lines of its sections, one for each n from 1."""
    with path.open("wb") as out:
        out.write(b"\\data\\\n")
        for length, size in enumerate(sizes, start=1):
            out.write(f"ngram {length}={size}\n".encode())
        for length, lines in enumerate(sections, start=1):
            out.write(f"\n\\{length}-grams:\n".encode())
            out.writelines(lines)
        out.write(b"\n\\end\\\n")


def _lines(vocabulary: Texts, levels: Sequence[Level], section: Section) -> Iterator[bytes]:
    """Yield the lines of one length, `_LINES` at once."""
    for begin in range(0, len(section.logs), _LINES):
        end = min(begin + _LINES, len(section.logs))
        fields = [_numbers(section.logs[begin:end]), _grams(vocabulary, levels, np.arange(begin, end))]
        if section.backoffs is not None:
            fields.append(_numbers(section.backoffs[begin:end]))
        lines = ["\t".join(values) for values in zip(*fields, strict=True)]
        yield "".join(f"{line}\n" for line in lines).encode()


def _grams(vocabulary: Texts, levels: Sequence[Level], numbers: Ints) -> Texts:
    suffixes, firsts = np.divmod(levels[-1].keys[numbers], levels[-1].size)
    words: Texts = vocabulary[firsts]
    if len(levels) > 1:
        words = words + " " + _grams(vocabulary, levels[:-1], suffixes)
    return words


def _numbers(logs: Logs) -> Texts:
    distinct, which = np.unique(logs, return_inverse=True)
    texts = [_shortest(log) for log in distinct]
    return np.array(texts, dtype=object)[which]


def _shortest(log: np.float32) -> str:
    """Return the shortest decimals that are this number."""
    if not log or abs(log) >= 1e-6:
        return np.format_float_positional(log, trim="-")
    return np.format_float_scientific(log, trim="-", exp_digits=1)


def write_binary(arpa: Path, binary: Path) -> bool:
    """Write an ARPA file's model as KenLM's binary (probing hash table), if `build_binary` is on the path; return whether."""
    program = shutil.which(PROGRAM)
    if program is None:
        return False
    completed = subprocess.run([program, "probing", arpa, binary], capture_output=True, text=True, check=False)
    if completed.returncode:
        binary.unlink(missing_ok=True)
    return not completed.returncode
