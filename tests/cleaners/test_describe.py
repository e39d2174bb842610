"""Scorers are described as they declare themselves."""

import json

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


def test_description_of_a_scorer():
    assert (
        "\nperplexity@CUTOFF\n"
        "    Perplexity of the sentence under a language model: how little the text looks like running text.\n"
        "    scores each sentence; keep low; cutoffs from 1, 8000 by default, such as perplexity(lm=books)@8000\n"
        "    lm=books: the language model: books, self (trained on the long, dense blocks of the collection), or the path of "
        "a folder that `thresher lm train` or `thresher lm import` wrote, of an ARPA file, or of a KenLM binary (any text)\n"
        "    context=0.0: the weight of a neighbouring sentence's words, to the power of its distance; 0.7 is good "
        "(from 0 to 0.99)\n"
        "    prior=0: unseen words (probability 1e-6) added to each sentence, against chance in short ones; 32 is good "
        "(from 0)\n"
        "    headings=score: whether title and headings are scored like any block, the headline is always kept, all are, or "
        "all are dropped (score or headline or keep or drop)\n"
        "    floor=0: words that a page keeps, if it has them, whatever the cutoff: its best-scored segments (from 0)\n"
        "    source: Fernandez-Pichel, Prada-Corral, Losada, Pichel, Gamallo: An unsupervised perplexity-based method for "
        "boilerplate removal, Natural Language Engineering 2023\n"
        "\n"
    ) in describe()


def test_description_of_a_scorer_that_decides():
    assert (
        "\nbte\n"
        "    Decides for the one span of blocks with the most words inside and tags outside.\n"
        "    scores each block; decides: no cutoff, such as bte\n"
        "    headings=score: whether title and headings are scored like any block, the headline is always kept, all are, or "
        "all are dropped (score or headline or keep or drop)\n"
        "    floor=0: words that a page keeps, if it has them, whatever the cutoff: its best-scored segments (from 0)\n"
        "    source: Finn, Kushmerick, Smyth: Fact or fiction: Content classification for digital libraries, DELOS workshop "
        "2001\n"
        "\n"
    ) in describe()


def test_all_are_described():
    text = describe()
    assert text.startswith("Which one to take:\n    content@0.5 ")
    assert "\n\nnone\n    The baseline: tags, scripts and styles removed, all text kept.\n\n" in text
    assert text.endswith(
        "\n\na+b applies both: a segment stays if it passes each.\n"
        "A cutoff may be a percentile: @p70 of the collection's words, perplexity(lm=MODEL)@r70 of the reference text in "
        "the model's card. Or a quota: @doc50 keeps the best-scored segments of each page that hold half of its words."
    )
    paragraphs = text.split("\n\n")
    assert [paragraph.splitlines()[0].split("@")[0] for paragraph in paragraphs[2:-1]] == list(scorers())
    assert not any(line != line.rstrip() for line in text.splitlines())
