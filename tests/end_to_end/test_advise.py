"""`thresher advise`: the same small crawl without queries and with them, from the shell and from Python."""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commands import thresher
from scipy import stats
from small_web import write_pages

import thresher as thresher_package
from thresher.base.defaults import DEFAULT_INDEX, LEFT_OUT
from thresher.collections import documents, open_collection
from thresher.evaluation.trec_files import read_qrels
from thresher.experiments.adviser import ADVICE, Advice, expected_change
from thresher.experiments.choosing.choices import read_choice
from thresher.experiments.config import load_experiment
from thresher.indexes.indexing import open_index
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import index_statistics
from thresher.scores.removed import explained_pages
from thresher.scores.score_pass import ScorePlan, score_collection

PAGES = 90
# The cleaner of the default index leaves it out.
RELATED = '<div class="related"><ul><li>Wheat</li><li>Rye</li><li>Oats</li></ul></div>'


@pytest.fixture(scope="session")
def crawl(once: Callable[..., Path]) -> Path:
    """A folder with a crawl, a query log, and in `asked/` what the log chooses."""

    def fill(folder: Path) -> None:
        write_pages(folder / "crawl", PAGES)
        for page in (folder / "crawl").rglob("*0.html"):
            page.write_text(page.read_text().replace("<h1>", f"{RELATED}<h1>"))
        lines = [f"query about {number} of part{number % 3}\tpart{number % 3}/page{number:02}" for number in range(30)]
        (folder / "queries.tsv").write_text("\n".join([*lines, "elsewhere\thttp://x.org/"]))
        done = thresher("advise", "crawl", "--queries", "queries.tsv", "-o", "asked", cwd=folder)
        assert done.code == 0, done.err
        (folder / "out.txt").write_text(done.out)

    return once("advised", fill)


def advised(*arguments: object, cwd: Path) -> Advice:
    """Return the advice that the command prints as JSON."""
    done = thresher("advise", *arguments, "--json", cwd=cwd)
    assert (done.code, done.err) == (0, "")
    (cwd / "printed.json").write_text(done.out)
    return ADVICE.read(cwd / "printed.json")


@pytest.mark.slow
def test_without_queries_it_is_the_default_with_its_changes_elsewhere(crawl: Path, tmp_path: Path) -> None:
    advice = advised(crawl / "crawl", cwd=tmp_path)
    assert (advice.pages, advice.sampled, advice.failed) == (PAGES, PAGES, 0)
    assert (advice.variant, advice.elsewhere) == (DEFAULT_INDEX, LEFT_OUT)
    assert advice == thresher_package.advise(crawl / "crawl")
    # Nothing is written but what this test wrote.
    assert [path.name for path in tmp_path.iterdir()] == ["printed.json"]


def test_the_expected_change_is_a_prediction_interval_of_student() -> None:
    changes = np.array([*LEFT_OUT.values()])
    reach = stats.t.ppf(0.975, len(changes) - 1) * changes.std(ddof=1) * np.sqrt(1 + 1 / len(changes))
    expected = expected_change([*LEFT_OUT.values()])
    assert expected.value == pytest.approx(changes.mean())
    assert (expected.low, expected.high) == pytest.approx((changes.mean() - reach, changes.mean() + reach))


def test_removed_words_by_kind_are_those_that_explaining_shows(crawl: Path, tmp_path: Path) -> None:
    advice = thresher_package.advise(crawl / "crawl")
    assert isinstance(advice, Advice)
    cleaner = parse_treatment(DEFAULT_INDEX).cleaner
    score_collection(ScorePlan(open_collection(crawl / "crawl"), cleaner.scorers), tmp_path / "scores")
    words: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    for page in explained_pages(tmp_path / "scores", cleaner):
        for segment in page.segments:
            kind, count = page.kinds[segment.block].value, len(segment.text.split())
            words[kind] += count
            if not segment.is_kept:
                removed[kind] += count
    assert removed.total() >= 3 * PAGES // 10
    assert {block.kind: block.words for block in advice.blocks} == words
    shares = {kind: removed[kind] / words[kind] for kind in words}
    assert {block.kind: block.removed for block in advice.blocks} == pytest.approx(shares)
    assert advice.words.value == pytest.approx(1 - removed.total() / words.total())


def test_a_sample_is_drawn_by_the_ids_and_has_a_sampling_error(crawl: Path, tmp_path: Path) -> None:
    advice = advised(crawl / "crawl", "--sample", 40, cwd=tmp_path)
    assert (advice.pages, advice.sampled) == (PAGES, 40)
    assert advice.words.low < advice.words.value < advice.words.high
    assert advised(crawl / "crawl", "--sample", 40, "--workers", 1, cwd=tmp_path) == advice


def test_the_commands_make_the_index_of_the_whole_crawl(crawl: Path, tmp_path: Path) -> None:
    advice = thresher_package.advise(crawl / "crawl", sample=30)
    assert isinstance(advice, Advice)
    index, clean = map(shlex.split, advice.commands)
    assert index == ["thresher", "index", str(crawl / "crawl"), "-t", DEFAULT_INDEX, "-o", "index"]
    cleaner = parse_treatment(DEFAULT_INDEX).cleaner.name
    assert clean == ["thresher", "clean", str(crawl / "crawl"), "-c", cleaner, "-o", "cleaned.jsonl"]
    for command in (clean, index):
        done = thresher(*command[1:], cwd=tmp_path)
        assert done.code == 0, done.err
    with open_index(tmp_path / "index") as reader:
        assert index_statistics(reader).documents == PAGES
    assert len((tmp_path / "cleaned.jsonl").read_text().splitlines()) == PAGES


def test_the_screen_names_the_index_the_blocks_and_the_commands(crawl: Path, tmp_path: Path) -> None:
    done = thresher("advise", crawl / "crawl", cwd=tmp_path)
    assert done.code == 0, done.err
    assert DEFAULT_INDEX in done.out.splitlines()[0]
    advice = thresher_package.advise(crawl / "crawl")
    assert isinstance(advice, Advice)
    for block in advice.blocks:
        assert any(line.startswith(f"{block.kind} ") for line in done.out.splitlines()), block
    assert all(command in done.out.splitlines() for command in advice.commands)


def test_queries_choose_as_choose_does(crawl: Path, tmp_path: Path) -> None:
    folder = crawl / "asked"
    choice = read_choice(folder / "advice")
    assert choice is not None
    first = choice.models[0].first
    assert first is not None
    assert (crawl / "out.txt").read_text().startswith(f"- Use {first.variant}")
    experiment = load_experiment(folder / "advice.toml")
    assert thresher_package.explore(experiment, tmp_path).table().topics == tuple(f"query-{at}" for at in range(1, 31))
    again = thresher_package.choose(experiment, tmp_path)
    assert again.models == choice.models
    # The page of one query is not in the crawl.
    qrels = read_qrels(folder / "qrels.txt")
    assert len(qrels) == 30
    assert qrels["query-2"] == {"part1/page01": 1}


@pytest.mark.slow
@pytest.mark.parametrize("page", ["http://www.mill.example/{}.html#top", "https://mill.example:443/{}.html", "p{}"])
def test_pages_of_queries_are_ids_or_any_spelling_of_the_address(tmp_path: Path, page: str) -> None:
    with (tmp_path / "crawl.jsonl").open("w") as file:
        for number in range(40):
            html = f"<h1>Rye bread {number}</h1><p>Flour of sort {number} is ground on Mondays in this mill.</p>"
            url = f"http://mill.example/{number}.html"
            file.write(json.dumps({"id": f"p{number}", "url": url, "html": html}) + "\n")
    queries = "".join(f"sort {number}\t{page.format(number)}\n" for number in range(30))
    (tmp_path / "queries.tsv").write_text(queries)
    thresher_package.advise(tmp_path / "crawl.jsonl", tmp_path / "queries.tsv", output=tmp_path / "out")
    qrels = read_qrels(tmp_path / "out" / "qrels.txt")
    assert qrels == {f"query-{number + 1}": {f"p{number}": 1} for number in range(30)}
    assert len([*documents(load_experiment(tmp_path / "out" / "advice.toml").collection.open())]) == 40


@pytest.mark.slow
def test_a_page_whose_id_no_qrels_can_hold_answers_no_query(tmp_path: Path) -> None:
    pages = [{"id": f"p{number}", "html": f"<p>Flour of sort {number}"} for number in range(30)]
    pages.append({"id": "p 30", "url": "http://mill.example/30", "html": "<p>Flour of sort 30"})
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    lines = [f"sort {number}\tp{number}\n" for number in range(30)]
    (tmp_path / "queries.tsv").write_text("".join([*lines, "sort 30\thttp://mill.example/30\n"]))
    thresher_package.advise(tmp_path / "crawl.jsonl", tmp_path / "queries.tsv", output=tmp_path / "out")
    assert [*read_qrels(tmp_path / "out" / "qrels.txt").values()] == [{f"p{number}": 1} for number in range(30)]


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        ("rye bread\n", ["{file}:1:", "not a query with its page"]),
        ("\nrye bread\tno page\n", ["{file}:", "none of its pages", "no page", "part0/page00", "at least 25"]),
    ],
)
def test_queries_that_cannot_be_used(crawl: Path, tmp_path: Path, lines: str, facts: list[str]) -> None:
    file = tmp_path / "queries.tsv"
    file.write_text(lines)
    done = thresher("advise", crawl / "crawl", "--queries", file, "-o", tmp_path / "out", "--workers", "1")
    assert done.code == 3
    for fact in facts:
        assert fact.format(file=file) in done.errors[0]
    assert not (tmp_path / "out").exists()


def test_a_crawl_whose_name_is_no_text(crawl: Path, tmp_path: Path) -> None:
    """Its bytes can be in no file of UTF-8: there is advice, but no experiment file can name it."""
    named = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    write_pages(Path(named), 60)
    done = thresher("advise", named, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    done = thresher("advise", named, "--queries", crawl / "queries.tsv", "-o", "out", cwd=tmp_path)
    assert done.code == 3
    assert "UTF-8" in done.errors[-1]


def test_queries_write_nothing_into_the_crawl_or_a_folder_of_other_files(crawl: Path) -> None:
    queries = crawl / "queries.tsv"
    done = thresher("advise", crawl / "crawl", "--queries", queries, "-o", crawl / "crawl" / "advice")
    assert done.code == 2
    # The fix names an option that `advise` has.
    assert "with -o" in done.err
    assert not (crawl / "crawl" / "advice").exists()
    done = thresher("advise", crawl / "crawl", "--queries", queries, "-o", crawl)
    assert done.code == 5
    assert not (crawl / "topics.tsv").exists()


def test_a_crawl_without_a_page(tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    done = thresher("advise", tmp_path / "crawl")
    assert done.code == 3
    assert str(tmp_path / "crawl") in done.errors[0]
