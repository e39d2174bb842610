"""Scorers are described as they declare themselves."""

import json

import pytest

from thresher.base.defaults import DEFAULT_CLEANER
from thresher.cleaners.cleaner import declarations, describe, parse_cleaner
from thresher.cleaners.registry import scorers
from thresher.cleaners.scorer import TextMaker


def test_declarations():
    entries = declarations()
    assert [entry["name"] for entry in entries] == list(scorers())
    assert json.loads(json.dumps(entries)) == entries
    for entry in entries:
        kind = scorers()[entry["name"]]
        assert entry["description"] == " ".join(kind.__doc__.split())
        assert (entry["segment"], entry["keep"], entry["unit"]) == (kind.segment, kind.keep, kind.unit)
        assert [float(cutoff) for cutoff in entry["grid"]] == list(kind.grid)
        assert [parameter["name"] for parameter in entry["parameters"]] == [
            *(parameter.name for parameter in kind.parameters),
            *(() if issubclass(kind, TextMaker) else ("headings", "floor")),
        ]
        # The example is a canonical name, without a default for headings that names always say.
        says = "(headings=headline)" if entry["name"] == "content" else ""
        assert parse_cleaner(entry["example"]).name == entry["example"].replace("@", f"{says}@")
        assert entry["decides"] == ("@" not in entry["example"]) == (entry["cutoffs"] == "none")


@pytest.mark.parametrize(
    ("head", "facts"),
    [
        (
            "perplexity@CUTOFF",
            [
                *("each sentence", "keep low", "from 1, 8000 by default", "perplexity(lm=books)@8000"),
                *("lm=books: ", "(any text)", "context=0.0: ", "(from 0 to 0.99)", "prior=0: ", "(from 0)"),
                *("headings=score: ", "(score or headline or keep or drop)", "floor=0: ", "(from 0)", "source: "),
            ],
        ),
        ("bte", ["each block", "no cutoff", "such as bte", "headings=score: ", "floor=0: ", "source: "]),
    ],
)
def test_a_scorer_is_described_with_its_parameters(head: str, facts: list[str]) -> None:
    paragraphs = [text for text in describe().split("\n\n") if text.startswith(f"{head}\n")]
    assert len(paragraphs) == 1
    position = 0
    for fact in facts:
        position = paragraphs[0].index(fact, position) + len(fact)


def test_all_are_described() -> None:
    paragraphs = describe().split("\n\n")
    assert paragraphs[0].splitlines()[1].startswith(f"    {DEFAULT_CLEANER}:")
    assert paragraphs[1].startswith("none\n")
    assert [paragraph.splitlines()[0].split("@")[0] for paragraph in paragraphs[2:-1]] == list(scorers())
    for fact in ("a+b", "@p70", "@r70", "@doc50"):
        assert fact in paragraphs[-1]
    assert not any(line != line.rstrip() for line in describe().splitlines())
