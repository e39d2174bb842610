"""`thresher lm train`, scoring with its model, and `thresher perplexity`."""

from __future__ import annotations

import gzip
import math
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_models import perplexity_of, write_arpa

from thresher.base.errors import ConfigError
from thresher.cleaners.words.models import load_model
from thresher.cleaners.words.word_model import read_card
from thresher.cli.model_verbs import perplexity, train_words


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lm") / "text.txt.gz"
    path.write_bytes(gzip.compress(b"The dog sleeps. The cat sleeps on the mat.\nA dog and a cat.\n" * 20))
    return path


def train(*arguments: object) -> str:
    done = CliRunner().invoke(train_words, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_train(text: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine"
    said = train(text, "-o", model)
    card = read_card(model / "card.json")
    assert card.training is not None
    most = math.ceil(card.training.perplexities["90"])
    assert said.startswith(f"{model}: ")
    for fact in ("order 2", "280 words in 60 sentences", "11 + 13 n-grams", "90 % of 60", f"perplexity of {most} "):
        assert fact in said
    assert said.endswith(f" 'perplexity(lm={model})@p80'\n")
    first = (model / "model.arpa").read_bytes()
    train(text, "-o", model, "--workers", "1")
    assert (model / "model.arpa").read_bytes() == first


def test_choices_of_training(text: Path, tmp_path: Path) -> None:
    page = tmp_path / "site" / "a.html"
    page.parent.mkdir()
    page.write_text("<p>The dog eats. <p>The mat eats dogs.")
    lines = tmp_path / "more.jsonl"
    lines.write_text('{"body": "The dog sleeps z.B. hier."}\n')
    train(
        *(text, page.parent, lines, "-o", tmp_path / "m"),
        *("--order", "3", "--language", "de", "--field", "body", "--tokeniser", "characters"),
    )
    card = read_card(tmp_path / "m" / "card.json")
    training = card.training
    assert training is not None
    assert (card.language, card.order, card.tokeniser) == ("de", 3, "characters")
    assert card.corpus == "text.txt.gz, site, more.jsonl"
    # The abbreviation ends no sentence.
    assert (training.sentences, training.vocabulary) == (63, 13)


@pytest.mark.parametrize(
    ("arguments", "given", "sentences"),
    [
        (["This is normal text", " Home\tLogin ", "It ends. It goes on", ""], None, [
            "This is normal text", "Home Login", "It ends. It goes on", "",
        ]),
        ([], "if a <b> then\r\n\n — \nThe end", ["if a <b> then", "", "—", "The end"]),
        ([], "", []),
    ],
)  # fmt: skip
def test_perplexities_of_texts_and_lines(arguments: list[str], given: str | None, sentences: list[str]) -> None:
    done = CliRunner().invoke(perplexity, arguments, input=given, catch_exceptions=False)
    model = load_model("books")
    assert done.output == "".join(f"{perplexity_of(model, sentence):.6g}\t{sentence}\n" for sentence in sentences)


def test_a_text_has_the_perplexity_of_the_papers_example() -> None:
    done = CliRunner().invoke(perplexity, ["This is normal text", "—"], catch_exceptions=False)
    assert done.output == "1125.95\tThis is normal text\ninf\t—\n"


@pytest.mark.parametrize(("lm", "fact"), [("no/such", "no/such"), ("self", "collection")])
def test_a_model_that_no_text_can_have(lm: str, fact: str) -> None:
    with pytest.raises(ConfigError, match=fact):
        CliRunner().invoke(perplexity, ["--lm", lm, "text"], catch_exceptions=False)


def test_perplexity_by_a_model_of_ones_own(tmp_path: Path) -> None:
    path = write_arpa(tmp_path / "mine.arpa")
    done = CliRunner().invoke(perplexity, ["--lm", str(path), "A a b"], catch_exceptions=False)
    assert done.output == f"{10 ** (1.6 / 3):.6g}\tA a b\n"


def test_scores_of_sentences(tmp_path: Path) -> None:
    """P(the | <s>) = 0.8 · 3/3 and so on; the unigram is the previous word's, of 15 words."""
    (tmp_path / "t").write_text("the cat sat on the mat\nthe dog sat on the cat\nthe cat ran\n", encoding="utf-8")
    model = tmp_path / "m"
    train(tmp_path / "t", "-o", model)
    perplexity = partial(perplexity_of, load_model(str(model)))
    known = (0.8 + 1e-6) * (0.8 * 3 / 5 + 0.2 * 5 / 15 + 1e-6) * (0.8 * 1 / 2 + 0.2 * 3 / 15 + 1e-6)
    assert perplexity("The cat sat.") == pytest.approx(known ** (-1 / 3), rel=1e-6)
    assert [perplexity(line) for line in ("", "...")] == [math.inf] * 2
    assert perplexity("zebra") == pytest.approx(1_000_000)
    # It is one sentence, whatever its full stops: `sat the` was not seen. Nor was `<s> zebra`.
    second = (0.2 * 2 / 15 + 1e-6) * known / (0.8 + 1e-6)
    assert perplexity("The cat sat. The cat sat.") == pytest.approx((known * second) ** (-1 / 6), rel=1e-6)
