"""Cross-validation of NCleaner: each page as by a model that was trained on the other folds and cleaned as by `clean`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from commands import thresher
from thresher.cleaneval.ncleaner_evaluation import cross_validate

from thresher import clean_html
from thresher.cleaneval.cleaning_measures import compare_words
from thresher.cleaneval.gold import GoldPage, read_gold
from thresher.errors import ConfigError
from thresher.language_models.characters.character_counts import Settings, train, usual_settings
from thresher.language_models.characters.model_files import write_model
from thresher.pages import read_html

FOLDS = 3
ALPHABETS = {"lexical": (3, 0.5), "non-lexical": (6, 0.4), "vowels": (6, 0.4)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven pages of a heading, a paragraph of its own, a bar and a menu."""
    path = tmp_path_factory.mktemp("gold")
    for name in ("input", "GoldStandard"):
        (path / name).mkdir()
    for number in range(7):
        text = (
            f"In the {number}th winter the harbour froze, and boats of all {'sorts kinds'.split()[number % 2]} stayed."
        )
        menu = "".join(f"<li>LOGIN{number + item} &gt;&gt;" for item in range(4 + number))
        page = f"<h1>Winter {number}</h1><p>{text}</p><p>Home | News | Contact</p><ul>{menu}</ul>"
        (path / "input" / f"{number}.html").write_text(page)
        (path / "GoldStandard" / f"{number}.txt").write_text(f"URL: http://x/{number}\n<h>Winter {number}\n<p>{text}\n")
    return path


def pages_of(folder: Path) -> tuple[GoldPage, ...]:
    return tuple(read_gold(folder).pages)


@pytest.mark.parametrize("seed", [0, 5])
def test_each_page_is_cleaned_by_the_model_of_the_others(folder: Path, tmp_path: Path, seed: int) -> None:
    pages = pages_of(folder)
    results = {result.cleaner: result for result in cross_validate(pages, FOLDS, seed)}
    assert list(results) == ["none", "bars", *(f"ncleaner, {name}" for name in ALPHABETS)]
    html = [page.path.read_text() for page in pages]
    for name in ("none", "bars"):
        cleaned = [compare_words(clean_html(each, name), page.text) for each, page in zip(html, pages, strict=True)]
        assert [page.words for page in results[name].pages] == cleaned
    fold = np.random.default_rng(seed).permutation(np.arange(len(pages)) % FOLDS)
    assert sorted(np.bincount(fold).tolist()) == [2, 2, 3]
    for alphabet, (n, q) in ALPHABETS.items():
        assert usual_settings(alphabet) == Settings(n, q, usual_settings(alphabet).alphabet)
        for number, page in enumerate(pages):
            others = [
                ([part.text for part in pages[at].segments], read_html(html[at]).blocks)
                for at in range(len(pages))
                if fold[at] != fold[number]
            ]
            path = tmp_path / f"{alphabet}-{number}.ncleaner"
            write_model(path, train(others, usual_settings(alphabet), "others"))
            expected = compare_words(clean_html(html[number], f"ncleaner(model={path})@0"), page.text)
            assert results[f"ncleaner, {alphabet}"].pages[number].words == expected


def test_raw_text_has_no_segments_and_models_keep_theirs(folder: Path) -> None:
    results = {result.cleaner: result for result in cross_validate(pages_of(folder), 7)}
    segments = {name: result.summary.segmentation for name, result in results.items()}
    assert segments["none"] is not None
    assert segments["bars"] is not None
    assert segments["none"].unlabelled.f1 == 0
    # Of each page a heading and a paragraph are right, all items and no bar are left.
    assert segments["bars"].labelled.recall == 1
    assert segments["bars"].labelled.precision == 14 / (14 + sum(4 + number for number in range(7)))
    assert results["ncleaner, lexical"].summary.words.precision.mean > results["bars"].summary.words.precision.mean


def test_the_command(folder: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    done = thresher("ncleaner", "folds", folder, "--folds", "3", "--csv", numbers)
    assert done.code == 0, done.err
    assert len(re.findall(r"^ncleaner, vowels ", done.out, re.MULTILINE)) == 3
    assert numbers.read_text(encoding="utf-8").count("\n") == 6
    done = thresher("ncleaner", "folds", folder, "--folds", "8")
    assert (done.code, done.out, len(done.errors)) == (2, "", 1)
    with pytest.raises(ConfigError, match="7 pages"):
        cross_validate(pages_of(folder), 8)
