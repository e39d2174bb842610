"""Scores of whole pages: worked out by hand, alone and behind cleaners; and what other packages add."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from messages import Message, assert_names
from small_models import perplexity_of

import thresher
from thresher.base import removed
from thresher.base.errors import ConfigError, InputError
from thresher.base.files import _plugins
from thresher.cleaners.cleaner import parse_cleaner, parse_scorer, parse_sweep
from thresher.cleaners.scorer import KEEP_LOW
from thresher.cleaners.words.models import load_model
from thresher.collections import Page
from thresher.pages import read_text_page
from thresher.scores.cutting import clean_page
from thresher.scores.scoring import score_page

RAIN = "It rained all day in the north."


def score(text: str) -> float:
    segments = read_text_page(text)
    scores = parse_scorer("pages(perplexity)").scorer.score(segments)
    assert len(scores) == len(segments.block_ends)
    assert len({str(score) for score in scores.tolist()}) == 1
    return float(scores[0])


def test_perplexity_is_that_of_all_words_as_one_sentence() -> None:
    model = load_model("books")
    expected = perplexity_of(model, "It rained all day in the north. and more")
    assert score(f"{RAIN}\nand more") == pytest.approx(expected, rel=1e-6)
    assert math.isnan(score("... --\n--"))
    cut = parse_cleaner("pages(perplexity)@1000").cuts[0]
    assert (cut.name, cut.scorer.keep) == ("pages(perplexity,lm=books)@1000", KEEP_LOW)


def test_scores_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "scores.tsv"
    file.write_text("a\t3\nb\t1.5\n")
    for keep, kept in (("", "a"), (",keep=low", "b")):
        cleaner = parse_cleaner(f"pages(file={file}{keep})@2").checked()
        assert cleaner.name == f"pages(file={file}{keep})@2"
        pages = [Page(name, b"<p>Rain") for name in "abc"]
        texts = {page.id: clean_page(score_page(page, cleaner.scorers), cleaner).text for page in pages}
        assert texts == {name: "Rain" if name == kept else "" for name in "abc"}
    before = cleaner.scorers[0].fingerprint
    # Numbers beyond 32 bits and those that are none would be kept or dropped by accident.
    for line in ("a 3", "a\t1e39", "a\tnan", "a\t-inf"):
        file.write_text(f"b\t1\n{line}\n")
        assert cleaner.scorers[0].fingerprint != before
        with pytest.raises(InputError) as refused:
            parse_cleaner(f"pages(file={file})@2").checked()
        assert refused.value.lines() == [
            Message(f"{file}:2: ", "no score: ", f"{line!r}", "Fix: ", "a tab and a number")
        ]
    with pytest.raises(ConfigError, match="there is no"):
        parse_cleaner(f"pages(file={tmp_path / 'lost'})@2").checked()


def test_behind_a_cleaner_they_score_what_it_leaves(tmp_path: Path) -> None:
    html = f"<ul><li>rain<li>rain<li>rain</ul><p>{RAIN}"
    whole, left = score("rain\nrain\nrain\n" + RAIN), score(RAIN)
    between = math.sqrt(whole * left)
    assert left < whole
    assert thresher.clean_html(html, f"pages(perplexity)@{between}") == ""
    assert thresher.clean_html(html, f"words@5+pages(perplexity)@{between}") == RAIN
    assert thresher.clean_html(html, f"words@5+pages(perplexity)@{between}+pages(perplexity)@1") == ""
    file = tmp_path / "scores.tsv"
    file.write_text("\t1\n")
    name = f"words@5+density@2+pages(perplexity,lm=books)@300+pages(file={file})@1"
    cleaner = parse_cleaner(name)
    assert (cleaner.name, cleaner.input_name) == (name, "words@5+density@2")
    assert parse_cleaner(cleaner.name) == cleaner
    assert cleaner.on_page.name == "words@5+density@2"
    assert parse_sweep("words@5+pages(perplexity)").name == "words@5+pages(perplexity,lm=books)"


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        (
            "words@p50+pages(perplexity)@300",
            (
                *("'words@p50'", "before a score of pages", "the whole collection"),
                *("Fix: ", "a number as its cutoff", "a scorer of single pages"),
            ),
        ),
        ("pages(length)@3", ("no score of pages 'length'", "Fix: ", "pages(perplexity) or pages(file=PATH)")),
        ("pages@0.5", ("cutoff of 'pages'", "out of range: 0.5.", "Fix: ", "at least 1")),
        *(
            (name, (removed.removed_text(repr(name)), "Fix: ", removed.SCORERS[name]))
            for name in removed.SCORERS
            if name.startswith("pages(")
        ),
        *(
            (f"{name}(trafilatura)@0.5", (removed.removed_text(repr(name)), "Fix: ", removed.SCORERS[name]))
            for name in ("agree", "union")
        ),
        ("prior@-3", (removed.removed_text("'prior'"), "Fix: ", removed.SCORERS["prior"])),
    ],
)
def test_errors(name: str, facts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as error:
        parse_cleaner(name)
    assert_names(error.value, f"{name}: ", *facts)


def test_other_packages_add_scorers_and_pruning_methods(plugin: Path) -> None:
    assert thresher.clean_html("<p>Rain 1234<p>Rain", "digits@0.4") == "Rain"
    assert parse_sweep("digits").scorer.source == "an example"
    from thresher.indexes.pruning.treatments import parse_treatment

    assert parse_treatment("digits@0.4|first-terms@0.5").name == "digits@0.4|first-terms@0.5"


def test_other_packages_add_kinds_of_collections(plugin: Path, tmp_path: Path) -> None:
    (tmp_path / "crawl.tab").write_text("a\tRain fell.\nb\tWind\n")
    counts = thresher.clean_collection(tmp_path / "crawl.tab", "words@2", tmp_path / "out.jsonl")
    assert (counts.documents, counts.kept, counts.emptied, counts.words) == (2, 1, 1, 2)


def test_a_broken_entry_point_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "broken-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    for value, told in (
        ("no_such_module:A", "entry point 'a' cannot be imported"),
        ("json:JSONDecoder", "no Scorer of this"),
    ):
        (folder / "entry_points.txt").write_text(f"[thresher.scorers]\na = {value}\n")
        with monkeypatch.context() as patch:
            patch.syspath_prepend(tmp_path)
            _plugins.cache_clear()
            with pytest.raises(ConfigError) as error:
                parse_cleaner("a@3")
        assert told in error.value.what
    _plugins.cache_clear()
