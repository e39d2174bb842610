"""Document ids: formed from paths, escaped, and refused where a TREC run cannot hold them."""

import json
import re
import unicodedata
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.api import clean_collection
from thresher.base.errors import ConfigError, InputError
from thresher.collections import ID_RULES, IdRule, Source
from thresher.collections.interface import UNFIT_ID, escape_id, id_problem, unique


@pytest.mark.parametrize(
    ("path", "rule", "prefix", "keep", "expected"),
    [
        ("a.html", "path", "", False, "a"),
        ("a.html", "path", "", True, "a.html"),
        ("x/y/a.html", "path", "", False, "x/y/a"),
        ("x/y/a.html", "stem", "", False, "a"),
        ("x/y/a.html", "stem", "", True, "a.html"),
        ("x/y/a.html", "path", "x", False, "y/a"),
        ("x/y/a.html", "path", "x/y/", True, "a.html"),
        ("x/y/a.html", "stem", "no/such", False, "a"),
        ("v1.2/a.b.htm", "path", "", False, "v1.2/a.b"),
        (".html", "path", "", False, ".html"),
        ("a.HTML.GZ", "path", "", False, "a"),
        ("x/notes.txt", "path", "", False, "x/notes"),
        # Any other ending may tell pages apart.
        ("index.php?id=1", "path", "", False, "index.php?id=1"),
        ("index.php?id=1.2", "stem", "", False, "index.php?id=1.2"),
        ("a.html?id=2", "path", "", False, "a.html?id=2"),
        ("page.aspx", "path", "", False, "page.aspx"),
        ("v1.2/about", "path", "", False, "v1.2/about"),
        ("../a.html", "path", "", False, "../a"),
        ("/a.html", "path", "/", False, "a"),
        ("x//y/./a.html", "path", "", False, "x/y/a"),
    ],
)
def test_ids_of_files(path, rule, prefix, keep, expected):
    assert IdRule(rule, prefix, keep).apply(path) == expected


def test_problems_of_rules():
    assert ID_RULES == ("path", "stem", "address", "record")
    with pytest.raises(ConfigError) as caught:
        IdRule("url").apply("a.html")
    assert_names(caught.value, "collection.ids: ", "'url'", "Fix: ", "path, stem, address, record")
    with pytest.raises(InputError) as caught:
        IdRule("path", "x").apply("xy/a.html")
    assert_names(caught.value, "xy/a.html: ", "'x'", "Fix: ", "collection.prefix")


def test_a_pattern_that_backtracks_costs_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.collections.interface._PATTERN_SECONDS", 0.1)
    rule = IdRule(pattern="(a+)+$", replacement="b")
    slow = "a" * 42 + "!"
    assert [rule.fit(name) for name in ("caa", slow, "aaa")] == ["cb", slow, "b"]
    assert_names(id_problem(rule.fit(slow)), "id_pattern", "0.1 s", f"'{slow}'")
    assert id_problem(slow) == ""


def test_a_collection_with_an_id_at_which_the_pattern_backtracks(tmp_path):
    slow = "a" * 42 + "!"
    lines = (json.dumps({"id": name, "html": "<p>A page of a few words."}) for name in ("x1", slow, "caa"))
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    reading = {"id_pattern": "(a+)+$", "id_replacement": "b"}
    counts = clean_collection(tmp_path / "pages.jsonl", "words@2", tmp_path / "o.jsonl", **reading)
    assert (counts.kept, counts.failed) == (2, 1)
    ((name, reason),) = counts.failures
    assert name == slow
    assert reason.startswith("id_pattern took longer than 1 s")


def test_pattern_and_replacement():
    rule = IdRule(pattern=r"^(\w+)-(\d+)$", replacement=r"\2_\1")
    assert (rule.fit("page-12"), rule.fit("page"), rule.apply("x-1.html")) == ("12_page", "page", "1_x")
    assert IdRule(pattern="a", replacement="").fit("banana") == "bnn"
    # First replaced, then escaped: what is written in place of a match is escaped too.
    assert IdRule(pattern="/", replacement=" % ", escape=True).apply("a/b.html") == "a%20%25%20b"


def is_unfit(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cs")


def test_what_a_run_cannot_hold():
    """A run is read with `str.split` or `bytes.split`, so an id is one token; and it is written as UTF-8."""
    characters = [chr(code) for code in range(0x110000)]
    fit = "".join(character for character in characters if not is_unfit(character))
    assert {id_problem(fit[first : first + 8000]) for first in range(0, len(fit), 8000)} == {""}
    assert fit.split() == [fit]
    assert fit.encode().split() == [fit.encode()]
    assert escape_id(fit) == fit.replace("%", "%25")
    for character in filter(is_unfit, characters):
        assert id_problem(f"a{character}b") == (f"{UNFIT_ID}: {f'a{character}b'!r}")
        assert escape_id(character).startswith("%")
        assert id_problem(escape_id(character)) == ""


@given(st.text(st.characters(exclude_categories=[])))
def test_escaping_goes_there_and_back(text):
    escaped = escape_id(text)
    assert unquote_to_bytes(escaped.encode("utf-8")).decode("utf-8", "surrogatepass") == text
    if text:
        assert id_problem(escaped) == ""
    assert re.fullmatch("(?:%[0-9A-F]{2}|[^%])*", escaped)


@given(st.sets(st.text(max_size=3)))
def test_escaping_keeps_ids_apart(texts):
    assert len({escape_id(text) for text in texts}) == len(texts)


def test_slashes_and_dots_are_fit():
    for document_id in ("a/b/../c", "..", "/etc/passwd", "a%2Fb", "é", "-", "\ufeffx"):
        assert id_problem(document_id) == ""


@pytest.mark.parametrize(
    ("document_id", "problem"),
    [
        ("", "the document has no id"),
        ("my page", f"{UNFIT_ID}: 'my page'"),
        ("a\tb c", f"{UNFIT_ID}: 'a\\tb c'"),
        ("a\u00a0b", f"{UNFIT_ID}: 'a\\xa0b'"),
        ("a\udcff", f"{UNFIT_ID}: 'a\\udcff'"),
        ("\x00", f"{UNFIT_ID}: '\\x00'"),
    ],
)
def test_problems(document_id, problem):
    assert id_problem(document_id) == problem
    with pytest.raises(InputError) as caught:
        list(unique([Source(document_id, "x.warc", 0, 12)]))
    assert (caught.value.where, caught.value.what) == ("x.warc at byte 12", problem)
    assert ("--escape-ids" in caught.value.fix) == bool(document_id)


def test_ids_are_unique():
    sources = [Source("a", "1.html", 0), Source("A", "2.html", 0), Source("b", "3.html", 0), Source("a", "x/1.html", 0)]
    checked = unique(sources)
    assert [next(checked) for _ in range(3)] == sources[:3]
    with pytest.raises(InputError) as caught:
        next(checked)
    assert_names(caught.value, "x/1.html: ", "'a'", "1.html", "Fix: ", "make ids unique")
    with pytest.raises(InputError) as caught:
        list(unique([Source("a", "b.jsonl", 0, 70, problem="the line is not JSON")]))
    assert_names(caught.value, "b.jsonl at byte 70: ", "JSON", "Fix: ", "or remove it")


def test_ids_that_an_index_has_no_room_for() -> None:
    assert id_problem("é" * 16383) == ""
    problem = id_problem("é" * 16384)
    assert_names(problem, f"'{'é' * 100}…'", "32768 bytes", "32766")
    with pytest.raises(InputError, match="a shorter id"):
        list(unique([Source("é" * 16384, "x.warc", 0, 12)]))
    assert id_problem(f"a {'x' * 900_000}") == f"{UNFIT_ID}: 'a {'x' * 98}…'"
