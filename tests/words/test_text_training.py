"""Training as a whole: folder, card, held-out sentences, equal bytes, errors."""

from __future__ import annotations

import json
import math
import shutil
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from messages import assert_names
from small_models import perplexity_of

from thresher.base.errors import ConfigError, ConfigErrors, InputError
from thresher.base.files import file_digest
from thresher.cleaners.words import text_training
from thresher.cleaners.words.models import checked_model, load_model
from thresher.cleaners.words.ngrams import Mixture
from thresher.cleaners.words.text_training import PERCENTILES, TextOptions, train
from thresher.cleaners.words.tokenisers import TOKENISERS
from thresher.cleaners.words.word_model import TextFile, read_card


def corpus(folder: Path, lines: int = 300, seed: int = 1) -> Path:
    """Lines of two sentences, of words that follow each other more or less often."""
    random = np.random.default_rng(seed)
    path = folder / f"text-{lines}-{seed}.txt"
    with path.open("w", encoding="utf-8") as out:
        for _ in range(lines):
            parts = [" ".join(f"w{chr(97 + min(n, 25))}é" for n in random.zipf(1.5, size=5)) for _ in range(2)]
            print(f"{parts[0].capitalize()}. {parts[1].capitalize()}!", file=out)
    return path


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("text"))


def test_the_folder_and_its_card(tmp_path, text):
    card = train((text,), tmp_path / "model", TextOptions(order=3))
    folder = tmp_path / "model"
    binary = ["model.binary"] if shutil.which("build_binary") else []
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", "model.arpa", *binary]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert read_card(folder / "card.json") == card
    assert (card.name, card.language, card.corpus, card.order) == ("model", "en", text.name, 3)
    assert card.digest == file_digest(folder / "model.arpa")
    head = (folder / "model.arpa").read_text(encoding="utf-8").split("\n")[1:4]
    assert head == [f"ngram {order}={count}" for order, count in enumerate(card.ngrams, 1)]
    assert (card.tokeniser, card.normalisation.partition(";")[0]) == ("words", "lower case")
    training = card.training
    assert training is not None
    assert training.date <= datetime.now(UTC).date().isoformat()
    assert training.texts == (TextFile(text.name, text.stat().st_size, file_digest(text)),)
    # 600 sentences: 6 are too few to hold them out.
    assert (training.words, training.sentences) == (3000, 600)
    assert (training.perplexities_of, training.perplexity_sentences) == ("training sentences", 600)
    assert training.vocabulary == card.ngrams[0] - 3
    assert [*training.perplexities] == [str(percentile) for percentile in PERCENTILES]
    model = load_model(str(folder))
    lines = [sentence for line in text.read_text().splitlines() for sentence in line.replace("!", "").split(". ")]
    values = [perplexity_of(model, line) for line in lines]
    result = np.percentile(values, [float(name) for name in training.perplexities])
    assert [*training.perplexities.values()] == pytest.approx(result.tolist(), abs=1e-4)


def test_formulas_of_cards(tmp_path, text):
    assert Mixture(3, "current").formula == (
        "0.6 * P(w | u v) + 0.3 * P(w | v) + 0.1 * P(w) + 1e-06, by maximum likelihood"
    )
    for order, formula in (
        (2, "0.8 * P(w | v) + 0.2 * P(v) + 1e-06, by maximum likelihood"),
        (3, "0.6 * P(w | u v) + 0.3 * P(w | v) + 0.1 * P(v) + 1e-06, by maximum likelihood"),
    ):
        card = train((text,), tmp_path / "model", TextOptions(order=order))
        assert card.formula == formula
        assert_names(card.unknown_words, "<unk>", "not seen", "count 0")


def test_held_out_sentences(tmp_path):
    lines = ["common words here" if n % 100 != 99 else f"secret{'x' * (n // 100)}" for n in range(10_050)]
    (tmp_path / "text").write_text("\n".join(lines) + "\n")
    card = train((tmp_path / "text",), tmp_path / "model")
    training = card.training
    assert training is not None
    assert (training.sentences, training.words, training.vocabulary) == (9_950, 29_850, 3)
    assert (training.perplexities_of, training.perplexity_sentences) == ("held-out sentences", 100)
    # <s> was never counted, so what follows it unseen has the floor alone.
    assert [*training.perplexities.values()] == pytest.approx([1e6] * len(PERCENTILES), rel=1e-5)
    assert "secret" not in (tmp_path / "model" / "model.arpa").read_text()


def test_equal_bytes_whatever_portions_and_workers(tmp_path, text, monkeypatch):
    digests = set()
    for workers, size in ((1, 10**6), (1, 4000), (2, 10_000)):
        monkeypatch.setattr(text_training, "PORTION", size)
        digests.add(train((text, text), tmp_path / "model", TextOptions(order=3, workers=workers)).digest)
    assert len(digests) == 1


@pytest.mark.parametrize("name", [*TOKENISERS])
def test_every_tokeniser(tmp_path, text, name):
    card = train((text,), tmp_path / "model", TextOptions(tokeniser=name))
    assert card.tokeniser == name
    assert card.normalisation
    model = load_model(str(tmp_path / "model"))
    assert math.isfinite(perplexity_of(model, "Waé wbé. Waé wcé!"))


def test_a_text_of_one_word(tmp_path):
    (tmp_path / "text").write_text("word")
    for order in (2, 3):
        card = train((tmp_path / "text",), tmp_path / "model", TextOptions(order=order))
        assert card.ngrams == (4, 1, 0)[:order]
        model = load_model(str(tmp_path / "model"))
        checked_model.cache_clear()
        assert perplexity_of(model, "word word word word word word") >= 1


def test_an_older_model_is_replaced_and_nothing_else(tmp_path, text):
    first = train((text,), tmp_path / "model")
    assert train((text,), tmp_path / "model", TextOptions(order=3)).digest != first.digest
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "mine").write_text("x")
    # A card alone makes no folder of a model.
    (tmp_path / "papers" / "card.json").write_text("{}")
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    train((text,), tmp_path / "empty")
    for name in ("papers", "file"):
        with pytest.raises(ConfigError) as caught:
            train((text,), tmp_path / name)
        assert_names(
            caught.value, f"--output {tmp_path / name}: ", "a language model", "Fix: ", "choose another folder"
        )


def test_failures_leave_nothing_and_keep_the_older_model(tmp_path, text):
    train((text,), tmp_path / "model")
    before = (tmp_path / "model" / "card.json").read_bytes()
    (tmp_path / "broken").write_bytes(b"fine\ncaf\xe9\n")
    (tmp_path / "wordless").write_text("...\n!\n")
    names = {path.name for path in tmp_path.iterdir()}
    for bad, facts in (
        ("broken", (f"{tmp_path / 'broken'}:2: ", "not UTF-8", "Fix: ", "to UTF-8")),
        ("wordless", (f"{tmp_path / 'wordless'}: ", "no words", "Fix: ", "text with words")),
    ):
        with pytest.raises(InputError) as caught:
            train((tmp_path / bad,), tmp_path / "model")
        assert_names(caught.value, *facts)
    assert {path.name for path in tmp_path.iterdir()} == names
    assert (tmp_path / "model" / "card.json").read_bytes() == before


def test_all_problems_at_once(tmp_path, text):
    with pytest.raises(ConfigErrors) as caught:
        train((text, tmp_path / "none"), text, TextOptions(order=6, tokeniser="bpe"))
    missing_text, output, order, tokeniser = caught.value.lines()
    assert_names(missing_text, f"{tmp_path / 'none'}: ", "no such file", "Fix: ")
    assert_names(output, f"--output {text}: ", "not a language model", "Fix: ")
    assert_names(order, "--order 6: ", "Fix: ")
    assert_names(tokeniser, "--tokeniser bpe: ", "'bpe'", "Fix: ")
    assert caught.value.exit_code == 2
    # Missing input, in whatever number, has its own exit code.
    with pytest.raises(InputError) as missing:
        train((text, tmp_path / "none"), tmp_path / "m")
    assert (missing.value.where, missing.value.exit_code) == (str(tmp_path / "none"), 3)
    with pytest.raises(ConfigErrors) as caught:
        train((tmp_path / "none", tmp_path / "nor"), tmp_path / "m")
    assert (len(caught.value.lines()), caught.value.exit_code) == (2, 3)
    with pytest.raises(ConfigError, match="no text to train on"):
        train((), tmp_path / "m")


def test_cards_without_training_are_read(tmp_path, text):
    train((text,), tmp_path / "model")
    path = tmp_path / "model" / "card.json"
    values = json.loads(path.read_text())
    del values["training"], values["normalisation"]
    path.write_text(json.dumps(values))
    assert (read_card(path).training, read_card(path).normalisation) == (None, "")
