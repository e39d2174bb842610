"""`thresher ncleaner train`, and cleaning with its model."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import thresher
from messages import assert_names

from thresher.base.errors import ThresherError
from thresher.cleaners.characters.scoring import read_model
from thresher.cli.model_verbs import train_characters

MENU = ["Home", "Contact us now!", "Login >> Register", "Copyright (C) 2008", "Top | Back | Print"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pages of a site, raw as HTML, and their cleaned text."""
    folder = tmp_path_factory.mktemp("site")
    for kind in ("clean", "raw"):
        (folder / kind).mkdir()
    for number in range(12):
        prose = [f"Rain is expected in region {number} tonight.", f"It will be dry on day {number + 1} of the month."]
        (folder / "clean" / f"{number}.txt").write_text("\n\n".join(prose))
        blocks = "".join(f"<p>{block}</p>" for block in [*MENU, *prose])
        (folder / "raw" / f"{number}.html").write_text(
            f"<title>Weather {number}</title><h1>Rain</h1>{blocks}<ul><li>x</ul>"
        )
    return folder


def train(*arguments: object) -> str:
    done = CliRunner().invoke(train_characters, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_train_and_clean(site: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine.ncleaner"
    said = train(site / "clean", site / "raw", "-o", model)
    result = read_model(model)
    facts = f"12 pages, {len(result.keys):,} n-grams, {model.stat().st_size:,} bytes"
    assert said == f"{model}: {facts}; use it as 'ncleaner(model={model})@0'\n"
    assert (result.settings.n, result.settings.q, result.settings.alphabet.name) == (3, 0.5, "lexical")
    assert (result.pages, result.training) == (12, "clean against raw")
    # A model is replaced, other files are not.
    train(site / "clean", site / "raw", "-o", model)
    mine = site / "clean" / "1.txt"
    before = mine.read_bytes()
    done = thresher("ncleaner", "train", site / "clean", site / "raw", "-o", mine)
    assert (done.code, mine.read_bytes()) == (5, before)
    assert_names(done.err, f"error: {mine}: it exists", "ncleaner", "Fix: choose another name.\n")
    cleaned = tmp_path / "cleaned.jsonl"
    done = thresher("clean", site / "raw", "-c", f"ncleaner(model={model})@0", "-o", cleaned, "--workers", "1")
    assert done.code == 0, done.err
    text = cleaned.read_text()
    assert text.count("Rain is expected") == text.count("It will be dry") == 12
    for block in MENU:
        assert block not in text


def test_choices_of_training(site: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    for options, expected in (
        (["--non-lexical"], (6, 0.4, "non-lexical", 12)),
        (["--vowels"], (6, 0.4, "vowels", 12)),
        (["--n", "4", "--q", "0.7", "--pages", "5"], (4, 0.7, "lexical", 5)),
        (["--non-lexical", "--n", "2"], (2, 0.4, "non-lexical", 12)),
    ):
        train(site / "clean", site / "raw", "-o", model, *options)
        result = read_model(model)
        settings = result.settings
        assert (settings.n, settings.q, settings.alphabet.name, result.pages) == expected
    train(site / "clean" / "3.txt", site / "raw" / "3.html", "-o", model)
    assert (read_model(model).pages, read_model(model).training) == (1, "3.txt against 3.html")


def test_raw_pages_without_a_cleaned_one_are_told(site: Path, tmp_path: Path) -> None:
    few = tmp_path / "few"
    few.mkdir()
    for number in (1, 2):
        (few / f"{number}.txt").write_text((site / "clean" / f"{number}.txt").read_text())
    said = train(few, site / "raw", "-o", tmp_path / "m")
    assert_names(said.splitlines()[0], "10 raw pages", "no cleaned page")
    assert read_model(tmp_path / "m").pages == 2


def test_mistakes_write_nothing(site: Path, tmp_path: Path) -> None:
    clean, raw, out = site / "clean", site / "raw", tmp_path / "m"
    for arguments, facts in (
        ([clean, raw, "--q", "1"], ("q: ", "cannot be 1")),
        ([clean, tmp_path / "no"], (f"{tmp_path / 'no'}: ", "no such ")),
        ([raw, clean], ("raw against clean: ", "raw pages", "no more text (")),
    ):
        with pytest.raises(ThresherError) as caught:
            train(*arguments, "-o", out)
        assert_names(caught.value, *facts)
        assert not out.exists()
