"""`thresher play`: a page of a collection, and of an experiment's results with their cleaners, topics and ranks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import Browser
from commands import Done, thresher
from lxml import html
from messages import assert_names
from playwright.sync_api import Browser as Chromium
from small_web import Finished, Web

from thresher.base.files import safe_name
from thresher.evaluation.trec_files import read_run
from thresher.experiments.explaining.explanations import RECORD
from thresher.experiments.page_samples import SampleOptions, model_free_scorers, sample_results
from thresher.experiments.results import read_results
from thresher.indexes.pruning.treatments import parse_treatment

Call = Callable[..., Done]


def test_a_page_of_a_collection_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for number in range(40):
        (tmp_path / "pages" / f"rain{number:02}.html").write_text(f"<title>Rain</title><p>Rain fell on day {number}.")
    done = thresher("play", "pages", "-o", "try.html", cwd=tmp_path)
    file = tmp_path / "try.html"
    assert (done.code, done.out) == (0, "")
    assert done.err == f"try.html: 30 pages, {file.stat().st_size / 1e6:.1f} MB\n"
    before = file.read_bytes()
    again = thresher("play", "pages", "-o", "try.html", cwd=tmp_path)
    assert (again.code, "--replace" in again.err) == (5, True)
    assert thresher("play", "pages", "-o", "try.html", "--replace", cwd=tmp_path).code == 0
    assert file.read_bytes() == before
    (tmp_path / "pages" / "bad.html").write_bytes(b"\x1f\x8b" + bytes(100))
    named = ("play", "pages", "rain07", "bad", "-o", "named.html")
    done = thresher(*named, cwd=tmp_path)
    assert done.code == 0
    assert done.errors == []
    assert "failed: bad: not HTML: gzip" in done.err.splitlines()
    tree = html.document_fromstring((tmp_path / "named.html").read_text(encoding="utf-8"))
    assert [json.loads(script.text)["id"] for script in tree.xpath("//script[@class='page']")] == ["rain07"]


@pytest.mark.parametrize(
    ("arguments", "code", "fact"),
    [
        (["nowhere", "-o", "try.html"], 3, "nowhere"),
        (["page.html", "-o", "try.html", "--scorer", "wordz"], 2, "wordz"),
        (["page.html", "-o", "try.html", "--scorer", "words@3"], 2, "has a cutoff. Fix: write words"),
        (["page.html", "-o", "try.html", "--scorer", "perplexity(lm=self)"], 2, "needs a whole collection"),
        (["page.html", "other", "-o", "try.html"], 3, "other"),
        (["page.html"], 2, "--output"),
        (["page.html", "-o", "nowhere/try.html"], 3, "nowhere"),
        (["folder", "-o", "folder/try.html"], 2, "part of the collection"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: list[str], code: int, fact: str) -> None:
    (tmp_path / "page.html").write_text("<p>Rain is expected.")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "page.html").write_text("<p>Rain is expected.")
    done = thresher("play", *arguments, cwd=tmp_path)
    assert (done.code, len(done.errors), done.out) == (code, 1, "")
    assert fact in done.err
    assert {path.name for path in tmp_path.rglob("*")} == {"page.html", "folder"}


def test_results_come_with_their_scores_cleaners_and_ranks(finished: Finished) -> None:
    results = read_results(finished.results)
    plain = [row.name for row in results.table().rows if row.variant.pruning is None]
    page_id = "part0/page00"
    runs = {name: read_run(finished.results / "runs" / f"{safe_name(name)}.trec") for name in plain}
    ranks: dict[str, dict[str, int]] = {}
    for name, run in runs.items():
        for topic, scores in run.items():
            order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
            if page_id in order:
                ranks.setdefault(topic, {})[name] = order.index(page_id) + 1
    assert len({*ranks["1"].values()}) > 1
    sample = sample_results(finished.results, SampleOptions(ids=(page_id,)))
    (page,) = sample.pages
    assert (page.title, page.ranks, sample.queries.keys()) == ("Barley number 0", ranks, {*results.table().topics})
    assert [*sample.variants] == plain
    stored = {scorer.canonical_name for name in plain for scorer in parse_treatment(name).cleaner.scorers}
    assert page.scores.keys() == stored | {scorer.canonical_name for scorer in model_free_scorers()}
    # The page itself is read where the experiment has its collection, and is the page that was scored.
    marks = html.document_fromstring(page.original).iter("x-block")
    assert "".join("".join(str(mark.text) for mark in marks).split()) == "".join("".join(page.sentences[1:]).split())


def test_results_that_were_only_explored_are_shown_and_explained_after_a_run(web: Web, call: Call) -> None:
    file = web.write()
    assert call("explore", file.name, cwd=web.folder).code == 0
    done = call("play", "results/web", "-o", "try.html", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    (page,) = sample_results(web.folder / "results" / "web", SampleOptions(count=1)).pages
    assert page.scores
    assert page.ranks == {}
    done = call("explain", "results/web", cwd=web.folder)
    assert done.code == 5
    (line,) = done.errors
    assert_names(line, "results/web: ", "was not run yet", "Fix: ", "`thresher run FILE`")
    done = call("explain", "results/web", "--experiment", file.name, cwd=web.folder)
    assert done.code == 5
    (line,) = done.errors
    assert_names(line, "results/web: ", "was not run yet", "Fix: ", f"`thresher run {file.name}`")


@pytest.mark.slow
def test_a_page_of_results_shows_ranks(finished: Finished, tmp_path: Path, system_browser: Chromium) -> None:
    file = tmp_path / "try.html"
    done = thresher("play", finished.results, "-o", file, cwd=finished.web.folder)
    assert (done.code, done.errors) == (0, [])
    assert done.err.startswith(f"{file}: 30 pages, ")
    sample = sample_results(finished.results, SampleOptions())
    page = next(page for page in sample.pages if page.ranks)
    topic, by_variant = next(iter(page.ranks.items()))
    name = next(name for name in sample.variants if name != "none")
    browser = Browser(system_browser)
    browser.open(file, f"#{page.id}")
    browser.page.select_option("#topic", topic)
    browser.page.select_option("[aria-label='A cleaner of the results for A']", label=name)
    cells = browser.page.locator("#rank-rows td").all_text_contents()
    assert cells[:2] == [str(by_variant.get(variant, "not retrieved")) for variant in ("none", name)]
    assert browser.problems == []
    # Without its collection, pages have the stored scores alone, and say why.
    gone = finished.copied(tmp_path / "gone")
    (gone.web.folder / "web.toml").unlink()
    for page in sample_results(gone.results, SampleOptions(count=2)).pages:
        assert not page.original
        assert "experiment file" in page.original_problem


def test_texts_of_other_packages_are_explained_and_shown(web: Web, call: Call) -> None:
    """A variant of another package's text."""
    names = ("extractor(resiliparse)",)
    file = web.write(sweep="", cleaners=f"names = {json.dumps(names)}")
    assert call("run", file.name, cwd=web.folder).code == 0
    page_id = "part0/page00"
    changed = {}
    for name in names:
        done = call("explain", "results/web", "1", "--variant", name, "--document", page_id, "--json", cwd=web.folder)
        assert done.code == 0, done.err
        (document,) = RECORD.parse(done.out, "standard output").topics[0].documents
        parts = document.removed + document.pruned + document.length + document.statistics
        assert parts == pytest.approx(document.score_after - document.score_before, abs=1e-6)
        changed[name] = document
    assert {name: (one.emptied, one.rank_after) for name, one in changed.items()} == {
        names[0]: (False, 5),
    }
    # Title and menu are no part of the text, the headline is; of them only the title has a word of the topic.
    assert [passage.text for passage in changed[names[0]].passages] == ["Barley number 0"]
    (page,) = sample_results(web.folder / "results" / "web", SampleOptions(ids=(page_id,))).pages
    menu = [0.0] * 9
    assert page.scores[names[0]].tolist() == [*menu, 1, 1, 1, 1, 1, 1]
    assert {name: page.ranks["1"].get(name) for name in names} == {
        name: one.rank_after for name, one in changed.items()
    }
