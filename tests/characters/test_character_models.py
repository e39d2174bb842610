"""The models that come with the package: what their card says, and made again by the script that made them."""

import ast
import hashlib
import json
import platform
import runpy
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from messages import assert_names

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.cleaners.characters import scoring as models
from thresher.cleaners.characters.character_counts import STANDARD, STANDARD_NON_LEXICAL
from thresher.cleaners.characters.scoring import (
    FOLDER,
    SHIPPED,
    card,
    find_character_model,
    load_character_model,
    load_segment_scorer,
)

SCRIPT = Path(__file__).parents[2] / "scripts" / "ncleaner_models.py"
PROSE = "Return the number of items that were found, or None if there are none of them."
SIGNATURE = "__init__(self, /, *args, **kwargs)"


def test_the_shipped_models():
    assert [*SHIPPED] == ["standard", "nonlexical"]
    for name, settings in (("standard", STANDARD), ("nonlexical", STANDARD_NON_LEXICAL)):
        model = load_character_model(name)
        assert model.settings == settings
        scores = load_segment_scorer(name).score(f"{PROSE}\n{SIGNATURE}")
        assert scores[0] > 0 > scores[1]
    assert load_segment_scorer("standard") is load_segment_scorer("standard")


def test_the_card_is_of_the_files_beside_it():
    about = json.loads((FOLDER / "card.json").read_text("utf-8"))
    assert "PSF-2.0" in about["licence"]
    assert all(about[key] for key in ("date", "python", "system"))
    assert sorted(file.name for file in FOLDER.iterdir()) == ["card.json", *sorted(about["models"])]
    assert {f"{name}.ncleaner" for name in SHIPPED} == {*about["models"]}
    for name in SHIPPED:
        content = find_character_model(name).read_bytes()
        told = about["models"][f"{name}.ncleaner"]
        assert len(content) == told.pop("bytes") < 1_000_000
        assert hashlib.sha256(content).hexdigest() == told.pop("sha256")
        assert told == asdict(card(load_character_model(name)))
        assert_names(told["training"], "docstrings and pydoc pages", f"standard library of Python {about['python']}")
        assert told["pages"] == len(about["modules"]) > 40


@pytest.mark.slow
def test_the_script_makes_the_same_files_again():
    about = json.loads((FOLDER / "card.json").read_text("utf-8"))
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    here, there = (platform.python_version(), platform.system()), (about["python"], about["system"])
    if here == there:
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    else:
        # Another Python has other docstrings; the script says which one it needs.
        assert done.returncode == 1
        assert all(word in done.stderr for word in (*here, *there))


def test_damaged_models(tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    mine.write_bytes(b"x")
    with pytest.raises(InputError) as caught:
        load_character_model(str(mine))
    assert_names(caught.value, f"{mine}: it is damaged", "Fix: train it again")
    monkeypatch.setattr(models, "_FILES", replace(models._FILES, folder=tmp_path))
    path = tmp_path / "standard.ncleaner"
    path.write_bytes(b"x")
    with pytest.raises(StateError) as caught:
        load_character_model("standard")
    assert_names(caught.value, f"{path}: ", "standard is damaged", "Fix: ", "install Thresher again")


@pytest.mark.parametrize("name", ["", "other", "no/such/file", "."])
def test_no_such_model(name):
    with pytest.raises(ConfigError) as caught:
        find_character_model(name)
    assert_names(caught.value, f"model={name}: ", "NCleaner", f"{name!r}", "Fix: ", "`thresher ncleaner train`")


def test_docstring_lines():
    docstring_lines = runpy.run_path(str(SCRIPT))["docstring_lines"]
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
