"""Student's t against SciPy's."""

import math

import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.student import t_quantile, t_tail


@given(st.floats(-50, 50), st.integers(1, 2000))
def test_tails(t: float, df: int) -> None:
    # Not `stdtr`, which loses t² beside df: 0.5 for 1e-9.
    between = scipy.special.betainc(0.5, df / 2, t * t / (df + t * t)) / 2
    assert t_tail(t, df) == pytest.approx(0.5 - math.copysign(between, t), abs=1e-10)


@given(st.floats(1e-6, 0.5), st.integers(1, 500))
def test_quantiles(level: float, df: int) -> None:
    assert t_quantile(level, df) == pytest.approx(-scipy.special.stdtrit(df, level), rel=1e-6, abs=1e-6)


def test_extremes() -> None:
    assert t_tail(math.inf, 7) == 0
    assert t_tail(0.0, 8) == 0.5
    assert 0 < t_tail(1e9, 3) < 1e-26
