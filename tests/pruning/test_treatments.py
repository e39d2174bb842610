"""Names of variants with a pruning method."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.defaults import WEIGHTED
from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.registry import scorers
from thresher.indexes.pruning.treatments import (
    Family,
    Pruning,
    Treatment,
    combination_name,
    methods,
    parse_pruning,
    parse_treatment,
)
from thresher.scores.weighting import Weights


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("none", "none"),
        ("words@5", "words@5"),
        ("none|dcp@0.5", "none|dcp@0.5"),
        (" words@5 | dcp @ .50 ", "words@5|dcp@0.5"),
        ("words@5+density@10|dcp@1", "words@5+density@10|dcp@1"),
        ("none|weights(anchors=0,headings=2,title=4)", "none|weights(title=4,headings=2,anchors=0)"),
        (" words@5 | weights ( anchors = .50 ) | dcp@.5", "words@5|weights(title=8,headings=2,anchors=0.5)|dcp@0.5"),
        ("none|weights", "none|weights(title=8,headings=2,anchors=1)"),
        ("words@5|weights(anchors=0)", "words@5|weights(title=8,headings=2,anchors=0)"),
        ("none|weights(title=1,headings=1,anchors=1.0)", "none|weights(title=1,headings=1,anchors=1)"),
    ],
)
def test_names_are_parsed_and_printed(text: str, canonical: str) -> None:
    treatment = parse_treatment(text)
    assert treatment.name == canonical
    assert parse_treatment(canonical).name == canonical
    assert treatment.is_baseline is (canonical == "none")


def test_the_short_name_has_the_weights_of_the_default_families() -> None:
    assert parse_treatment("none|weights").weights == parse_treatment(WEIGHTED).weights


def test_every_pruning_method_and_cutoff_has_a_name_that_reads_back() -> None:
    for name, kind in methods().items():
        for cutoff in kind.grid:
            treatment = Treatment(parse_cleaner("words@5"), pruning=parse_pruning(name).at(cutoff, name))
            assert parse_treatment(treatment.name).name == treatment.name
            assert parse_treatment(treatment.name).pruning.threshold == cutoff  # type: ignore[union-attr]


def test_no_pruning_method_has_the_name_of_a_scorer_and_none_is_named_weights() -> None:
    assert not set(methods()) & {*scorers(), "none"}
    assert Weights.name not in {*methods(), *scorers()}


@given(st.integers(1, 100), st.integers(1, 100), st.floats(0, 100), st.sampled_from(["none", "words@5", "bte"]))
def test_weights_have_a_name_that_reads_back(title: int, headings: int, anchors: float, cleaner: str) -> None:
    weights = Weights(title=title, headings=headings, anchors=anchors)
    for behind in ("", "|dcp@0.5"):
        treatment = parse_treatment(f"{cleaner}|{weights.canonical_name}{behind}")
        assert (treatment.weights, treatment.cleaner.name, treatment.is_baseline) == (weights, cleaner, False)
        assert parse_treatment(treatment.name) == treatment


@pytest.mark.parametrize("name", ["text(other)|weights", "content@0.5+pages(perplexity)@3|weights|dcp@0.5"])
def test_weights_of_another_text_than_the_pages_own_are_an_error(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_treatment(name)
    assert "another text" in caught.value.what


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("dcp@0.5|words@5", ("'dcp@0.5'", "words@5|dcp@0.5")),
        ("dcp@0.5", ("'dcp@0.5'", "none|dcp@0.5")),
        ("none|dcp", ("no cutoff", "dcp@0.")),
        ("none|dcp@2", ("'dcp'", "out of range: 2", "at most 1")),
        ("none|dcp@-1", ("'dcp'", "out of range: -1", "at least 0")),
        ("none|dcp@0", ("'dcp'", "0", "above 0")),
        ("none|dcp@nan", ("'dcp'", "nan")),
        ("none|dcp@x", ("'x'", "not a number", "dcp@0.")),
        ("none|dcp(k=1)@0.5", ("'dcp'", "'k'")),
        ("none|nothing@1", ("'nothing'", "dcp")),
        ("none|words@5", ("'words'", "dcp")),
        ("none|dcp@0.5|dcp@0.3", ("more than one pruning method",)),
        ("none|", ("does not parse", "dcp@0.5")),
        ("words|dcp@0.5", ("'words'", "no cutoff")),
        ("weights", ("'weights'", "none|weights")),
        ("weights|dcp@0.5", ("'weights'", "none|weights|dcp@0.5")),
        ("dcp@0.5|weights|words@5", ("'dcp@0.5'", "words@5|weights|dcp@0.5")),
        ("none|dcp@0.5|weights", ("behind the pruning", "none|weights|dcp@0.5")),
        ("none|weights|weights", ("twice", "words@5|weights|dcp@0.5")),
        ("none|weights@2", ("'weights@2'", "weights(title=4")),
        ("none|weights(title=0)", ("'title'", "at least 1")),
        ("none|weights(title=2.5)", ("'2.5'", "'title'", "not a whole number")),
        ("none|weights(anchors=-1)", ("'anchors'", "at least 0")),
        ("none|weights(links=1)", ("'links'", "title, headings, anchors")),
        ("none|weights|dcp", ("no cutoff", "dcp@0.")),
    ],
)
def test_wrong_names_are_errors_that_say_what_and_how_to_mend_it(text: str, facts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_treatment(text)
    assert caught.value.where == text
    for fact in facts:
        assert fact in f"{caught.value.what} {caught.value.fix}"


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("words@5", Family.CLEANERS),
        ("none", Family.CLEANERS),
        ("none|tcp(k=10,model=bm25)@0.5", Family.PRUNING),
        ("none|dcp@0.5", Family.PRUNING),
        ("words@5+density@2|dcp@0.5", Family.COMBINATIONS),
        ("boilerpipe(rules=words)|dcp@0.1", Family.COMBINATIONS),
        ("none|weights", Family.WEIGHTS),
        ("words@5|weights|dcp@0.1", Family.WEIGHTS),
    ],
)
def test_families(name: str, family: Family) -> None:
    assert parse_treatment(name).family is family


@pytest.mark.parametrize(
    ("variant", "combination"),
    [
        ("words@5|dcp@0.5", "words|dcp"),
        ("words(headings=keep)@5|tcp(k=10,model=bm25)@1", "words(headings=keep)|tcp(k=10,model=bm25)"),
        ("perplexity(lm=books)@p70|dcp@0.5", "perplexity(lm=books)@p|dcp"),
        ("words@doc50|dcp@0.5", "words@doc|dcp"),
        ("words@5|weights(title=2)|dcp@0.5", "words|weights(title=2,headings=2,anchors=1)|dcp"),
    ],
)
def test_sweeps_over_a_scorer_and_a_pruning_method_are_named_without_cutoffs(variant: str, combination: str) -> None:
    treatment = parse_treatment(variant)
    assert treatment.pruning is not None
    pruning = Pruning(treatment.pruning.method, None)
    assert combination_name(treatment.cleaner.cuts[0], treatment.weights, pruning) == combination
