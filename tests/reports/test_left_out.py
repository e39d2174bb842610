"""What is left out of a folder, in words."""

import pytest

from thresher.collections.file_collection import LeftOut
from thresher.reports.left_out import left_out_sentences


@pytest.mark.parametrize(
    ("left_out", "facts"),
    [
        (LeftOut(), []),
        (LeftOut(1, (("", 1),)), [("1 file", "1 without ending")]),
        (
            LeftOut(4, ((".php", 2), (".aspx", 1)), by_name=True),
            [("4 files", "2 .php, 1 .aspx, 1 more", "format html")],
        ),
        (LeftOut(hidden=1), [("1 hidden folder or file",)]),
        (LeftOut(hidden=1200, not_files=1), [("1,200 hidden folders",), ("1 entry", "links", "pipes", "sockets")]),
    ],
)
def test_numbers_and_endings(left_out, facts):
    sentences = list(left_out_sentences(left_out))
    assert len(sentences) == len(facts)
    for sentence, words in zip(sentences, facts, strict=True):
        assert all(word in sentence for word in words)
