"""What a finished experiment tells a choice about times: which of them, and what they are worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from decision_samples import DECISION, chosen
from report_samples import BASELINE, JUSTEXT, WORDS, measured_time, small, twin

from thresher.choosing.choices import read_choice
from thresher.choosing.decisions import Basis, Decision, QueryCosts, SizeKind
from thresher.choosing.savings import Timed, Timings
from thresher.costs import Interval, Power
from thresher.experiments.chooser import _costs, _savings, _timings, measured_again
from thresher.experiments.config import load_experiment
from thresher.results.experiment_results import Results, VariantResult

POWER = Power(100.0, "configured")


def results_of(*rows: VariantResult) -> Results:
    return replace(small(), rows=rows)


def decision_over(*rows: VariantResult) -> Decision:
    """A decision among these variants, at the sizes of their indexes; the first is recommended."""
    variants = tuple(
        replace(DECISION.variants[1], name=row.variant, sweep=row.sweep or row.variant, size=float(row.index_bytes))
        for row in rows
    )
    picks = tuple(replace(pick, variant=variants[0]) for pick in DECISION.picks)
    return replace(
        DECISION, baseline_size=float(BASELINE.index_bytes), size_kind=SizeKind.BYTES, variants=variants, picks=picks
    )


def test_what_was_timed() -> None:
    timings = _timings(small(), "qld")
    assert timings.twin == twin().ratio
    assert BASELINE.query is not None
    assert WORDS.query is not None
    assert JUSTEXT.query is not None
    assert timings.rows == (
        Timed("none", (), 2_500_000, 1.5, 2.0, BASELINE.query),
        Timed("words@11", ("words",), 1_234_567, 12.5, 1.5, WORDS.query),
        Timed("justext", ("justext",), 750_000, 12.5, 1.5, JUSTEXT.query),
    )
    assert _timings(None, "qld") == _timings(small(), "bm25") == Timings()
    assert _timings(replace(small(), noise=()), "qld") == Timings()


def test_indexing_within_noise_takes_what_the_baseline_takes() -> None:
    alike = replace(measured_time(1500.0, 0.75), measurable=False)
    timed = _timings(results_of(BASELINE, replace(WORDS, indexing=alike)), "qld").rows
    assert [row.index_seconds for row in timed] == [2.0, 2.0]
    # Timed once, an index takes what it took.
    once = [replace(row, indexing=None) for row in (BASELINE, replace(WORDS, index=replace(WORDS.index, wall=1.75)))]
    timed = _timings(results_of(*once), "qld").rows
    assert [row.index_seconds for row in timed] == [2.25, 1.75]


def test_costs_are_of_all_variants_that_can_be_told_from_noise() -> None:
    decision = decision_over(WORDS, JUSTEXT)
    (found,) = _costs([decision, replace(decision, measure="P@10", variants=())], small())
    assert WORDS.query is not None
    assert found == QueryCosts("qld", 0.00125, {"words@11": WORDS.query.saved, "justext": None})


def test_prices_are_by_byte_and_of_what_was_timed() -> None:
    decision = decision_over(WORDS)
    assert list(_costs([replace(decision, size_kind=SizeKind.POSTINGS)], small())) == []
    assert list(_costs([replace(decision, retrieval="bm25")], small())) == []
    assert list(_costs([decision], replace(small(), noise=()))) == []


def test_savings_are_of_what_is_recommended() -> None:
    found = _savings(decision_over(WORDS, JUSTEXT), 1_000_000, small(), POWER)
    assert found is not None
    assert (found.variant, found.basis, found.indexes) == ("words@11", Basis.MEASURED, 3)
    assert found.query_seconds == Interval(*(pytest.approx(seconds) for seconds in (500, 450, 550)))
    assert found.extra_seconds == pytest.approx(12.5 - 1.5 + 1.5 - 2.0)
    # Net seconds at 100 W and 0.341 kg/kWh.
    assert found.co2_kg == Interval(
        *(pytest.approx((seconds - 10.5) / 3600 * 0.1 * 0.341) for seconds in (500, 450, 550))
    )
    noise = _savings(decision_over(JUSTEXT), 1_000_000, small(), POWER)
    assert noise is not None
    assert (noise.basis, noise.query_seconds, noise.co2_kg) == (Basis.NOT_MEASURABLE, None, None)
    unknown = _savings(decision_over(WORDS), 1_000_000, None, POWER)
    assert unknown is not None
    assert (unknown.basis, unknown.query_seconds, unknown.extra_seconds) == (Basis.NOT_RUN, None, None)
    stay = tuple(replace(pick, variant=None) for pick in DECISION.picks)
    assert _savings(replace(DECISION, picks=stay), 1_000_000, small(), POWER) is None


def test_new_times_change_what_is_saved_and_nothing_else(tmp_path: Path) -> None:
    for name in ("pages", "topics", "qrels"):
        (tmp_path / name).touch()
    (tmp_path / "e.toml").write_text(
        '[experiment]\nname = "e"\n[collection]\npath = "pages"\n[topics]\npath = "topics"\n[qrels]\npath = "qrels"\n'
        '[cleaners]\nnames = ["words@11"]\n[costs]\nmeasured_watts = 100\n'
    )
    experiment = load_experiment(tmp_path / "e.toml")
    decision = decision_over(WORDS, JUSTEXT)
    before = chosen(decision, savings=(_savings(decision, 5000, None, POWER),))
    changed = measured_again(before, experiment, small(), tmp_path)
    assert read_choice(tmp_path) == changed
    (saved,) = changed.savings
    assert (saved.queries, saved.basis) == (5000, Basis.MEASURED)
    assert saved.query_seconds == Interval(*(pytest.approx(seconds) for seconds in (2.5, 2.25, 2.75)))
    assert changed.costs == tuple(_costs([decision], small()))
    assert "100 W a machine (measured power, configured)" in changed.co2_method
    (one,) = changed.recommendations
    restored = replace(one, savings=before.recommendations[0].savings)
    assert replace(changed, recommendations=(restored,), costs=before.costs, co2_method=before.co2_method) == before
    # The same times change nothing, and nothing is written.
    written = (tmp_path / "choice.json").stat().st_mtime_ns
    assert measured_again(changed, experiment, small(), tmp_path) == changed
    assert (tmp_path / "choice.json").stat().st_mtime_ns == written
