"""A whole run over a small gold standard, compared with what its parts come to by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from thresher.cleaneval.cleaning_measures import compare_words
from thresher.cleaneval.comparing import compare_page
from thresher.cleaneval.gold import LabelledText, read_gold
from thresher.cleaneval.running import CleaningRun, GoldSet, asked_sweep, run_cleaners
from thresher.collections import Page
from thresher.errors import ConfigError
from thresher.evaluation.significance import signed_ranks
from thresher.scorers.cleaners import parse_cleaner
from thresher.scoring.cutting import clean_page
from thresher.scoring.store import score_page

NAMES = ("none", "words@4", "words@8", "words@1000")
WORDS = "it rains here again today and then it is dry for as many days as before".split()


def gold_set(folder: Path, pages: int, shift: int = 0) -> GoldSet:
    """Write pages of one to five paragraphs of different lengths; gold is what has five words or more."""
    (folder / "input").mkdir(parents=True)
    (folder / "gold").mkdir()
    for number in range(pages):
        lengths = [3 + (number * 5 + place * 7 + shift) % 12 for place in range(1 + number % 5)]
        texts = [" ".join(WORDS[:length]) for length in lengths]
        kept = [text for text, length in zip(texts, lengths, strict=True) if length >= 5]
        body = "".join(f"<p>{text}" for text in texts)
        (folder / "input" / f"{number:02}.html").write_text(f"<title>Rain {number}</title><p>Home{body}")
        (folder / "gold" / f"{number:02}.txt").write_text("".join(f"<p>{text}\n" for text in kept) or "<p>Home\n")
    return GoldSet(folder, read_gold(folder), folder / "store")


def f1_of(gold: GoldSet, name: str) -> list[float]:
    """Clean every page by itself."""
    cleaner = parse_cleaner(name)
    actual = []
    for page in gold.standard.pages:
        scored = score_page(Page(page.stem, page.path.read_bytes()), cleaner.scorers)
        text = clean_page(scored, cleaner).text
        actual.append(compare_words(text, page.text).alignment.f1)
    return actual


def run(gold: GoldSet, *sweeps: str, other: GoldSet | None = None, **options: float | int | None) -> CleaningRun:
    cleaners = [parse_cleaner(name) for name in NAMES]
    return run_cleaners(gold, cleaners, [asked_sweep(text) for text in sweeps], other, **options)  # type: ignore[arg-type]


def test_a_run_is_what_each_page_comes_to_by_itself(tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 20)
    actual = run(gold, "words=8,4", "words(headings=keep)=4", workers=2)
    assert (actual.name, actual.standard, actual.problems, actual.crashes) == ("set", gold.standard, (), ())
    assert [result.cleaner for result in actual.results] == list(NAMES)
    by_name = {name: f1_of(gold, name) for name in NAMES}
    for result in actual.results:
        assert [page.words.alignment.f1 for page in result.pages] == by_name[result.cleaner]
    words, headings = actual.sweeps
    assert (words.scorer, words.gold, words.folder) == ("words", "set", tmp_path / "set")
    assert words.baseline == tuple(by_name["none"])
    assert [(point.cutoff, point.f1s) for point in words.points] == [
        (4.0, tuple(by_name["words@4"])),
        (8.0, tuple(by_name["words@8"])),
    ]
    assert headings.scorer == "words(headings=keep)"
    assert headings.points[0].f1s == tuple(f1_of(gold, "words(headings=keep)@4"))
    assert actual.transfers == ()
    assert run(gold, "words=8,4", "words(headings=keep)=4") == actual


def test_sweeps_have_floors(tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 6)
    (sweep,) = run(gold, "words(floor=3)=1000,4").sweeps
    assert sweep.scorer == "words(floor=3)"
    for point, cutoff in zip(sweep.points, (4, 1000), strict=True):
        assert point.f1s == tuple(f1_of(gold, f"words(floor=3)@{cutoff}"))
    assert sweep.points[1].macro.f1 > 0
    assert not any(f1_of(gold, "words@1000"))


def test_cutoffs_are_tried_on_another_gold_standard(tmp_path: Path) -> None:
    here, there = gold_set(tmp_path / "here", 10), gold_set(tmp_path / "there", 8, shift=3)
    actual = run(here, "words=2,5,9", "density=3,6", other=there)
    words, density = actual.transfers
    means = {cutoff: fmean(f1_of(here, f"words@{cutoff}")) for cutoff in (2, 5, 9)}
    best = max(means, key=means.__getitem__)
    tested = f1_of(there, f"words@{best}")
    assert (words.scorer, words.cutoff, words.tuned_on, words.tested_on) == ("words", best, "here", "there")
    assert words.tuned_f1 == pytest.approx(means[best])
    assert words.tested_f1 == pytest.approx(fmean(tested))
    assert words.best_f1 == pytest.approx(max(fmean(f1_of(there, f"words@{cutoff}")) for cutoff in means))
    assert words.baseline_f1 == pytest.approx(fmean(f1_of(there, "none")))
    differences = [new - old for new, old in zip(tested, f1_of(there, "none"), strict=True)]
    assert words.comparison.p == signed_ranks(differences).p
    # Holm: the smaller p of two counts twice, the larger is at least as large as that.
    smaller, larger = sorted((words, density), key=lambda item: item.comparison.p)
    assert smaller.comparison.p_holm == min(1, 2 * smaller.comparison.p)
    assert larger.comparison.p_holm == max(larger.comparison.p, min(1, 2 * smaller.comparison.p))


def test_no_cutoff_is_tried_where_it_was_chosen(tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 3)
    again = GoldSet(tmp_path / "set" / "gold" / "..", gold.standard, tmp_path / "other")
    with pytest.raises(ConfigError, match="a cutoff cannot be tested on the pages that it was chosen on"):
        run(gold, "words=4", other=again)


def test_crashes_of_other_packages_are_counted_and_empty_the_page(plugin: Path, tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 5)
    path = gold.standard.pages[3].path
    path.write_text(path.read_text() + "<!-- raise -->")
    names = ("none", "words@4", "extractor(broken)", "extractor(first-lines)")
    actual = run_cleaners(gold, [parse_cleaner(name) for name in names], workers=2)
    assert actual.crashes == (("extractor(broken)", "03", "ValueError: no such ? thing"),)
    assert [(result.cleaner, result.is_extractor, result.crashes) for result in actual.results] == [
        ("none", False, 0),
        ("words@4", False, 0),
        ("extractor(broken)", True, 1),
        ("extractor(first-lines)", True, 0),
    ]
    for place, page in enumerate(gold.standard.pages):
        assert actual.results[2].pages[place] == compare_page("" if place == 3 else "a?b\nc d", page.text)
    assert actual.results[2].summary.words.emptied == 1
    assert actual.results[2].comparison is not None


def test_what_is_kept_is_not_done_again(plugin: Path, tmp_path: Path) -> None:
    """Everything is there the second time; of one page with other gold only what depends on the gold is done again."""
    gold = replace(gold_set(tmp_path / "set", 40), keep=tmp_path / "kept")
    cleaners = [parse_cleaner(name) for name in ("none", "words@p50", "extractor(first-lines)")]

    def measured(gold: GoldSet) -> tuple[CleaningRun, dict[str, int]]:
        run = run_cleaners(gold, cleaners, [asked_sweep("words=4,8")])
        return run, {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}

    first, kept = measured(gold)
    # By shards of 16 pages the cleaners and the sweep.
    assert len(kept) == 2 * 3
    assert measured(gold) == (first, kept)
    assert first == run_cleaners(
        replace(gold, keep=None, store=tmp_path / "other"),
        cleaners,
        [asked_sweep("words=4,8")],
    )
    other = replace(gold.standard.pages[20], segments=(LabelledText("p", "it rains"),))
    pages = (*gold.standard.pages[:20], other, *gold.standard.pages[21:])
    changed, more = measured(replace(gold, standard=replace(gold.standard, pages=pages)))
    assert changed.results[1].pages[20] != first.results[1].pages[20]
    assert (len(more), more.items() > kept.items()) == (len(kept) + 2, True)

    for path in (tmp_path / "kept").iterdir():
        path.write_text('{"damaged": true}')
    assert measured(gold)[0] == first


def test_pages_that_no_cleaner_can_take_are_named_and_emptied(tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 3)
    gold.standard.pages[1].path.write_bytes(b"")
    actual = run(gold)
    assert [actual.results[0].pages[place].words.words > 0 for place in range(3)] == [True, False, True]
    assert {result.pages[1].words.words for result in actual.results} == {0}
    assert actual.problems == (("01", "the page holds no text"),)
