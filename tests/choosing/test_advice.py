"""The figures of an advice, against scipy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from thresher.base.defaults import BY_SENTENCES, LEFT_OUT
from thresher.experiments.choosing.advice import expected_change, relative_change


def test_changes_are_shares_of_the_mean_with_the_interval_of_student() -> None:
    generator = np.random.default_rng(3)
    before = generator.random(60)
    after = before + generator.normal(-0.02, 0.1, 60)
    found = relative_change(after, before)
    assert found is not None
    wanted = stats.ttest_rel(after, before).confidence_interval(0.95)
    told = np.array([found.value, found.low, found.high]) * before.mean()
    assert told == pytest.approx([(after - before).mean(), wanted.low, wanted.high])
    assert relative_change(after[:24], before[:24]) is None
    assert relative_change(after, np.zeros(60)) is None


@pytest.mark.parametrize("elsewhere", [LEFT_OUT, BY_SENTENCES])
def test_what_to_expect_of_a_further_collection_holds_what_the_six_showed(elsewhere: dict[str, float]) -> None:
    changes = np.array([*elsewhere.values()])
    found = expected_change([*elsewhere.values()])
    reach = stats.t.ppf(0.975, 5) * changes.std(ddof=1) * np.sqrt(1 + 1 / 6)
    assert (found.value, found.low, found.high) == pytest.approx(
        (changes.mean(), changes.mean() - reach, changes.mean() + reach)
    )
    assert found.low < changes.min()
    assert changes.max() < found.high
