"""The ARPA file gives in KenLM what the mixture gives in plain Python."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_models import load

from thresher.cleaners.words.books import write_counts


def mixture(sentences: list[list[str]], history: str, word: str) -> float:
    """PyPlexity's formula over a corpus: 0.8 P(word | history) + 0.2 P(history) + 1e-6."""
    pairs = [pair for sentence in sentences for pair in pairwise(sentence)]
    words = [word for sentence in sentences for word in sentence]
    followed = [second for first, second in pairs if first == history]
    conditional = followed.count(word) / len(followed) if followed else 0
    return 0.8 * conditional + 0.2 * words.count(history) / len(words) + 1e-6


WORDS = st.sampled_from(["a", "b", "c", "d'", "é", "中"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6)


@settings(max_examples=25)
@given(
    st.lists(SENTENCES, min_size=1, max_size=6),
    st.lists(SENTENCES | st.lists(st.sampled_from(["a", "zz", "<s>"])), max_size=5),
)
def test_tiny_corpora(tmp_path_factory, corpus, asked):
    unigrams = Counter(word for sentence in corpus for word in sentence)
    bigrams: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for sentence in corpus:
        for first, second in pairwise(sentence):
            bigrams[first][second] = bigrams[first].get(second, 0) + 1
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    counts = write_counts(path, unigrams, bigrams)
    text = path.read_text(encoding="utf-8")
    assert f"ngram 1={counts[0]}\nngram 2={counts[1]}\n" in text
    assert counts == (len(unigrams) + 3, sum(map(len, bigrams.values())))
    model = load(path)
    for sentence in [*corpus, *asked]:
        sentence = [word for word in sentence if word != "<s>"]
        logs = [entry[0] for entry in model.full_scores(" ".join(sentence), bos=True, eos=False)]
        for history, word, log in zip(["<s>", *sentence], sentence, logs, strict=False):
            # Above 1 the file says 1.
            assert log == pytest.approx(min(0, math.log10(mixture(corpus, history, word))), abs=2e-6)


def test_by_hand(tmp_path):
    path = tmp_path / "model.arpa"
    assert write_counts(path, {"a": 1, "b": 4}, {"b": {"c": 3, "a": 1}, "a": {"b": 1}}) == (6, 3)
    assert path.read_text() == (
        "\\data\\\nngram 1=6\nngram 2=3\n\n\\1-grams:\n"
        "0\t<unk>\t-6.0000000\n0\t<s>\t-6.0000000\n0\t</s>\n"
        f"0\ta\t{math.log10(0.2 * 0.2 + 1e-6):.7f}\n"
        f"0\tb\t{math.log10(0.2 * 0.8 + 1e-6):.7f}\n"
        "0\tc\t-6.0000000\n"
        "\n\\2-grams:\n"
        f"{math.log10(0.8 + 0.2 * 0.2 + 1e-6):.7f}\ta b\n"
        f"{math.log10(0.8 * 0.25 + 0.2 * 0.8 + 1e-6):.7f}\tb a\n"
        f"{math.log10(0.8 * 0.75 + 0.2 * 0.8 + 1e-6):.7f}\tb c\n"
        "\n\\end\\\n"
    )


def test_certainty_is_no_more_than_one(tmp_path):
    path = tmp_path / "model.arpa"
    write_counts(path, {"a": 3}, {"a": {"a": 2}})
    assert load(path).score("a a", bos=True, eos=False) == pytest.approx(-6)


def test_a_failure_leaves_no_file(tmp_path):
    with pytest.raises(ZeroDivisionError):
        write_counts(tmp_path / "model.arpa", {"a": 1}, {"a": {"a": 0}})
    assert list(tmp_path.iterdir()) == []
