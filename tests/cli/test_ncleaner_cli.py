"""`thresher ncleaner`: text, train, curve and tune, as a user calls them."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from commands import installed, thresher

from thresher.language_models.characters.model_files import read_model

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
        (["tune", tmp_path / "no"], 3, f"{tmp_path / 'no'}: it holds no files. Fix: "),
        (["tune", raw, "--folds", "13"], 3, "tune: 12 pages with text are too few for 13 folds. Fix: "),
        (["text", tmp_path / "no.html"], 3, f"{tmp_path / 'no.html'}: there is no such file or folder. Fix: "),
        (["polish"], 2, "No such command 'polish'"),
    ):
        done = thresher("ncleaner", *arguments)
        assert done.code == code, (arguments, done.err)
        assert done.err.startswith(f"error: {message}"), done.err
        assert done.err.count("\n") == 1
        assert not out.exists()


def test_tune(site: Path) -> None:
    done = thresher("ncleaner", "tune", site / "raw", "--most", "4")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split("  ")[0] == "q"
    assert lines[0].count("n = ") == 4
    assert [line.split()[0] for line in lines[1:10]] == [f"0.{tenth}" for tenth in range(1, 10)]
    table = {(n, line.split()[0]): float(line.split()[n]) for line in lines[1:10] for n in range(1, 5)}
    best = min(table.values())
    n, q, bits = (
        lines[10]
        .removeprefix("best: n = ")
        .removesuffix(" bits per character)")
        .replace(" (", ", q = ")
        .split(", q = ")
    )
    assert table[int(n), q] == float(bits) == best
    assert len(lines) == 11
    again = installed("ncleaner", "tune", site / "raw", "--most", "4")
    assert again.out == done.out
    other = thresher("ncleaner", "tune", site / "raw", "--most", "4", "--non-lexical", "--folds", "3", "--seed", "1")
    assert other.code == 0
    assert other.out != done.out


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages of another site with their gold texts."""
    folder = tmp_path_factory.mktemp("gold")
    for kind in ("input", "gold"):
        (folder / kind).mkdir()
    for number in range(3):
        prose = f"Rain is likely in region {number} on the first day of the month."
        (folder / "input" / f"{number}.html").write_text(f"<p>Home</p><p>{prose}</p><p>Login >> Register</p>")
        (folder / "gold" / f"{number}.txt").write_text(prose)
    return folder


def test_curve(site: Path, gold: Path, tmp_path: Path) -> None:
    table = tmp_path / "curve.csv"
    arguments = ["ncleaner", "curve", site / "clean", site / "raw", gold, "--repeats", "2"]
    done = thresher(*arguments, "--csv", table)
    assert (done.code, done.err) == (0, "")
    head, _, *lines = [line.split() for line in done.out.splitlines()]
    assert head == ["pages", "words", "models", "precision", "recall", "F1", "least", "most", "macro", "F1"]
    # Each cleaned page has 17 words.
    assert [line[:3] for line in lines] == [[str(size), str(17 * size), "2"] for size in (1, 2, 5, 10, 12)]
    header, *rows = csv.reader(table.read_text().splitlines())
    assert header == ["pages", "words", "repeat", "precision", "recall", "f1", "macro_f1"]
    assert [row[:3] for row in rows] == [
        [str(size), str(17 * size), repeat] for repeat in "01" for size in (1, 2, 5, 10, 12)
    ]
    for line in lines:
        f1s = [float(row[5]) for row in rows if row[0] == line[0]]
        assert line[5:8] == [f"{value:.3f}" for value in (sum(f1s) / 2, min(f1s), max(f1s))]
    few = thresher(*arguments, "--sizes", "5,2, 5", "--seed", "3", "--non-lexical")
    assert few.code == 0, few.err
    assert [line.split()[0] for line in few.out.splitlines()[2:]] == ["2", "5"]
    again = installed(*arguments)
    assert again.out == done.out


def test_mistakes_of_a_curve_are_one_line(site: Path, gold: Path, tmp_path: Path) -> None:
    clean, raw = site / "clean", site / "raw"
    same = "a model cannot be tested on the pages that it was trained on. Fix: give another folder."
    for arguments, code, message in (
        ([gold / "gold", gold / "input", gold], 2, f"{gold}: {same}"),
        ([clean, raw, raw], 2, f"{raw}: {same}"),
        ([clean, raw, site], 2, f"{site}: {same}"),
        (
            [clean, raw, gold, "--sizes", "1,x"],
            2,
            "--sizes: '1,x' is not a list of numbers. Fix: write it like 1,2,5,10.",
        ),
        ([clean, raw, gold, "--sizes", "13"], 2, "--sizes: 13 training pages cannot be taken from 12. Fix: "),
        ([raw, clean, gold], 3, "all training pages: the raw pages have no more text ("),
        ([clean, raw, tmp_path], 3, f"{tmp_path}: the folder holds no gold ("),
    ):
        done = thresher("ncleaner", "curve", *arguments)
        assert done.code == code, (arguments, done.err)
        assert done.err.startswith(f"error: {message}"), done.err
        assert done.err.count("\n") == 1


def test_text(site: Path) -> None:
    done = thresher("ncleaner", "text", site / "raw" / "0.html")
    assert (done.code, done.err) == (0, "")
    assert done.out == "\n\n".join(
        [
            "# Weather 0",
            "# Rain",
            *MENU,
            "Rain is expected in region 0 tonight.",
            "It will be dry on day 1 of the month.",
            "* x\n",
        ]
    )


def test_help_is_light() -> None:
    code = "import sys, thresher.cli.ncleaner_models; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert "train" in thresher("ncleaner", "--help").out
