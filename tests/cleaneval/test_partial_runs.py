"""Runs over partial gold, compared with cleaning each page by itself."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import fmean

import pytest
from thresher.cleaneval.peers import Peer

from thresher.cleaneval.cleaning_measures import SnippetCounts
from thresher.cleaneval.gold import GoldPage, read_gold, read_page_bytes
from thresher.cleaneval.running import GoldSet, run_partial
from thresher.collections import Page
from thresher.errors import InputError
from thresher.scorers.cleaners import parse_cleaner
from thresher.scoring.cutting import clean_page
from thresher.scoring.store import score_page

NAMES = ("none", "words@5", "words@9", "words@1000")
SENTENCES = (
    "Home News", "It rained on the harbour", "The rain did not stop before the evening of the day", "Share this",
)  # fmt: skip


def partial_set(folder: Path) -> GoldSet:
    """Write pages with one to four blocks, of which the middle ones must stay; the fourth page has no snippets."""
    (folder / "eval").mkdir(parents=True)
    gold: dict[str, object] = {}
    for number in range(6):
        blocks = SENTENCES[: 1 + number % 4] if number else SENTENCES
        page = f"<title>Page {number}</title>" + "".join(f"<p>{block}</p>" for block in blocks)
        (folder / "eval" / f"{number}.html.gz").write_bytes(gzip.compress(page.encode()))
        snippets = {"with": ["on the  harbour", "the evening"], "without": ["Share"]} if number != 3 else {}
        gold[f"http://example.org/{number}"] = {"file": f"{number}.html", **snippets}
    (folder / "evaldata.json").write_text(json.dumps(gold))
    return GoldSet(folder, read_gold(folder), folder / "store")


def counts_of(page: GoldPage, name: str) -> tuple[int, SnippetCounts | None]:
    """Clean a page by itself, and search it."""
    cleaner = parse_cleaner(name)
    text = clean_page(score_page(Page(page.stem, read_page_bytes(page)), cleaner.scorers), cleaner).text
    if not page.required:
        return len(text.split()), None
    kept = ("on the harbour" in text) + ("the evening" in text)
    return len(text.split()), SnippetCounts(2, kept, 1, int("Share" in text))


def first_words(page: str) -> list[str]:
    if "Page 2<" in page:
        raise ValueError("no")
    return ["It rained on", "the harbour"]


def test_every_page_is_as_cleaned_by_itself(tmp_path: Path) -> None:
    gold = partial_set(tmp_path)
    actual = run_partial(gold, [parse_cleaner(name) for name in NAMES], workers=2)
    assert [result.cleaner for result in actual.results] == list(NAMES)
    for result in actual.results:
        expected = [counts_of(page, result.cleaner) for page in gold.standard.pages]
        assert [(page.words, page.snippets) for page in result.pages] == expected
        recalls = [counts.kept / 2 for _, counts in expected if counts]
        assert result.summary.recall is not None
        assert result.summary.recall.mean == pytest.approx(fmean(recalls))
        assert result.summary.pages == 5
    assert [result.emptied for result in actual.results] == [0, 1, 3, 6]
    assert (actual.results[0].summary.counts, actual.results[3].summary.counts) == (
        SnippetCounts(10, 6, 5, 1),
        SnippetCounts(10, 0, 5, 0),
    )
    assert (actual.name, actual.problems, actual.crashes) == (tmp_path.name, (), ())


def test_other_packages_and_pages_that_fail(tmp_path: Path) -> None:
    gold = partial_set(tmp_path)
    gold.standard.pages[1].path.write_bytes(gzip.compress(b""))
    peer = Peer("peer:first", "none", "json", first_words)
    actual = run_partial(gold, [parse_cleaner("none")], [peer])
    assert actual.problems == (("1", "the page holds no text"),)
    assert actual.crashes == (("peer:first", "2", "ValueError: no"),)
    assert actual.results[0].pages[1].snippets == SnippetCounts(2, 0, 1, 0)
    first = actual.results[1]
    assert (first.is_peer, first.crashes, first.emptied) == (True, 1, 1)
    # The snippet reaches over both paragraphs.
    assert first.pages[0].snippets == SnippetCounts(2, 1, 1, 0)
    assert first.pages[2].snippets == SnippetCounts(2, 0, 1, 0)


def test_gold_without_any_snippet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_text("<p>Rain")
    (tmp_path / "evaldata.json").write_text(json.dumps({"u": {"file": "1.html"}}))
    with pytest.raises(InputError) as caught:
        run_partial(GoldSet(tmp_path, read_gold(tmp_path), tmp_path / "store"), [parse_cleaner("none")])
    assert caught.value.lines() == [f"{tmp_path}: no page has a snippet. Fix: add snippets `with` or `without`."]
    assert not (tmp_path / "store").exists()
