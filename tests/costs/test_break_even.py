import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.costs.break_even import BreakEven, break_even


def question(clean: float, index: float, query: float) -> BreakEven:
    """Against a baseline that indexes in 100 s and answers in 0.5 s."""
    return break_even(clean, index, query, baseline_index_seconds=100.0, baseline_query_seconds=0.5)


@pytest.mark.parametrize(
    ("clean", "index", "query", "queries", "facts"),
    [
        (400.0, 50.0, 0.25, 1400.0, ("after 1,400 queries",)),
        (40.0, 50.0, 0.25, 0.0, ("at once", "no costlier to build", "no slower to search")),
        (50.0, 50.0, 0.5, 0.0, ("at once", "no costlier to build", "no slower to search")),
        (40.0, 50.0, 0.75, 0.0, ("at once", "but slower to search", "after 40 queries")),
        (400.0, 50.0, 0.5, None, ("never", ": costlier to build", "no faster to search")),
        (400.0, 50.0, 0.75, None, ("never", ": costlier to build", "no faster to search")),
        (50.0, 50.0, 0.75, None, ("never", "no cheaper to build", ", slower to search")),
    ],
)
def test_every_case(clean, index, query, queries, facts):
    answer = question(clean, index, query)
    assert answer.queries == queries
    assert answer.note.startswith(facts[0])
    assert all(fact in answer.note for fact in facts)


SECONDS = st.integers(0, 1000).map(float)


@given(SECONDS, SECONDS, SECONDS, SECONDS, SECONDS)
def test_costs_are_equal_there(clean, index, query, base_index, base_query):
    result = break_even(clean, index, query, baseline_index_seconds=base_index, baseline_query_seconds=base_query)

    def saved(queries: float) -> float:
        return base_index + queries * base_query - (clean + index + queries * query)

    if result.queries is None:
        assert saved(0) <= 0
        assert saved(1e9) <= 0
    elif result.queries == 0:
        assert saved(0) >= 0
    else:
        assert saved(result.queries) == pytest.approx(0, abs=1e-6)
        assert saved(result.queries / 2) < 0 < saved(result.queries * 2)
