"""CPU seconds of choosing among 2,500 variants by 150 topics and two measures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from measurements import Measurement
from thresher import ChoiceCriteria, IndexStatistics, Row, Variant, VariantTable, parse_treatment
from thresher.base.machine import Power
from thresher.experiments.choosing.deciding import choose_variants
from thresher.experiments.choosing.savings import Timings, savings

BAR = 5
TOPICS, STEPS = 150, 833
MEASURES = ("nDCG@10", "AP")


def measure(_: Path | None = None, rounds: int = 3) -> Iterator[Measurement]:
    """Yield the CPU seconds of the fastest round."""
    table, best = _table(), float("inf")
    power = Power(85.0, "assumed")
    for _round in range(rounds):
        began = time.process_time()
        choose_variants(table, MEASURES, ChoiceCriteria(), lambda index: savings(table, index, Timings(), 1000, power))
        best = min(best, time.process_time() - began)
    name = f"choosing among {len(table.rows) - 1:,} variants by {TOPICS} topics"
    yield Measurement(name, f"{best:.2f} s of CPU", best, BAR, " s")


def _table() -> VariantTable:
    """Return a table of three families, in which losses and their spread grow as the index shrinks."""
    dice = np.random.default_rng(9)
    base = dice.beta(3, 3, (len(MEASURES), TOPICS))
    rows, values = [Row(Variant(parse_treatment("none")), _counts(1.0), 50_000)], [base]
    for family in ("none|dcp", "none|2n2p", "words"):
        for share in np.arange(1, STEPS + 1) / 1000:
            variant = Variant(parse_treatment(f"{family}@{share:g}"), family, float(share))
            rows.append(Row(variant, _counts(share), round(50_000 * share), explored=True))
            values.append(base * (1 - 0.1 * (1 - share)) + dice.normal(0, 0.1, base.shape) * (1 - share))
    topics = tuple(f"{number:04}" for number in range(TOPICS))
    stacked = np.stack(values, axis=1)
    return VariantTable("qld", MEASURES, topics, tuple(rows), stacked, stacked[0], (), stacked[:, :, :0])


def _counts(share: float) -> IndexStatistics:
    postings = round(100_000 * share)
    return IndexStatistics(1000, 2 * postings, postings, 500)
