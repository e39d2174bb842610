"""Pruning methods are described as they declare themselves."""

from __future__ import annotations

import json

from messages import Message, assert_names

from thresher.indexes.pruning.treatments import describe_methods, method_declarations, methods, parse_pruning


def test_declarations() -> None:
    entries = method_declarations()
    assert [entry["name"] for entry in entries] == list(methods())
    assert json.loads(json.dumps(entries)) == entries
    for entry in entries:
        kind = methods()[entry["name"]]
        assert entry["description"] == " ".join((kind.__doc__ or "").split())
        assert (entry["keep"], entry["unit"], entry["source"]) == (kind.keep, kind.unit, kind.source)
        assert [float(cutoff) for cutoff in entry["grid"]] == list(kind.grid)
        assert [parameter["name"] for parameter in entry["parameters"]] == [one.name for one in kind.parameters]
        # The example is a canonical name.
        assert parse_pruning(entry["example"]).name == entry["example"]


def test_ranges_are_those_that_parse() -> None:
    ranges = {entry["name"]: entry["cutoffs"] for entry in method_declarations()}
    assert ranges["dcp"] == ranges["random"] == "above 0 to 1"
    assert ranges["tcp"] == "from 0 to 1"
    assert ranges["prp"] == "from 0"
    assert ranges["2n2p"] == "of any size"


def test_description_of_a_pruning_method() -> None:
    described = {text.splitlines()[0]: text.splitlines()[1:] for text in describe_methods().split("\n\n")}
    assert described["random@CUTOFF"] == [
        Message("    ", "posting", "hash of seed"),
        Message("    cutoffs ", "above 0 to 1", "share of postings", "random(seed=0)@0.5"),
        Message("    seed=0: ", "(from 0)"),
        Message("    source: ", "this project's", "Steele, Lea, Flood", "OOPSLA 2014"),
    ]
    assert describe_methods().startswith("2n2p@CUTOFF\n")
    last = describe_methods().splitlines()[-1]
    assert_names(last, "cleaner|weights|pruning", "words@5|weights|dcp@0.5", "none|weights", "none|dcp@0.5")
