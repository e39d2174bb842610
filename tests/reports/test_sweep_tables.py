"""The table of sweeps: of each the smallest index that is shown to lose little, and the best one."""

from __future__ import annotations

from experiments import NDCG, made

from thresher.experiments.choosing.choices import AnswerRole
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.sweep_answers import sweep_answers
from thresher.experiments.choosing.testing_order import fixed_sequences
from thresher.reports.sweep_tables import sweeps_table

RESULTS = made(retrievals=("qld", "bm25"))
CRITERIA = ChoiceCriteria(families=tuple(RESULTS.tables[0].sweeps))


def test_each_sweep_has_its_smallest_and_its_best_index() -> None:
    table = RESULTS.tables[0]
    answers = sweep_answers(table, (NDCG,), CRITERIA)
    assert tuple(answer.sweep for answer in answers) == CRITERIA.families
    sequences = fixed_sequences(ChoiceProblem(table, (NDCG,), CRITERIA), False)
    assert [answer.smallest for answer in answers] == [sequence.last for sequence in sequences]
    assert any(answer.smallest is not None for answer in answers)
    for answer in answers:
        members = table.sweeps[answer.sweep]
        assert answer.best in members
        assert table.mean(NDCG)[answer.best] == max(table.mean(NDCG)[list(members)])


def test_the_table_begins_with_the_baseline_of_each_model() -> None:
    table = sweeps_table(RESULTS, (NDCG,), CRITERIA)
    rows = [[cell.text for cell in row[:3]] for row in table.rows]
    baselines = [row for row in rows if row[1] == "none"]
    assert baselines == [[model, "none", AnswerRole.NO_CLEANING] for model in ("qld", "bm25")]
    for model, answered in zip(("qld", "bm25"), RESULTS.tables, strict=True):
        expected: dict[str, list[AnswerRole]] = {}
        for answer in sweep_answers(answered, (NDCG,), CRITERIA):
            if answer.smallest is not None:
                expected.setdefault(answered.rows[answer.smallest].name, []).append(AnswerRole.SMALLEST)
            expected.setdefault(answered.rows[answer.best].name, []).append(AnswerRole.BEST)
        shown = {name: role for of, name, role in rows if of == model and name != "none"}
        for name, roles in expected.items():
            assert shown.pop(name) == (roles[0] if len(roles) == 1 else "both")
        assert set(shown.values()) <= {"best of all"}


def test_rows_that_have_no_room_are_counted() -> None:
    every = sweeps_table(RESULTS, (NDCG,), CRITERIA)
    short = sweeps_table(RESULTS, (NDCG,), CRITERIA, 3)
    assert short.rows == every.rows[:3]
    assert f"{len(every.rows) - 3} more rows" in short.note
    assert every.note == ""
