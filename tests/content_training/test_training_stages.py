"""Training end to end on pages made here: what is learned, what repeats, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gold_pages import write_gold_pages
from messages import assert_names

from content_training.command import train
from content_training.fitting import TreeSettings, catboost_parameters, fit_trees
from content_training.gold_sets import read_gold_sets
from content_training.networks import NetworkSettings
from content_training.stages import TrainingSettings, train_content_model
from content_training.training_pages import bags_of
from thresher.base.errors import InputError
from thresher.cleaners.content_model.model import read_content_model
from thresher.evaluation.cleaneval.cleaning_measures import compare_tokens
from thresher.pages import Detail, read_html

pytestmark = pytest.mark.slow

PAGES = 24


def write_pages(folder: Path, pages: int = PAGES, gold: bool = True) -> Path:
    """Pages with a menu, an article of one to four paragraphs and a footer, in the format of WCXB."""
    made = []
    for number in range(pages):
        words = f"the {number} ferries wait in the harbour until the storm of the week has passed over them"
        text = [f"{words}, said captain {paragraph}." for paragraph in range(number % 4 + 1)]
        menu = "".join(f"<li><a href=/{item}>Item {item} {number}</a>" for item in range(5))
        html = (
            f"<title>Storm {number}</title><nav class=menu><ul>{menu}</ul></nav><div class=article>"
            f"{''.join(f'<p>{paragraph}</p>' for paragraph in text)}</div><div id=footer>All rights {number}</div>"
        )
        made.append((html, "article" if number % 3 else "forum", "\n".join(text) if gold else "\n"))
    return write_gold_pages(folder, made)


SETTINGS = TrainingSettings(
    NetworkSettings(hidden=8, width=8, steps=2, blocks=60, rounds=80, rate=0.01),
    folds=3,
)


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    return read_gold_sets([write_pages(tmp_path_factory.mktemp("gold") / "made")])[0]


@pytest.fixture(scope="module")
def trained(sets):
    return train_content_model(sets, SETTINGS)


def test_what_was_learned(trained, sets):
    card = trained.model.card
    assert card.scores == {"made": 1.0}
    assert card.cutoff == 0.5
    blocks = sum(7 + number % 4 + 1 for number in range(PAGES))
    assert [(one.name, one.pages, one.blocks) for one in card.sets] == [("made", PAGES, blocks)]
    page = read_html(
        "<title>Rain</title><nav class=menu><a href=/>Home</a></nav><div class=article><p>the ferries of the town wait in the "
        "harbour until the rain has passed over all of them, said one.</p></div><div id=footer>All rights</div>",
        detail=Detail.ELEMENTS,
    )
    kept = trained.model.probabilities(page) >= card.cutoff
    assert kept.tolist() == [False, False, True, False]
    assert len(trained.f1["made"]) == PAGES
    assert trained.curve[card.cutoff] == max(trained.curve.values())


def test_probabilities_are_fitted_to_pages_as_they_are(sets):
    (one,) = sets
    made = [replace(page, labels=np.zeros_like(page.labels), bags=None) for page in one.pages[::4]]
    trained = train_content_model([replace(one, pages=[*one.pages, *made])], SETTINGS)
    labels, weights = (np.concatenate([getattr(page, name) for page in one.pages]) for name in ("labels", "weights"))
    assert sum(row.weight * row.observed for row in trained.calibration) == pytest.approx(
        labels @ weights / weights.sum()
    )
    assert len(trained.f1["made"]) == PAGES


def test_the_same_bytes_again(trained, sets):
    again = train_content_model(sets, SETTINGS).model
    assert again.card == trained.model.card


def test_trees_agree_with_catboost():
    import catboost

    generator = np.random.default_rng(3)
    values = generator.integers(0, 9, (5, 400)).astype(np.float32)
    labels = (values[1] + values[2] > 8).astype(float)
    settings = TreeSettings(trees=20, depth=4, bags=2)
    trees = fit_trees(values, labels, np.ones(400), settings)
    expected = np.zeros(400)
    for bag in range(2):
        model = catboost.CatBoost(catboost_parameters(settings, bag))
        model.fit(values.T, labels)
        expected += model.predict(values.T, prediction_type="RawFormulaVal") - model.get_scale_and_bias()[1]
    assert np.allclose(trees.sums(values) / 8192, expected, atol=40 / 8192)


def test_word_f1_is_that_of_cleaneval():
    blocks, gold = ["A b, c!", "b b", "d"], "a B b e"
    bags = bags_of(blocks, gold)
    for kept in ([True, True, False], [False, False, True], [False, False, False], [True, True, True]):
        text = "\n".join(block for block, keep in zip(blocks, kept, strict=True) if keep)
        assert bags.f1(np.array(kept)) == compare_tokens(text, gold).bag.f1
    assert bags_of([], "").f1(np.zeros(0, dtype=bool)) == 1.0


def test_one_class_only_is_refused(tmp_path):
    folder = write_pages(tmp_path / "made", 6)
    for path in (folder / "html").iterdir():
        path.write_text("<p>the ferries wait in the harbour")
    for path in (folder / "ground-truth").iterdir():
        path.write_text(json.dumps({"ground_truth": {"main_content": "the ferries wait in the harbour"}}))
    sets, _ = read_gold_sets([folder])
    with pytest.raises(InputError, match="none of anything else"):
        train_content_model(sets, SETTINGS)


def test_pages_without_gold_text_are_left_out(tmp_path):
    with pytest.raises(InputError, match="no page with gold has text"):
        read_gold_sets([write_pages(tmp_path / "made", 3, gold=False)])


def test_too_few_domains_are_refused(tmp_path):
    sets, _ = read_gold_sets([write_pages(tmp_path / "made", 2)])
    with pytest.raises(InputError, match="domains"):
        train_content_model(sets, SETTINGS)


def write_threads(folder: Path, comments: bool) -> Path:
    """Forums, all of whose text is content, and articles with comments, which are content or not."""
    write_pages(folder)
    for path in (folder / "ground-truth").iterdir():
        number = int(path.stem)
        gold = json.loads(path.read_text())
        forum = gold["_internal"]["page_type"]["primary"] == "forum"
        replies = [
            f"the {number} crews of the {reply} ferries say that storms pass over them too" for reply in range(9)
        ]
        items = "".join(f"<div class=comment>{reply}</div>" for reply in replies)
        said = [] if forum else [f"The storm passed over the harbour, said one of {of}." for of in range(60)]
        article = f"<div class=article>{''.join(f'<p>{one}' for one in said)}</div>" if said else ""
        kind = "forum" if forum else "blog"
        (folder / "html" / f"{number}.html").write_text(
            f"<body class={kind}><nav class=menu><a href=/>Home</a></nav>{article}{items}<div id=footer>All rights</div>"
        )
        own = replies if forum or comments else []
        gold["ground_truth"]["main_content"] = "\n".join([*said, *own])
        path.write_text(json.dumps(gold))
    return folder


@pytest.mark.parametrize("comments", [False, True])
def test_comments_are_beside_the_content_of_articles_if_the_gold_says_so(tmp_path, comments):
    sets, _ = read_gold_sets([write_threads(tmp_path / "made", comments)])
    # The network cannot tell forums from articles, so that comments depend on the stage of pages.
    blind = NetworkSettings(rounds=1, hidden=1, width=1, steps=0)
    model = train_content_model(sets, TrainingSettings(blind, TreeSettings(trees=60, depth=2), 3)).model
    for page in sets[0].pages:
        own = page.features
        forum = model.forum_probability(own)
        kept = model.probabilities_of(own)[own.parts.comments] > 0
        if comments:
            assert forum == 1
            assert kept.all()
        else:
            assert (forum > 0.9) == (page.page_type == "forum")
            assert kept.all() == (page.page_type == "forum")
            assert kept.any() == (page.page_type == "forum")


def test_the_command(tmp_path):
    folder = write_pages(tmp_path / "made")
    (folder / "html" / "3.html").write_text("<p> </p>")
    model, plot = tmp_path / "mine.content", tmp_path / "plot.svg"
    options = ["--rounds", "8", "--folds", "2", "--synthetic", "--plot", str(plot), "--workers", "1"]
    done = CliRunner().invoke(train, [str(folder), "-o", str(model), *options])
    assert done.exit_code == 0, done.output
    assert "made: 23 pages" in done.output
    assert f"content(model={model})@" in done.output
    assert_names(done.stderr, "made: ", "1 pages", "without text")
    assert read_content_model(model).card.settings["folds"] == 2
    assert plot.read_text().startswith("<svg ")
