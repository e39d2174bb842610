"""Emptied pages by language: what each cleaner knows, what is counted, and when it is worth a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
from many_languages import PARAGRAPHS
from messages import assert_names
from troublesome import Listed, whole

from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.languages import UNKNOWN
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.words.word_model import ModelCard
from thresher.collections import Source
from thresher.scores.crash_log import PartTask
from thresher.scores.cutting import CleanedDocument, cleaned_documents
from thresher.scores.lost_pages import NO_TEXT, by_count, foreign, language_of_emptied, language_warning
from thresher.scores.parts import process_part
from thresher.scores.score_work import ScoreWork


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        ("none", set()),
        ("bte", set()),
        ("bars", set()),
        ("ncleaner@0", set()),
        ("words@9", {"Chinese", "Thai"}),
        ("density@9", {"Chinese", "Thai"}),
        ("boilerpipe", {"Chinese", "Thai"}),
        ("perplexity(lm=self)@9", {"Chinese", "Thai"}),
        ("perplexity@9", {"Chinese", "Thai", "Russian", "Korean"}),
        ("justext", {"Chinese", "Thai", "Russian", "Korean"}),
        ("justext(lang=Simple_English)", {"Chinese", "Thai", "Russian", "Korean"}),
        ("justext(lang=Russian)", {"Chinese", "Thai", "English", "Korean"}),
        ("words@9+justext(lang=Korean)", {"Chinese", "Thai", "English", "Russian"}),
    ],
)
def test_what_cleaners_do_not_know(name: str, unknown: set[str]) -> None:
    emptied = {"Chinese": 4, "Thai": 3, "Russian": 3, "English": 2, "Korean": 1, UNKNOWN: 50, NO_TEXT: 70}
    result = foreign(parse_cleaner(name), emptied)
    assert result == {language: emptied[language] for language in emptied if language in unknown}


@pytest.mark.parametrize(("code", "language"), [("en", "English"), ("de", "German"), ("unknown", ""), ("xx", "")])
def test_a_models_language_is_that_of_its_card(tmp_path: Path, code: str, language: str) -> None:
    (tmp_path / "model.arpa").write_text("")
    ModelCard(
        name="m",
        language=code,
        corpus="c",
        order=1,
        ngrams=(1,),
        formula="f",
        tokeniser="words",
        unknown_words="u",
        sentence_ends="s",
        digest="d",
    ).write(tmp_path / "card.json")
    scorer = Perplexity(lm=str(tmp_path))
    assert scorer.language == language
    assert scorer.knows("German") == (language in ("", "German"))


def test_emptied_pages_are_counted_by_language_and_add_up(tmp_path: Path) -> None:
    cleaner = parse_cleaner("justext")
    pages = {language: f"<p>{text}</p>".encode() for language, text in PARAGRAPHS.items()}
    pages |= {"name": b"<p>Xyzzy plugh</p>", "blank": b"<p> </p>"}
    sources = [Source(name, "x", len(page), content=page) for name, page in pages.items()]
    process_part(
        PartTask(whole((*sources, Source("bad", "x", 0, problem="broken")))),
        ScoreWork(Listed(()), tmp_path, scorers=cleaner.scorers),
    )
    documents = list(cleaned_documents(tmp_path, cleaner))
    emptied = {document.id: language_of_emptied(document) for document in documents if not document.text}
    assert emptied == {language: language for language in PARAGRAPHS if language != "English"} | {
        "name": UNKNOWN,
        "blank": NO_TEXT,
    }
    assert [document.lost for document in documents if document.text] == [""]
    # What the baseline empties had no text, and what has a floor empties nothing.
    for name in ("none", "justext(floor=1)"):
        left = [language_of_emptied(one) for one in cleaned_documents(tmp_path, parse_cleaner(name)) if not one.text]
        assert left == [NO_TEXT]


def test_counts_are_in_the_order_of_size_and_name() -> None:
    assert list(by_count({"b": 1, "c": 2, "a": 1}).items()) == [("c", 2), ("a", 1), ("b", 1)]
    assert language_of_emptied(CleanedDocument("a", "", 0)) == NO_TEXT


def test_more_than_one_page_in_twenty_is_worth_a_warning() -> None:
    emptied = {UNKNOWN: 60, "English": 20, "Thai": 5, "Russian": 1}
    words, both = parse_cleaner("words@9"), parse_cleaner("perplexity@9+justext")
    assert language_warning(words, emptied, 100) is None
    warning = language_warning(words, emptied, 99)
    assert_names(warning, "words@9 ", "5 of 99 pages (5.1 %)", "languages", ": 5 Thai; ", "floor=W")
    name = "perplexity(lm=books)@9+justext "
    mends = ("lm=self", "model of their language", "lang=LANGUAGE", "floor=W")
    warning = language_warning(both, emptied, 100)
    assert_names(warning, name, "6 of 100 pages (6.0 %)", "languages", ": 5 Thai, 1 Russian; ", *mends)
    # No other list and no other model helps where there are no spaces.
    for name in ("justext", "perplexity(lm=self)@9", "perplexity@9"):
        told = language_warning(parse_cleaner(name), {"Chinese": 7, "English": 50}, 100) or ""
        assert_names(told, "7 Chinese; ", "floor=W")
        assert "lang=" not in told.partition("; ")[2]
    assert language_warning(parse_cleaner("none"), {NO_TEXT: 100}, 100) is None
