"""`thresher advise`: the same small crawl with queries and without, from the shell and from Python."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from commands import thresher
from small_web import write_pages

import thresher as thresher_package
from thresher.base.defaults import BY_SENTENCES, DEFAULT_INDEX, LEFT_OUT
from thresher.base.files import fit_text
from thresher.evaluation import read_qrels
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.experiments.choosing.advice import ADVICE, expected_change
from thresher.experiments.choosing.choices import read_choice
from thresher.experiments.choosing.walks import Sample, Terms, walk
from thresher.experiments.config import load_experiment
from thresher.experiments.results import read_results
from thresher.indexes.indexing import open_index
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import index_statistics
from thresher.reports.summary import advised
from thresher.scores.removed import explained_pages

PAGES = 90
# Kept out by the default index; its kind, a list, is that of content too.
RELATED = '<div class="related"><ul><li>Wheat</li><li>Rye</li><li>Oats</li></ul></div>'


@pytest.fixture(scope="session")
def crawl(once: Callable[..., Path]) -> Path:
    """A crawl with what is advised on it: in `plain/` by its pages alone, in `asked/` by queries."""

    def run(folder: Path) -> None:
        write_pages(folder / "crawl", PAGES)
        for page in (folder / "crawl").rglob("*0.html"):
            page.write_text(page.read_text().replace("<h1>", f"{RELATED}<h1>"))
        thresher_package.advise(folder / "crawl", sample=60, output=folder / "plain")
        lines = [f"query about {number} of part{number % 3}\tpart{number % 3}/page{number:02}" for number in range(30)]
        (folder / "queries.tsv").write_text("\n".join([*lines, "elsewhere\thttp://x.org/"]))
        done = thresher("advise", "crawl", "--queries", "queries.tsv", "-o", "asked", cwd=folder)
        assert done.code == 0, done.err
        (folder / "out.txt").write_text(done.out)

    return once("advised", run)


def test_pages_alone_get_the_default_with_what_it_lost_elsewhere(crawl: Path) -> None:
    advice = ADVICE.read(crawl / "plain" / "advice.json")
    assert (advice.pages, advice.sites, advice.sampled) == (PAGES, 1, 60)
    assert (advice.by_queries, advice.variant) == (False, DEFAULT_INDEX)
    assert (advice.elsewhere, advice.change) == (LEFT_OUT, expected_change([*LEFT_OUT.values()]))
    table = read_results(crawl / "plain" / "advice").table()
    assert advice.size is not None
    assert advice.size.value == table.shares[table.position[DEFAULT_INDEX]]
    # A sample has a sampling error.
    assert advice.size.low < advice.size.value < advice.size.high
    assert [one.source for one in advice.findings] == ["titles", "sentences"]


def test_title_topics_are_asked_of_pages_without_titles(crawl: Path) -> None:
    folder = crawl / "plain"
    experiment = load_experiment(folder / "advice.toml")
    with gzip.open(experiment.collection, "rt", encoding="utf-8") as file:
        pages = [json.loads(line)["html"] for line in file]
    assert len(pages) == 60
    # The heading is another text than the title, and stays.
    assert not any("<title>" in page for page in pages)
    assert all("<h1>" in page for page in pages)
    qrels = read_qrels(folder / "topics" / "qrels.txt")
    assert {topic.partition("-")[0] for topic in read_results(folder / "advice").table().topics} == {
        "title",
        "sentence",
    }
    assert all(len(of) == 1 for of in qrels.values())


def test_sentences_choose_the_more_cautious_index(crawl: Path) -> None:
    advice = ADVICE.read(crawl / "plain" / "advice.json")
    table = read_results(crawl / "plain" / "advice").table()
    sentences = table.of_topics(topic for topic in table.topics if topic.startswith("sentence-"))
    assert len(sentences.topics) >= MINIMUM
    walks = walk(Sample(sentences, (table.main, "AP"), Terms()), cautious=False)
    smallest = min((one.last for one in walks if one.last is not None), key=lambda index: table.sizes[index], default=0)
    assert advice.cautious is not None
    assert advice.cautious.share == table.shares[smallest]
    assert advice.cautious.elsewhere == BY_SENTENCES
    assert f"{advice.cautious.variant}, {100 * advice.cautious.share:.1f} %" in "".join(advised(advice))
    assert ADVICE.read(crawl / "asked" / "advice.json").cautious is None


def test_queries_decide_as_choose_does(crawl: Path) -> None:
    advice, choice = ADVICE.read(crawl / "asked" / "advice.json"), read_choice(crawl / "asked" / "advice")
    assert choice is not None
    first = choice.models[0].first
    assert first is not None
    assert (advice.by_queries, advice.variant, advice.elsewhere) == (True, first.variant, {})
    assert advice.size is not None
    assert (advice.size.value, advice.size.low) == (first.share, first.share)
    (finding,) = advice.findings
    assert (finding.source, finding.topics, finding.change) == ("queries", 30, advice.change)
    # One of 31 queries names a page that is not there.
    assert len(read_qrels(crawl / "asked" / "topics" / "qrels.txt")) == 30


def test_the_commands_make_the_index_of_the_whole_crawl(crawl: Path, tmp_path: Path) -> None:
    advice = ADVICE.read(crawl / "plain" / "advice.json")
    clean, index = map(shlex.split, advice.commands)
    assert clean[:3] == ["thresher", "clean", str(crawl / "crawl")]
    for command in (clean, index):
        done = thresher(*command[1:], cwd=tmp_path)
        assert done.code == 0, done.err
    with open_index(tmp_path / "index") as reader:
        assert index_statistics(reader).documents == PAGES


def test_blocks_pages_and_passages_that_it_would_hurt(crawl: Path) -> None:
    advice = ADVICE.read(crawl / "plain" / "advice.json")
    cleaner = parse_treatment(DEFAULT_INDEX).cleaner
    words: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    mostly: Counter[str] = Counter()
    for page in explained_pages(crawl / "plain" / "advice" / "scores", cleaner):
        of_page: Counter[str] = Counter()
        for segment in page.segments:
            kind, count = page.kinds[segment.block].value, len(segment.text.split())
            of_page[kind] += count
            lost[kind] += 0 if segment.kept else count
        words += of_page
        mostly[max(of_page, key=lambda kind: of_page[kind])] += 1
    assert {one.kind: one.count for one in advice.blocks} == words
    assert {one.kind: one.removed for one in advice.blocks} == pytest.approx(
        {kind: lost[kind] / words[kind] for kind in words}
    )
    assert {one.kind: one.count for one in advice.kinds} == mostly
    assert 1 <= len(advice.look) <= 5
    assert all(0 < page.removed <= 1 for page in advice.look)
    assert {(page.id[-1], page.passage.strip()) for page in advice.look} == {("0", "Wheat")}


def test_the_answer_is_the_first_that_is_said(crawl: Path) -> None:
    advice = ADVICE.read(crawl / "asked" / "advice.json")
    first, *_ = advised(advice)
    out = (crawl / "out.txt").read_text()
    assert " ".join(out.split()).startswith(f"- {first}")
    assert all(command in out for command in advice.commands)
    report = unescape((crawl / "asked" / "report.html").read_text(encoding="utf-8"))
    assert str(advice.variant) in report[report.index('class="sentence"') :][:400]


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("rye bread\n", "{file}:1: the line is not a query with its page."),
        ("\nrye bread\tno page\n", "{file}: of 0 of its queries a page is in the collection, which are too few."),
    ],
)
def test_queries_that_cannot_be_used(crawl: Path, tmp_path: Path, lines: str, error: str) -> None:
    file = tmp_path / "queries.tsv"
    file.write_text(lines)
    done = thresher("advise", crawl / "crawl", "--queries", file, "-o", tmp_path / "out", "--workers", "1")
    assert done.code == 3
    assert done.errors[0].startswith(f"error: {error.format(file=file)} Fix: ")


def test_a_crawl_whose_name_is_no_text_is_advised_on(tmp_path: Path) -> None:
    """Its bytes can be in no file of UTF-8."""
    crawl = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    write_pages(crawl, 60)
    done = thresher("advise", str(crawl), "-o", "advised", cwd=tmp_path)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    advice = ADVICE.read(tmp_path / "advised" / "advice.json")
    assert advice.title == f"Advice for {fit_text(crawl.name)}"
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {advice.commands[0]}"], capture_output=True, check=True)
    assert words.stdout.split(b"\0")[2] == os.fsencode(crawl)


def test_an_advice_is_not_written_into_its_crawl(crawl: Path) -> None:
    done = thresher("advise", crawl / "crawl", "-o", crawl / "crawl" / "advice")
    assert done.code == 2
    # The fix names an option that `advise` has.
    assert "with -o" in done.err
    assert not (crawl / "crawl" / "advice").exists()


def test_a_folder_of_other_things_stays(crawl: Path) -> None:
    done = thresher("advise", crawl / "crawl", "-o", crawl / "crawl")
    assert done.code == 5
    assert len([*(crawl / "crawl").rglob("*.html")]) == PAGES
