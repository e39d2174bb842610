"""Student's t-test, the randomisation test and the corrections, beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from thresher.base.errors import ConfigError
from thresher.evaluation.corrections import benjamini_hochberg
from thresher.evaluation.mean_tests import DRAWS, MOST_EXACT, randomisation_p, student_p
from thresher.evaluation.significance import compare, compare_all


def sample(n: int, seed: int = 0, shift: float = 0.1) -> tuple[list[float], list[float]]:
    """Values of P@10 for two runs, with ties."""
    generator = np.random.default_rng(seed)
    baseline = generator.integers(0, 11, n) / 10
    return (np.clip(baseline + generator.integers(-2, 4, n) / 10 * shift * 10, 0, 1).tolist(), baseline.tolist())


@pytest.mark.parametrize("n", [2, 3, 10, 50, 700])
def test_t_is_scipys(n: int) -> None:
    values, baseline = sample(n, seed=n)
    expected = scipy.stats.ttest_rel(values, baseline).pvalue
    assert compare(values, baseline, "P@10", test="t").p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [2, 5, 12, MOST_EXACT])
def test_all_signs_are_those_of_scipys_permutation_test(n: int) -> None:
    values, baseline = sample(n, seed=n)
    expected = scipy.stats.permutation_test(
        (np.round(np.subtract(values, baseline), 9),), np.mean, permutation_type="samples", n_resamples=2**n
    ).pvalue
    assert compare(values, baseline, "P@10", test="randomisation").p == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_signs_come_near_scipys_by_the_same_seed_always(seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.15, 1, 60)
    p = randomisation_p(differences, seed)
    expected = scipy.stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=DRAWS, rng=np.random.default_rng(seed)
    ).pvalue
    # Four standard errors of both.
    assert p == pytest.approx(expected, abs=4 * (2 * 0.25 / DRAWS) ** 0.5)
    assert randomisation_p(differences, seed) == p
    assert randomisation_p(-differences, seed) == p
    assert randomisation_p(differences, seed + 10) != p


@pytest.mark.parametrize(
    ("differences", "t", "randomisation"),
    [
        ([], 1, 1),
        ([0.0, 0.0], 1, 1),
        ([0.3], 1, 1),
        ([0.1] * 5, 0, 2 / 2**5),
        ([0.1] * 3 + [0.0] * 30, scipy.stats.ttest_1samp([0.1] * 3 + [0.0] * 30, 0).pvalue, 2 / 2**3),
        ([0.1] * 40, 0, 1 / (DRAWS + 1)),
        ([0.2, -0.2], 1, 1),
    ],
)
def test_p_of_samples_at_the_edge(differences: list[float], t: float, randomisation: float) -> None:
    assert student_p(np.array(differences)) == pytest.approx(t, rel=1e-9)
    assert randomisation_p(np.array(differences)) == pytest.approx(randomisation, rel=1e-12)


def test_differences_by_rounding_are_none() -> None:
    for test in ("wilcoxon", "t", "randomisation"):
        assert compare([0.1 + 0.2, 0.5], [0.3, 0.5], "AP", test=test).p == 1


@pytest.mark.parametrize("p_values", [[], [0.3], [0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 0.001], [1, 1, 0.9, 0, 0.2]])
def test_the_false_discovery_rate_is_scipys(p_values: list[float]) -> None:
    expected = scipy.stats.false_discovery_control(p_values).tolist() if p_values else []
    assert benjamini_hochberg(p_values) == pytest.approx(expected, rel=1e-12)


def test_the_direction_of_a_test_of_means_is_that_of_the_mean() -> None:
    # Small losses and large gains: ranks and mean differ in sign.
    baseline, values = [0.5] * 16, [0.49] * 13 + [0.9] * 3
    by_test = {
        test: compare(values, baseline, "AP", test=test, alpha=0.3) for test in ("wilcoxon", "t", "randomisation")
    }
    assert {test: one.direction for test, one in by_test.items()} == {
        "wilcoxon": "mixed",
        "t": "better",
        "randomisation": "better",
    }
    assert {one.effect for one in by_test.values()} == {by_test["wilcoxon"].effect}
    assert by_test["t"].smallest_p == 0


@pytest.mark.parametrize(("correction", "name"), [("holm", "randomisation"), ("bh", "t"), ("none", "wilcoxon")])
def test_comparisons_say_how_they_were_tested(correction: str, name: str) -> None:
    values, baseline = sample(12)
    table = {
        run: {"AP": dict(enumerate(column))} for run, column in (("a", baseline), ("b", values), ("c", values[::-1]))
    }
    as_texts = {run: {"AP": {str(topic): value for topic, value in by["AP"].items()}} for run, by in table.items()}
    compared = compare_all(as_texts, {"b": "a", "c": "a"}, correction=correction, test=name)
    family = [compared["b"]["AP"], compared["c"]["AP"]]
    assert {(one.correction, one.test) for one in family} == {(correction, name)}
    if correction == "bh":
        expected = scipy.stats.false_discovery_control([one.p for one in family])
        assert [one.p_corrected for one in family] == pytest.approx(expected)


def test_an_unknown_test_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"'sign'.*wilcoxon, t, randomisation"):
        compare([0.1], [0.2], "AP", test="sign")
