import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.numbers import Interval
from thresher.base.repeats import BreakEven, Payoff, break_even


@pytest.mark.parametrize(
    ("extra", "saved", "answer"),
    [
        (350.0, (0.25, 0.2, 0.5), BreakEven(Payoff.AFTER, Interval(1400.0, 700.0, 1750.0))),
        (-10.0, (0.25, 0.2, 0.35), BreakEven(Payoff.AT_ONCE, Interval(0.0, 0.0, 0.0))),
        (0.0, (0.25, 0.2, 0.35), BreakEven(Payoff.AT_ONCE, Interval(0.0, 0.0, 0.0))),
        (-10.0, (-0.25, -0.3, -0.2), BreakEven(Payoff.USED_UP, until=40.0)),
        (350.0, (-0.25, -0.3, -0.2), BreakEven(Payoff.NEVER)),
        (0.0, (-0.25, -0.3, -0.2), BreakEven(Payoff.NEVER)),
        (350.0, None, BreakEven(Payoff.UNKNOWN)),
        (-10.0, None, BreakEven(Payoff.NO_COSTLIER)),
    ],
)
def test_every_case(extra, saved, answer):
    assert break_even(extra, Interval(*saved) if saved else None) == answer


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
