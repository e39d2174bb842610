"""`choice.json`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from choosing_samples import DCP, table_of
from experiments import POWER, built

from thresher.base.errors import StateError
from thresher.base.machine import Power
from thresher.experiments.choosing.choices import CHOICE_FILE, Choice, read_choice, write_choice
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.deciding import choose_variants
from thresher.experiments.choosing.savings import Timings, savings


def choice() -> Choice:
    base = np.random.default_rng(1).beta(4, 4, 60)
    table = table_of(base, {DCP: {0.9: base, 0.5: base * 0.99, 0.3: base * 0.7}, "words": {0.2: base + 0.1}})
    criteria = ChoiceCriteria(families=(DCP, "words"), deciding=("AP",))
    model = choose_variants(
        table,
        ("nDCG@10", "AP"),
        criteria,
        lambda index: savings(table, index, Timings(), 1000, Power(1.0, "configured")),
    )
    lines = {"none|dcp@0.5": ("thresher clean pages", "thresher index")}
    return Choice(
        "A title", "key", ("nDCG@10", "AP"), criteria, 1000, POWER, (model,), lines, "thresher run x --chosen"
    )


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert read_choice(tmp_path) is None
    written = choice()
    write_choice(written, tmp_path)
    assert read_choice(tmp_path) == written


def test_other_versions_are_refused(tmp_path: Path) -> None:
    write_choice(choice(), tmp_path)
    path = tmp_path / CHOICE_FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 8}))
    with pytest.raises(StateError, match=r"version 8 .* only 9"):
        read_choice(tmp_path)


def test_what_is_named_by_model() -> None:
    found = choice()
    assert (found.measure, found.named_variants("qld"), found.named_variants("bm25")) == ("nDCG@10", ("words@0.2",), ())
    assert found.of("qld") is found.models[0]
    assert found.of("bm25") is None


def test_what_was_built_is_compared_with_what_was_told() -> None:
    (model,) = choice().models
    pick = model.first
    assert pick is not None
    table = table_of(np.random.default_rng(1).beta(4, 4, 60), {"words": {0.2: np.zeros(60)}})
    assert pick.is_as_measured(table) is None
    index = table.position[pick.variant]
    rows = [*table.rows[:-1], replace(table.rows[index], built=built(0.2))]
    for more, same in ((0.0, True), (0.01, False)):
        values = table.values.copy()
        values[:, index] = [[effect.mean] for effect in pick.effects]
        values[1, index, 0] += more
        assert pick.is_as_measured(replace(table.with_rows(rows), values=values)) is same
