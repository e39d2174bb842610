import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.costs import Interval, break_even


@pytest.mark.parametrize(
    ("extra", "saved", "queries", "facts"),
    [
        (350.0, (0.25, 0.2, 0.5), (1400.0, 700.0, 1750.0), ("after 1,400 queries", "(700 to 1,750)")),
        (-10.0, (0.25, 0.2, 0.35), (0.0, 0.0, 0.0), ("at once", "no costlier to build", "faster to search")),
        (0.0, (0.25, 0.2, 0.35), (0.0, 0.0, 0.0), ("at once", "no costlier to build", "faster to search")),
        (-10.0, (-0.25, -0.3, -0.2), None, ("at once", "but slower to search", "after 40 queries")),
        (350.0, (-0.25, -0.3, -0.2), None, ("never", "no cheaper to build", "slower to search")),
        (0.0, (-0.25, -0.3, -0.2), None, ("never", "no cheaper to build", "slower to search")),
        (350.0, None, None, ("not measurable here", "within noise")),
        (-10.0, None, None, ("no costlier to build", "not measurable here")),
    ],
)
def test_every_case(extra, saved, queries, facts):
    answer = break_even(extra, Interval(*saved) if saved else None)
    assert answer.queries == (Interval(*queries) if queries else None)
    assert answer.note.startswith(facts[0])
    assert all(fact in answer.note for fact in facts)


SECONDS = st.integers(1, 1000).map(float)


@given(SECONDS, SECONDS, SECONDS, SECONDS)
def test_costs_are_equal_there(extra, low, more, most):
    saved = Interval(low + more, low, low + more + most)
    queries = break_even(extra, saved).queries
    assert queries is not None
    assert queries.value * saved.value == pytest.approx(extra)
    assert queries.low * saved.high == pytest.approx(extra)
    assert queries.high * saved.low == pytest.approx(extra)
    assert queries.low < queries.value < queries.high
