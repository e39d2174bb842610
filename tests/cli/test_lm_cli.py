"""`thresher lm train`, as a user calls it."""

from __future__ import annotations

import gzip
import math
import subprocess
import sys
from pathlib import Path

import pytest
from commands import installed, thresher

from thresher.language_models import load_model
from thresher.language_models.words.word_model import read_card


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lm") / "text.txt.gz"
    path.write_bytes(gzip.compress(b"The dog sleeps. The cat sleeps on the mat.\nA dog and a cat.\n" * 20))
    return path


def test_train(text: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine"
    done = thresher("lm", "train", text, "-o", model)
    card = read_card(model / "card.json")
    assert card.training is not None
    most = math.ceil(card.training.perplexities["90"])
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        f"{model}: order 2, 280 words in 60 sentences, 11 + 13 n-grams; "
        f"90 % of 60 training sentences have a perplexity of {most} or less; "
        f"use it as 'perplexity(lm={model})@{most}'\n"
    )
    first = (model / "model.arpa").read_bytes()
    installed("lm", "train", text, "-o", model, "--workers", "1")
    assert (model / "model.arpa").read_bytes() == first


def test_choices_of_training(text: Path, tmp_path: Path) -> None:
    page = tmp_path / "site" / "a.html"
    page.parent.mkdir()
    page.write_text("<p>The dog eats. <p>The mat eats dogs.")
    lines = tmp_path / "more.jsonl"
    lines.write_text('{"body": "The dog sleeps z.B. hier."}\n')
    done = thresher(
        *("lm", "train", text, page.parent, lines, "-o", tmp_path / "m"),
        *("--order", "3", "--min-count", "2", "--language", "de", "--field", "body", "--tokeniser", "characters"),
    )
    assert done.code == 0, done.err
    card = read_card(tmp_path / "m" / "card.json")
    training = card.training
    assert training is not None
    assert (card.language, card.order, card.tokeniser) == ("de", 3, "characters")
    assert card.corpus == "text.txt.gz, site, more.jsonl"
    assert training.least_count == 2
    # The abbreviation ends no sentence.
    assert (training.sentences, training.vocabulary) == (63, 9)


def test_scores_of_sentences(tmp_path: Path) -> None:
    """P(the | <s>) = 0.8 · 3/3 and so on; the unigram is the previous word's, of 15 words."""
    (tmp_path / "t").write_text("the cat sat on the mat\nthe dog sat on the cat\nthe cat ran\n", encoding="utf-8")
    model = tmp_path / "m"
    assert thresher("lm", "train", tmp_path / "t", "-o", model).code == 0
    perplexity = load_model(str(model)).perplexity
    known = (0.8 + 1e-6) * (0.8 * 3 / 5 + 0.2 * 5 / 15 + 1e-6) * (0.8 * 1 / 2 + 0.2 * 3 / 15 + 1e-6)
    assert perplexity("The cat sat.") == pytest.approx(known ** (-1 / 3), rel=1e-6)
    assert [perplexity(line) for line in ("", "...")] == [math.inf] * 2
    assert perplexity("zebra") == pytest.approx(1_000_000)
    # It is one sentence, whatever its full stops: `sat the` was not seen. Nor was `<s> zebra`.
    second = (0.2 * 2 / 15 + 1e-6) * known / (0.8 + 1e-6)
    assert perplexity("The cat sat. The cat sat.") == pytest.approx((known * second) ** (-1 / 6), rel=1e-6)


def test_problems_are_told_together(tmp_path: Path) -> None:
    none = tmp_path / "none"
    done = thresher("lm", "train", none, "-o", tmp_path / "m", "--order", "7")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        f"error: {none}: there is no such file or folder. Fix: check the path.",
        "error: --order 7: there are no models of that order. "
        "Fix: choose 2 or 3, or train with KenLM's lmplz and import the model.",
    ]
    done = thresher("lm", "train", "-o", tmp_path / "m")
    assert done.code == 2
    assert done.err == ("error: TEXT: there is no text to train on. Fix: name files of text, or folders of HTML.\n")


def test_text_without_words(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("...\n")
    done = thresher("lm", "train", tmp_path / "t", "-o", tmp_path / "m")
    assert done.code == 3
    assert done.err == (f"error: {tmp_path / 't'}: the training text has no words. Fix: give text with words.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom thresher.cli.model_verbs import lm\nlm.main(['train', '--help'], standalone_mode=False)\n"
        "print(*[n for n in ('numpy', 'joblib', 'pyarrow', 'kenlm', 'lxml') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "\n"
    assert "--tokeniser" in done.stdout
