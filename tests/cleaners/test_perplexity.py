"""Perplexity as a scorer: one number a sentence, the model's."""

import hashlib
import math
import pickle

import numpy as np
import pytest
from messages import assert_names
from small_models import perplexity_of

from thresher.base.errors import ConfigError, InputError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.scorer import KEEP_LOW, SENTENCE, TrainingData
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Words
from thresher.cleaners.words.models import load_model
from thresher.pages import read_html


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
    assert scores.tolist() == [float(np.float32(perplexity_of(model, sentence))) for sentence in segments.sentences]
    assert scores[1] == pytest.approx(1125.95, abs=0.005)
    assert [index for index, score in enumerate(scores) if math.isinf(score)] == [3, 5]


def test_real_pages(shared_data):
    model = load_model("books")
    for path in sorted((shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir())[::10]:
        segments = read_html(path.read_bytes())
        scores = Perplexity().score(segments)
        assert scores.tolist() == [float(np.float32(perplexity_of(model, sentence))) for sentence in segments.sentences]


# The page, its parts, and for each the sentence of the page that it belongs to.
OF_THE_PAGE = [
    (
        "<ul><li>Home<li>Login<li>Contact us</ul><p>This is normal text of the page. It ends",
        ["Home", "Login", "Contact us", "This is normal text of the page.", "It ends"],
        [*["Home Login Contact us This is normal text of the page."] * 4, "It ends"],
    ),
    ("<p>One ends. <p>Two goes on<div>here.<p>next", ["One ends.", "Two goes on", "here.", "next"], [
        "One ends.", *["Two goes on here. next"] * 3,
    ]),
    ("<p>See Dr.<p>Smith (now.)<p>—<p>He left", ["See Dr.", "Smith (now.)", "—", "He left"], [
        *["See Dr. Smith (now.)"] * 2, *["— He left"] * 2,
    ]),
    ("<p>It ended。<p>Then<p>后来", ["It ended。", "Then", "后来"], ["It ended。", *["Then 后来"] * 2]),
    ("<p>—<p>•", ["—", "•"], ["— •"] * 2),
]  # fmt: skip


@pytest.mark.parametrize(("html", "parts", "sentences"), OF_THE_PAGE)
def test_parts_of_a_sentence_of_the_page_have_its_perplexity(html, parts, sentences):
    segments = read_html(html)
    assert segments.sentences == parts
    scorer = parse_cleaner("perplexity(sentences=page)@9").scorers[0]
    assert scorer.canonical_name == "perplexity(lm=books,sentences=page)"
    model = load_model("books")
    expected = [float(np.float32(perplexity_of(model, sentence))) for sentence in sentences]
    assert scorer.score(segments).tolist() == expected


def test_sentences_of_real_pages_are_made_of_parts(shared_data):
    for path in sorted((shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir())[::10]:
        segments = read_html(path.read_bytes())
        of_page = segments.page_sentence_ends.tolist()
        within_blocks = set(segments.sentence_ends.tolist()) - set(segments.block_ends.tolist())
        assert within_blocks < set(of_page) < set(segments.sentence_ends.tolist())
        scores = Perplexity(sentences="page").score(segments)
        assert len(set(scores.tolist())) <= len(of_page)
        assert scores.shape == segments.sentence_ends.shape


def test_no_sentences():
    assert Perplexity(sentences="page").score(read_html("<script>x</script>")).tolist() == []
    assert Perplexity().score(read_html("<script>x</script>")).tolist() == []


def test_declaration():
    assert (Perplexity.name, Perplexity.segment, Perplexity.keep) == ("perplexity", SENTENCE, KEEP_LOW)
    assert Perplexity().canonical_name == "perplexity(lm=books)"
    Perplexity().prepare()
    assert Perplexity().fingerprint == load_model("books").card.digest
    Perplexity().check("here")


@pytest.mark.parametrize("name", ["other", "no/such.arpa", ""])
def test_a_model_that_is_not_there(name):
    with pytest.raises(ConfigError) as caught:
        Perplexity(lm=name).check("x.toml:3")
    unknown = (f"language model {name!r}", "Fix: ", "books, self", "folder, ARPA file or KenLM binary")
    assert_names(caught.value, "x.toml:3: ", *unknown)
    for call in (Perplexity(lm=name).prepare, lambda: Perplexity(lm=name).fingerprint):
        with pytest.raises(ConfigError) as caught:
            call()
        assert_names(caught.value, f"lm={name}: ", *unknown)


def test_a_model_at_a_path(tmp_path):
    """Bigrams `<s> a` and `a a`; unknown words have probability 0.1."""
    path = tmp_path / "mine.arpa"
    path.write_text(
        "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\t0\n-1\t<s>\t-0.5\n-1\t</s>\n-1\ta\t-0.3\n\n"
        "\\2-grams:\n-0.1\t<s> a\n-0.2\ta a\n\n\\end\\\n"
    )
    (scored,) = parse_cleaner(f"perplexity(lm={path})@3").scorers
    assert scored.canonical_name == f"perplexity(lm={path})"
    scored.check("here")
    scored.prepare()
    assert scored.fingerprint == hashlib.sha256(path.read_bytes()).hexdigest()
    scores = scored.score(read_html("<p>A a. B!<p>—"))
    assert scores.tolist() == pytest.approx([10 ** (0.3 / 2), 10**1.5, math.inf], rel=1e-6)


def test_a_path_that_cannot_be():
    name = "x" * 300
    with pytest.raises(InputError) as caught:
        Perplexity(lm=name).check("here")
    assert_names(caught.value, f"{name}: ", "name too long)", "Fix: ", "and the disk")


def test_a_model_of_the_collection_itself(tmp_path):
    pages = [[f"Chapter {page} of part {part} tells how river {page} runs." for part in range(5)] for page in range(30)]
    (scorer,) = parse_cleaner("perplexity( lm = self )@p70").scorers
    assert (scorer.canonical_name, scorer.learns) == ("perplexity(lm=self)", True)
    scorer.check("here")
    fingerprint = scorer.fingerprint
    trained = scorer.for_collection(TrainingData(lambda: pages, "en", 1), tmp_path)
    assert (trained.canonical_name, trained.fingerprint) == (scorer.canonical_name, fingerprint)
    assert [path.name for path in tmp_path.iterdir()] == [f"self-{fingerprint}"]
    segments = read_html("<p>Chapter 7 of part 3 tells. Rivers 7 runs of?<p>—")
    # Workers get it by pickle.
    trained = pickle.loads(pickle.dumps(trained))
    trained.prepare()
    model = load_model(str(tmp_path / f"self-{fingerprint}"))
    assert trained.score(segments).tolist() == [
        float(np.float32(perplexity_of(model, text))) for text in segments.sentences
    ]


@pytest.mark.parametrize("call", [Perplexity.prepare, lambda scorer: scorer.score(read_html("<p>A word."))])
def test_a_model_of_the_collection_needs_one(call):
    with pytest.raises(ConfigError) as caught:
        call(Perplexity(lm="self"))
    assert_names(caught.value, "perplexity(lm=self): ", "'self'", "Fix: ", "lm=books")


def test_other_models_learn_nothing(tmp_path):
    scorer = Perplexity()
    assert not scorer.learns
    assert Words().for_collection(TrainingData(list, "en", 1), tmp_path).canonical_name == "words"


def test_context_and_prior_by_hand():
    segments = read_html("<p>This is normal text. Xqz.<p>It came down.")
    plain = Perplexity().score(segments).astype(np.float64)
    words = np.array([4, 1, 3])
    logs = -np.log10(plain) * words
    scorer = parse_cleaner("perplexity(lm=books,context=0.5,prior=2)@9000").scorers[0]
    assert scorer.canonical_name == "perplexity(lm=books,context=0.5,prior=2)"
    weights = np.array([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]])
    expected = 10 ** -((weights @ logs - 2 * 6) / (weights @ words + 2))
    assert scorer.score(segments).tolist() == pytest.approx(expected.tolist(), rel=1e-5)
    assert parse_cleaner("perplexity(context=0,prior=0)@9000").name == "perplexity(lm=books)@9000"
