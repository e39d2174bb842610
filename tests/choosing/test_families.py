"""Declared families, and their paths of sizes."""

from __future__ import annotations

import numpy as np
import pytest
from choosing_samples import DCP, PAGES, POSTINGS, row, table_of
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.defaults import DEFAULT_FAMILIES
from thresher.base.errors import ConfigError
from thresher.experiments.choosing.families import families_for, parse_family
from thresher.experiments.choosing.testing_order import TARGETS, order_of_testing
from thresher.experiments.table import Row, Variant, VariantTable
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import IndexStatistics

WEIGHTED = ("words|weights(title=4,headings=2,anchors=0)", "words@5|weights(title=4,headings=2,anchors=0)|dcp")
FLAT = np.full(30, 0.5)


@pytest.mark.parametrize(
    "name",
    [
        *DEFAULT_FAMILIES,
        "words",
        "words@p",
        "density@doc",
        "content(headings=keep)|dcp",
        "words@p|dcp",
        "words@5|prp",
        *WEIGHTED,
    ],
)
def test_names_of_sweeps_are_read(name: str) -> None:
    family = parse_family(name)
    assert family.name == name
    assert (family.cleaner is None) == (family.cut is not None)
    assert (family.pruning is None) == (not any(method in name for method in ("dcp", "prp", "gain")))
    assert (family.weights is None) == ("weights" not in name)


def test_names_become_canonical() -> None:
    assert parse_family(" none | tcp(model=bm25) ").name == "none|tcp(k=10,model=bm25)"
    assert parse_family("words|weights(title=2)").name == "words|weights(title=2,headings=2,anchors=1)"


def test_other_engines_take_what_is_not_pruned() -> None:
    families = [parse_family(name) for name in ("words|dcp", "words", WEIGHTED[0], "none|dcp")]
    assert families_for("lucene", families) == families
    assert families_for("other", families) == families[1:3]
    with pytest.raises(ConfigError) as caught:
        families_for("other", [families[0], families[3]])
    assert caught.value.where == "engine"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("words@5", "is no sweep"),
        ("none", "is no sweep"),
        ("none|weights", "is no sweep"),
        ("bte", "is no sweep"),
        ("none|dcp@0.5", "method of 'none|dcp@0.5' has a cutoff"),
        ("none|random", "is only a control"),
        ("wrods|dcp", "unknown scorer 'wrods'"),
    ],
)
def test_what_is_no_sweep(name: str, what: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_family(name)
    assert what in caught.value.what


def test_a_path_has_the_nearest_size_below_each_target() -> None:
    shares = (0.99, 0.951, 0.95, 0.93, 0.901, 0.9, 0.62, 0.05, 0.021, 0.02, 0.01)
    table = table_of(FLAT, {DCP: dict.fromkeys(shares, FLAT)})
    assert [float(table.shares[index]) for index in order_of_testing(table, DCP)] == [0.95, 0.9, 0.62, 0.05, 0.02]
    assert order_of_testing(table, "none|prp") == ()


@given(st.lists(st.integers(10, POSTINGS), max_size=60, unique=True))
def test_paths_by_definition(sizes: list[int]) -> None:
    table = table_of(FLAT, {"none|prp": {size / POSTINGS: FLAT for size in sizes}})
    path = order_of_testing(table, "none|prp")
    assert len(set(path)) == len(path) <= len(TARGETS)
    of_path = [int(table.sizes[index]) for index in path]
    assert of_path == sorted(of_path, reverse=True)
    expected: set[int] = set()
    for target in TARGETS:
        inside = [one for one in sizes if (target - 5) / 100 < one / POSTINGS <= target / 100]
        expected |= {max(inside)} if inside else set()
    assert set(of_path) == expected


def test_two_cutoffs_share_what_is_cut() -> None:
    def pair(cleaner: float, pruning: float, share: float, words: float) -> Row:
        variant = Variant(parse_treatment(f"words@{cleaner}|dcp@{pruning}"), "words|dcp", pruning, cleaner)
        return Row(variant, IndexStatistics(PAGES, 0, round(POSTINGS * share), 0), round(50_000 * words))

    rows = (row("none", POSTINGS), pair(2, 0.5, 0.49, 0.98), pair(5, 0.7, 0.48, 0.7), pair(9, 0.9, 0.47, 0.5))
    values = np.full((2, 4, 30), 0.5)
    topics = tuple(map(str, range(30)))
    table = VariantTable("qld", ("nDCG@10", "AP"), topics, rows, values, np.ones((4, 30)), (), values[:, :, :0])
    # At half of the size the pair whose cleaner alone keeps about 71 %.
    assert order_of_testing(table, "words|dcp") == (2,)
