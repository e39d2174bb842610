"""The model `books`: its counts, its card, and how it comes into being."""

import hashlib
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import pytest
from messages import Message, assert_names

from thresher.base.errors import ConfigError, MissingDependencyError, StateError
from thresher.cleaners.words import books, models
from thresher.cleaners.words.models import BUILDERS, load_model, model_folder
from thresher.cleaners.words.word_model import ModelCard, read_card


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_counts_are_those_of_the_lists():
    unigrams, bigrams = books.read_counts()
    package = files("symspellpy")
    words = (package / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig").splitlines()
    pairs = (package / "frequency_bigramdictionary_en_243_342.txt").read_text(encoding="utf-8-sig").splitlines()
    assert [f"{word} {count}" for word, count in unigrams.items()] == words
    assert sorted(f"{a} {b} {count}" for a, row in bigrams.items() for b, count in row.items()) == sorted(pairs)
    assert (len(unigrams), sum(map(len, bigrams.values()))) == (82_834, 242_342)
    assert unigrams["the"] == 23135851162
    assert bigrams["this"]["is"] > 0


def test_the_card_says_what_the_model_is():
    folder = model_folder("books")
    model = load_model("books")
    arpa = (folder / "model.arpa").read_bytes()
    head = arpa[:60].decode().splitlines()
    assert model.card == ModelCard(
        name="books",
        language="en",
        corpus=Message(
            *("Google Books n-gram counts", "symspellpy"),
            *("(frequency_dictionary_en_82_765.txt, ", "frequency_bigramdictionary_en_243_342.txt)"),
        ),
        order=2,
        ngrams=(int(head[1].removeprefix("ngram 1=")), int(head[2].removeprefix("ngram 2="))),
        formula="0.8 * P(w | previous) + 0.2 * P(previous) + 1e-6 (PyPlexity's bigram model)",
        tokeniser="words",
        log_base=Message("log10 in the file", "10 ** (-log10 P / words)"),
        unknown_words=Message("history of probability 0", "unknown word", "any unseen pair"),
        sentence_ends="<s> begins a sentence, </s> is not scored",
        digest=hashlib.sha256(arpa).hexdigest(),
        normalisation=Message("lower case", "letters, digits, combining marks and apostrophes"),
    )
    assert model.card.ngrams[1] == 242_342
    assert json.loads((folder / "card.json").read_text())["name"] == "books"
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", "model.arpa"]


def test_a_model_is_built_once(cache, monkeypatch):
    built = []

    def build(folder: Path) -> None:
        built.append(folder.name)
        (folder / "model.arpa").write_text("x")
        (folder / "card.json").write_text("{}")

    monkeypatch.setitem(BUILDERS, "tiny", build)
    folder = model_folder("tiny")
    assert folder == cache / "language_models" / "tiny-2"
    assert model_folder("tiny") == folder
    assert len(built) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["card.json", "model.arpa"]
    assert [path.name for path in folder.parent.iterdir()] == ["tiny-2"]


def test_whole_or_not_at_all(cache, monkeypatch):
    def build(folder: Path) -> None:
        (folder / "model.arpa").write_text("half")
        raise MissingDependencyError("no more words", "install them")

    monkeypatch.setitem(BUILDERS, "tiny", build)
    with pytest.raises(MissingDependencyError):
        model_folder("tiny")
    assert list((cache / "language_models").iterdir()) == []

    # What an earlier program was stopped over is not taken for a model.
    folder = cache / "language_models" / "tiny-2"
    folder.mkdir()
    (folder / "model.arpa").write_text("half")

    def build_all(folder: Path) -> None:
        (folder / "card.json").write_text("{}")

    monkeypatch.setitem(BUILDERS, "tiny", build_all)
    assert [path.name for path in model_folder("tiny").iterdir()] == ["card.json"]


def test_unknown_model():
    with pytest.raises(ConfigError) as caught:
        load_model("no such")
    assert_names(caught.value, "lm=no such: ", "'no such'", "Fix: ", "ARPA", "KenLM")


def test_a_damaged_card(tmp_path):
    path = tmp_path / "books-2" / "card.json"
    path.parent.mkdir()
    for text, reason in (
        ("{", "the file is damaged ("),
        ("{}", ""),
        ('{"ngrams": [1]}', ""),
        ("[]", ""),
    ):
        path.write_text(text)
        with pytest.raises(StateError) as caught:
            read_card(path)
        assert str(caught.value).startswith(f"{path}: {reason}")
        assert str(caught.value).endswith(f". Fix: delete the folder {path.parent}.")


def test_a_card_comes_back(tmp_path):
    card = load_model("books").card
    card.write(tmp_path / "card.json")
    assert read_card(tmp_path / "card.json") == card


def test_word_lists_that_are_missing(monkeypatch):
    monkeypatch.setattr(books, "_WORDS", "no_such_list.txt")
    with pytest.raises(MissingDependencyError) as caught:
        books.read_counts()
    assert_names(caught.value, "language model books: ", "no_such_list.txt", "Fix: ", "pip install symspellpy")


@pytest.mark.slow
def test_without_symspellpy():
    code = (
        "import sys; sys.modules['symspellpy'] = None\n"
        "from thresher.cleaners.words import books\n"
        "try: books.read_counts()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    facts = "MissingDependencyError", "language model books: ", "frequency_dictionary_en_82_765.txt"
    assert_names(done.stdout, *facts, "Fix: ", "pip install symspellpy.\n")


def test_a_model_that_is_built_meanwhile_is_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path))
    built: list[Path] = []

    def build(folder: Path) -> None:
        built.append(folder)
        time.sleep(0.2)
        (folder / models.CARD).touch()

    monkeypatch.setattr(models, "BUILDERS", {"slow": build})
    with ThreadPoolExecutor(4) as threads:
        folders = {*threads.map(models.model_folder, ["slow"] * 4)}
    assert (len(built), len(folders)) == (1, 1)
    assert (folders.pop() / models.CARD).exists()
