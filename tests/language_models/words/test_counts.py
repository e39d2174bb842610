"""N-gram counts from sorted runs on disk: those of dictionaries, whatever the portions and blocks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.language_models.words.counts import (
    Corpus,
    Level,
    adjusted_counts,
    count_levels,
    merge_runs,
    read_array,
    write_run,
)
from thresher.language_models.words.encoding import (
    Reading,
    Vocabulary,
    WordCounts,
    encode,
    number_portions,
    sentences_to_score,
    vocabulary,
)
from thresher.language_models.words.texts import portions
from thresher.language_models.words.tokenisers import tokenise
from thresher.pages import PageOptions

SENTENCES = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=12)


def read(folder: Path, sentences: list[list[str]], size: int) -> WordCounts:
    (folder / "text").write_text("\n".join(map(" ".join, sentences)))
    result = WordCounts()
    for number, portion in enumerate(portions([folder / "text"], size)):
        result.add(encode(portion, number, folder, Reading(PageOptions(), "text", tokenise)))
    return result


def as_dictionary(levels: list[Level], words: Vocabulary, length: int) -> dict[tuple[str, ...], int]:
    level = levels[length - 1]
    return dict(zip(names(levels, words, length), level.counts.tolist(), strict=True))


def names(levels: list[Level], words: Vocabulary, length: int) -> list[tuple[str, ...]]:
    level = levels[length - 1]
    shorter = [()] if length == 1 else names(levels, words, length - 1)
    return [
        (words.words[first].decode(), *shorter[suffix])
        for first, suffix in zip(level.firsts().tolist(), level.suffixes().tolist(), strict=True)
    ]


@settings(max_examples=40)
@given(SENTENCES, st.integers(1, 5), st.sampled_from([10, 25, 1000]), st.booleans())
def test_counts_of_all_lengths(tmp_path_factory, sentences, order, size, ends):
    folder = tmp_path_factory.mktemp("counts")
    # A line longer than a portion would be cut.
    result = read(folder, sentences, max(size, 12))
    words = vocabulary(result.counts, result.sentences)
    number_portions(folder, result.portions, words)
    levels = count_levels(Corpus(folder, result.portions, ends, hold_out=False), words, order)
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


@given(RUNS, st.integers(1, 40))
def test_merging_adds_up(tmp_path_factory, runs, block):
    folder = tmp_path_factory.mktemp("runs")
    paths = []
    expected: Counter[int] = Counter()
    for number, run in enumerate(runs):
        paths.append(folder / f"run-{number}.keys")
        keys = sorted(run)
        write_run(paths[-1], np.array(keys, dtype=np.int64), np.array([run[key] for key in keys], dtype=np.int64))
        expected.update(run)
    merge_runs(paths, folder / "all.keys", block)
    keys, counts = (read_array(folder / f"all.{what}").tolist() for what in ("keys", "counts"))
    assert keys == sorted(expected)
    assert counts == [expected[key] for key in keys]
    assert sorted(path.name for path in folder.iterdir()) == ["all.counts", "all.keys"]


def test_the_vocabulary_is_by_frequency_then_by_bytes():
    counts: Counter[bytes] = Counter({b"b": 2, b"a": 2, b"c": 5, b"d": 1, b"<s>": 7})
    assert vocabulary(counts, 3).words == (b"<unk>", b"<s>", b"</s>", b"c", b"a", b"b", b"d")
    # What looks like a special word is an unknown one.
    assert vocabulary(counts, 3).counts.tolist() == [7, 0, 3, 5, 2, 2, 1]
    assert vocabulary(counts, 3, least=2).counts.tolist() == [8, 0, 3, 5, 2, 2]
    assert vocabulary(counts, 3, most=2).words[3:] == (b"c", b"a")
    assert vocabulary(counts, 3, most=2).counts.tolist() == [10, 0, 3, 5, 2]


def test_every_hundredth_sentence_may_be_held_out(tmp_path):
    sentences = [[f"w{'x' * (number % 7)}"] for number in range(250)]
    sentences[99], sentences[199] = ["left", "out"], ["alone"]
    result = read(tmp_path, sentences, 100_000)
    assert (result.sentences, result.held) == (248, 2)
    assert result.held_counts == {b"left": 1, b"out": 1, b"alone": 1}
    assert b"left" not in result.counts
    lines, counts = sentences_to_score(tmp_path, range(result.portions), held=True)
    assert (lines, counts.tolist()) == ([b"left out", b"alone"], [2, 1])
    words = vocabulary(result.counts, result.sentences)
    number_portions(tmp_path, result.portions, words)
    levels = count_levels(Corpus(tmp_path, result.portions, ends=False, hold_out=True), words, 2)
    assert levels[1].counts.sum() == 248
    result.train_on_all()
    assert (result.sentences, result.held, result.counts.total()) == (250, 0, 251)


@pytest.mark.parametrize("workers", [1, 2])
def test_portions_without_words(tmp_path, workers):
    result = read(tmp_path, [["!"], ["a"], ["!"]], 2)
    assert (result.portions, result.sentences, result.counts) == (3, 1, {b"a": 1})
    words = vocabulary(result.counts, result.sentences)
    number_portions(tmp_path, 3, words)
    levels = count_levels(Corpus(tmp_path, 3, ends=True, hold_out=False), words, 3, workers)
    assert as_dictionary(levels, words, 3) == {("<s>", "a", "</s>"): 1}
