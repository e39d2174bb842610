"""Names of variants with a pruning method."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("none", "none"),
        ("words@5", "words@5"),
        ("none|dcp@0.5", "none|dcp@0.5"),
        (" words@5 | dcp @ .50 ", "words@5|dcp@0.5"),
        ("words@5+density@10|dcp@1", "words@5+density@10|dcp@1"),
    ],
)
def test_names_are_parsed_and_printed(text: str, canonical: str) -> None:
    treatment = parse_treatment(text)
    assert treatment.name == canonical
    assert parse_treatment(canonical).name == canonical
    assert treatment.is_baseline is (canonical == "none")


def test_every_pruning_method_and_cutoff_has_a_name_that_reads_back() -> None:
    for name, kind in methods().items():
        for cutoff in kind.grid:
            treatment = Treatment(parse_cleaner("words@5"), parse_pruning(name).at(cutoff, name))
            assert parse_treatment(treatment.name).name == treatment.name
            assert parse_treatment(treatment.name).pruning.threshold == cutoff  # type: ignore[union-attr]


def test_no_pruning_method_has_the_name_of_a_scorer() -> None:
    assert not set(methods()) & set(scorers())


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
    ],
)
def test_sweeps_over_a_scorer_and_a_pruning_method_are_named_without_cutoffs(variant: str, combination: str) -> None:
    treatment = parse_treatment(variant)
    assert treatment.pruning is not None
    assert combination_name(treatment.cleaner.cuts[0], Pruning(treatment.pruning.method, None)) == combination
