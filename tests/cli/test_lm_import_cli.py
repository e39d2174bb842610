"""The verb `thresher lm import`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from thresher.cli.model_verbs import import_words
from thresher.errors import ConfigError
from thresher.language_models import load_model

ARPA = (
    "\\data\\\nngram 1=4\nngram 2=2\n\n"
    "\\1-grams:\n-1\t<unk>\t0\n-1\t<s>\t-0.5\n-1\t</s>\n-1\ta\t-0.3\n\n"
    "\\2-grams:\n-0.1\t<s> a\n-0.2\ta a\n\n\\end\\\n"
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "mine.arpa"
    path.write_text(ARPA)
    return path


def test_import(source, tmp_path):
    out = tmp_path / "out"
    done = CliRunner().invoke(import_words, [str(source), "-o", str(out)])
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == (f"{out}: mine, 4 + 2 n-grams, tokeniser words; use it as 'perplexity(lm={out})@8000'\n")
    assert load_model(str(out)).perplexity("A a") == pytest.approx(10 ** (0.3 / 2), rel=1e-6)


def test_options(source, tmp_path):
    out = tmp_path / "out"
    options = ["--output", str(out), "--tokeniser", "pyplexity", "--name", "ours"]
    done = CliRunner().invoke(import_words, [str(source), *options])
    assert done.exit_code == 0
    card = load_model(str(out)).card
    assert (card.name, card.tokeniser) == ("ours", "pyplexity")


def test_what_is_wrong_is_said(source, tmp_path):
    done = CliRunner().invoke(import_words, [str(source), "-o", str(tmp_path)])
    assert isinstance(done.exception, ConfigError)
    done = CliRunner().invoke(import_words, [str(source)])
    assert done.exit_code == 2
    assert "Missing option '--output' / '-o'" in done.stderr


def test_help_names_the_tokenisers():
    from thresher.language_models.words.tokenisers import TOKENISERS

    done = CliRunner().invoke(import_words, ["--help"])
    text = " ".join(done.stdout.split())
    assert done.exit_code == 0
    assert ", ".join(TOKENISERS) in text
