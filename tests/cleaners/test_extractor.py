"""Extractors: what each package itself gives, is what is indexed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import justext
import pytest
import readability
import trafilatura
from boilerpy3 import extractors as boilerpy3_extractors
from boilerpy3 import filters
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names
from resiliparse.extract.html2text import extract_plain_text

import thresher
from thresher.base.errors import ConfigError, MissingDependencyError, ThresherError, install_command
from thresher.cleaners.cleaner import parse_cleaner, parse_sweep
from thresher.cleaners.scorer import aligned_shares
from thresher.cleaners.scorers.extractor import EXTRACTORS, unwrapped
from thresher.collections import Page
from thresher.evaluation.cleaneval.gold import read_gold
from thresher.pages import read_text_page
from thresher.scores.scoring import score_page
from thresher.scores.store import SCORED

MENU = "".join(f'<li><a href="/{item}">{item}</a></li>' for item in ("Home", "News", "Sport", "Weather", "Contact"))
FIRST = (
    "On the first day of the storm the rain came down on the harbour, and it did not stop before the evening, when the "
    "boats that had been out since the morning were all back and the people of the town could go to their houses again."
)
SECOND = (
    "The wind had been strong for most of the week, but nobody who was there had seen the water of the bay so high as it "
    "was on that day, and the oldest of the fishermen said that it would not be the last time for them to see it."
)
BODY = f"""<ul>{MENU}</ul><div class="article"><h1>Rain on the harbour</h1><p>{FIRST}</p><p>{SECOND}</p></div>
<div class="footer"><p>Copyright 2011 The Harbour Times</p></div>"""
PAGE = f"<!DOCTYPE html><html><head><title>Rain on the harbour</title></head><body>{BODY}</body></html>"
ARTICLE = [FIRST, SECOND]
TITLED = ["Rain on the harbour", *ARTICLE]


def kept(name: str, page: str = PAGE) -> list[str]:
    return thresher.clean_html(page, name).split("\n")


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_every_extractor_gives_what_its_package_gives() -> None:
    for language in ("English", "German"):
        parts = justext.justext(PAGE, justext.get_stoplist(language))
        name = f"extractor(justext,language={language})"
        assert kept(name) == ([part.text for part in parts if not part.is_boilerplate] or [""])
    assert kept("extractor(justext)") == TITLED
    for rules, extractor in (
        ("words", boilerpy3_extractors.NumWordsRulesExtractor()),
        ("density", boilerpy3_extractors.Extractor(filters.DensityRulesClassifier())),
        ("default", boilerpy3_extractors.DefaultExtractor()),
        ("article", boilerpy3_extractors.ArticleExtractor()),
    ):
        assert kept(f"extractor(boilerpy3,rules={rules})") == lines(extractor.get_content(PAGE))
    assert kept("extractor(boilerpy3)") == kept("extractor(boilerpy3,rules=default)")
    for favor in ("", "precision", "recall"):
        options = {f"favor_{favor}": True} if favor else {}
        expected = trafilatura.extract(PAGE, include_comments=False, **options)
        assert kept(f"extractor(trafilatura{f',favor={favor}' if favor else ''})") == lines(expected)
    assert kept("extractor(trafilatura)") == ARTICLE
    actual = extract_plain_text(PAGE, main_content=True, list_bullets=False, alt_texts=False)
    assert kept("extractor(resiliparse)") == lines(actual) == TITLED
    assert set(ARTICLE) <= set(kept("extractor(readability)"))
    assert kept("extractor(readability)") == [part for part in TITLED if part in readability.Document(PAGE).summary()]


def test_real_pages_have_the_packages_own_text(shared_data: Path) -> None:
    for page in read_gold(shared_data / "cleaning" / "cleaneval-dev").pages[:4]:
        content = page.path.read_bytes()
        scored = score_page(Page(page.stem, content), parse_cleaner("extractor(trafilatura)").scorers)
        made = scored.texts["extractor(trafilatura)"]
        from thresher.pages.decoding import decode

        text = trafilatura.extract(unwrapped(decode(content).utf8.decode()), include_comments=False) or ""
        assert made.segments is not None
        assert made.segments.blocks == lines(text)


def test_pages_that_are_no_whole_document_are_read_all_the_same() -> None:
    wrapped = f'\n<text id="http://x.org/?a>b" encoding="iso-8859-1">\n{BODY}</text>\n'
    assert unwrapped(wrapped) == f"\n{BODY}"
    assert unwrapped('<?xml version="1.0" encoding="iso-8859-1"?>\n<p>é</p>') == "\n<p>é</p>"
    assert unwrapped("<p>a</p><svg><text>b</text></svg>") == "<p>a</p><svg><text>b</text></svg>"
    assert boilerpy3_extractors.NumWordsRulesExtractor().get_content(BODY) == ""
    for name in EXTRACTORS:
        assert {FIRST, SECOND} <= set(kept(name, wrapped)), name
        assert kept(name, PAGE.replace("<body>", "")) == kept(name), name
    # An end tag too many, over which boilerpy3 raises unless told not to.
    broken = PAGE.replace("</body></html>", f"{'</div>' * 9}</body></html>")
    assert kept("extractor(boilerpy3,rules=words)", broken) == kept("extractor(boilerpy3,rules=words)")


def test_a_page_of_text_stays_as_it_is() -> None:
    scored = score_page(Page("a", b"Rain.\n\nWind.", is_text=True), parse_cleaner("extractor(trafilatura)").scorers)
    made = scored.texts["extractor(trafilatura)"].segments
    assert made is not None
    assert made.blocks == ["Rain.", "Wind."]


def test_what_stands_behind_an_extractor_cuts_its_text() -> None:
    name = "extractor(justext)+words@10+density@2"
    cleaner = parse_cleaner(name)
    assert (cleaner.name, cleaner.input_name) == (name, "extractor(justext)")
    assert parse_cleaner(cleaner.name) == cleaner
    assert kept(name) == ARTICLE
    assert cleaner.on_page.name == "extractor(justext)"
    template = parse_sweep("extractor(justext)+words")
    assert template.name == "extractor(justext)+words"
    assert template.scorer != parse_sweep("words").scorer
    (cut,) = parse_cleaner("extractor(justext)+words@10").cuts
    assert cut == template.at(10.0, "")


def test_shares_of_aligned_words() -> None:
    text = ["Home", "The rain came down on the town", "and stopped."]
    # Runs of five words or more, across the text's lines, and whole lines.
    blocks = ["home!", "News", "", "rain came down on the", "the rain came down on a town", "the town and stopped home"]
    blocks += ["rain came down on", "On the town. And stopped!", "...", "And stopped"]
    assert aligned_shares(blocks, text).tolist() == pytest.approx([1, 0, 0, 1, 5 / 7, 0, 0, 1, 0, 1])


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join), max_size=6))
def test_a_text_holds_all_of_its_own_lines(text: Sequence[str]) -> None:
    assert aligned_shares(text, text).tolist() == [float(bool(line)) for line in text]
    assert not aligned_shares(text, []).any()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("extractor(nothing)", "unknown extractor 'nothing'"),
        ("extractor(justext,favor=recall)", "justext has no option favor=recall"),
        ("extractor(justext,language=Klingon)", "justext has no option language=Klingon"),
        ("extractor(trafilatura,favor=speed)", "'favor' cannot be 'speed'"),
        ("extractor(justext,headings=keep)", "'extractor' has no parameter 'headings'"),
        ("extractor(justext)@3", "'extractor' decides by itself"),
        ("words@5+extractor(justext)", "'extractor(justext)' stands behind another cleaner"),
    ],
)
def test_errors(name: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_cleaner(name).checked()
    assert_names(error.value.what, told)


def test_a_text_alone_has_nothing_to_extract() -> None:
    with pytest.raises(ThresherError):
        thresher.clean_text("a text", "extractor(justext)")


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    # What Python itself takes to mean that there is no such module.
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(MissingDependencyError) as error:
        parse_cleaner("extractor(trafilatura)").checked()
    assert "trafilatura" in error.value.what
    assert install_command("trafilatura") in error.value.fix


@pytest.mark.slow
def test_no_package_is_imported_with_the_extractors() -> None:
    modules = ["boilerpy3", "justext", "readability", "resiliparse", "trafilatura"]
    code = (
        "import sys\nfrom thresher.cleaners.cleaner import parse_cleaner\n"
        f"for name in {EXTRACTORS!r}:\n    parse_cleaner(name).checked()\n"
        f"print(*[name for name in {modules} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_another_packages_extractor_is_found_by_its_name(plugin: Path) -> None:
    assert kept("extractor(first-lines)") == ARTICLE
    scored = score_page(Page("a", b"<p>raise"), parse_cleaner("extractor(broken)").scorers)
    assert (scored.status, scored.texts["extractor(broken)"].reason) == (SCORED, "ValueError: no such ? thing")
    assert read_text_page("a").blocks == ["a"]
