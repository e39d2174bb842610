"""Gold in JSON: article bodies, a file for each page; and what is wrong with some."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import Message, assert_names

from thresher.base.errors import InputError
from thresher.evaluation.cleaneval.gold import (
    GoldEntry,
    GoldPage,
    LabelledText,
    parse_gold_page,
    read_entry,
    read_gold,
    read_page_bytes,
)
from thresher.evaluation.cleaneval.gold_files import stem_of

PAGE = b"<title>Rain</title><p>It rained on the harbour.<p>Share this"
TEXTS = st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip)
NAMES = st.text("abc.-", min_size=1).filter(lambda name: not name.startswith("."))


def page_gold(content: str | None, **members: Any) -> dict[str, Any]:
    gold = {"title": "Rain", **members} | ({} if content is None else {"main_content": content})
    return {"url": "https://example.org/rain", "_internal": {"page_type": {"primary": "article"}}, "ground_truth": gold}


def write_wcxb(folder: Path, gold: dict[str, Any], pages: dict[str, bytes] | None = None) -> Path:
    """Write gold by stem, and gzipped pages, by default one for each."""
    for name in ("html", "ground-truth"):
        (folder / name).mkdir(parents=True)
    for stem, content in gold.items():
        (folder / "ground-truth" / f"{stem}.json").write_text(json.dumps(content), encoding="utf-8")
    for stem, page in (dict.fromkeys(gold, PAGE) if pages is None else pages).items():
        (folder / "html" / f"{stem}.html.gz").write_bytes(gzip.compress(page))
    return folder


def test_a_file_for_each_page_has_all_that_it_says(tmp_path: Path) -> None:
    snippets = {"with": ["It rained", "harbour"], "without": ["Share this"]}
    bare: dict[str, Any] = {"url": None, "_internal": {"page_type": None}, "ground_truth": {"main_content": " \n"}}
    marked = {"ground_truth": {"main_content": "URL: none\n<p>is a tag\n", "with": None}, "url": 1, "_internal": 2}
    result = read_gold(write_wcxb(tmp_path, {"1": page_gold("It rained.", **snippets), "2": bare, "3": marked}))
    path = tmp_path / "html" / "1.html.gz"
    rained = (LabelledText(None, "It rained."),)
    assert result.pages[0] == GoldPage(
        "1", path, rained, "https://example.org/rain", "article", ("It rained", "harbour"), ("Share this",)
    )
    assert result.pages[1] == GoldPage("2", tmp_path / "html" / "2.html.gz", ())
    # What looks like CleanEval's format is text in JSON.
    assert result.pages[2].segments == (LabelledText(None, "URL: none\n<p>is a tag"),)
    assert result.pages[2].url == ""
    assert (result.without_gold, result.without_page, result.without_content) == ((), (), ())
    assert read_page_bytes(result.pages[0]) == PAGE
    assert parse_gold_page(result.pages[0]).blocks == ["Rain", "It rained on the harbour.", "Share this"]
    assert read_gold(tmp_path / "html", tmp_path / "ground-truth") == result


def test_every_page_and_every_gold_is_counted_once(tmp_path: Path) -> None:
    gold = {"1": page_gold("Rain"), "2": page_gold(None), "4": page_gold(None), "5": page_gold("x")}
    result = read_gold(write_wcxb(tmp_path, gold, dict.fromkeys(("1", "2", "3"), PAGE)))
    assert [page.stem for page in result.pages] == ["1"]
    assert (result.without_gold, result.without_page, result.without_content) == (("3",), ("4", "5"), ("2",))


def test_article_bodies_lie_beside_their_pages(tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "a1.html.gz").write_bytes(gzip.compress(PAGE))
    body = "\nURL: it rained.\n<l>It did.\n"
    (tmp_path / "ground-truth.json").write_text(json.dumps({"a1": {"articleBody": body, "url": "http://example.org"}}))
    result = read_gold(tmp_path)
    segments = (LabelledText(None, body.strip()),)
    assert result.pages == (GoldPage("a1", tmp_path / "html" / "a1.html.gz", segments, "http://example.org"),)


@pytest.mark.parametrize(
    ("suffix", "compress"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".XZ", lzma.compress)]
)
def test_pages_may_be_compressed(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    for name in ("input", "gold"):
        (tmp_path / name).mkdir()
    (tmp_path / "input" / f"a.b.htm{suffix}").write_bytes(compress(PAGE))
    (tmp_path / "gold" / "a.b.txt").write_text("<p>It rained on the harbour.")
    (page,) = read_gold(tmp_path).pages
    assert (page.stem, read_page_bytes(page)) == ("a.b", PAGE)


def test_a_damaged_page_is_named(tmp_path: Path) -> None:
    folder = write_wcxb(tmp_path, {"1": page_gold("Rain")})
    path = folder / "html" / "1.html.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError) as caught:
        read_page_bytes(read_gold(folder).pages[0])
    (line,) = caught.value.lines()
    assert_names(line, f"{path}: the compressed data end too early", "Fix: fetch")


@given(
    st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]))),
    st.lists(TEXTS),
    st.lists(TEXTS),
    TEXTS,
    TEXTS,
)
def test_what_is_written_of_a_page_is_read(
    text: str | None, required: list[str], forbidden: list[str], url: str, page_type: str
) -> None:
    content = page_gold(text, **{"with": required, "without": forbidden})
    content["url"], content["_internal"]["page_type"]["primary"] = url, page_type
    with TemporaryDirectory() as folder:
        path = Path(folder) / "1.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        assert read_entry(path) == GoldEntry(text, url, page_type, tuple(required), tuple(forbidden))


@given(NAMES, st.sampled_from([".html", ".HTM", ".json"]), st.sampled_from(["", ".gz", ".ZST"]))
def test_the_stem_is_what_stands_before_the_suffixes(name: str, suffix: str, compression: str) -> None:
    assert stem_of(name + suffix + compression) == name


def test_surrogates_cannot_reach_the_tables(tmp_path: Path) -> None:
    folder = write_wcxb(tmp_path, {"1": page_gold("Rain", **{"with": ["a \ud800"]})})
    assert read_gold(folder).pages[0].required == ("a ?",)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ([], Message("no object `ground_truth`")),
        ({"ground_truth": "It rained."}, Message("no object `ground_truth`")),
        ({"ground_truth": {"main_content": ["It rained."]}}, Message("`main_content` is not text")),
        ({"ground_truth": {"main_content": "", "with": "It"}}, Message("`with`", "a list of texts")),
        ({"ground_truth": {"main_content": "", "without": ["Share", 1]}}, Message("`without`", "a list of texts")),
        ({"ground_truth": {"main_content": "", "without": ["Share", " "]}}, Message("`without`", "a list of texts")),
    ],
)
def test_a_page_s_file_of_another_form_is_named(tmp_path: Path, content: Any, what: Message) -> None:
    write_wcxb(tmp_path, {"1": page_gold("Rain"), "2": content})
    with pytest.raises(InputError) as caught:
        read_gold(tmp_path)
    assert (caught.value.what, caught.value.where) == (what, str(tmp_path / "ground-truth" / "2.json"))
    assert len(caught.value.lines()) == 1


def test_gold_without_any_content_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_gold(write_wcxb(tmp_path, {"1": page_gold(None, **{"with": ["It"]}), "2": page_gold(None)}))
    (line,) = caught.value.lines()
    assert_names(line, f"{tmp_path / 'ground-truth'}: no page's gold has any text", "Fix: add the pages' content.")


@pytest.mark.slow
def test_real_pages_with_types(shared_data: Path) -> None:
    folder = shared_data / "cleaning" / "wcxb-dev"
    result = read_gold(folder)
    assert len(result.pages) + len(result.without_content) == len(list((folder / "html").iterdir())) == 1497
    assert (result.without_gold, result.without_page, result.without_content) == ((), (), ("4802", "4893"))
    assert Counter(page.page_type for page in result.pages) == {
        "article": 792, "service": 165, "product": 119, "collection": 117, "forum": 112, "listing": 99, "documentation": 91,
    }  # fmt: skip
    # They are quoted from the content and from the rest of the page.
    texts = {page.stem: " ".join(page.text.split()) for page in result.pages}
    kept, leaked = (
        [" ".join(snippet.split()) in texts[page.stem] for page in result.pages for snippet in snippets(page)]
        for snippets in (lambda page: page.required, lambda page: page.forbidden)
    )
    assert (len(kept), len(leaked)) == (6650, 5818)
    assert sum(kept) > 0.98 * len(kept)
    assert sum(leaked) < 0.05 * len(leaked)
    assert [page.stem for page in result.pages if not page.url] == ["0551", "4129", "4281", "4314", "4547"]


def test_real_article_bodies(shared_data: Path) -> None:
    result = read_gold(shared_data / "cleaning" / "aeb")
    assert (len(result.pages), result.without_gold, result.without_page) == (181, (), ())
    assert all(page.text and page.url.startswith("http") for page in result.pages)
    assert b"<html" in read_page_bytes(result.pages[0]).lower()
