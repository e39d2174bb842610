"""Other scorers' scores as features of the learned one: by hand, trained end to end, refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from thresher.cli.model_verbs import content
from thresher.collections import Page
from thresher.content_models.model import PAGE_RULES, read_content_model
from thresher.errors import ConfigError
from thresher.files import digest
from thresher.pages import Detail, read_html
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import parse_cleaner, parse_scorer
from thresher.scorers.content import Content, block_scores, other_scorers
from thresher.scorers.registry import scorers
from thresher.scoring.cutting import clean_page
from thresher.scoring.store import score_page

PERPLEXITY = "perplexity(lm=books)"
PROSE = (
    "the ferries wait in the harbour until the storm has passed over the town",
    "she went down to the river every morning and sat there for an hour",
    "there was nothing in the house that he had not seen many times before",
    "they had walked a long way along the road when the rain began to fall",
)
BACKWARDS = tuple(" ".join(word[::-1] for word in text.split()) for text in PROSE)


def html(number: int) -> tuple[str, list[str]]:
    """A page of paragraphs of which half have their words spelt backwards, in an order by its number; and the others."""
    texts = [(BACKWARDS if number >> place & 1 else PROSE)[place] for place in range(4)]
    body = "".join(f"<p>{text}</p>" for text in texts * 2)
    return f"<title>Page</title><body>{body}", [text for text in texts * 2 if text in PROSE]


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gold") / "backwards"
    for name in ("html", "ground-truth"):
        (folder / name).mkdir(parents=True)
    for number in range(1, 15):
        page, kept = html(number)
        (folder / "html" / f"{number}.html").write_text(page)
        about = {"url": f"https://site{number}.example/", "ground_truth": {"main_content": "\n".join(kept)}}
        (folder / "ground-truth" / f"{number}.json").write_text(json.dumps(about))
    return folder


def train(gold: Path, output: Path, *options: str) -> None:
    arguments = ["train", str(gold), "-o", str(output), "--trees", "12", "--folds", "2", *options]
    done = CliRunner().invoke(content, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_only_a_language_model_tells_words_from_words_spelt_backwards(gold: Path, tmp_path: Path) -> None:
    train(gold, tmp_path / "with", "--scorer", PERPLEXITY)
    train(gold, tmp_path / "without")
    with_it, without = (read_content_model(tmp_path / name) for name in ("with", "without"))
    assert (with_it.scorers, without.scorers) == ((PERPLEXITY,), ())
    assert with_it.card.scores["backwards"] > 0.95 > 0.8 > without.card.scores["backwards"]

    cleaner = parse_cleaner(f"content(model={tmp_path / 'with'})@{with_it.card.cutoff:g}")
    page, kept = html(5)
    cleaned = clean_page(score_page(Page("x", page.encode()), cleaner.scorers), cleaner)
    assert cleaned.text.split("\n") == kept
    (scorer,) = cleaner.scorers
    assert scorer.fingerprint == digest(
        [PAGE_RULES, with_it.card.digest, [[PERPLEXITY, parse_scorer(PERPLEXITY).scorer.fingerprint]]]
    )
    assert not scorer.knows("Japanese")
    assert Content().knows("Japanese")


def test_a_block_has_the_mean_of_its_sentences_by_words() -> None:
    class Lengths(Scorer):
        """The square of a sentence's words."""

        name, segment, keep, unit, source = "lengths", "sentence", "keep high", "words", "this test"

        def score(self, segments):
            scores = segments.words_in_sentences.astype(np.float32) ** 2
            scores[scores == 9] = np.nan
            return scores

    page = read_html("<p>Only two. These are four words.</p><p>One word less.</p><p>Five words are in it.</p>")
    assert segments_of(page) == [2, 4, 3, 5]
    found = block_scores([Lengths()], page)
    assert found["lengths"].tolist() == pytest.approx([(2 * 4 + 4 * 16) / 6, -1000, 25])


def segments_of(page):
    return page.words_in_sentences.tolist()


@pytest.mark.parametrize("name", [name for name in scorers() if name != "content"])
def test_every_scorer_of_single_pages_gives_a_number_a_block(name: str) -> None:
    page = read_html(html(3)[0], detail=Detail.ELEMENTS)
    (scores,) = block_scores(other_scorers((name,), "here"), page).values()
    assert scores.shape == (len(page.blocks),)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    "name", ["content", "perplexity(lm=self)", "words(floor=3)", "bte(headings=keep)", "words@3", "nothing"]
)
def test_what_cannot_be_a_feature(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        other_scorers((name,), "--scorer")
    assert caught.value.where == "--scorer"


def test_a_missing_model_of_another_scorer_is_told() -> None:
    with pytest.raises(ConfigError, match="gone"):
        other_scorers(("perplexity(lm=gone.arpa)",), "--scorer")
