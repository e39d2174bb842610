"""A choice as tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
from decision_samples import CHOICE, DECISION, HELD_OUT, INCONCLUSIVE, OTHER, SAVED, chosen

from thresher.choosing.decisions import Basis, Savings
from thresher.costs import BreakEven, Interval
from thresher.reports.choice_tables import decision_table, picks_table, savings_table
from thresher.reports.table import Table


def texts(table: Table) -> list[list[str]]:
    assert all(len(row) == len(table.columns) for row in table.rows)
    return [[cell.text for cell in row] for row in table.rows]


def test_what_rules_pick_of_each_scorer() -> None:
    table = decision_table(DECISION)
    assert [column.header for column in table.columns] == [
        "scorer",
        "cutoffs",
        "smallest non-inferior",
        "size",
        "difference",
        "lower bound",
        "knee",
        "size",
        "highest mean",
        "size",
        "difference",
        "topics needed",
    ]
    assert texts(table) == [
        ["words", "3", "words@9", "75.0", "−0.0060", "−0.0185", "words@30", "25.0", "words@2", "95.0", "+0.0100", "–"],
        ["bte", "1", "–", "–", "–", "–", "–", "–", "bte", "45.0", "−0.0150", "140"],
    ]
    assert table.caption == "qld, AP, 40 topics: what the rules pick of each scorer. Sizes are bytes, estimated."
    assert table.note == (
        "Non-inferior: the loss is shown to be less than 5 % of the baseline's mean. The lower bounds of "
        "all 4 differences hold simultaneously with 95 % confidence. Each is 3.10 standard errors below its difference. "
        "Topics needed: the fewest that would show this for a cutoff with a smaller index than the baseline's if its "
        "difference and spread stay the same."
    )


def test_topics_needed_are_the_fewest_of_a_scorer_that_saves() -> None:
    assert [row[-1] for row in texts(decision_table(INCONCLUSIVE))] == ["70", "140"]
    larger = replace(INCONCLUSIVE, baseline_size=1_000_000.0)
    assert [row[-1] for row in texts(decision_table(larger))] == ["–", "140"]


def test_what_picks_are_worth() -> None:
    table = picks_table(DECISION)
    assert [column.header for column in table.columns] == [
        "rule",
        "picks",
        "size",
        "all topics",
        "held out",
        "size",
        "baseline",
        "difference",
        "interval",
        "W/T/L",
        "p",
        "optimism",
        "same pick",
        "about its size",
    ]
    assert texts(table) == [
        [
            *["recommended", "words@9", "75.0", "0.3940", "0.3925", "80.0", "0.4000", "−0.0075"],
            *["−0.0175 to +0.0025", "12/8/20", "0.2100", "+0.0015", "84.0", "90.0"],
        ],
        [
            *["smallest non-inferior", "words@9", "75.0", "0.3940", "0.3910", "75.0", "0.4000", "−0.0090"],
            *["−0.0190 to +0.0010", "12/8/20", "0.2100", "+0.0030", "88.0", "92.0"],
        ],
        [
            *["knee", "baseline", "100.0", "0.4000", "0.4000", "100.0", "0.4000", "0.0000"],
            *["−0.0100 to +0.0100", "12/8/20", "0.2100", "0.0000", "100.0", "100.0"],
        ],
        [
            *["highest mean", "words@2", "95.0", "0.4100", "0.4020", "95.0", "0.4000", "+0.0020"],
            *["−0.0080 to +0.0120", "12/8/20", "0.2100", "+0.0080", "50.0", "55.0"],
        ],
    ]
    assert table.caption.startswith("qld, AP: picked and measured on all 40 topics. Held out: ")
    for fact in (
        "(5 × 10-fold cross-validation)",
        "95 % interval and p (two-sided Wilcoxon signed-rank test, not corrected)",
    ):
        assert fact in table.caption


def test_what_picks_are_worth_on_a_second_topic_set() -> None:
    table = picks_table(HELD_OUT)
    assert [column.header for column in table.columns][3:6] == ["promised", "held out", "baseline"]
    assert texts(table)[0] == [
        *["recommended", "words@9", "75.0", "0.4500", "0.4300", "0.4350", "−0.0050"],
        *["−0.0150 to +0.0050", "12/8/20", "0.2100", "+0.0200"],
    ]
    assert table.caption.startswith(
        "qld, AP: picked on 40 topics, measured on 30 held-out ones. Promised: the mean there of a pick made on the "
        "held-out topics themselves; optimism: how much higher that is. Difference, 95 % interval"
    )


def test_what_is_saved() -> None:
    table = savings_table(CHOICE)
    assert table is not None
    assert texts(table) == [
        [
            *["words@9", "1,000,000", "0.500", "25.0", "250", "12.5", "0.00191"],
            *["after 50,000 queries (40,000 to 62,500)", "measured"],
        ]
    ]
    assert (table.caption, table.note) == ("What the recommendation saves.", "estimated: as ever")
    assert savings_table(chosen(INCONCLUSIVE)) is None
    unknown = Savings("qld", "words@9", 1_000_000, None, 0.25, Basis.NOT_RUN, 0)
    table = savings_table(chosen(DECISION, OTHER, replace(DECISION, retrieval="bm25"), savings=(SAVED, unknown)))
    assert table is not None
    assert table.keys == 2
    assert texts(table)[1] == ["words@9", "qld", "1,000,000", "–", "25.0", "–", "–", "–", "–", "not run"]
    read_off = replace(SAVED, basis=Basis.ESTIMATED, extra_seconds=-0.125)
    estimated = savings_table(chosen(DECISION, savings=(read_off,)))
    assert estimated is not None
    assert texts(estimated)[0][5] == "−0.125"
    assert texts(estimated)[0][-1] == "estimated from 5 indexes"


@pytest.mark.parametrize("amount", [0.0, -3.0])
def test_what_is_no_saving_is_not_called_one(amount: float) -> None:
    none = Interval(amount, amount - 1, amount + 1)
    table = savings_table(chosen(DECISION, savings=(replace(SAVED, query_seconds=none, co2_kg=none),)))
    assert table is not None
    assert texts(table)[0][4:7] == ["no saving measured", "12.5", "no saving measured"]


def test_a_difference_within_noise_is_not_saved() -> None:
    words = "not measurable here: the difference in searching is within noise"
    noise = replace(
        SAVED, basis=Basis.NOT_MEASURABLE, query_seconds=None, co2_kg=None, break_even=BreakEven(None, words)
    )
    table = savings_table(chosen(DECISION, savings=(noise,)))
    assert table is not None
    assert texts(table) == [
        ["words@9", "1,000,000", "0.500", "25.0", "–", "12.5", "–", words, "not measurable here"],
    ]
