"""One setting for several collections: bounds worked out by hand, what is left out, what does not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from choosing_samples import CRITERIA, DCP, PAGES, table_of
from messages import assert_names

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.evaluation.non_inferiority import Margin
from thresher.experiments.choosing.shared import SharedChoice, choose_shared, prediction_bounds
from thresher.experiments.table import VariantTable
from thresher.reports.choice_tables import shared_table
from thresher.reports.summary import shared_answer

MEASURES = ("nDCG@10", "AP")
BASE = np.full(30, 0.5)


def collection(losses: dict[float, float], emptied: dict[str, int] | None = None) -> VariantTable:
    """A collection where an index of each size loses that share of the baseline's mean, in both measures."""
    return table_of(BASE, {DCP: {share: BASE * (1 - loss) for share, loss in losses.items()}}, emptied)


def shared(*tables: VariantTable, **criteria: object) -> SharedChoice:
    names = ("one", "two", "three", "four")
    return choose_shared(dict(zip(names, tables, strict=False)), MEASURES, replace(CRITERIA, **criteria))


def test_bounds_are_those_of_one_more_normal_draw() -> None:
    # Mean .01, standard deviation .01; T with 2 degrees of freedom is 2.91999 at .95; √(1 + 1/3).
    assert prediction_bounds(np.array([0.0, 0.01, 0.02]), 0.05) == pytest.approx(0.0437171, abs=1e-7)
    assert prediction_bounds(np.array([0.03, 0.03, 0.03]), 0.05) == pytest.approx(0.03)
    dice = np.random.default_rng(1)
    draws = dice.normal(0.02, 0.01, (20_000, 7))
    beyond = dice.normal(0.02, 0.01, 20_000) > prediction_bounds(draws, 0.05)
    assert scipy.stats.binomtest(int(beyond.sum()), 20_000, 0.05).pvalue > 0.001


def test_the_smallest_setting_within_the_margin_is_tried_on_each_and_left_out_in_turn() -> None:
    # At .5 the bound is .0437; at .3 it is .02 + .0169 · 2.91999 · √(4/3)= .077, though no collection loses more than .04.
    tables = [collection({0.5: 0.01 * place, 0.3: loss}) for place, loss in enumerate((0.01, 0.01, 0.04))]
    found = shared(*tables)
    assert (found.variant, found.settings, found.retrieval) == ("none|dcp@0.5", 2, "qld")
    assert found.bounds == pytest.approx((0.0437171, 0.0437171), abs=1e-7)
    assert [one.collection for one in found.tried] == ["one", "two", "three"]
    assert [one.worst for one in found.tried] == pytest.approx([0, 0.01, 0.02])
    assert {(one.share, one.topics) for one in found.tried} == {(0.5, 30)}
    # Of the first two, whose losses at .3 are equal, the third recommends nothing: .3 it is, which loses .04 there. The other
    # pairs have bounds of at least .005 + .00707 · 6.314 · √1.5 = .0597 at .5.
    assert [one.variant for one in found.left_out] == [None, None, "none|dcp@0.3"]
    assert [one.worst for one in found.left_out] == pytest.approx([0, 0, 0.04])
    assert (found.mean_share, found.mean_share_left_out) == (pytest.approx(0.5), pytest.approx((1 + 1 + 0.3) / 3))
    assert found.failed == ()
    said = list(shared_answer(found))
    assert {setting.bytes_share for setting in found.tried} == {float(table.bytes_shares[1]) for table in tables}
    facts = (
        "none|dcp@0.5",
        f"{100 * found.mean_bytes_share:.1f} % of the bytes (50.0 % of the postings)",
        "at most 1.0 % on 2 of 3 collections",
        "2.0 % on three",
    )
    assert all(fact in said[0] for fact in facts)
    assert_names(said[1], "0 of 3 collections", "5 %")
    assert_names(said[2], "4.4 % of nDCG@10", "4.4 % of AP")
    assert "shown" not in " ".join(said)
    cells = [[cell.text for cell in row] for row in shared_table(found).rows]
    bytes_of = [f"{100 * share:.1f}" for share in tables[2].bytes_shares.tolist()]
    assert cells[2][:6] == ["three", "30", bytes_of[1], "50.0", "2.0 %", "2.0 %"]
    assert cells[2][6:] == ["none|dcp@0.3", bytes_of[2], "30.0", "4.0 %", "4.0 %"]
    assert cells[0][6:] == ["none", "100.0", "100.0", "0.0 %", "0.0 %"]


def test_the_smallest_setting_has_the_fewest_bytes() -> None:
    tables = [collection({0.5: 0.0, 0.4: 0.0}) for _ in range(3)]
    assert shared(*tables).variant == "none|dcp@0.4"
    heavy = [table.with_rows([*table.rows[:2], replace(table.rows[2], bytes=300_000)]) for table in tables]
    assert shared(*heavy).variant == "none|dcp@0.5"


def test_nothing_pruned_is_chosen_for_another_engine() -> None:
    table = table_of(BASE, {DCP: {0.2: BASE}, "words": {0.5: BASE}})
    assert shared(table, table, table).variant == "none|dcp@0.2"
    assert shared(table, table, table, engine="other").variant == "words@0.5"
    with pytest.raises(StateError):
        shared(*[collection({0.5: 0.0})] * 3, engine="other")


def test_what_was_left_out_may_lose_more() -> None:
    unlike = collection({0.5: 0.2, 0.8: 0.0})
    found = shared(*[collection({0.5: 0.0, 0.8: 0.0})] * 3, unlike)
    assert found.variant == "none|dcp@0.8"
    assert [(one.collection, one.worst) for one in found.failed] == [("four", pytest.approx(0.2))]
    assert_names(list(shared_answer(found))[1], "1 of 4 collections", "5 %", "four (20.0 %)")


def test_only_what_all_have_and_what_keeps_pages_and_measures_counts() -> None:
    fine = {0.5: 0.0, 0.3: 0.0}
    assert shared(collection(fine), collection(fine), collection({0.5: 0.0, 0.2: 0.0})).variant == "none|dcp@0.5"
    emptied = collection(fine, {"none|dcp@0.3": PAGES // 50})
    assert shared(collection(fine), collection(fine), emptied).variant == "none|dcp@0.5"
    assert shared(collection(fine), collection(fine), emptied, emptied=0.1).variant == "none|dcp@0.3"
    loses = np.stack((BASE, 0.9 * BASE))
    in_one = table_of(BASE, {DCP: {0.5: BASE, 0.3: loses}})
    assert shared(*[in_one] * 3).variant == "none|dcp@0.5"
    nothing = shared(*[collection({0.5: 0.1})] * 3)
    assert (nothing.variant, nothing.bounds, nothing.mean_share, nothing.mean_share_left_out) == (
        None,
        (0.0, 0.0),
        1.0,
        1.0,
    )
    assert next(shared_answer(nothing)).startswith("Stay with no cleaning")


def test_absolute_margins_and_the_order_of_collections() -> None:
    tables = [collection({0.5: 0.01 * place, 0.3: 0.1}) for place in range(3)]
    found = shared(*tables, margin=Margin(0.03, relative=False))
    assert found.variant == "none|dcp@0.5"
    assert found.bounds == pytest.approx((0.0437171 / 2,) * 2, abs=1e-7)
    assert "0.0219 of nDCG@10" in list(shared_answer(found))[2]
    assert shared(*tables, margin=Margin(0.02, relative=False)).variant is None
    again = shared(*reversed(tables), margin=Margin(0.03, relative=False))
    assert (again.variant, again.bounds) == (found.variant, pytest.approx(found.bounds))


def test_what_cannot_be_chosen_from() -> None:
    fine = collection({0.5: 0.0})
    with pytest.raises(ConfigError, match="2 collections are too few"):
        shared(fine, fine)
    with pytest.raises(StateError, match="no variant was explored in all"):
        shared(fine, fine, collection({0.4: 0.0}))
    with pytest.raises(InputError, match="the baseline's nDCG@10 is 0"):
        shared(fine, fine, table_of(0 * BASE, {DCP: {0.5: BASE}}))
