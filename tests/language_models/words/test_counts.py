"""N-gram counts from sorted runs on disk: those of dictionaries, whatever the portions and blocks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thresher.language_models.words import counts, word_files
from thresher.language_models.words import vocabulary as vocabularies
from thresher.language_models.words.counts import (
    Corpus,
    Level,
    adjusted_counts,
    count_levels,
    merge_runs,
    write_run,
)
from thresher.language_models.words.encoding import (
    Reading,
    SentenceCounts,
    encode,
    merge_portions,
    number_portions,
    sentences_to_score,
)
from thresher.language_models.words.texts import portions
from thresher.language_models.words.tokenisers import tokenise
from thresher.language_models.words.vocabulary import Vocabulary, merge_words, vocabulary, write_word_run
from thresher.language_models.words.word_files import read_array, read_words
from thresher.pages import PageOptions

SENTENCES = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=12)


def read(folder: Path, sentences: list[list[str]], size: int) -> list[SentenceCounts]:
    (folder / "text").write_text("\n".join(map(" ".join, sentences)))
    reading = Reading(PageOptions(), "text", tokenise)
    cut = portions([folder / "text"], size)
    return [encode(portion, number, folder, reading) for number, portion in enumerate(cut)]


def number(folder: Path, read: list[SentenceCounts], hold_out: bool = False) -> Vocabulary:
    merged = merge_portions(folder, len(read), hold_out)
    sentences = sum(one.sentences + one.held * (not hold_out) for one in read)
    words = vocabulary(merged, sentences)
    number_portions(folder, len(read), merged)
    return words


def as_dictionary(levels: list[Level], words: Vocabulary, length: int) -> dict[tuple[str, ...], int]:
    level = levels[length - 1]
    return dict(zip(names(levels, words, length), level.counts.tolist(), strict=True))


def names(levels: list[Level], words: Vocabulary, length: int) -> list[tuple[str, ...]]:
    level = levels[length - 1]
    shorter = [()] if length == 1 else names(levels, words, length - 1)
    return [
        (words.words[first].as_py().decode(), *shorter[suffix])
        for first, suffix in zip(level.firsts().tolist(), level.suffixes().tolist(), strict=True)
    ]


@settings(max_examples=40)
@given(SENTENCES, st.integers(1, 5), st.sampled_from([10, 25, 1000]), st.booleans())
def test_counts_of_all_lengths(tmp_path_factory, sentences, order, size, ends):
    folder = tmp_path_factory.mktemp("counts")
    # A line longer than a portion would be cut.
    result = read(folder, sentences, max(size, 12))
    words = number(folder, result)
    levels = count_levels(Corpus(folder, len(result), ends, hold_out=False), words, order)
    expected: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        padded = ["<s>", *sentence, *["</s>"] * ends]
        for end in range(1, len(padded)):
            expected.update(tuple(padded[begin : end + 1]) for begin in range(max(0, end - order + 1), end + 1))
    assert len(levels) == order
    for length, level in enumerate(levels, 1):
        seen = {gram: count for gram, count in as_dictionary(levels, words, length).items() if count}
        assert seen == {gram: count for gram, count in expected.items() if len(gram) == length}
        assert (np.diff(level.keys) > 0).all()
        own = names(levels, words, length)
        shorter = [()] if length == 1 else names(levels, words, length - 1)
        assert [shorter[prefix] for prefix in level.prefixes.tolist()] == [gram[:-1] for gram in own]
        adjusted = dict(zip(own, adjusted_counts(levels, length).tolist(), strict=True))
        for gram in seen:
            before = {longer[0] for longer in expected if longer[1:] == gram}
            assert adjusted[gram] == (expected[gram] if length == order or gram[0] == "<s>" else len(before))


RUNS = st.lists(st.dictionaries(st.integers(0, 60), st.integers(1, 5)), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS, st.integers(1, 40), st.integers(2, 6))
def test_merging_adds_up(tmp_path_factory, monkeypatch, runs, block, most):
    """Whatever fits into memory, and however many are merged at once: numbers, and words, which know their indices."""
    monkeypatch.setattr(word_files, "BLOCK", block)
    for module in (counts, vocabularies):
        monkeypatch.setattr(module, "MOST_RUNS", most)
    folder = tmp_path_factory.mktemp("runs")
    expected: Counter[int] = Counter()
    paths = [folder / f"run-{at}.keys" for at in range(len(runs))]
    for path, run in zip(paths, runs, strict=True):
        sizes = np.array([run[key] for key in sorted(run)], dtype=np.int64)
        write_run(path, np.array(sorted(run), dtype=np.int64), sizes)
        write_word_run(folder / f"words-of-{path.stem}", pa.array(as_words(sorted(run)), pa.large_binary()), sizes)
        expected.update(run)
    merge_runs(paths, folder / "all.keys")
    assert read_array(folder / "all.keys").tolist() == sorted(expected)
    assert read_array(folder / "all.counts").tolist() == [expected[key] for key in sorted(expected)]
    assert not [path for path in folder.iterdir() if not path.stem.startswith(("all", "words-of"))]

    words = [folder / f"words-of-{path.stem}" for path in paths]
    merge_words(words, folder / "every")
    assert read_words(folder / "every").tolist() == as_words(sorted(expected))
    assert read_array(folder / "every.counts").tolist() == [expected[key] for key in sorted(expected)]
    for path, run in zip(words, runs, strict=True):
        indices = read_array(path.with_suffix(".indices")).tolist()
        assert indices == [sorted(expected).index(key) for key in sorted(run)]
    assert {path.stem for path in folder.iterdir()} == {"all", "every", *(path.stem for path in words)}


def as_words(keys: list[int]) -> list[bytes]:
    return [f"{key:02}é".encode() for key in keys]


def ranked(folder: Path, words: dict[bytes, int], **options: int) -> tuple[list[bytes], list[int], list[int]]:
    """Return the vocabulary of these counts with its own, and the number of each word, in the order of their bytes."""
    write_word_run(
        folder / "run", pa.array(sorted(words), pa.large_binary()), np.array([words[w] for w in sorted(words)])
    )
    result = vocabulary(folder / "run", 3, **options)
    return result.words.tolist(), result.counts.tolist(), read_array(folder / "run.numbers").tolist()


@pytest.mark.parametrize("block", [1, 2, 3, 1000])
def test_the_vocabulary_is_by_frequency_then_by_bytes(tmp_path, monkeypatch, block):
    monkeypatch.setattr(word_files, "BLOCK", block)
    special = [b"<unk>", b"<s>", b"</s>"]
    words = {b"b": 2, b"a": 2, b"c": 5, b"d": 1, b"<s>": 7, b"held": 0}
    # What looks like a special word is an unknown one: <s>, a, b, c, d, held.
    everything = ([*special, b"c", b"a", b"b", b"d"], [7, 0, 3, 5, 2, 2, 1], [0, 4, 5, 3, 6, 0])
    assert ranked(tmp_path, words) == everything
    assert ranked(tmp_path, words, least=2)[1:] == ([8, 0, 3, 5, 2, 2], [0, 4, 5, 3, 0, 0])
    assert ranked(tmp_path, words, most=2) == ([*special, b"c", b"a"], [10, 0, 3, 5, 2], [0, 4, 0, 3, 0, 0])


def test_every_hundredth_sentence_may_be_held_out(tmp_path):
    sentences = [[f"w{'x' * (number % 7)}"] for number in range(250)]
    sentences[99], sentences[199] = ["left", "out"], ["alone"]
    result = read(tmp_path, sentences, 100_000)
    assert result == [SentenceCounts(sentences=248, held=2)]
    lines, counted = sentences_to_score(tmp_path, 0, held=True)
    assert (lines, counted.tolist()) == ([b"left out", b"alone"], [2, 1])
    words = number(tmp_path, result, hold_out=True)
    assert sorted(words.words.tolist()[3:]) == [b"w" + b"x" * count for count in range(7)]
    assert words.counts.sum() - words.counts[2] == words.counts[2] == 248
    levels = count_levels(Corpus(tmp_path, 1, ends=False, hold_out=True), words, 2)
    assert levels[1].counts.sum() == 248
    words = number(tmp_path, result)
    assert {b"left", b"out", b"alone"} < set(words.words.tolist())
    assert (words.counts[2], words.counts.sum() - words.counts[2]) == (250, 251)
    assert len(sentences_to_score(tmp_path, 0, held=False)[0]) == 250


@pytest.mark.parametrize("workers", [1, 2])
def test_portions_without_words(tmp_path, workers):
    result = read(tmp_path, [["!"], ["a"], ["!"]], 2)
    assert result == [SentenceCounts(0, 0), SentenceCounts(1, 0), SentenceCounts(0, 0)]
    words = number(tmp_path, result)
    levels = count_levels(Corpus(tmp_path, 3, ends=True, hold_out=False), words, 3, workers)
    assert as_dictionary(levels, words, 3) == {("<s>", "a", "</s>"): 1}
