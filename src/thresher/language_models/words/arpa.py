"""Models in the ARPA format that KenLM reads, and KenLM's binary format."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thresher.files import atomic_path
from thresher.language_models.words.counts import Level

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
NEVER = -99.0
"""The log10 of the probability 0, as ARPA files write it."""

Logs = npt.NDArray[np.float32]
Probabilities = npt.NDArray[np.float64]
Kept = npt.NDArray[np.bool_]

_TEXT = pa.large_string()


@dataclass(frozen=True)
class Section:
    """What a model says of the n-grams of one length.

    Attributes:
        level: the n-grams.
        logs: their log10 probabilities, shape (n-grams).
        backoffs: the log10 of their back-off weights, shape (n-grams); None where all are 0.
        kept: which of them are in the model, shape (n-grams); None for all.
    """

    level: Level
    logs: Logs
    backoffs: Logs | None = None
    kept: Kept | None = None

    @property
    def size(self) -> int:
        """How many n-grams are in the model."""
        return len(self.logs) if self.kept is None else int(self.kept.sum())


def log10(probabilities: Probabilities) -> Logs:
    """Return log10 of probabilities, at most 0 as KenLM demands; `NEVER` for 0."""
    with np.errstate(divide="ignore"):
        logs = np.log10(probabilities)
    # Adding 0 turns -0, which reads badly, into 0.
    return (np.clip(logs, NEVER, 0.0) + 0.0).astype(np.float32)


def write_sections(path: Path, words: Sequence[bytes], sections: Sequence[Section]) -> None:
    """Write a model to `path`, which is not yet there. Numbers are written to the precision of 32 bits, which KenLM's have.

    KenLM reads no model of unigrams only; such a one is given one bigram, which has the value it would have without.

    Args:
        path: the file.
        words: the vocabulary, as UTF-8; the first are `<unk>`, `<s>` and `</s>`.
        sections: those of n = 1, 2, ... in order.
    """
    sizes = [section.size for section in sections]
    alone = len(sections) == 1
    with path.open("wb") as out:
        header = [f"ngram {length}={size}\n" for length, size in enumerate([*sizes, *[1] * alone], start=1)]
        out.write("".join(["\\data\\\n", *header]).encode())
        shorter: Any = pa.array([""], _TEXT)
        vocabulary = pa.array([word.decode() for word in words], _TEXT)
        for length, section in enumerate(sections, start=1):
            out.write(f"\n\\{length}-grams:\n".encode())
            shorter = _write_section(out, section, vocabulary, shorter, go_on=length < len(sections))
        if alone:
            out.write(f"\n\\2-grams:\n{sections[0].logs[0]}\t{BEGIN} {UNKNOWN}\n".encode())
        out.write(b"\n\\end\\\n")


def _write_section(out: IO[bytes], section: Section, vocabulary: Any, shorter: Any, go_on: bool) -> Any:
    """Write the n-grams of a length, given the text of those one word shorter; to go on, return their own text."""
    level = section.level
    texts = []
    for at in level.blocks():
        firsts = vocabulary.take(pa.array(level.firsts(at)))
        # A unigram has the empty text behind it, and needs no space.
        grams = _join([firsts, shorter.take(pa.array(level.suffixes(at)))], " ") if len(shorter) > 1 else firsts
        if go_on:
            texts.append(grams)
        fields = [_numbers(section.logs[at]), grams]
        if section.backoffs is not None:
            fields.append(_numbers(section.backoffs[at]))
        # Joining with an empty text ends every line.
        lines = _join([_join(fields, "\t"), pa.scalar("", _TEXT)], "\n")
        if section.kept is not None:
            lines = lines.filter(pa.array(section.kept[at]))
        offsets = np.frombuffer(lines.buffers()[1], dtype=np.int64)[lines.offset : lines.offset + len(lines) + 1]
        out.write(memoryview(lines.buffers()[2])[offsets[0] : offsets[-1]] if len(lines) else b"")
    return pa.concat_arrays(texts) if texts else pa.array([], _TEXT)


def _join(parts: Sequence[Any], separator: str) -> Any:
    return pc.binary_join_element_wise(*parts, pa.scalar(separator, _TEXT))


def _numbers(logs: Logs) -> Any:
    return pc.cast(pa.array(logs), _TEXT)


def interpolated_probability(
    bigrams: Mapping[str, Mapping[str, int]], unigrams: Mapping[str, int], total: int, history: str, word: str
) -> float:
    """Return P(word | history) = 0.8 · P(word | history) + 0.2 · P(history) + 1e-6, by maximum likelihood.

    This is the mixture of PyPlexity's bigram model (its public source; the unigram really is that of the *previous* word),
    so that its cutoffs of 1K to 14K keep their meaning. A word's bigrams are normalised by their own sum, since bigram and
    unigram counts may be on different scales.

    Args:
        bigrams: counts of each history's followers.
        unigrams: counts of words.
        total: the sum of `unigrams`.
        history: the previous word.
        word: the word to predict.
    """
    followers = bigrams.get(history, {})
    seen = followers.get(word, 0)
    conditional = seen / sum(followers.values()) if seen else 0.0
    return 0.8 * conditional + 0.2 * (unigrams.get(history, 0) / total) + 1e-6


def write_interpolated_bigrams(
    path: Path, bigrams: Mapping[str, Mapping[str, int]], unigrams: Mapping[str, int]
) -> tuple[int, int]:
    """Write the mixture of `interpolated_probability` exactly as a back-off model.

    A back-off model gives an unseen bigram P(word) · backoff(history). With every P(word) = 1 (log10 0) and
    backoff(history) = 0.2 · P(history) + 1e-6 that is the mixture's value for an unseen bigram, and seen bigrams are listed
    with the mixture's value. `<s>` and `<unk>` are histories that were never counted: their back-off is 1e-6.

    Returns:
        the number of unigrams and of bigrams written.
    """
    total = sum(unigrams.values())
    vocabulary = sorted({*unigrams, *bigrams, *(word for followers in bigrams.values() for word in followers)})
    count = sum(len(followers) for followers in bigrams.values())

    def backoff(history: str) -> float:
        return math.log10(0.2 * (unigrams.get(history, 0) / total) + 1e-6)

    def rows() -> Iterable[str]:
        yield f"\\data\\\nngram 1={len(vocabulary) + 3}\nngram 2={count}\n\n\\1-grams:\n"
        yield f"0\t{UNKNOWN}\t{math.log10(1e-6):.7f}\n0\t{BEGIN}\t{math.log10(1e-6):.7f}\n0\t{END}\n"
        for word in vocabulary:
            yield f"0\t{word}\t{backoff(word):.7f}\n"
        yield "\n\\2-grams:\n"
        for history in sorted(bigrams):
            followers = bigrams[history]
            share = 0.8 / sum(followers.values())
            rest = 0.2 * (unigrams.get(history, 0) / total) + 1e-6
            for word in sorted(followers):
                # The 1e-6 may lift a certain word above 1, which KenLM refuses.
                yield f"{min(0.0, math.log10(share * followers[word] + rest)):.7f}\t{history} {word}\n"
        yield "\n\\end\\\n"

    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(rows())
    return len(vocabulary) + 3, count


PROGRAM = "build_binary"


def write_binary(arpa: Path, binary: Path) -> bool:
    """Write the model of an ARPA file as a binary (probing hash table), if KenLM's `build_binary` is on the path.

    Returns:
        whether there is a binary now; without one the ARPA file says the same.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return False
    done = subprocess.run([program, "probing", arpa, binary], capture_output=True, text=True, check=False)
    if done.returncode:
        binary.unlink(missing_ok=True)
    return not done.returncode
