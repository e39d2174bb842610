"""The model of a collection's own sentences: which of them count, and that it is the model of just these."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import assert_names
from small_models import perplexity_of

from thresher.base.errors import InputError
from thresher.cleaners.words import training
from thresher.cleaners.words.models import load_model, model_files
from thresher.cleaners.words.ngrams import Mixture
from thresher.cleaners.words.tokenisers import tokeniser
from thresher.cleaners.words.training import encode_text, learn, write_model
from thresher.pages import PageOptions

FOOTER = "All rights reserved by the owners of this site and their many partners."


def expected(pages: list[list[str]]) -> list[str]:
    """Each sentence of two pages at most once, where it comes first; by dictionaries."""
    result = Counter(sentence.lower() for page in pages for sentence in {sentence.lower(): None for sentence in page})
    first = {sentence.lower(): sentence for page in reversed(pages) for sentence in reversed(page)}
    order = dict.fromkeys(sentence.lower() for page in pages for sentence in page)
    return [first[sentence] for sentence in order if result[sentence] <= 2]


def site(pages: int = 40) -> list[list[str]]:
    """Pages of three sentences of their own, one that a copy has too, and a footer."""
    return [
        [
            *(f"Page {number} tells of river {number * 3 + part} and of the bridge over it." for part in range(3)),
            f"The pair {number // 2} has a sentence in common.",
            FOOTER,
        ]
        for number in range(pages)
    ]


def test_the_model_is_that_of_the_sentences_that_count(tmp_path: Path) -> None:
    pages = [*site(), []]
    output = tmp_path / "models" / "self-1"
    learn(lambda: pages, output, "en")
    assert [path.name for path in output.parent.iterdir()] == ["self-1"]
    lines = expected(pages)
    assert len(lines) == 40 * 3 + 20
    assert FOOTER not in lines
    words = encode_text("\n".join(lines), PageOptions(), tokeniser("characters", ""))
    (tmp_path / "other").mkdir()
    write_model(tmp_path / "other", [words], Mixture(3, "current"))
    assert (output / "model.arpa").read_bytes() == (tmp_path / "other" / "model.arpa").read_bytes()
    files = model_files(str(output))
    assert files.card is not None
    assert (files.card.name, files.card.language, files.card.tokeniser) == ("self", "en", "characters")
    assert_names(files.card.corpus, "140 different sentences", "40 pages", "more than 2 pages")
    model = load_model(str(output))
    assert perplexity_of(model, lines[0]) < perplexity_of(model, FOOTER)


def test_what_was_learnt_is_not_learnt_again(tmp_path: Path) -> None:
    learn(site, tmp_path / "self-1", "en")

    def never() -> list[list[str]]:
        raise AssertionError("the collection was read again")

    learn(never, tmp_path / "self-1", "en")


def test_workers_make_no_difference(tmp_path: Path) -> None:
    for workers in (1, 2):
        learn(site, tmp_path / str(workers) / "self", "en", workers)
    assert (tmp_path / "1" / "self" / "model.arpa").read_bytes() == (
        tmp_path / "2" / "self" / "model.arpa"
    ).read_bytes()


@pytest.mark.parametrize(
    ("pages", "counts"),
    [
        ([], "0 words in 0 different sentences of 0 pages"),
        ([[], []], "0 words in 0 different sentences of 0 pages"),
        ([[FOOTER]] * 3, "0 words in 0 different sentences of 3 pages"),
        ([["— …", "One two, three!"], ["Four five."]], "5 words in 3 different sentences of 2 pages"),
        # The last of these words is the 1,000th.
        (
            [[f"word{number} of a sentence" for number in range(249)] + ["a b c"]],
            "999 words in 250 different sentences of 1 pages",
        ),
    ],
)
def test_too_little_text_is_refused(tmp_path: Path, pages: list[list[str]], counts: str) -> None:
    with pytest.raises(InputError) as caught:
        learn(lambda: pages, tmp_path / "models" / "self-1", "en", where="perplexity(lm=self)")
    assert_names(caught.value, "perplexity(lm=self): ", counts, "1000", "Fix: ", "lm=books")
    assert list(tmp_path.rglob("*")) == [tmp_path / "models"]


def test_enough_text_is_enough(tmp_path: Path) -> None:
    learn(lambda: [[f"word{number} of a sentence" for number in range(250)]], tmp_path / "self-1", "en")
    assert perplexity_of(load_model(str(tmp_path / "self-1")), "word7 of a sentence") < 1000


def test_letters_are_words_where_there_are_no_spaces(tmp_path: Path) -> None:
    pages = [
        [f"第{number}页说的是一条河流和河上的老桥。" for number in range(first, first + 9)] for first in range(0, 90, 9)
    ]
    learn(lambda: pages, tmp_path / "self-1", "zh")
    model = load_model(str(tmp_path / "self-1"))
    assert model.card is not None
    assert model.card.language == "zh"
    assert perplexity_of(model, "河上的老桥") < perplexity_of(model, "上河桥的老")


def test_a_reading_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> list[list[str]]:
        raise InputError("it is gone", "bring it back")

    with pytest.raises(InputError, match="it is gone"):
        learn(broken, tmp_path / "self-1", "en")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.sampled_from(["a", "A", "b", "c d", "Ü", "ü", "文", ""]) | st.text("xyz", max_size=2), max_size=6)
    )
)
def test_sentences_that_count_are_those_of_a_count_in_dictionaries(
    monkeypatch: pytest.MonkeyPatch, pages: list[list[str]]
) -> None:
    monkeypatch.setattr(training, "_BLOCK", 3)
    count, (keys, counts) = training._count_pages(pages)
    assert count == sum(map(bool, pages))
    if count:
        monkeypatch.setattr(training, "PORTION", 2)
        wanted = counts <= 2
        assert wanted.sum() == len(expected(pages))
        texts = [*training._texts(pages, keys, wanted)]
        assert "\n".join(texts) == "\n".join(expected(pages))
