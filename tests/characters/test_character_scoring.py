"""Training and scoring against the papers' formulas in dictionaries, and by hand."""

import math
import tracemalloc

import numpy as np
import pytest
from character_oracle import SIGNS, Oracle, fold, windows
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import ConfigError, InputError
from thresher.cleaners.characters import training
from thresher.cleaners.characters.character_counts import (
    LEXICAL,
    NON_LEXICAL,
    STANDARD,
    STANDARD_NON_LEXICAL,
    Settings,
    encode,
    ngrams_of_length,
    unigrams,
)
from thresher.cleaners.characters.scoring import SegmentScorer, find_character_model, hash_table, read_model
from thresher.cleaners.characters.training import normalise, train

# Few signs, so that n-grams come again, in both models and in one of them.
TEXT = st.text(st.sampled_from("ab 1|é"), min_size=1, max_size=14).map(normalise).filter(bool)
TEXTS = st.lists(TEXT, min_size=1, max_size=5)
CHOICES = st.tuples(st.integers(1, 6), st.sampled_from([0.05, 0.4, 0.5, 0.9]), st.booleans())


def model_and_oracle(pages, choices, literal=False):
    n, q, non_lexical = choices
    # Raw text is the clean text and more, or has nothing to do with it; there must be more of it.
    assume(sum(len(text) for _, raw in pages for text in raw) > sum(len(text) for clean, _ in pages for text in clean))
    model = train(pages, Settings(n, q, NON_LEXICAL if non_lexical else LEXICAL), "here")
    return model, Oracle(pages, n, q, non_lexical, literal)


@settings(max_examples=25)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), TEXTS, CHOICES, st.booleans())
def test_scores_are_the_formula(pages, asked, choices, literal):
    pages = [*pages, (["ab"], ["ab", "1|1|1|ba" * 4])]
    model, oracle = model_and_oracle(pages, choices, literal)
    asked = [*asked, "zZ9", *pages[0][1]]
    result = SegmentScorer(model, literal).score("\n".join(asked))
    assert result.dtype == np.float64
    assert result.tolist() == pytest.approx([oracle.score(text) for text in asked], abs=1e-5)


@settings(max_examples=40)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), CHOICES)
def test_probabilities_are_the_formula(pages, choices):
    pages = [*pages, (["ab"], ["ab", "1|1|1|ba" * 4])]
    model, oracle = model_and_oracle(pages, choices)
    alphabet = model.settings.alphabet
    symbols = unigrams(model)
    for dirty, result in enumerate((symbols.clean, symbols.dirty)):
        expected = [oracle.unigram(sign, bool(dirty)) for sign in oracle.signs]
        assert result[0] == 0
        assert result[1:].tolist() == pytest.approx(expected, rel=1e-12)
        assert result.sum() == pytest.approx(1, rel=1e-12)
    for length in range(2, model.settings.n + 1):
        by_key = ngrams_of_length(model, length)
        seen = {
            window
            for page in pages
            for part in page
            for text in part
            for window in windows(fold(text, oracle.non_lexical), oracle.n, length)
        }
        assert len(by_key.keys) == len(seen)
        for window in seen:
            key = 0
            for code in encode(window, alphabet).tolist():
                key = key * alphabet.size + code
            place = int(np.searchsorted(by_key.keys, key))
            assert by_key.keys[place] == key
            assert by_key.clean[place] == pytest.approx(oracle.probability(window, False), rel=1e-12)
            assert by_key.dirty[place] == pytest.approx(oracle.probability(window, True), rel=1e-12)
            assert 0 <= by_key.dirty[place] <= 1


@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=2), CHOICES)
def test_after_a_seen_history_probabilities_add_up_to_one(clean, choices):
    n, q, non_lexical = choices
    oracle = Oracle([(texts, []) for texts in clean], n, q, non_lexical)
    for texts in clean:
        for text in texts:
            for window in windows(fold(text, non_lexical), n, n):
                total = sum(oracle.smoothed(window[:-1] + sign, False) for sign in SIGNS[non_lexical])
                assert total == pytest.approx(1, rel=1e-12)


def test_by_hand():
    # clean: "ab"; raw: "ab", "ac", "c". What is left for the dirty model: "ac", "c".
    model = train([(["ab"], ["ab", "ac", "c"])], Settings(2, 0.5, LEXICAL), "here")
    symbols = unigrams(model)
    clean, dirty = symbols.clean, symbols.dirty
    a, b, c = encode("abc", LEXICAL).tolist()
    assert (clean[a], clean[b], clean[c]) == (2 / 97, 2 / 97, 1 / 97)
    assert (dirty[a], dirty[b], dirty[c]) == (2 / 98, 1 / 98, 3 / 98)
    result = ngrams_of_length(model, 2)
    assert result.keys.tolist() == [a, c, a * 96 + b, a * 96 + c]
    assert result.clean.tolist() == [1, 0, 1, 0]
    assert result.dirty.tolist() == [0.5, 0.5, 0, 1]
    scorer = SegmentScorer(model)
    first = math.log((1 + 0.5 * 2 / 97) / (0.5 + 0.5 * 2 / 98))
    assert scorer.score("ab")[0] == pytest.approx((first + math.log((1 + 1 / 97) / (0.5 / 98))) / 2, rel=1e-6)
    assert scorer.score("ac")[0] == pytest.approx((first + math.log((0.5 / 97) / (1 + 1.5 / 98))) / 2, rel=1e-6)
    # Neither was seen: unigrams decide.
    begin = math.log((0.5 * 2 / 97) / (0.5 * 1 / 98))
    assert scorer.score("b")[0] == pytest.approx(begin, rel=1e-6)
    assert (scorer.score("ab")[0] > 0, scorer.score("ac")[0] > 0) == (True, False)


def test_probabilities_are_clamped_after_dividing_by_the_letter():
    """StupidOS, section 3.2. Differences: x 1, y 1 of 2; after the beginning x 1, y 2; after x: x 2, y -3 of -1."""
    model = train([(["xyxyxy"], ["xx", "xx", "yy", "yy"])], Settings(2, 0.5, LEXICAL), "here")
    x, y = encode("xy", LEXICAL).tolist()
    for literal, probability in ((False, 0.0), (True, 1.0)):
        assert unigrams(model, literal).dirty[[x, y]].tolist() == [2 / 97, 2 / 97]
        found = ngrams_of_length(model, 2, literal)
        assert found.dirty[found.keys.tolist().index(x * 96 + y)] == probability
        first = math.log((1 + 0.5 * 4 / 101) / (1 / 3 + 0.5 * 2 / 97))
        second = math.log((1 + 0.5 * 4 / 101) / (probability + 0.5 * 2 / 97))
        assert SegmentScorer(model, literal).score("xy")[0] == pytest.approx((first + second) / 2, rel=1e-6)
    # No z is left for the dirty model: it is impossible there by the letter, and rare otherwise.
    without = train([(["zz"], ["xxxxxx"])], Settings(1, 0.5, LEXICAL), "here")
    assert SegmentScorer(without, literal=True).score("z\nx").tolist() == [
        math.inf,
        pytest.approx(math.log(99 / (7 * 97))),
    ]
    # Differences are -2 and 6: of 4 by the letter, of 6 otherwise.
    assert SegmentScorer(without).score("z")[0] == pytest.approx(math.log(3 / 97 * 101))


def test_differences_below_zero_are_clamped():
    # "b" and "ab" are in the clean text only; the dirty model must not take what is missing for probability.
    model = train([(["ab", "ab"], ["xyz", "xyz", "ax"])], Settings(2, 0.5, LEXICAL), "here")
    a, b, x = encode("abx", LEXICAL).tolist()
    symbols = unigrams(model)
    clean, dirty = symbols.clean, symbols.dirty
    assert dirty[b] == dirty[a] == 1 / (7 + 95)
    result = ngrams_of_length(model, 2)
    at = dict(zip(result.keys.tolist(), result.dirty.tolist(), strict=True))
    # After "a": twice fewer "b", once more "x", so that the history itself is rarer in raw text: nothing was seen.
    assert at[a * 96 + b] == at[a * 96 + x] == 0
    # At the begin: a -1, x 2, of 1 in all: 2 is more than certain.
    assert (at[a], at[x]) == (0, 1)
    assert clean[b] == 3 / (4 + 95)


@given(st.lists(TEXT, min_size=1, max_size=8), st.sampled_from([1, 2, 3, 6]))
def test_neighbours_and_what_came_before_change_nothing(texts, n):
    scorer = SegmentScorer(train([(["ab a"], ["ab a", "1| é1", "b b"])], Settings(n, 0.5), "here"))
    together = scorer.score("\n".join(texts)).tolist()
    assert together == [scorer.score(text)[0] for text in texts]
    assert scorer.score("\n".join(texts)).tolist() == together


def test_segments_without_valid_characters():
    for n in (1, 3, 6):
        scorer = SegmentScorer(train([(["ab a"], ["ab a", "1| é1"])], Settings(n, 0.5), "here"))
        assert scorer.score("\u200b").tolist() == [-math.inf]
        result = scorer.score("ab\n\u200b\ufffd\nab\n\u200b").tolist()
        assert result == [scorer.score("ab")[0], -math.inf, scorer.score("ab")[0], -math.inf]
        assert scorer.score("").tolist() == []
        assert scorer.score("\u200bab").tolist() == scorer.score("ab").tolist()


@given(st.sets(st.integers(0, 96**6), max_size=300), st.lists(st.integers(0, 96**6), max_size=20))
def test_hash_tables_find_all_and_nothing_else(keys, others):
    given = np.array(sorted(keys), dtype=np.int64)
    values = np.arange(len(given), dtype=np.float32)
    table = hash_table(given, values)
    slots = table.find(given)
    assert table.values[slots].tolist() == values.tolist()
    wanted = np.array(others, dtype=np.int64)
    assert (table.find(wanted) >= 0).tolist() == [key in keys for key in others]


def test_real_pages(shared_data):
    from thresher.pages import read_html
    from thresher.pages.decoding import decode
    from thresher.pages.marked_text import read_marked_text

    folder = shared_data / "cleaning" / "cleaneval-dev"
    pages = []
    for path in sorted((folder / "input").iterdir())[::28]:
        gold = decode((folder / "GoldStandard" / f"{path.stem}.txt").read_bytes(), None).utf8.decode()
        segments = [normalise(block) for block in read_html(path.read_bytes()).blocks]
        clean = [normalise(segment.text) for segment in read_marked_text(gold)]
        pages.append(([*filter(None, clean)], [*filter(None, segments)]))
    for chosen in (STANDARD, STANDARD_NON_LEXICAL):
        oracle = Oracle(pages[:4], chosen.n, chosen.q, chosen.alphabet is NON_LEXICAL)
        scorer = SegmentScorer(train(pages[:4], chosen, "here"))
        for _, raw in pages[3:]:
            result = scorer.score("\n".join(raw))
            assert result.tolist() == pytest.approx([oracle.score(text) for text in raw], abs=1e-5)


def test_counting_in_portions_changes_nothing(monkeypatch):
    pages = [([f"page {number}"], [f"page {number}", f"menu {number} | top"]) for number in range(30)]
    whole = train(pages, STANDARD, "here")
    monkeypatch.setattr(training, "_PORTION", 50)
    parts = train(pages, STANDARD, "here")
    for name in ("keys", "clean", "raw"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()
    assert (whole.pages, whole.training) == (30, "here")
    assert train(pages[::-1], STANDARD, "here").raw.tolist() == whole.raw.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standard", "nonlexical"])
def test_a_line_of_any_length_takes_a_few_bytes_a_character(name):
    """Characters are summed in pieces of a million; 24 bytes are the values and two texts."""
    scorer = SegmentScorer(read_model(find_character_model(name)))
    line = "a line that is 32 characters, é " * 100_000
    tracemalloc.start()
    try:
        (score,) = scorer.score(line)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60 * 2**20 + 24 * len(line)
    # A segment's begin weighs a millionth here.
    part = line[: len(line) // 100]
    assert score == pytest.approx(scorer.score(part)[0], rel=1e-3)


def test_what_cannot_be_trained():
    for pages, facts in (
        ([], ("cleaned pages hold no text", "Fix: ", "pages with text")),
        ([(["\u200b"], ["x"])], ("cleaned pages hold no text", "Fix: ", "pages with text")),
        (
            [(["abc"], ["ab", "c"])],
            ("raw pages", "no more text (3 characters)", "cleaned ones (3)", "Fix: ", "cleaned pages first", "second"),
        ),
    ):
        with pytest.raises(InputError) as caught:
            train(pages, STANDARD, "here")
        assert_names(caught.value, "here: ", *facts)
    for n, q, facts in (
        (0, 0.5, ("n: ", "cannot be 0.", "Fix: ", "1 to 9")),
        (10, 0.5, ("n: ", "cannot be 10.", "Fix: ", "1 to 9")),
        (3, 0.0, ("q: ", "cannot be 0.", "Fix: ", "within 0 and 1")),
        (3, 1.0, ("q: ", "cannot be 1.", "Fix: ", "within 0 and 1")),
        (3, math.nan, ("q: ", "cannot be nan.", "Fix: ", "within 0 and 1")),
    ):
        with pytest.raises(ConfigError) as caught:
            Settings(n, q)
        assert_names(caught.value, *facts)
