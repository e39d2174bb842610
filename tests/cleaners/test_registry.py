"""The registry finds all scorers; one short file adds one."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from inspect import isabstract
from pathlib import Path

import numpy as np
import pytest
from messages import assert_names

import thresher.cleaners.scorers
from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import FLOOR, HEADINGS, declarations, describe, parse_cleaner, parse_scorer
from thresher.cleaners.registry import _scorers, scorer_class, scorers
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, KEEP_LOW, SENTENCE, Scorer
from thresher.pages import read_html

LENGTH = '''
"""Characters of a block."""

import numpy as np

from thresher.pages import Segments
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores


class Length(Scorer):
    """Number of characters of the block."""

    name = "length"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "characters"
    low = 0
    grid = (10, 20, 30)
    source = "This test"
    parameters = (Parameter("times", float, 1.0, "what the length is multiplied by", low=0, high=10),)

    def score(self, segments: Segments) -> Scores:
        """Return the length of each block."""
        return np.array([len(block) * self.values["times"] for block in segments.blocks], dtype=np.float32)
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose modules are modules of `thresher.cleaners.scorers`."""
    before = set(sys.modules)
    monkeypatch.setattr(thresher.cleaners.scorers, "__path__", [*thresher.cleaners.scorers.__path__, str(tmp_path)])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    _scorers.cache_clear()
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]
        vars(thresher.cleaners.scorers).pop(name.rpartition(".")[2], None)
    _scorers.cache_clear()


def test_all_scorers():
    result = scorers()
    assert list(result) == sorted(result)
    assert {"density", "perplexity", "words"} <= set(result)
    for name, kind in result.items():
        assert issubclass(kind, Scorer)
        assert not isabstract(kind)
        assert kind.name == name == scorer_class(name, "here").name
        assert kind.segment in (BLOCK, SENTENCE)
        assert kind.keep in (KEEP_HIGH, KEEP_LOW)
        assert kind.unit
        assert kind.source
        assert kind.__doc__
        if kind.decides:
            assert (kind.keep, kind.grid) == (KEEP_HIGH, ())
        for cutoff in kind.grid:
            assert parse_scorer(name).at(cutoff, "here").cutoff == cutoff
        assert list(kind.grid) == sorted(set(kind.grid))
        kind().prepare()
        if kind().needs_collection:
            continue
        page = read_html("<p>This is a page.<p>With two blocks. And a sentence more.", detail=kind.detail)
        # Another text of the page, for what needs one.
        makers = {maker.canonical_name: page for maker in kind().required_texts}
        page = replace(page, texts=makers)
        assert kind().score(page).dtype == np.float32
        assert kind().score(page).shape == ((2,) if kind.segment == BLOCK else (3,))


def test_one_short_file_adds_a_scorer(folder):
    assert "length" not in scorers()
    (folder / "length.py").write_text(LENGTH)
    _scorers.cache_clear()
    assert list(scorers()) == sorted([*scorers()])
    assert "length" in scorers()
    cleaner = parse_cleaner("length(times=2.5,headings=keep)@20")
    assert cleaner.name == "length(times=2.5,headings=keep)@20"
    assert cleaner.scorers[0].score(read_html("<p>four<p>sixsix")).tolist() == [10, 15]
    assert parse_cleaner("length@20").name == "length(times=1.0)@20"
    with pytest.raises(ConfigError) as caught:
        parse_cleaner("length(times=11)@20")
    assert_names(caught.value, "length(times=11)@20: ", "'times'", "11", "Fix: ", "0", "10")
    (entry,) = (entry for entry in declarations() if entry["name"] == "length")
    assert entry == {
        "name": "length",
        "description": "Number of characters of the block.",
        "segment": "block",
        "keep": "keep high",
        "decides": False,
        "unit": "characters",
        "cutoffs": "from 0",
        "grid": ["10", "20", "30"],
        "example": "length(times=1.0)@20",
        "parameters": [
            {
                "name": "times",
                "default": 1.0,
                "description": "what the length is multiplied by",
                "values": "from 0 to 10",
                "choices": [],
            },
            {
                "name": "headings",
                "default": "score",
                "description": HEADINGS.description,
                "values": "score or headline or keep or drop",
                "choices": ["score", "headline", "keep", "drop"],
            },
            {
                "name": "floor",
                "default": 0,
                "description": FLOOR.description,
                "values": "from 0",
                "choices": [],
            },
        ],
        "source": "This test",
    }
    assert "length@CUTOFF\n    Number of characters of the block.\n" in describe()


def test_two_of_one_name(folder):
    (folder / "length.py").write_text(LENGTH.replace('"length"', '"words"'))
    _scorers.cache_clear()
    with pytest.raises(RuntimeError) as caught:
        scorers()
    assert_names(caught.value, "two scorers are named 'words': ", "thresher.cleaners.")


def test_unknown_scorer():
    with pytest.raises(ConfigError) as caught:
        scorer_class("word", "file.toml:3")
    assert_names(caught.value, "file.toml:3: ", "'word'", "Fix: ", ", ".join(sorted(scorers())))


@pytest.mark.slow
def test_no_java_is_loaded_for_scorers():
    code = "import sys; from thresher.cleaners.registry import scorers; scorers(); print('jnius' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
