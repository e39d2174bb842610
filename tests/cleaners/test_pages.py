"""Scores of whole pages: worked out by hand, alone and behind cleaners."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from small_models import perplexity_of

import thresher
from thresher.base.errors import ConfigError, InputError
from thresher.base.files import _plugins
from thresher.cleaners.cleaner import parse_cleaner, parse_scorer, parse_sweep
from thresher.cleaners.scorer import DECISION, KEEP_LOW
from thresher.cleaners.scorers.pages import PagesByDivergence
from thresher.cleaners.words.models import load_model
from thresher.collections import Page
from thresher.pages import read_text_page
from thresher.scores.cutting import clean_page
from thresher.scores.store import score_page

RAIN = "It rained all day in the north."


def score(name: str, text: str) -> float:
    segments = read_text_page(text)
    scores = parse_scorer(f"pages({name})").scorer.score(segments)
    assert len(scores) == len(segments.block_ends)
    assert len(set(scores.tolist())) <= 1
    return float(scores[0])


def test_perplexity_is_that_of_all_words_as_one_sentence() -> None:
    model = load_model("books")
    expected = perplexity_of(model, "It rained all day in the north. and more")
    assert score("perplexity", f"{RAIN}\nand more") == pytest.approx(expected, rel=1e-6)
    cut = parse_cleaner("pages(perplexity)@1000").cuts[0]
    assert (cut.name, cut.scorer.keep) == ("pages(perplexity,lm=books)@1000", KEEP_LOW)


def test_distinct_words_and_shares() -> None:
    assert score("distinct", "a b\nA c") == 0.75
    # Two blocks of which one is text, by the model's own scores.
    page = f"<p>{RAIN * 9}</p><ul><li><a href=x>Home</a></ul>"
    scored = thresher.score_html(page, ["content", "pages(content-share)"])
    assert scored.segments is not None
    words = scored.segments.words_in_blocks
    share = words[scored.scores["content"] >= 0.5].sum() / words.sum()
    assert scored.scores["pages(content-share)"].tolist() == [np.float32(share)] * 2
    assert math.isnan(score("distinct", "... --"))


def test_divergence_is_the_sum_over_the_collections_words(tmp_path: Path) -> None:
    counts = tmp_path / "counts.tsv"
    counts.write_text("rain\t6\nwind\t3\nsnow\t1\n")
    scorer = PagesByDivergence()
    scorer._counts = counts
    from thresher.cleaners.scorers.prior import probabilities_of

    of_collection = {word.decode(): share for word, share in probabilities_of(counts).items()}
    page = Counter("rain rain wind other".split())
    expected = sum(
        share * math.log2(share / (0.9 * page[word] / 4 + 0.1 * share)) for word, share in of_collection.items()
    )
    assert scorer.score(read_text_page("rain rain\nwind other")).tolist() == pytest.approx([expected] * 2, rel=1e-6)
    assert parse_cleaner("pages(divergence)@2").name == "pages(divergence,counts=self)@2"


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (f"{RAIN}\n{RAIN} {RAIN}", True),
        (f"{RAIN}\n{RAIN} {RAIN}\nmenu\nSee our privacy policy", True),
        (f"{RAIN}\n{RAIN}", False),
        (f"{RAIN}\n{RAIN} {RAIN}\nvar a = {{", False),
        (f"{RAIN}\n{RAIN} {RAIN}\nLorem ipsum", False),
        # Lines without an end mark, of less than five words, and with phrases are no text.
        (f"{RAIN}\n{RAIN[:-1]}\nIt rained all day here.\n{RAIN}\nIt rained.", True),
        (f"{RAIN}\n{RAIN[:-1]}\nIt rained here.\n{RAIN}", False),
        (f"{RAIN}\n{RAIN}\nPlease enable Javascript to see all this.", False),
        (f"{RAIN}\n{RAIN}\nThis site and its shop uses cookies.", False),
    ],
)
def test_c4(text: str, passes: bool) -> None:
    assert score("c4", text) == passes


GOOD = "The storm of the north will be here with rain and snow . " * 5


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (GOOD, True),
        (" ".join(GOOD.split()[:49]), False),
        ("the be " + "abcdefghijkl " * 60, False),
        ("the be " + "ab " * 60, False),
        (GOOD + "# " * 8, False),
        (GOOD + "# " * 5, True),
        (GOOD + "a... " * 8, False),
        (GOOD + "42 " * 11, False),
        (GOOD.replace("The", "A").replace("the", "a").replace("of", "a").replace("be", "a").replace("and", "a"), False),
        ("\n".join(f"- {line}" for line in ["the storm of snow"] * 20), False),
        ("\n".join(f"- {line}" for line in ["the storm of snow"] * 18) + "\nthe\nsnow", True),
        ("\n".join(["the storm of the whole north…"] * 3 + ["the storm of the whole north"] * 7), True),
        ("\n".join(["the storm of the whole north…"] * 4 + ["the storm of the whole north"] * 6), False),
    ],
)
def test_gopher(text: str, passes: bool) -> None:
    assert score("gopher", text) == passes


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
        fix = "write an id, a tab and a number"
        assert refused.value.lines() == [f"{file}:2: this is no score: {line!r}. Fix: {fix}."]
    with pytest.raises(ConfigError, match="there is no"):
        parse_cleaner(f"pages(file={tmp_path / 'lost'})@2").checked()


def test_behind_a_cleaner_they_score_what_it_leaves() -> None:
    html = f"<ul><li>rain<li>rain<li>rain</ul><p>{RAIN}"
    assert thresher.clean_html(html, "pages(distinct)@0.9") == ""
    assert thresher.clean_html(html, "words@5+pages(distinct)@0.9") == RAIN
    assert thresher.clean_html(html, "words@5+pages(distinct)@0.9+pages(gopher)") == ""
    cleaner = parse_cleaner("words@5+density@2+pages(distinct)@0.5+pages(c4)")
    assert (cleaner.name, cleaner.text) == ("words@5+density@2+pages(distinct)@0.5+pages(c4)", "words@5+density@2")
    assert parse_cleaner(cleaner.name) == cleaner
    assert cleaner.on_page.name == "words@5+density@2"
    assert parse_sweep("words@5+pages(distinct)").name == "words@5+pages(distinct)"
    assert parse_cleaner("pages(c4)").cuts[0].cutoff == DECISION
    with pytest.raises(ConfigError) as error:
        parse_cleaner("words@p50+pages(c4)")
    assert error.value.what == "'words@p50' before a score of pages needs the whole collection"
    with pytest.raises(ConfigError, match="there is no score of pages 'length'"):
        parse_cleaner("pages(length)@3")


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
        ("no_such_module:A", "the entry point 'a' cannot be imported"),
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
