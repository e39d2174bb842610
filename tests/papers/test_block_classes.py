"""Classes of content in the formats that have them, and of blocks by these."""

import pytest

from block_classes import CLASSES, classed_texts, classes_of_text
from thresher.evaluation.cleaneval.gold import read_gold


@pytest.fixture
def classes_of(tmp_path):
    def read(gold, suffix):
        (tmp_path / "input").mkdir()
        (tmp_path / "gold").mkdir()
        (tmp_path / "input" / "1.html").write_text("<p>x", encoding="utf-8")
        (tmp_path / "gold" / f"1{suffix}").write_text(gold, encoding="utf-8")
        (page,) = read_gold(tmp_path).pages
        return [(CLASSES[kind], text) for kind, text in classed_texts(page)]

    return read


def test_cleaneval_marks_headlines(classes_of):
    gold = "URL: http://x.org/\n<h>Rain\n<p>It rains.\n<l>in Oslo"
    assert classes_of(gold, ".txt") == [("headline", "Rain"), ("full text", "It rains."), ("full text", "in Oslo")]


def test_dragnet_splits_off_comments(classes_of):
    gold = "It rains.\n!@#$%^&*()  COMMENTS\nReally?\n"
    assert classes_of(gold, ".txt") == [("full text", "It rains."), ("comments", "Really?")]


def test_annotated_pages_mark_all_classes(classes_of):
    def mark(number, text):
        return f'<span class="x-nc-sel{number}">{text}</span>'

    page = (
        f"<div>Home \ue002</div><h1>{mark(1, 'Rain in Oslo')}</h1><p>{mark(2, f'It rains. {mark(0, 1)} It &lt;pours&gt;')}"
        f"<p>{mark(3, 'A photo')}<ul><li>{mark(4, 'Snow')}<li>{mark(5, 'Really?')}</ul>Imprint"
    )
    assert classes_of(page, ".html") == [
        ("headline", "Rain in Oslo"),
        ("full text", "It rains."),
        ("full text", "It <pours>"),
        ("supplemental", "A photo"),
        ("related", "Snow"),
        ("comments", "Really?"),
    ]


def test_classes_are_those_of_most_aligned_words():
    blocks = ["Home News", "Rain in Oslo", "It rains and", "Home Rain is wet", "...", "It pours"]
    gold = [(2, "Rain in Oslo"), (1, "It rains and pours."), (3, "Rain is wet")]
    assert classes_of_text(blocks, gold).tolist() == [0, 2, 1, 3, 0, 0]
    assert classes_of_text(blocks, []).tolist() == [0] * 6
    assert classes_of_text([], gold).tolist() == []
