import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.costs.break_even import BreakEven, break_even


def question(clean: float, index: float, query: float) -> BreakEven:
    """Against a baseline that indexes in 100 s and answers in 0.5 s."""
    return break_even(clean, index, query, baseline_index_seconds=100.0, baseline_query_seconds=0.5)


@pytest.mark.parametrize(
    ("clean", "index", "query", "expected"),
    [
        (400.0, 50.0, 0.25, BreakEven(1400.0, "after 1,400 queries")),
        (40.0, 50.0, 0.25, BreakEven(0.0, "at once: no dearer to build, no slower to search")),
        (50.0, 50.0, 0.5, BreakEven(0.0, "at once: no dearer to build, no slower to search")),
        (
            40.0,
            50.0,
            0.75,
            BreakEven(0.0, "at once, but slower to search: the gain is used up after 40 queries"),
        ),
        (400.0, 50.0, 0.5, BreakEven(None, "never: dearer to build, no faster to search")),
        (400.0, 50.0, 0.75, BreakEven(None, "never: dearer to build, no faster to search")),
        (50.0, 50.0, 0.75, BreakEven(None, "never: no cheaper to build, slower to search")),
    ],
)
def test_every_case(clean, index, query, expected):
    assert question(clean, index, query) == expected


SECONDS = st.integers(0, 1000).map(float)


@given(SECONDS, SECONDS, SECONDS, SECONDS, SECONDS)
def test_costs_are_equal_there(clean, index, query, base_index, base_query):
    found = break_even(clean, index, query, baseline_index_seconds=base_index, baseline_query_seconds=base_query)

    def saved(queries: float) -> float:
        return base_index + queries * base_query - (clean + index + queries * query)

    if found.queries is None:
        assert saved(0) <= 0
        assert saved(1e9) <= 0
    elif found.queries == 0:
        assert saved(0) >= 0
    else:
        assert saved(found.queries) == pytest.approx(0, abs=1e-6)
        assert saved(found.queries / 2) < 0 < saved(found.queries * 2)
