"""What a recommendation changes in the postings of queries: by counting, and its interval by a bootstrap of our own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from choosing_samples import evidence

from thresher.choosing.choices import Recommendation
from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import RuleName, Values
from thresher.choosing.guards import Guards
from thresher.choosing.recommending import recommend

QUICK = Terms(resamples=200, folds=4, repeats=2)
GUARDS = Guards(emptied=1.0, stability=0.0)
DECISION = decide(evidence(), QUICK, guards=GUARDS)


def recommended(postings: dict[str, Values] | None) -> Recommendation:
    return recommend(DECISION, (), GUARDS, None, postings)


@pytest.mark.parametrize("seed", range(4))
def test_work_is_the_ratio_of_what_all_queries_read(seed: int) -> None:
    dice = np.random.default_rng(seed)
    before = dice.integers(1, 100_000, 40)
    postings = {"none": before.astype(np.float64)}
    for variant in DECISION.variants:
        postings[variant.name] = (before * dice.uniform(0.1, 0.9, 40)).round()
    found = recommended(postings)
    assert found.variant is not None
    assert found.work is not None
    after = postings[found.variant]
    read, read_before = (sum(Fraction(one) for one in held.tolist()) for held in (after, before))
    assert (found.work.postings, found.work.baseline) == (pytest.approx(read / 40), pytest.approx(read_before / 40))
    assert found.work.share.value == pytest.approx(float(read / read_before))
    # A bootstrap in plain Python, of other random numbers.
    ratios = []
    for _ in range(3000):
        drawn = dice.integers(0, 40, 40).tolist()
        ratios.append(sum(after[one] for one in drawn) / sum(int(before[one]) for one in drawn))
    ratios.sort()
    spread = float(np.std(ratios))
    assert found.work.share.low == pytest.approx(ratios[75], abs=0.2 * spread)
    assert found.work.share.high == pytest.approx(ratios[-75], abs=0.2 * spread)
    assert found.work.share.low < found.work.share.value < found.work.share.high


def test_work_of_the_same_postings_is_unchanged() -> None:
    held = np.arange(40, dtype=np.float64)
    work = recommended({"none": held} | {variant.name: held for variant in DECISION.variants}).work
    assert work is not None
    assert (work.postings, work.baseline) == (19.5, 19.5)
    assert (work.share.value, work.share.low, work.share.high) == (1.0, 1.0, 1.0)


def test_work_is_not_known_without_postings_of_both() -> None:
    held = np.ones(40)
    every = {variant.name: held for variant in DECISION.variants}
    assert recommended({"none": held, **every}).work is not None
    name = recommended(None).variant
    assert name is not None
    without = {other: postings for other, postings in every.items() if other != name}
    for postings in (None, {}, every, {"none": held, **without}, {"none": np.zeros(40), **every}):
        assert recommended(postings).work is None


def test_nothing_recommended_changes_no_work() -> None:
    picks = tuple(replace(pick, variant=None) if pick.rule is RuleName.GUARDED else pick for pick in DECISION.picks)
    held = {"none": np.ones(40)} | {variant.name: np.ones(40) for variant in DECISION.variants}
    found = recommend(replace(DECISION, picks=picks), (), GUARDS, None, held)
    assert (found.variant, found.work) == (None, None)
