"""Writing models: the ARPA format that KenLM reads, and KenLM's own binary format."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from thresher.files import atomic_path
from thresher.language_models.words.counts import Level
from thresher.language_models.words.word_files import WordWriter, read_words

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
NEVER = -99.0
"""log10 of the probability 0 in ARPA files."""
PROGRAM = "build_binary"

Logs = npt.NDArray[np.float32]
Probabilities = npt.NDArray[np.float64]
Kept = npt.NDArray[np.bool_]

_TEXT = pa.large_string()


@dataclass(frozen=True)
class Section:
    """A model's n-grams of one length.

    Attributes:
        level: the n-grams.
        logs: their log10 probabilities, shape (n-grams).
        backoffs: the log10 of their back-off weights, shape (n-grams); None where all are 0.
        kept: which n-grams the model includes, shape (n-grams); None for all.
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
    # Adding 0 turns -0 into 0.
    return (np.clip(logs, NEVER, 0.0) + 0.0).astype(np.float32)


def write_sections(path: Path, words: Any, sections: Sequence[Section], work: Path) -> None:
    """Write a model with the precision of 32 bits, which is KenLM's.

    KenLM rejects unigram models, so one redundant bigram with its back-off value is added.

    Args:
        path: the file.
        words: the vocabulary, an Arrow array of UTF-8; the first are `<unk>`, `<s>` and `</s>`.
        sections: for n = 1, 2, … in order.
        work: an existing folder for temporary files.
    """
    vocabulary = words.view(_TEXT)
    sizes = [section.size for section in sections]
    blocks: list[Iterator[bytes | memoryview]] = [
        _lines(section, length, vocabulary, work, length == len(sections)) for length, section in enumerate(sections, 1)
    ]
    if len(sections) == 1:
        sizes.append(1)
        blocks.append(iter([f"{sections[0].logs[0]}\t{BEGIN} {UNKNOWN}\n".encode()]))
    _write(path, sizes, blocks)


def write_mixture(
    path: Path, histories: Sequence[tuple[str, float | None]], bigrams: Iterable[tuple[str, str, float]], count: int
) -> tuple[int, int]:
    """Write P(w | v) = share(v, w) + rest(v) exactly as a back-off model, to the precision of seven decimals.

    A back-off model gives an unseen bigram P(w) · backoff(v). With every P(w) = 1 and backoff(v) = rest(v) that is the value
    of the mixture; seen bigrams are listed with theirs.

    Args:
        path: the file.
        histories: every word of the vocabulary, the three special ones included, and its rest; None for `</s>`.
        bigrams: v, w and P(w | v) of each bigram that was seen; a value above 1 becomes 1, as KenLM demands.
        count: the number of bigrams.

    Returns:
        the number of unigrams and of bigrams.
    """
    unigrams = (f"0\t{word}\n" if rest is None else f"0\t{word}\t{math.log10(rest):.7f}\n" for word, rest in histories)
    pairs = (f"{min(0.0, math.log10(value)):.7f}\t{first} {second}\n" for first, second, value in bigrams)
    with atomic_path(path) as temporary:
        _write(temporary, (len(histories), count), (map(str.encode, unigrams), map(str.encode, pairs)))
    return len(histories), count


def _write(path: Path, sizes: Sequence[int], sections: Iterable[Iterable[bytes | memoryview]]) -> None:
    """Write the frame of an ARPA file around the lines of its sections, one for each n from 1."""
    with path.open("wb") as out:
        header = [f"ngram {length}={size}\n" for length, size in enumerate(sizes, start=1)]
        out.write("".join(["\\data\\\n", *header]).encode())
        for length, lines in enumerate(sections, start=1):
            out.write(f"\n\\{length}-grams:\n".encode())
            out.writelines(lines)
        out.write(b"\n\\end\\\n")


def _lines(section: Section, length: int, vocabulary: Any, work: Path, last: bool) -> Iterator[bytes | memoryview]:
    """Yield a section's lines in blocks, and keep the text of its n-grams, which those of the next section end with."""
    level = section.level
    suffixes = vocabulary if length == 2 else read_words(work / f"grams-{length - 1}", _TEXT) if length > 2 else None
    with ExitStack() as files:
        out = files.enter_context(WordWriter(work / f"grams-{length}")) if length > 1 and not last else None
        for at in level.blocks():
            grams = vocabulary.take(pa.array(level.firsts(at)))
            if suffixes is not None:
                grams = _join([grams, suffixes.take(pa.array(level.suffixes(at)))], " ")
            if out:
                out.write(grams)
            fields = [_numbers(section.logs[at]), grams]
            if section.backoffs is not None:
                fields.append(_numbers(section.backoffs[at]))
            # Joining with an empty string ends every line.
            lines = _join([_join(fields, "\t"), pa.scalar("", _TEXT)], "\n")
            if section.kept is not None:
                lines = lines.filter(pa.array(section.kept[at]))
            if len(lines):
                offsets = np.frombuffer(lines.buffers()[1], dtype=np.int64)[
                    lines.offset : lines.offset + len(lines) + 1
                ]
                yield memoryview(lines.buffers()[2])[offsets[0] : offsets[-1]]


def _join(parts: Sequence[Any], separator: str) -> Any:
    return pc.binary_join_element_wise(*parts, pa.scalar(separator, _TEXT))


def _numbers(logs: Logs) -> Any:
    return pc.cast(pa.array(logs), _TEXT)


def write_binary(arpa: Path, binary: Path) -> bool:
    """Write an ARPA file's model as KenLM's binary (probing hash table), if KenLM's `build_binary` is on the path.

    Returns:
        whether the binary was written; it is optional.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return False
    done = subprocess.run([program, "probing", arpa, binary], capture_output=True, text=True, check=False)
    if done.returncode:
        binary.unlink(missing_ok=True)
    return not done.returncode
