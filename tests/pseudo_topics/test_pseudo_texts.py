"""Words of any script, their weight, addresses and error pages; boilerplate in titles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.languages import stop_list
from thresher.pseudo_topics.extracting import (
    Boilerplate,
    hashed,
    is_error,
    is_url,
    title_boilerplate,
    units,
    weight,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What’s new – in C++?", "what s new in c"),
        ("ＡＢＣ ﬁle", "abc file"),
        ("STRASSE straße", "strasse strasse"),
        ("全文検索エンジン", "全 文 検 索 エ ン ジ ン"),
        ("ภาษาไทย", "ภ า ษ า ไ ท ย"),
        ("हिन्दी में", "हिन्दी में"),
        ("العربيّة", "العربيّة"),
        ("می‌خواهم", "میخواهم"),
        ("co­operate", "cooperate"),
        ("한국어 위키", "한국어 위키"),
        ("— | —", ""),
    ],
)
def test_units(text: str, expected: str) -> None:
    assert units(text) == expected.split()


def test_case_and_punctuation_make_no_other_text() -> None:
    assert units("The  End, of: it") == units("the END of it!") == ["the", "end", "of", "it"]
    assert hashed("the end") != hashed("theend")


def test_weight() -> None:
    english = stop_list("English")
    assert weight(units("about the zip file"), english) == (7, 4)
    assert weight(units("全文検索"), english) == (8, 4)
    assert weight(units("more about us"), english) == (0, 0)


@pytest.mark.parametrize("text", ["http://x.org", "https://x.org/a", "www.x.org", "MAILTO:a@x.org", "x.org/a/"])
def test_addresses_as_texts(text: str) -> None:
    assert is_url(text, "x.org/a")


@pytest.mark.parametrize("text", ["asyncio.base_events", "x.org", "see http://x.org", "a/b"])
def test_texts_that_are_no_addresses(text: str) -> None:
    assert not is_url(text, "x.org/a")


@pytest.mark.parametrize(
    "title",
    ["404 Not Found", "404 - Page not found", "Error 500", "Forbidden", "HTTP Error 503.", "403 Forbidden | nginx"],
)
def test_error_pages(title: str) -> None:
    assert is_error(units(title))


@pytest.mark.parametrize("title", ["500 days of summer", "Error handling", "Lost and not found", "Boeing 404 and 503"])
def test_titles_of_no_error_pages(title: str) -> None:
    assert not is_error(units(title))


def test_what_the_titles_of_a_site_share() -> None:
    modules = [f"{name} — Parser — Python 3.14.0 documentation" for name in ("json", "ast", "csv")]
    boilerplate = title_boilerplate([*modules, "Glossary — Python 3.14.0 documentation", "Python 3.14.0 documentation"])
    assert boilerplate == Boilerplate("", " — Parser — Python 3.14.0 documentation")
    stripped = [boilerplate.cut(title) for title in [modules[0], "Glossary — Python 3.14.0 documentation"]]
    assert stripped == ["json", "Glossary"]
    assert boilerplate.cut("Python 3.14.0 documentation") == ""
    assert boilerplate.cut("C++") == "C++"
    assert (
        title_boilerplate(
            [f"Python: {name}" for name in ("module ast", "module csv", "module dis", "package json")]
        ).prefix
        == "Python: module "
    )
    assert title_boilerplate(["天気_新聞網", "経済_新聞網", "文化_新聞網"]).suffix == "_新聞網"
    # None ends within a word, and two titles are too few.
    assert title_boilerplate(["reading", "writing", "adding"]) == Boilerplate("", "")
    assert title_boilerplate(["A | Site", "B | Site", "B | Site", "C"]) == Boilerplate("", "")


def test_half_of_the_titles_is_not_enough() -> None:
    assert title_boilerplate(["One | Site", "Two | Site", "Three", "Four"]) == Boilerplate("", "")
    assert title_boilerplate(["One | Site", "Two | Site", "Three | Site", "Four", "Five"]).suffix == " | Site"


@given(st.lists(st.text("ab |文é", max_size=8), max_size=8), st.text("ab |文é", max_size=8))
def test_shared_ends_are_shared_by_more_than_half(titles: list[str], other: str) -> None:
    boilerplate = title_boilerplate(titles)
    different = set(titles)
    for shared, holds in ((boilerplate.prefix, str.startswith), (boilerplate.suffix, str.endswith)):
        assert not shared or 2 * sum(holds(title, shared) for title in different) > len(different)
    assert boilerplate.cut(other) in other
