"""The words of a text as numbers, a model of them, and the model `self`, trained on the collection that it scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import InputError
from thresher.base.files import atomic_path, file_digest
from thresher.base.numbers import Ints
from thresher.base.processes import Backend, run_tasks
from thresher.base.progress import progress
from thresher.cleaners.words import models, ngrams
from thresher.cleaners.words.ngrams import SPECIAL, Mixture, Run, Sentences
from thresher.cleaners.words.tokenisers import NORMALISATIONS, Tokeniser, tokeniser
from thresher.cleaners.words.word_model import ModelCard
from thresher.pages import PageOptions, Segments, read_text_page

# Characters of text per worker task; memory is some 40 times as much.
PORTION = 4 * 2**20
# Digests of sentences that are counted at once.
_BLOCK = 1 << 18
Pages = Callable[[], Iterable[Sequence[str]]]
"""Returns the sentences of descriptive blocks by page, the same at each call."""


@dataclass(frozen=True)
class Encoded:
    """The sentences of some text: the distinct words, and for each word in order its number among these.

    `lengths` has the number of words of each sentence, `counts` the number of words that the tokeniser counts.
    """

    distinct: list[bytes]
    numbers: npt.NDArray[np.int32]
    lengths: Ints
    counts: Ints

    def take(self, sentences: npt.NDArray[np.bool_]) -> Encoded:
        """Return the sentences that a mask marks."""
        words = self.numbers[np.repeat(sentences, self.lengths)]
        return replace(self, numbers=words, lengths=self.lengths[sentences], counts=self.counts[sentences])


def encoded(pages: Iterable[Segments], tokenise: Tokeniser) -> Encoded:
    """Return the words of pages; sentences without any are left out."""
    tokens: list[bytes] = []
    lengths: list[int] = []
    counts: list[int] = []
    for page in pages:
        sentences, sentence_counts = tokenise(page.plain, page.sentence_ends)
        for sentence, count in zip(sentences, sentence_counts.tolist(), strict=True):
            words = sentence.split()
            if words:
                tokens.extend(words)
                lengths.append(len(words))
                counts.append(count)
    distinct = sorted(set(tokens))
    number_by_word = {word: number for number, word in enumerate(distinct)}
    return Encoded(
        distinct,
        np.array([number_by_word[word] for word in tokens], dtype=np.int32),
        np.array(lengths, dtype=np.int64),
        np.array(counts, dtype=np.int64),
    )


def encode_text(text: str, options: PageOptions, tokenise: Tokeniser) -> Encoded:
    """Return the words of a text with one block a line."""
    return encoded([read_text_page(text, options)], tokenise)


def encode_portions(
    portions: Iterator[str], options: PageOptions, tokenise: Tokeniser, workers: int, where: str
) -> list[Encoded]:
    """Return the words of portions of text, in order, by several processes; `where` is named in errors."""
    # For little text, starting processes takes longer than the work.
    first_portions = list(islice(portions, 2))
    backend = Backend(workers=workers if len(first_portions) > 1 else 1)
    tasks = ((portion,) for portion in chain(first_portions, portions))
    encode = partial(encode_text, options=options, tokenise=tokenise)
    results = run_tasks(backend, encode, tasks, "reading text", where, ordered=True)
    return list(progress(results, "reading text", None, "portions"))


def write_model(folder: Path, texts: Sequence[Encoded], mixture: Mixture) -> tuple[int, ...]:
    """Write the model of texts with at least one word; return the number of n-grams by length.

    The file does not depend on how the text is divided.
    """
    numbered = _numbered(texts)
    levels = ngrams.count_levels(numbered.sentences, numbered.counts, mixture.order)
    ngrams.write_arpa(folder / models.ARPA, numbered.words, levels, ngrams.interpolated(levels, mixture))
    ngrams.write_binary(folder / models.ARPA, folder / models.BINARY)
    return tuple(len(level.keys) for level in levels)


class _Numbered(NamedTuple):
    """A text as numbers of words."""

    words: list[bytes]
    """The vocabulary: the words of `SPECIAL`, then the most frequent first, ties in the order of their bytes."""
    counts: Ints
    """How often each word occurs."""
    sentences: list[Sentences]


def _numbered(texts: Sequence[Encoded]) -> _Numbered:
    """Return texts by numbers in one vocabulary."""
    joint = _joint_words(texts)
    counts = np.zeros(len(joint.words), dtype=np.int64)
    for text, numbers in zip(texts, joint.numbers_of_texts, strict=True):
        counts[numbers] += np.bincount(text.numbers, minlength=len(numbers))
    order = _most_frequent_first(joint.words, counts)
    number_in_vocabulary = np.zeros(len(joint.words), dtype=np.int32)
    number_in_vocabulary[order] = np.arange(len(order)) + len(SPECIAL)
    vocabulary = [word.encode() for word in SPECIAL]
    vocabulary.extend(joint.words[number] for number in order.tolist())
    sentences = []
    for text, numbers in zip(texts, joint.numbers_of_texts, strict=True):
        sentences.append(Sentences(number_in_vocabulary[numbers][text.numbers], text.lengths))
    return _Numbered(vocabulary, np.concatenate(([0] * len(SPECIAL), counts[order])), sentences)


class _JointWords(NamedTuple):
    """The distinct words of several texts, and by text the number of each of its distinct words among them."""

    words: list[bytes]
    numbers_of_texts: list[Ints]


def _joint_words(texts: Sequence[Encoded]) -> _JointWords:
    number_by_word: dict[bytes, int] = {}
    numbers_of_texts: list[Ints] = []
    for text in texts:
        numbers: list[int] = []
        for word in text.distinct:
            numbers.append(number_by_word.setdefault(word, len(number_by_word)))
        numbers_of_texts.append(np.array(numbers, dtype=np.int64))
    return _JointWords(list(number_by_word), numbers_of_texts)


def _most_frequent_first(words: Sequence[bytes], counts: Ints) -> Ints:
    """Return the numbers of the words that occur, the most frequent first, ties in the order of their bytes."""
    by_bytes = np.array(sorted(range(len(words)), key=words.__getitem__))
    order = by_bytes[np.argsort(-counts[by_bytes], kind="stable")]
    # Words of sentences that were left out of the text occur no more.
    occurring: Ints = order[counts[order] > 0]
    return occurring


def learn(sentences: Pages, output: Path, language: str, workers: int = 1, where: str = models.SELF) -> None:
    """Write the folder of the model `self`, unless it is there.

    Sentences are equal if their lower case has the same digest of 64 bits; these are in memory, and the text as numbers, 4
    bytes a word. `sentences` is called twice if there is no model yet; `where` is named in errors.
    """
    if (output / models.CARD).is_file():
        return
    mixture = Mixture(models.SELF_MODEL["order"], models.SELF_MODEL["unigram"])
    tokeniser_name = models.SELF_MODEL["tokeniser"]
    with atomic_path(output) as folder:
        folder.mkdir(parents=True)
        counted = _count_pages(sentences())
        is_rare = counted.pages_by_sentence.counts <= models.SELF_MOST_PAGES
        sentence_count = int(is_rare.sum())
        texts: Iterator[str] = iter(())
        if sentence_count:
            texts = _texts(sentences(), counted.pages_by_sentence.keys, is_rare)
        tokenise = tokeniser(tokeniser_name, where)
        encoded_texts = encode_portions(texts, PageOptions(language=language), tokenise, workers, str(output))
        words = sum(len(text.numbers) for text in encoded_texts)
        if words < models.SELF_LEAST_WORDS:
            raise InputError(
                f"too little descriptive text to train a model on: {words} words in {sentence_count} different sentences of "
                f"{counted.pages} pages, and {models.SELF_LEAST_WORDS} words are needed",
                "give a larger collection, or another model such as lm=books",
                where,
            )
        ngram_counts = write_model(folder, encoded_texts, mixture)
        ModelCard(
            name=models.SELF,
            language=language,
            corpus=f"{sentence_count} different sentences of descriptive blocks on {counted.pages} pages of the collection "
            f"itself, without those on more than {models.SELF_MOST_PAGES} pages",
            order=mixture.order,
            ngrams=ngram_counts,
            formula=mixture.formula,
            tokeniser=tokeniser_name,
            unknown_words=ngrams.NO_COUNT,
            sentence_ends=ngrams.ENDS,
            digest=file_digest(folder / models.ARPA),
            normalisation=NORMALISATIONS[tokeniser_name],
        ).write(folder / models.CARD)


class _CountedPages(NamedTuple):
    """The number of pages that have sentences; and by the sentences' digests, the number of pages with each."""

    pages: int
    pages_by_sentence: Run


def _count_pages(pages: Iterable[Sequence[str]]) -> _CountedPages:
    runs: list[Run] = []
    nothing = np.zeros(0, dtype=np.int64)
    waiting = [nothing]
    total = waiting_digests = 0
    for sentences in pages:
        if not sentences:
            continue
        digests = np.unique(_digests(sentences))
        waiting.append(digests)
        total += 1
        waiting_digests += len(digests)
        if waiting_digests >= _BLOCK:
            ngrams.add_run(runs, np.concatenate(waiting))
            waiting = [nothing]
            waiting_digests = 0
    ngrams.add_run(runs, np.concatenate(waiting))
    return _CountedPages(total, ngrams.merged(runs))


def _texts(pages: Iterable[Sequence[str]], keys: Ints, is_rare: npt.NDArray[np.bool_]) -> Iterator[str]:
    """Yield text with a line for each distinct sentence that is on few pages, `PORTION` at a time.

    Args:
        pages: the sentences of each page.
        keys: the digests of all sentences, ascending.
        is_rare: whether the sentence of each digest is on few pages.
    """
    # Each sentence is written once.
    is_unwritten = is_rare.copy()
    lines: list[str] = []
    size = 0
    for sentences in pages:
        if not sentences:
            continue
        positions = np.searchsorted(keys, _digests(sentences)).tolist()
        for position, sentence in zip(positions, sentences, strict=True):
            if is_unwritten[position]:
                is_unwritten[position] = False
                lines.append(sentence)
                size += len(sentence)
        if size >= PORTION:
            yield "\n".join(lines)
            lines = []
            size = 0
    if lines:
        yield "\n".join(lines)


def _digests(sentences: Sequence[str]) -> Ints:
    digests = [blake2b(sentence.lower().encode(), digest_size=8).digest() for sentence in sentences]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)
