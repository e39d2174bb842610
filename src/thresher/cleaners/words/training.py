"""The model `self`, trained on the collection that it scores, and what training any word model takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.errors import InputError
from thresher.base.files import atomic_path, file_digest
from thresher.base.numbers import Ints
from thresher.base.processes import Backend, run_tasks
from thresher.base.progress import progress
from thresher.cleaners.words import models, ngrams
from thresher.cleaners.words.ngrams import SPECIAL, Run, Sentences
from thresher.cleaners.words.tokenisers import NORMALISATIONS, Tokeniser, tokeniser
from thresher.cleaners.words.word_model import ModelCard
from thresher.pages import PageOptions, Segments, read_text_page

# Characters of text per worker task; memory is some 40 times as much.
PORTION = 4 * 2**20
# Digests of sentences that are counted at once.
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Encoded:
    """The sentences of some text: the distinct words, and for each word in order its number among these.

    `lengths` are the words of each sentence, `counts` those that the tokeniser counts.
    """

    distinct: list[bytes]
    numbers: npt.NDArray[np.int32]
    lengths: Ints
    counts: Ints

    def take(self, chosen: npt.NDArray[np.bool_]) -> Encoded:
        """Return some of the sentences."""
        words = self.numbers[np.repeat(chosen, self.lengths)]
        return replace(self, numbers=words, lengths=self.lengths[chosen], counts=self.counts[chosen])


def encoded(pages: Iterable[Segments], tokenise: Tokeniser) -> Encoded:
    """Return the words of pages; sentences without any are left out."""
    split: list[list[bytes]] = []
    counted: list[int] = []
    for page in pages:
        for sentence, count in zip(*tokenise(page.plain, page.sentence_ends), strict=True):
            if words := sentence.split():
                split.append(words)
                counted.append(int(count))
    tokens = [*chain.from_iterable(split)]
    distinct = sorted(set(tokens))
    numbers = {word: at for at, word in enumerate(distinct)}
    return Encoded(
        distinct,
        np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens)),
        np.fromiter(map(len, split), np.int64, len(split)),
        np.array(counted, dtype=np.int64),
    )


def write_model(folder: Path, texts: Sequence[Encoded], order: int, unigram: str) -> tuple[int, ...]:
    """Write the model of texts with at least one word, see `ngrams.interpolated`; return the number of n-grams by length.

    The file does not depend on how the text is divided.
    """
    words, counts, sentences = _numbered(texts)
    levels = ngrams.count_levels(sentences, counts, order)
    ngrams.write_arpa(folder / models.ARPA, words, levels, ngrams.interpolated(levels, unigram))
    ngrams.write_binary(folder / models.ARPA, folder / models.BINARY)
    return tuple(len(level.keys) for level in levels)


def _numbered(texts: Sequence[Encoded]) -> tuple[list[bytes], Ints, list[Sentences]]:
    """Return the vocabulary, the most frequent words first (ties in the order of their bytes), their counts, and the text.

    The first words are those of `SPECIAL`.
    """
    known: dict[bytes, int] = {}
    places = [np.array([known.setdefault(word, len(known)) for word in one.distinct], dtype=np.int64) for one in texts]
    sums = np.zeros(len(known), dtype=np.int64)
    for one, at in zip(texts, places, strict=True):
        sums[at] += np.bincount(one.numbers, minlength=len(at))
    names = [*known]
    order = np.array(sorted(range(len(names)), key=names.__getitem__))
    order = order[np.argsort(-sums[order], kind="stable")]
    # Words of sentences that were left out of the text occur no more.
    order = order[sums[order] > 0]
    numbers = np.zeros(len(names), dtype=np.int32)
    numbers[order] = np.arange(len(order)) + len(SPECIAL)
    counts = np.concatenate(([0, 0, 0], sums[order]))
    words = [*(word.encode() for word in SPECIAL), *(names[at] for at in order.tolist())]
    return (
        words,
        counts,
        [Sentences(numbers[at][one.numbers], one.lengths) for one, at in zip(texts, places, strict=True)],
    )


Pages = Callable[[], Iterable[Sequence[str]]]
"""Returns the sentences of descriptive blocks by page, the same at each call."""


def learn(sentences: Pages, output: Path, language: str, workers: int = 1, where: str = models.SELF) -> None:
    """Write the folder of the model `self`, unless it is there.

    Sentences are equal if their lower case has the same digest of 64 bits; these are in memory, and the text as numbers, 4
    bytes a word. `sentences` is called twice if there is no model yet; `where` is named in errors.
    """
    if (output / models.CARD).is_file():
        return
    order, unigram, name = models.SELF_MODEL["order"], models.SELF_MODEL["unigram"], models.SELF_MODEL["tokeniser"]
    with atomic_path(output) as folder:
        folder.mkdir(parents=True)
        pages, (keys, counts) = _count_pages(sentences())
        wanted = counts <= models.SELF_MOST_PAGES
        count = int(wanted.sum())
        texts = _texts(sentences(), keys, wanted) if count else iter(())
        # For little text, starting processes takes longer than the work.
        first = [*islice(texts, 2)]
        backend = Backend(workers=workers if len(first) > 1 else 1)
        encode = partial(encode_text, options=PageOptions(language=language), tokenise=tokeniser(name, where))
        tasks = ((text,) for text in chain(first, texts))
        results = run_tasks(backend, encode, tasks, "reading text", str(output), ordered=True)
        read = list(progress(results, "reading text", None, "portions"))
        words = sum(len(one.numbers) for one in read)
        if words < models.SELF_LEAST_WORDS:
            raise InputError(
                f"too little descriptive text to train a model on: {words} words in {count} different sentences of "
                f"{pages} pages, and {models.SELF_LEAST_WORDS} words are needed",
                "give a larger collection, or another model such as lm=books",
                where,
            )
        made = write_model(folder, read, order, unigram)
        ModelCard(
            name=models.SELF,
            language=language,
            corpus=f"{count} different sentences of descriptive blocks on {pages} pages of the collection itself, without "
            f"those on more than {models.SELF_MOST_PAGES} pages",
            order=order,
            ngrams=made,
            formula=ngrams.formula(order, unigram),
            tokeniser=name,
            unknown_words=ngrams.NO_COUNT,
            sentence_ends=ngrams.ENDS,
            digest=file_digest(folder / models.ARPA),
            normalisation=NORMALISATIONS[name],
        ).write(folder / models.CARD)


def encode_text(text: str, options: PageOptions, tokenise: Tokeniser) -> Encoded:
    """Return the words of a text of which each line is a block."""
    return encoded([read_text_page(text, options)], tokenise)


def _count_pages(pages: Iterable[Sequence[str]]) -> tuple[int, Run]:
    """Return how many pages have sentences; and the sentences' digests, with the number of pages that each is on."""
    runs: list[Run] = []
    waiting = [np.zeros(0, dtype=np.int64)]
    total = size = 0
    for sentences in filter(None, pages):
        waiting.append(np.unique(_digests(sentences)))
        total += 1
        size += len(waiting[-1])
        if size >= _BLOCK:
            ngrams.add_run(runs, np.concatenate(waiting))
            waiting, size = waiting[:1], 0
    ngrams.add_run(runs, np.concatenate(waiting))
    return total, ngrams.merged(runs)


def _texts(pages: Iterable[Sequence[str]], keys: Ints, is_wanted: npt.NDArray[Any]) -> Iterator[str]:
    """Yield text with a line for each distinct sentence that is wanted, `PORTION` at a time; `is_wanted` is changed."""
    lines: list[str] = []
    size = 0
    for sentences in filter(None, pages):
        for at, sentence in zip(np.searchsorted(keys, _digests(sentences)).tolist(), sentences, strict=True):
            if is_wanted[at]:
                is_wanted[at] = False
                lines.append(sentence)
                size += len(sentence)
        if size >= PORTION:
            yield "\n".join(lines)
            lines, size = [], 0
    if lines:
        yield "\n".join(lines)


def _digests(sentences: Sequence[str]) -> Ints:
    digests = [blake2b(sentence.lower().encode(), digest_size=8).digest() for sentence in sentences]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)
