"""Pruning methods are described as they declare themselves."""

from __future__ import annotations

import json

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
    assert (
        "random@CUTOFF\n"
        "    Keeps each posting with the same probability, by a hash of seed, document and term.\n"
        "    cutoffs above 0 to 1 (share of postings), such as random(seed=0)@0.5\n"
        "    seed=0: another seed draws other postings (from 0)\n"
        "    source: this project's; mixing after Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, "
        "OOPSLA 2014\n"
        "\n"
    ) in describe_methods()
    assert describe_methods().startswith("2n2p@CUTOFF\n")
    assert describe_methods().endswith(
        "\n\ncleaner|weights|pruning first cleans, then weighs, then prunes: words@5|weights|dcp@0.5; none|weights weighs "
        "alone, none|dcp@0.5 prunes alone."
    )
