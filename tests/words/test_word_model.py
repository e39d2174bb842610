"""Perplexities from KenLM against the formula in plain Python, sentence by sentence."""

import math
import subprocess
import sys
import unicodedata
from collections import Counter

import numpy as np
import pytest
from small_models import perplexity_of

from thresher.cleaners.words.books import read_counts
from thresher.cleaners.words.models import load_model
from thresher.pages import read_html


def words_of(sentence: str) -> list[str]:
    kept = [
        "'" if character in "'’" else character if unicodedata.category(character)[0] in "LNM" else " "
        for character in sentence
    ]
    return "".join(kept).lower().split()


@pytest.fixture(scope="module")
def formula():
    """2^(-(1/n) Σ log2 P(w|history)) with PyPlexity's P, from the counts themselves."""
    unigrams, bigrams = read_counts()
    total = sum(unigrams.values())
    totals = {history: sum(followers.values()) for history, followers in bigrams.items()}

    def perplexity(sentence: str) -> float:
        words = words_of(sentence)
        bits = 0.0
        for history, word in zip(["<s>", *words], words, strict=False):
            conditional = bigrams[history].get(word, 0) / totals[history] if history in bigrams else 0
            bits += math.log2(0.8 * conditional + 0.2 * unigrams.get(history, 0) / total + 1e-6)
        return 2 ** (-bits / len(words)) if words else math.inf

    return perplexity


def test_by_hand(formula):
    model = load_model("books")
    assert perplexity_of(model, "This is normal text") == pytest.approx(1125.95, abs=0.005)
    boilerplate = "this is normal HTML PAGE BOI%& 678346 NOR text"
    assert perplexity_of(model, boilerplate) == pytest.approx(35_729, abs=1)
    for sentence in (
        boilerplate,
        "This is normal text",
        "It’s the “don't” of İt",
        "xyzzy",
        "x y z",
        "the",
        "中文 文本",
        "1 2 3",
    ):
        assert perplexity_of(model, sentence) == pytest.approx(formula(sentence.replace("İ", "I")), rel=1e-5)
    # The first word has `<s>` before it, and an unknown word costs 10^6 for the next one as well.
    assert perplexity_of(model, "the") == pytest.approx(1e6, rel=1e-5)
    assert perplexity_of(model, "xyzzy") == pytest.approx(1e6, rel=1e-5)
    assert perplexity_of(model, "  is\tthis\n") == perplexity_of(model, "is this")
    assert perplexity_of(model, "THIS  is, normal: text!") == perplexity_of(model, "this is normal text")


@pytest.mark.parametrize("sentence", ["", " ", "...", "— • !", "\n", "<>"])
def test_without_words_it_is_infinite(sentence):
    assert perplexity_of(load_model("books"), sentence) == math.inf


@pytest.mark.parametrize("control", ["\0", "\x01", "\x1f", "\x7f", "\t", "\x85", "\u200b"])
def test_control_characters_part_words(control):
    model = load_model("books")
    assert perplexity_of(model, f"this{control}is") == perplexity_of(model, "this is")


@pytest.mark.slow
def test_thousands_of_real_sentences(shared_data, formula):
    model = load_model("books")
    known = set(read_counts()[0])
    sentences, unknown, infinite = 0, 0, 0
    for path in sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::6]:
        segments = read_html(path.read_bytes())
        result = model.perplexities(segments.plain, segments.sentence_ends)
        assert result.dtype == np.float64
        expected = np.array([formula(sentence) for sentence in segments.sentences])
        np.testing.assert_allclose(result, expected, rtol=1e-5)
        sentences += len(result)
        infinite += np.isinf(result).sum()
        unknown += sum(count for word, count in Counter(words_of(segments.text)).items() if word not in known)
    assert sentences > 5_000
    assert unknown > 5_000
    assert infinite > 50


def test_a_page_without_sentences():
    segments = read_html("")
    assert load_model("books").perplexities(segments.plain, segments.sentence_ends).tolist() == []


def test_a_process_holds_one_model():
    assert load_model("books") is load_model("books")


def test_loading_takes_nothing_that_only_building_needs():
    load_model("books")
    code = (
        "import sys\nfrom thresher.cleaners.words.models import load_model\nload_model('books')\n"
        "print({'pyarrow', 'joblib', 'symspellpy'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
