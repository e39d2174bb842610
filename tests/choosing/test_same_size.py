"""The best of each family at the same size."""

from __future__ import annotations

from experiments import NDCG, made

from thresher.choosing.savings import SHARES, same_size
from thresher.pruning_methods.treatments import Family


def test_against_all_variants() -> None:
    (table,) = made().tables
    found = same_size(table, NDCG)
    expected = []
    for most in SHARES:
        for family in Family:
            inside = [i for i in table.candidates if table.rows[i].variant.family is family and table.shares[i] <= most]
            if inside:
                expected.append((family, most, max(table.mean(NDCG)[inside])))
    assert [(one.family, one.most, table.mean(NDCG)[one.index]) for one in found] == expected
    assert len({one.family for one in found}) == 3


def test_one_family_has_nothing_to_be_compared_with() -> None:
    (table,) = made({"none": 1.0, "words@5": 0.8, "words@9": 0.5}).tables
    assert same_size(table, NDCG) == ()
