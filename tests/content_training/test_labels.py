"""Labels of blocks from gold text and from snippets; folds by domain."""

import numpy as np
import pytest

from content_training.training_pages import (
    domain,
    folds_of,
    labels_of_snippets,
    labels_of_text,
)


def test_shares_of_aligned_words():
    blocks = ["Home News", "Rain is expected.", "Rain, and wind", "...", "Home"]
    assert labels_of_text(blocks, "RAIN is expected; and wind!").tolist() == [0, 1, np.float64(2 / 3), 0, 0]


def test_scripts_without_spaces_align_by_character():
    assert labels_of_text(["東京は", "雨", "広告"], "東京は雨").tolist() == [1, 1, 0]


def test_no_gold():
    assert labels_of_text(["a", "b"], "").tolist() == [0, 0]
    assert labels_of_text([], "a").tolist() == []


def test_snippets_label_what_holds_them():
    blocks = ["Die GEMA dreht völlig am Zeiger!", "Impressum", "Mehr: Impressum der GEMA dreht", "x"]
    labels = labels_of_snippets(blocks, ["gema  dreht"], ["Impressum", "...", "press"])
    assert labels.tolist()[:3] == [1, 0, 1]
    assert np.isnan(labels[3])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.com/a?b", "example.com"),
        ("http://a.b.example.com", "example.com"),
        ("https://news.bbc.co.uk:80/x", "bbc.co.uk"),
        ("example.de/x", "example.de"),
        ("http://localhost/x", "localhost"),
        ("http://[broken", ""),
        ("", ""),
    ],
)
def test_domains(url, expected):
    assert domain(url) == expected


def test_folds_do_not_depend_on_other_pages():
    names = [f"{number}.example" for number in range(200)]
    folds = folds_of(names, 4)
    assert folds.tolist() == [int(folds_of([name], 4)[0]) for name in names]
    assert np.bincount(folds).min() > 30
