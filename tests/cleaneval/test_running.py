"""A whole run over a small gold standard, compared with what its parts come to by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import Page
from thresher.evaluation.cleaneval.cleaning_measures import compare_words
from thresher.evaluation.cleaneval.comparing import compare_page, remove_compared
from thresher.evaluation.cleaneval.gold import LabelledText, read_gold
from thresher.evaluation.cleaneval.results import CleaningRun, GoldSet, run_cleaners
from thresher.scores.cutting import clean_page
from thresher.scores.scoring import score_page

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


def run(gold: GoldSet, workers: int = 1) -> CleaningRun:
    return run_cleaners(gold, [parse_cleaner(name) for name in NAMES], workers)


def test_a_run_is_what_each_page_comes_to_by_itself(tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 20)
    actual = run(gold, workers=2)
    assert (actual.name, actual.standard, actual.problems, actual.crashes) == ("set", gold.standard, (), ())
    assert [result.cleaner for result in actual.results] == list(NAMES)
    by_name = {name: f1_of(gold, name) for name in NAMES}
    for result in actual.results:
        assert [page.words.alignment.f1 for page in result.pages] == by_name[result.cleaner]
    assert run(gold) == actual


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
        run = run_cleaners(gold, cleaners)
        return run, {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}

    first, kept = measured(gold)
    # By shards of 16 pages.
    assert len(kept) == 3
    assert measured(gold) == (first, kept)
    assert first == run_cleaners(replace(gold, keep=None, store=tmp_path / "other"), cleaners)
    other = replace(gold.standard.pages[20], segments=(LabelledText("p", "it rains"),))
    pages = (*gold.standard.pages[:20], other, *gold.standard.pages[21:])
    changed, more = measured(replace(gold, standard=replace(gold.standard, pages=pages)))
    assert changed.results[1].pages[20] != first.results[1].pages[20]
    assert (len(more), more.items() > kept.items()) == (len(kept) + 1, True)

    for path in (tmp_path / "kept").iterdir():
        path.write_text('{"damaged": true}')
    assert measured(gold)[0] == first

    own = tmp_path / "kept" / "mine.json"
    own.write_text("mine")
    remove_compared(tmp_path / "kept")
    assert [*(tmp_path / "kept").iterdir()] == [own]
    own.unlink()
    remove_compared(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_pages_that_no_cleaner_can_take_are_named_and_emptied(tmp_path: Path) -> None:
    gold = gold_set(tmp_path / "set", 3)
    gold.standard.pages[1].path.write_bytes(b"")
    actual = run(gold)
    assert [actual.results[0].pages[place].words.words > 0 for place in range(3)] == [True, False, True]
    assert {result.pages[1].words.words for result in actual.results} == {0}
    assert actual.problems == (("01", "the page holds no text"),)
