"""Training as a whole: folder, card, held-out sentences, equal bytes, errors."""

from __future__ import annotations

import json
import math
import shutil
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from thresher.errors import ConfigError, ConfigErrors, InputError
from thresher.files import file_digest
from thresher.language_models import checked_model, load_model
from thresher.language_models.words.cards import read_card
from thresher.language_models.words.texts import TextFile
from thresher.language_models.words.tokenisers import TOKENISERS
from thresher.language_models.words.training import ESTIMATORS, PERCENTILES, Plan, train


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


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_folder_and_its_card(tmp_path, text, estimator):
    card = train(Plan((text,), tmp_path / "model", order=3, estimator=estimator, prune=(0, 0, 1), least_count=2))
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
    assert (training.least_count, training.most_words, training.prune) == (2, None, (0, 0, 1))
    assert training.vocabulary == card.ngrams[0] - 3
    assert training.estimator == estimator
    assert [*training.perplexities] == [str(percentile) for percentile in PERCENTILES]
    model = load_model(str(folder))
    lines = [sentence for line in text.read_text().splitlines() for sentence in line.replace("!", "").split(". ")]
    values = [model.perplexity(line) for line in lines]
    result = np.percentile(values, [float(name) for name in training.perplexities])
    assert [*training.perplexities.values()] == pytest.approx(result.tolist(), abs=1e-4)


def test_formulas_and_parameters_of_cards(tmp_path, text):
    def told(**options: object) -> tuple[str, dict[str, object], str, str]:
        card = train(Plan((text,), tmp_path / "model", **options))  # type: ignore[arg-type]
        assert card.training is not None
        return card.formula, dict(card.training.parameters), card.unknown_words, card.sentence_ends

    neither = "<s> begins a sentence, </s> is neither counted nor scored"
    unseen = "<unk> was not seen in training: a word of count 0"
    assert told() == (
        "0.8 * P(w | v) + 0.2 * P(v) + 1e-06, by maximum likelihood",
        {"weights": [0.2, 0.8], "unigram": "history", "floor": 1e-6},
        unseen,
        neither,
    )
    assert told(order=3, unigram="current", most_words=2)[:2] == (
        "0.6 * P(w | u v) + 0.3 * P(w | v) + 0.1 * P(w) + 1e-06, by maximum likelihood",
        {"weights": [0.1, 0.3, 0.6], "unigram": "current", "floor": 1e-6},
    )
    assert told(order=4, estimator="mle")[:2] == (
        "C(h w) / C(h) with the 3 words before as history h, and 1e-06 for what was not seen",
        {"floor": 1e-6},
    )
    formula, parameters, unknown, ends = told(order=2, estimator="kneser-ney")
    assert formula.startswith("interpolated modified Kneser-Ney (Chen and Goodman 1999)")
    # Twenty-odd words leave no word with one word before it only.
    assert parameters["fallback_discounts_at_orders"] == [1]
    assert parameters["discounts"][0] == [0.5, 1.0, 1.5]  # type: ignore[index]
    assert unknown == (
        "<unk> was not seen in training: it has the unigrams' interpolation weight, divided by the vocabulary"
    )
    assert ends == "<s> begins a sentence, </s> is predicted, but not scored"


def test_held_out_sentences(tmp_path):
    lines = ["common words here" if n % 100 != 99 else f"secret{'x' * (n // 100)}" for n in range(10_050)]
    (tmp_path / "text").write_text("\n".join(lines) + "\n")
    card = train(Plan((tmp_path / "text",), tmp_path / "model", estimator="mle"))
    training = card.training
    assert training is not None
    assert (training.sentences, training.words, training.vocabulary) == (9_950, 29_850, 3)
    assert (training.perplexities_of, training.perplexity_sentences) == ("held-out sentences", 100)
    assert [*training.perplexities.values()] == pytest.approx([1e6] * len(PERCENTILES), rel=1e-5)
    assert "secret" not in (tmp_path / "model" / "model.arpa").read_text()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_equal_bytes_whatever_portions_and_workers(tmp_path, text, estimator):
    digests = set()
    for workers, size in ((1, 10**6), (1, 4000), (2, 10_000)):
        plan = Plan((text, text), tmp_path / "model", order=3, estimator=estimator, workers=workers, portion_bytes=size)
        digests.add(train(plan).digest)
    assert len(digests) == 1


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_equal_bytes_whatever_blocks(tmp_path, text, estimator, monkeypatch):
    plan = Plan((text,), tmp_path / "model", order=3, estimator=estimator, prune=(0, 0, 1))
    digest = train(plan).digest
    monkeypatch.setattr("thresher.language_models.words.word_files.BLOCK", 7)
    assert train(plan).digest == digest


@pytest.mark.parametrize("name", [*TOKENISERS])
def test_every_tokeniser(tmp_path, text, name):
    card = train(Plan((text,), tmp_path / "model", tokeniser=name))
    assert card.tokeniser == name
    assert card.normalisation
    model = load_model(str(tmp_path / "model"))
    assert math.isfinite(model.perplexity("Waé wbé. Waé wcé!"))


def test_a_text_of_one_word(tmp_path):
    (tmp_path / "text").write_text("word")
    for order, estimator in (
        (2, "interpolated"),
        (3, "interpolated"),
        (1, "mle"),
        (5, "mle"),
        (1, "kneser-ney"),
        (5, "kneser-ney"),
    ):
        card = train(Plan((tmp_path / "text",), tmp_path / "model", order=order, estimator=estimator))
        assert card.ngrams[0] == 4
        model = load_model(str(tmp_path / "model"))
        checked_model.cache_clear()
        assert model.perplexity("word word word word word word") >= 1


def test_an_older_model_is_replaced_and_nothing_else(tmp_path, text):
    plan = Plan((text,), tmp_path / "model")
    first = train(plan)
    assert train(Plan((text,), tmp_path / "model", order=3)).digest != first.digest
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "mine").write_text("x")
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    train(Plan((text,), tmp_path / "empty"))
    for name in ("papers", "file"):
        with pytest.raises(ConfigError) as caught:
            train(Plan((text,), tmp_path / name))
        assert str(caught.value) == (
            f"--output {tmp_path / name}: it exists and is not a language model. Fix: choose another folder."
        )


def test_failures_leave_nothing_and_keep_the_older_model(tmp_path, text):
    train(Plan((text,), tmp_path / "model"))
    before = (tmp_path / "model" / "card.json").read_bytes()
    (tmp_path / "broken").write_bytes(b"fine\ncaf\xe9\n")
    (tmp_path / "wordless").write_text("...\n!\n")
    names = {path.name for path in tmp_path.iterdir()}
    for bad, options, message in (
        ("broken", {}, f"{tmp_path / 'broken'}:2: it is not UTF-8. Fix: convert the file to UTF-8."),
        ("wordless", {}, f"{tmp_path / 'wordless'}: the training text has no words. Fix: give text with words."),
        (
            text,
            {"least_count": 10_000},
            f"{text}: no word occurs 10000 times, the most frequent one ",
        ),
    ):
        with pytest.raises(InputError) as caught:
            train(Plan((tmp_path / bad,), tmp_path / "model", **options))
        assert str(caught.value).startswith(message)
    assert {path.name for path in tmp_path.iterdir()} == names
    assert (tmp_path / "model" / "card.json").read_bytes() == before


def problems(plan: Plan) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        plan.check()
    return caught.value.lines()


def test_all_problems_at_once(tmp_path, text):
    plan = Plan(
        (text, tmp_path / "none"),
        text,
        order=6,
        estimator="mle",
        unigram="next",
        tokeniser="bpe",
        prune=(0, 2, 1),
        most_words=0,
    )
    assert problems(plan) == [
        f"{tmp_path / 'none'}: there is no such file or folder. Fix: check the path.",
        f"--output {text}: it exists and is not a language model. Fix: choose another folder.",
        "--order 6: the estimator mle has no models of order 6. Fix: choose an order from 1 to 5.",
        "--unigram next: unknown unigram 'next'. Fix: use one of current, history.",
        f"--tokeniser bpe: unknown tokeniser 'bpe'. Fix: use one of {', '.join(TOKENISERS)}.",
        "--prune 0 2 1: the thresholds must not fall. Fix: give longer n-grams the higher ones.",
        "--vocabulary 0: it must be 1 or more. Fix: give a larger number.",
    ]
    with pytest.raises(ConfigErrors):
        train(plan)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texts": ()}, "TEXT: there is no text to train on. Fix: name files of text, or folders of HTML."),
        (
            {"order": 4},
            "--order 4: the estimator interpolated has no models of order 4. Fix: choose an order from 2 to 3.",
        ),
        (
            {"order": 1},
            "--order 1: the estimator interpolated has no models of order 1. Fix: choose an order from 2 to 3.",
        ),
        (
            {"estimator": "katz"},
            "--estimator katz: unknown estimator 'katz'. Fix: use one of interpolated, mle, mle-occurrences, kneser-ney.",
        ),
        (
            {"prune": (0, 1, 1)},
            "--prune 0 1 1: there must be a threshold for each order at most. Fix: give 1 to 2 numbers.",
        ),
        ({"prune": ()}, "--prune : there must be a threshold for each order at most. Fix: give 1 to 2 numbers."),
        ({"prune": (1, 1)}, "--prune 1 1: words cannot be pruned. Fix: begin with 0, and cut words by --min-count."),
        ({"least_count": 0}, "--min-count 0: it must be 1 or more. Fix: give a larger number."),
    ],
)
def test_one_problem(tmp_path, text, options, message):
    assert problems(Plan(**{"texts": (text,), "output": tmp_path / "m", **options})) == [message]


@pytest.mark.skipif(shutil.which("build_binary") is None, reason="build_binary of KenLM is not installed")
def test_the_binary_says_what_the_arpa_file_says(tmp_path, text):
    train(Plan((text,), tmp_path / "model", order=3, estimator="kneser-ney"))
    binary = load_model(str(tmp_path / "model"))
    (tmp_path / "model" / "model.binary").unlink()
    checked_model.cache_clear()
    arpa = load_model(str(tmp_path / "model"))
    for line in text.read_text().splitlines()[:50]:
        assert binary.perplexity(line) == arpa.perplexity(line)


def test_cards_without_training_are_read(tmp_path, text):
    train(Plan((text,), tmp_path / "model"))
    path = tmp_path / "model" / "card.json"
    values = json.loads(path.read_text())
    del values["training"], values["normalisation"]
    path.write_text(json.dumps(values))
    assert (read_card(path).training, read_card(path).normalisation) == (None, "")
