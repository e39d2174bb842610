"""`thresher ncleaner train`, as a user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import installed, thresher

from thresher.language_models.characters.scoring import read_model

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


def test_train_and_clean(site: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine.ncleaner"
    done = thresher("ncleaner", "train", site / "clean", site / "raw", "-o", model)
    result = read_model(model)
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        f"{model}: 12 pages, {len(result.keys):,} n-grams, {model.stat().st_size:,} bytes; "
        f"use it as 'ncleaner(model={model})@0'\n"
    )
    assert (result.settings.n, result.settings.q, result.settings.alphabet.name) == (3, 0.5, "lexical")
    assert (result.pages, result.training) == (12, "clean against raw")
    cleaned = tmp_path / "cleaned.jsonl"
    done = thresher("clean", site / "raw", "-c", f"ncleaner(model={model})@0", "-o", cleaned, "--workers", "1")
    assert done.code == 0, done.err
    text = cleaned.read_text()
    assert text.count("Rain is expected") == text.count("It will be dry") == 12
    for block in MENU:
        assert block not in text
    again = tmp_path / "again"
    installed("ncleaner", "train", site / "clean", site / "raw", "-o", again)
    assert again.read_bytes() == model.read_bytes()


def test_choices_of_training(site: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    for options, expected in (
        (["--non-lexical"], (6, 0.4, "non-lexical", 12)),
        (["--n", "4", "--q", "0.7", "--pages", "5"], (4, 0.7, "lexical", 5)),
        (["--non-lexical", "--n", "2"], (2, 0.4, "non-lexical", 12)),
    ):
        done = thresher("ncleaner", "train", site / "clean", site / "raw", "-o", model, *options)
        assert done.code == 0, done.err
        result = read_model(model)
        settings = result.settings
        assert (settings.n, settings.q, settings.alphabet.name, result.pages) == expected
    one = thresher("ncleaner", "train", site / "clean" / "3.txt", site / "raw" / "3.html", "-o", model)
    assert one.code == 0
    assert (read_model(model).pages, read_model(model).training) == (1, "3.txt against 3.html")


def test_raw_pages_without_a_cleaned_one_are_told(site: Path, tmp_path: Path) -> None:
    few = tmp_path / "few"
    few.mkdir()
    for number in (1, 2):
        (few / f"{number}.txt").write_text((site / "clean" / f"{number}.txt").read_text())
    done = thresher("ncleaner", "train", few, site / "raw", "-o", tmp_path / "m")
    assert done.err.splitlines()[0] == "10 raw pages have no cleaned page and are left out"
    assert read_model(tmp_path / "m").pages == 2


def test_mistakes_are_one_line(site: Path, tmp_path: Path) -> None:
    clean, raw, out = site / "clean", site / "raw", tmp_path / "m"
    for arguments, code, message in (
        (["train", clean, raw], 2, "Missing option '--output' / '-o'"),
        (["train", clean, raw, "-o", out, "--q", "1"], 2, "q: the weight of shorter histories cannot be 1. Fix: "),
        (["train", clean, raw, "-o", out, "--n", "10"], 2, "Invalid value for '--n'"),
        (["train", clean, tmp_path / "no", "-o", out], 3, f"{clean}, {tmp_path / 'no'}: one is a folder and the "),
        (["train", raw, clean, "-o", out], 3, "raw against clean: the raw pages have no more text ("),
        (["polish"], 2, "No such command 'polish'"),
    ):
        done = thresher("ncleaner", *arguments)
        assert done.code == code, (arguments, done.err)
        assert done.err.startswith(f"error: {message}"), done.err
        assert done.err.count("\n") == 1
        assert not out.exists()
