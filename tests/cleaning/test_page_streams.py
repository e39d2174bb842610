"""Cleaning pages as they come: what the command writes, from loops, pipelines and Dask's bags."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from messages import Message

import thresher
from thresher.base.errors import ConfigError, InputError
from thresher.collections import Page, ReadOptions
from thresher.scores.cleaning import clean_collection
from thresher.scores.cleaning.page_streams import piped_lines
from thresher.scores.cutting import CleanedDocument

HTML = [
    *(f"<title>Hive {number}</title><p>The hive of number {number} is full of bees.</p><p>Home" for number in range(5)),
    "<p>Home</p>",
    "",
    "<p>" + "x" * 2000,
]
CLEANERS = ("words@3", "content@0.5", "perplexity@8000+words@2")


@pytest.mark.parametrize("cleaner", CLEANERS)
def test_the_same_as_the_command(tmp_path: Path, cleaner: str) -> None:
    path, output = tmp_path / "pages.jsonl", tmp_path / "cleaned.jsonl"
    path.write_text("".join(json.dumps({"id": str(number), "html": html}) + "\n" for number, html in enumerate(HTML)))
    clean_collection(path, cleaner, output)
    written = [json.loads(line) for line in output.read_text().splitlines()]
    for pages in (
        HTML,
        [html.encode() for html in HTML],
        [Page(str(number), html.encode()) for number, html in enumerate(HTML)],
    ):
        cleaned = list(thresher.clean_pages(pages, cleaner))
        assert [(page.id, page.text, page.title) for page in cleaned] == [
            (line["id"], line["contents"], line.get("title", "")) for line in written
        ]
        assert not any(page.problem for page in cleaned)
        assert [page.text for page in cleaned] == [thresher.clean_html(html, cleaner) for html in HTML]


def test_markdown_of_each_page() -> None:
    linked = "<h1>Hive</h1><p>All the bees <a href='queen'>and their queen</a>.</p><p>Home</p>"
    pages = [linked, "<p></p>", None, Page("mine", linked.encode(), url="http://x.org/a")]
    cleaned = list(thresher.clean_pages(pages, "words@3", markdown=True))  # type: ignore[arg-type]
    markdown = "All the bees [and their queen]({}queen)."
    assert [page.markdown for page in cleaned] == [markdown.format(""), "", "", markdown.format("http://x.org/")]
    assert cleaned[0].markdown == thresher.clean_html(linked, "words@3", markdown=True)
    assert [page.markdown for page in thresher.clean_pages([linked], "words@3")] == [""]
    with pytest.raises(ConfigError, match="own blocks"):
        thresher.clean_pages([], "extractor(resiliparse)", markdown=True)


def test_pages_are_taken_one_at_a_time() -> None:
    taken: list[int] = []

    def endless() -> Iterator[str]:
        for number in count():
            taken.append(number)
            yield HTML[0]

    cleaned = thresher.clean_pages(endless(), "words@3")
    assert taken == []
    assert [page.id for page in islice(cleaned, 3)] == ["0", "1", "2"]
    assert taken == [0, 1, 2]


def test_a_page_that_fails_says_why_and_the_others_go_on() -> None:
    pages = [HTML[0], HTML[-1], Page("mine", HTML[1].encode(), url="http://x/")]
    first, large, mine = thresher.clean_pages(pages, "words@3", mib=0.001)
    assert (first.problem, mine.problem) == ("", "")
    assert (large.id, large.text, large.words) == ("1", "", 0)
    assert large.problem == Message("too large", "0.0 MiB", "0.001 MiB")
    assert (mine.id, mine.url, mine.title) == ("mine", "http://x/", "Hive 1")
    given: list[Any] = [HTML[0], None, float("nan"), HTML[1]]
    found = [(page.id, bool(page.text), page.problem) for page in thresher.clean_pages(given, "words@3")]
    assert found[1:3] == [
        ("1", False, Message("text or bytes", "not a NoneType")),
        ("2", False, Message("text or bytes", "not a float")),
    ]
    assert found[::3] == [("0", True, ""), ("3", True, "")]
    with pytest.raises(InputError, match="text or bytes, not a NoneType"):
        thresher.clean_html(given[1])


@pytest.mark.parametrize("pages", [HTML[0], HTML[0].encode(), {"a": HTML[0]}, pd.DataFrame({"html": HTML})])
def test_what_is_no_sequence_of_pages_is_refused_at_once(pages: Any) -> None:
    with pytest.raises(InputError, match=f"not a {type(pages).__name__}"):
        thresher.clean_pages(pages)


@pytest.mark.parametrize("name", ["words", "wrods@3", "words@p50"])
def test_names_that_cannot_be_are_refused_at_once(name: str) -> None:
    with pytest.raises(ConfigError):
        thresher.clean_pages([], name)


class Step:
    """A step of a pipeline as datatrove's: an object that is pickled, and takes and gives documents."""

    def __init__(self, cleaner: str) -> None:
        self.cleaner = cleaner

    def run(self, data: Iterator[str], rank: int = 0, world_size: int = 1) -> Iterator[CleanedDocument]:
        yield from thresher.clean_pages(islice(data, rank, None, world_size), self.cleaner)


def test_it_can_be_pickled_for_pipelines() -> None:
    step = pickle.loads(pickle.dumps(Step("words@3")))
    expected = list(thresher.clean_pages(HTML, "words@3"))
    assert [page.text for page in step.run(iter(HTML))] == [page.text for page in expected]
    halves = [[page.text for page in step.run(iter(HTML), rank, 2)] for rank in (0, 1)]
    assert halves == [[page.text for page in expected[rank::2]] for rank in (0, 1)]
    function = pickle.loads(pickle.dumps(partial(thresher.clean_pages, cleaner="words@3")))
    assert pickle.loads(pickle.dumps(list(function(HTML)))) == expected


def cleaned_part(pages: Iterable[str], cleaner: str) -> list[CleanedDocument]:
    return list(thresher.clean_pages(pages, cleaner))


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["processes", "threads"])
def test_a_map_over_a_bag(scheduler: str) -> None:
    bag = pytest.importorskip("dask.bag").from_sequence(HTML, npartitions=3)
    expected = [page.text for page in thresher.clean_pages(HTML, "words@3")]
    # Between processes there are lists: nobody can pickle a generator.
    mapped = bag.map_partitions(cleaned_part, "words@3")
    assert [page.text for page in mapped.compute(scheduler=scheduler, num_workers=2)] == expected
    single = bag.map(thresher.clean_html, "words@3")
    assert single.compute(scheduler=scheduler, num_workers=2) == expected


@pytest.mark.parametrize("text", ['[{"id": "a", "contents": "b"}]', '{\n "id": "a"\n}'])
def test_a_pipe_with_an_array_says_how_to_convert_it(tmp_path: Path, text: str) -> None:
    pipe = io.BytesIO(text.encode())
    with pytest.raises(InputError, match="jq -c") as error:
        list(piped_lines(pipe, tmp_path, ReadOptions(), ""))
    assert len(error.value.lines()) == 1
