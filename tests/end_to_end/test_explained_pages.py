"""`thresher explain --pages`: what its pages say, and the way from the report to a topic and to a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser, chromium
from click.testing import CliRunner
from commands import Done
from lxml import html as lxml_html
from report_pages import body_rows, check_nothing_is_loaded
from small_web import Finished

from thresher.cli.experiment import explain
from thresher.experiments.explainer import Why, experiment_of, explain_experiment
from thresher.experiments.explaining.explanations import Explanation, read_explained
from thresher.experiments.results import read_results
from thresher.reports import write_report
from thresher.reports.explanation_text import page_name, render_topic, render_topics

Call = Callable[..., Done]
HOSTILE = "<script>alert(1)</script>\"'&</style><img src=x onerror=alert(1)>"
VARIANT = "words@40"


@pytest.fixture(scope="module")
def finished(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A copy, for explaining locks the folder of results."""
    return finished.copied(tmp_path_factory.mktemp("explained") / "web")


@pytest.fixture(scope="module")
def every(finished: Finished) -> Explanation:
    """All topics with the variant that empties pages."""
    why = Why(variant=VARIANT)
    return explain_experiment(experiment_of(finished.results), finished.results, finished.indexes.parent, why)


@pytest.fixture(scope="module")
def written(finished: Finished) -> Path:
    """The results with their pages."""
    asked = [str(finished.results), "--variant", VARIANT, "--pages", "--indexes", str(finished.indexes.parent)]
    done = CliRunner().invoke(explain, asked, catch_exceptions=False)
    assert done.exit_code == 0
    return finished.results


def test_there_is_a_page_for_each_topic(written: Path, every: Explanation) -> None:
    names = {page_name(topic.topic) for topic in every.topics}
    assert names <= {path.name for path in (written / "why").iterdir()}
    tree = lxml_html.parse(str(written / "why" / "topics.html")).getroot()
    table = tree.xpath("//table")[-1]
    moved = sorted((topic for topic in every.topics if topic.change), key=lambda topic: topic.change)
    rows = body_rows(table)
    assert [row[0] for row in rows] == [topic.topic for topic in moved]
    assert [row[2] for row in rows] == [topic.cause for topic in moved]
    assert table.xpath("./tbody/tr/th/a/@href") == [page_name(topic.topic) for topic in moved]


def test_a_topics_page_says_what_the_record_says(written: Path, every: Explanation) -> None:
    seen = 0
    for topic in every.topics:
        tree = lxml_html.parse(str(written / "why" / page_name(topic.topic))).getroot()
        text = " ".join(tree.text_content().split())
        assert topic.query in text
        shown = [part.text for part in tree.xpath("//details[@class='document']/summary/bdi")]
        assert shown == [document.document for document in topic.documents]
        passages = [part.text for part in tree.xpath("//blockquote")]
        assert passages == [passage.text for document in topic.documents for passage in document.passages]
        seen += len(passages)
        for link in tree.xpath("//a/@href"):
            assert (written / "why" / link.partition("#")[0]).exists()
    assert seen > 0


def test_the_report_links_to_them_until_they_are_of_other_results(written: Path) -> None:
    page = written / "report.html"
    assert 'href="why/topics.html"' in page.read_text(encoding="utf-8")
    results = read_results(written)
    assert read_explained(written, "another") is None
    write_report(
        written,
        replace(results, facts=replace(results.facts, key="another")),
        explained=read_explained(written, "another"),
    )
    assert 'href="why/topics.html"' not in page.read_text(encoding="utf-8")
    write_report(written, results, explained=read_explained(written, results.facts.key))
    assert 'href="why/topics.html"' in page.read_text(encoding="utf-8")


def test_the_way_from_the_report_to_a_document(written: Path, every: Explanation) -> None:
    topic = max(every.topics, key=lambda one: len([document for document in one.documents if document.relevant]))
    document = next(one for one in topic.documents if one.relevant)
    with chromium() as started:
        browser = Browser(started)
        browser.open(written / "report.html")
        browser.wait("document.documentElement.dataset.ready === ''")
        browser.evaluate("document.getElementById('topics').open = true")
        browser.page.click(f"#topics-rows a:text-is('{topic.topic}')")
        browser.page.wait_for_url(f"**/{page_name(topic.topic)}")
        browser.page.click(f".document summary:has(bdi:text-is('{document.document}'))")
        browser.page.click(f".document:has(summary bdi:text-is('{document.document}')) p > a")
        browser.page.wait_for_url("**-documents.html#*")
        picked = "document.getElementById('pick').selectedOptions[0]?.text"
        browser.wait(f"{picked} !== undefined")
        assert browser.evaluate(picked) == document.document
        assert browser.problems == []


def test_hostile_text_is_only_text(every: Explanation) -> None:
    topic = next(one for one in every.topics if any(document.passages for document in one.documents))
    documents = tuple(
        replace(
            document,
            document=HOSTILE,
            passages=tuple(replace(passage, text=HOSTILE) for passage in document.passages),
        )
        for document in topic.documents
    )
    odd = replace(topic, topic=HOSTILE, query=HOSTILE, documents=documents)
    explanation = replace(every, variant=HOSTILE, topics=(odd,))
    for page in (render_topics(explanation), render_topic(explanation, odd, {HOSTILE: "x.html#y"})):
        tree = lxml_html.document_fromstring(page)
        assert len(tree.xpath("//script")) == 1
        assert not tree.xpath("//img")
        assert HOSTILE in tree.text_content()
    assert page_name(HOSTILE).removeprefix("topic-").removesuffix(".html").replace("-", "").isalnum()


def test_names_of_topics_pages_differ() -> None:
    names = [page_name(topic) for topic in ("7", "t1", "T1", "a b", "a/b", "a-b", "..", "é", "x" * 300)]
    assert names[:2] == ["topic-7.html", "topic-t1.html"]
    # Also where upper case is lower case.
    assert len({*map(str.lower, names)}) == len(names)
    assert all(len(name) < 100 and "/" not in name for name in names)


def test_pages_are_of_all_topics(finished: Finished, call: Call) -> None:
    done = call("explain", str(finished.results), "1", "--pages", cwd=finished.web.folder)
    assert done.code == 2
    assert "--pages" in done.errors[0]


def test_pages_need_nothing_else(every: Explanation) -> None:
    page = render_topics(every)
    tree = lxml_html.document_fromstring(page)
    for link in tree.xpath("//a"):
        link.drop_tag()
    check_nothing_is_loaded(lxml_html.tostring(tree, encoding="unicode"))
