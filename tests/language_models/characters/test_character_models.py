"""The models that come without training data: made once, the same every time."""

import ast
import sys
from pathlib import Path

import pytest

from thresher.errors import ConfigError, InputError, MissingDependencyError, StateError
from thresher.language_models.characters import defaults as characters_defaults
from thresher.language_models.characters.counts import STANDARD, STANDARD_NON_LEXICAL
from thresher.language_models.characters.defaults import (
    DEFAULTS,
    MODULES,
    docstring_lines,
    load_character_model,
    load_segment_scorer,
    model_path,
)
from thresher.language_models.characters.files import card

PROSE = "Return the number of items that were found, or None if there are none of them."
SIGNATURE = "__init__(self, /, *args, **kwargs)"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_default_models():
    assert [*DEFAULTS] == ["standard", "nonlexical"]
    for name, settings in (("standard", STANDARD), ("nonlexical", STANDARD_NON_LEXICAL)):
        model = load_character_model(name)
        assert model.settings == settings
        assert model_path(name).stat().st_size < 1_000_000
        assert card(model)["training"].startswith("docstrings and pydoc pages of the standard library of Python 3.")
        assert 0.9 * len(MODULES) <= model.pages <= len(MODULES)
        scores = load_segment_scorer(name).score(f"{PROSE}\n{SIGNATURE}")
        assert scores[0] > 0 > scores[1]
    assert load_segment_scorer("standard") is load_segment_scorer("standard")


def test_the_same_training_gives_the_same_bytes_and_is_done_once(cache, monkeypatch):
    # A few modules are enough for this.
    monkeypatch.setattr(characters_defaults, "MODULES", ("json", "shutil", "no.such.module"))
    path = model_path("nonlexical")
    first = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert sorted(first) == ["nonlexical.ncleaner", "standard.ncleaner"]
    assert path.parent.parent == cache / "language_models"
    assert f"python{sys.version_info[0]}.{sys.version_info[1]}" in path.parent.name
    assert [child.name for child in path.parent.parent.iterdir()] == [path.parent.name]
    when = path.stat().st_mtime_ns
    assert model_path("nonlexical").stat().st_mtime_ns == when
    path.unlink()
    model_path("standard")
    assert model_path("nonlexical").read_bytes() == first["nonlexical.ncleaner"]
    assert model_path("standard").read_bytes() == first["standard.ncleaner"]


def test_a_damaged_default_model(cache, monkeypatch):
    monkeypatch.setattr(characters_defaults, "MODULES", ("json",))
    path = model_path("standard")
    path.write_bytes(b"x")
    with pytest.raises(StateError) as caught:
        load_character_model("standard")
    assert str(caught.value) == f"{path}: the model standard is damaged. Fix: delete the folder {path.parent}."
    mine = cache / "mine"
    mine.write_bytes(b"x")
    with pytest.raises(InputError) as caught:
        load_character_model(str(mine))
    assert str(caught.value).startswith(f"{mine}: it is no NCleaner model, or a damaged one. Fix: train it again")


def test_without_sources(cache, monkeypatch):
    monkeypatch.setattr(characters_defaults, "MODULES", ("no.such.module",))
    with pytest.raises(MissingDependencyError) as caught:
        model_path("standard")
    assert str(caught.value) == (
        f"{sys.executable}: the standard library's sources are missing. Fix: use a Python with a complete standard "
        "library, or train a model with `thresher ncleaner train`."
    )
    assert [*(cache / "language_models").iterdir()] == []


@pytest.mark.parametrize("name", ["", "other", "no/such/file", "."])
def test_no_such_model(name):
    with pytest.raises(ConfigError) as caught:
        model_path(name)
    assert str(caught.value) == (
        f"model={name}: there is no NCleaner model {name!r}. Fix: use standard, nonlexical or the path of a file that "
        "`thresher ncleaner train` wrote."
    )


def test_docstring_lines():
    source = '''
"""Module.

Its second line."""
class A:
    "A class."
    def __init__(self):
        """Made."""
    def _hidden(self):
        "Not shown."
    async def wait(self):
        """Wait.
           And see."""
x = "no docstring"
'''
    assert sorted(docstring_lines(source.encode())) == [
        "A class.",
        "And see.",
        "Its second line.",
        "Made.",
        "Module.",
        "Wait.",
    ]
    assert docstring_lines(b"") == []
    library = Path(ast.__file__).read_bytes()
    assert len(docstring_lines(library)) > 50
