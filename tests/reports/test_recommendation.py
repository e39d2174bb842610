"""The answer: at most three lines, each with size, loss or gain and what was tested, then how to use it."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from experiments import NDCG, chosen, effect, made
from messages import Message, assert_names

from thresher.evaluation.non_inferiority import MINIMUM, Margin
from thresher.experiments.choosing.choices import Choice
from thresher.reports.choice_tables import answer_columns, answers_table, families_tables, savings_table
from thresher.reports.chosen_sentences import agreement, other_engines
from thresher.reports.named_indexes import named_indexes
from thresher.reports.summary import answer, assumptions, commands, frontier_caption, measured
from thresher.reports.table import csv_table
from thresher.reports.text_tables import render_text

RESULTS = made()
TABLE = RESULTS.tables[0]


def lines(choice: Choice) -> list[str]:
    return list(answer(choice))


def test_the_index_to_use_has_its_size_and_the_test() -> None:
    first, conservative = lines(chosen(RESULTS, "none|dcp@0.5", "words@8"))
    assert first.startswith("Use none|dcp@0.5: ")
    for fact in ("50.0 % of the postings", "less than 5 % of exp-nDCG@10", "60 topics", "3 families", "95 %"):
        assert fact in first
    assert "words@8" in conservative
    assert "76.0 % of the postings" in conservative


def test_the_best_index_is_used_if_it_is_no_larger() -> None:
    first, conservative = lines(chosen(RESULTS, "none|dcp@0.3", None, "words@14"))
    assert first.startswith("Use none|dcp@0.3")
    assert "86 topics" in conservative
    first, conservative = lines(chosen(RESULTS, "none|dcp@0.7", "words@14", "words@14"))
    assert first.startswith("Use words@14")
    assert "better than no cleaning" in first
    assert conservative.endswith("the same index, words@14.")


def test_the_cautious_choice_names_more_topics_than_there_are() -> None:
    choice = chosen(RESULTS, "none|dcp@0.5")
    (model,) = choice.models
    for needed, is_named in ((61, True), (60, False)):
        asked = replace(choice, models=(replace(model, conservative_topics=needed),))
        last = lines(asked)[-1]
        assert last.startswith("Conservative choice: no cleaning.")
        assert (f"at least {needed} topics" in last) is is_named


def test_without_anything_shown_the_baseline_stays() -> None:
    first, following, cautious = lines(chosen(RESULTS, None))
    assert first.startswith("Stay with no cleaning")
    needed = min(walk.failed.topics_needed or 0 for walk in chosen(RESULTS, None).models[0].families if walk.failed)
    assert f"{needed} topics" in first
    assert following.startswith("Next: judge more topics")
    assert "`thresher advise PAGES`" in following
    assert "86 topics" in cautious


def test_too_few_topics_give_no_verdict() -> None:
    few = made(topics=20)
    first, following = lines(chosen(few, "words@8"))
    assert "20 topics are too few" in first
    (model,) = chosen(few, "words@8").models
    alone = replace(chosen(few, "words@8"), models=(replace(model, topics=1),))
    assert "1 topic is too few for a verdict" in lines(alone)[0]
    assert f"until there are {MINIMUM}" in following
    assert named_indexes(chosen(few, "words@8")) == []
    assert families_tables(chosen(few, "words@8"), chosen(few, "words@8").models[0]) == []


def caption(choice: Choice | None) -> str:
    return frontier_caption("exp-nDCG@10", choice, choice and choice.models[0])


def test_the_frontier_says_why_no_smaller_index_is_recommended() -> None:
    base = ("dot is an index", "higher exp-nDCG@10", "smaller ones", "square is the baseline", "no cleaning")
    alone = caption(None)
    assert_names(alone, *base)
    not_shown = ("even with an equal score", "60 topics do not show", "less than 5 % of exp-nDCG@10")
    shown = chosen(RESULTS, "words@8")
    assert_names(caption(shown), *base, "smaller than the diamond", "not recommended", *not_shown)
    assert_names(caption(chosen(RESULTS, None)), alone, "not recommended", *not_shown)
    few = chosen(made(topics=20), "words@8")
    assert_names(caption(few), alone, "Nothing is recommended", "20 topics", "too few")
    within = replace(shown, models=(replace(shown.models[0], size=10**6),))
    assert_names(caption(within), alone, "diamond", "highest mean within the size")


def test_each_model_is_named() -> None:
    said = lines(chosen(made(retrievals=("qld", "bm25")), "words@8", "words@8"))
    assert [line.split(": ")[0] for line in said if "Use" in line] == ["qld", "bm25"]


@pytest.mark.parametrize(("margin", "text"), [(Margin(0.05, True), "5 %"), (Margin(0.01, False), "0.0100")])
def test_margins_are_said_as_they_were_stated(margin: Margin, text: str) -> None:
    choice = chosen(RESULTS, "words@8")
    stated = replace(choice, criteria=replace(choice.criteria, margin=margin))
    assert f"lose less than {text} of exp-nDCG@10" in lines(stated)[0]


def test_commands_make_what_is_named_first_and_check_all() -> None:
    explored = made(only_explored=("none|dcp@0.3", "words@14"))
    choice = chosen(explored, "none|dcp@0.3", "words@8", "words@14")
    assert commands(choice) == ("clean to 'none|dcp@0.3'", "index", "run --chosen")
    # Nothing is left to measure.
    built = chosen(RESULTS, "none|dcp@0.3", "words@8", "words@14")
    assert commands(built) == ("clean to 'none|dcp@0.3'", "index")
    # Not the baseline; but another index may be built.
    assert commands(chosen(made(only_explored=("words@8",)), None, "words@8")) == ("run --chosen",)
    assert commands(chosen(RESULTS, None)) == ()
    both = chosen(made(retrievals=("qld", "bm25"), only_explored=("words@8",)), "words@8")
    assert commands(both) == ("clean to 'words@8'", "index", "run --chosen")


def test_what_was_built_is_said_with_what_it_has() -> None:
    choice = chosen(RESULTS, "none|dcp@0.5", "words@8")
    said = list(measured(choice, RESULTS))
    # The choice is made up.
    assert [("words@8" in line, "76.0 %" in line, "differs from the exploration" in line) for line in said[1:]] == [
        (True,) * 3
    ]
    index = TABLE.position["words@8"]
    assert f"nDCG@10 {TABLE.mean(NDCG)[index]:.4f}" in said[1]
    explored = made(only_explored=("none|dcp@0.5", "words@8"))
    assert list(measured(chosen(explored, "none|dcp@0.5", "words@8"), explored)) == []


def test_the_named_indexes_agree_with_the_exploration_in_one_sentence_or_are_named() -> None:
    choice = chosen(RESULTS, "words@8")
    table = choice.models[0]
    assert "differs from the exploration" in next(agreement(choice, RESULTS))
    place = TABLE.position["words@8"]
    mean = float(TABLE.mean(NDCG)[place])
    truth = replace(
        table.named[0], share=float(TABLE.shares[place]), effects=(replace(table.named[0].effects[0], mean=mean),)
    )
    (said,) = agreement(replace(choice, models=(replace(table, smallest=truth, conservative=None),)), RESULTS)
    assert_names(said, "Built and searched", "every index")
    explored = made(only_explored=("words@8",))
    assert list(agreement(chosen(explored, "words@8"), explored)) == []


def test_the_text_for_another_engine_is_named_with_what_it_lacks() -> None:
    (plain,) = other_engines(chosen(RESULTS, "words@8"))
    assert_names(plain, "`thresher clean`", "JSON lines")
    assert "without" not in plain
    (pruned,) = other_engines(chosen(RESULTS, "none|dcp@0.5"))
    assert_names(pruned, "JSON lines", "without its weights and pruning")
    assert list(other_engines(chosen(RESULTS, None))) == []


def test_assumptions_name_what_topics_cannot_show() -> None:
    choice = chosen(RESULTS, "words@8")
    text = " ".join(assumptions(choice, choice.models[0]))
    # 1 - .05^(1/60).
    assert all(fact in text for fact in ("60 topics", "4.9 %", "3 families", "1 % of the pages", "at most 5 %"))
    held = replace(choice.models[0].smallest, held_out=(replace(effect(NDCG, 0.01, -0.01, 20, None), high=0.03),))
    model = replace(choice.models[0], smallest=held)
    assert "On 20 held-out topics" in " ".join(assumptions(choice, model))


def test_families_have_what_was_shown_and_what_was_not() -> None:
    choice = chosen(RESULTS, "words@8")
    (table,) = families_tables(choice, choice.models[0])
    walks = [walk for walk in choice.models[0].families if walk.steps]
    assert [row[0].text for row in table.rows] == [walk.family for walk in walks]
    text = render_text(table, 200)
    assert all(walk.last.variant in text and walk.failed.variant in text for walk in walks if walk.last and walk.failed)
    assert "none|up" in table.note


def test_the_three_answers_are_a_table_and_a_frame() -> None:
    choice = chosen(RESULTS, "none|dcp@0.3", "words@8", "words@14")
    table = answers_table(choice)
    assert table is not None
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[:2] for row in rows] == [
        ["no cleaning", "none"],
        ["smallest", "none|dcp@0.3"],
        ["best", "words@14"],
    ]
    heads = [column.title for column in table.columns]
    assert [rows[1][heads.index(head)] for head in ("postings (% of baseline)", "exp-nDCG@10", "topics")] == [
        "30.0",
        "0.4900",
        "60",
    ]
    assert [rows[2][heads.index(f"exp-nDCG@10 ({unit})")] for unit in ("difference", "lower bound")] == [
        "+0.0300",
        "+0.0100",
    ]
    assert "not run" in render_text(savings_table(choice))
    frame = csv_table(answer_columns(choice.measures), named_indexes(choice)).splitlines()
    assert len(frame) == 4
    names = frame[0].split(",")
    assert len(set(names)) == len(names)


def test_what_is_not_shown_has_a_row_that_says_why() -> None:
    choice = chosen(RESULTS, None)
    table = answers_table(choice)
    assert table is not None
    assert [[cell.text for cell in row][:2] for row in table.rows] == [
        ["no cleaning", "none"],
        ["smallest", "no smaller index shown (60 topics)"],
        ["best", "no gain shown (60 topics)"],
    ]
    assert [table.rows[2][number].text for number in (2, 3, 4)] == ["–", "–", "–"]
    # A data frame and CSV have no text in place of a name.
    frame = csv.DictReader(csv_table(answer_columns(choice.measures), named_indexes(choice)).splitlines())
    assert [row["variant"] for row in frame] == ["none", "", ""]
    assert savings_table(choice) is None
    sized = replace(choice, models=(replace(choice.models[0], size=1000),))
    table = answers_table(sized)
    assert table is not None
    assert [cell.text for cell in table.rows[3]][:2] == ["within the size", Message("no index", "this small")]
