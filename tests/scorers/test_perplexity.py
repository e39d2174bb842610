"""Perplexity as a scorer: one number a sentence, the model's."""

import math

import numpy as np
import pytest

from thresher.errors import ConfigError
from thresher.language_models import load_model
from thresher.pages import read_html
from thresher.scorers.base import KEEP_LOW, SENTENCE
from thresher.scorers.perplexity import Perplexity


def test_each_sentence_has_its_own_perplexity():
    segments = read_html(
        "<title>Home</title><p>This is normal text. It’s more of the <b>same</b>! — ? <a>NEXT</a><p>•<p>文本。中文"
    )
    scores = Perplexity(lm="books").score(segments)
    model = load_model("books")
    assert segments.sentences == [
        "Home",
        "This is normal text.",
        "It’s more of the same!",
        "— ?",
        "NEXT",
        "•",
        "文本。",
        "中文",
    ]
    assert scores.dtype == np.float32
    assert scores.tolist() == [float(np.float32(model.perplexity(sentence))) for sentence in segments.sentences]
    assert scores[1] == pytest.approx(1125.95, abs=0.005)
    assert [index for index, score in enumerate(scores) if math.isinf(score)] == [3, 5]


def test_real_pages(shared_data):
    model = load_model("books")
    for path in sorted((shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir())[::10]:
        segments = read_html(path.read_bytes())
        scores = Perplexity().score(segments)
        assert scores.tolist() == [float(np.float32(model.perplexity(sentence))) for sentence in segments.sentences]


def test_no_sentences():
    assert Perplexity().score(read_html("<script>x</script>")).tolist() == []


def test_declaration():
    assert (Perplexity.name, Perplexity.segment, Perplexity.keep) == ("perplexity", SENTENCE, KEEP_LOW)
    assert Perplexity().canonical_name == "perplexity(lm=books)"
    Perplexity().prepare()
    with pytest.raises(ConfigError, match="unknown language model 'other'"):
        Perplexity(lm="other").prepare()
