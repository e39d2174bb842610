"""Every record that Thresher writes as JSON: what is written is read, whatever the values."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from thresher.base.records import RecordFile
from thresher.cleaners.characters import scoring
from thresher.cleaners.content_model import model
from thresher.collections.interface import IdRule
from thresher.experiments import adviser, results, stages
from thresher.experiments.choosing import choices, shared
from thresher.experiments.choosing.criteria import ChoiceCriteria, Margin
from thresher.experiments.explaining import explanations
from thresher.indexes import indexing
from thresher.indexes.indexing import IndexOptions
from thresher.pages import PageOptions
from thresher.scores import crash_log, score_pass, sites, store

MODULES = (
    adviser,
    choices,
    crash_log,
    explanations,
    indexing,
    model,
    results,
    score_pass,
    scoring,
    shared,
    sites,
    stages,
    store,
)
FILES = [
    pytest.param(value, id=f"{module.__name__.removeprefix('thresher.')}.{name}")
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, RecordFile) and value is not results._FILE
]
"""All but that of results, whose arrays fit each other: tests/experiments/test_variant_files.py writes and reads them."""
# Not any values fit into these.
st.register_type_strategy(Margin, st.builds(Margin, st.floats(0.01, 0.99), st.just(True)))
st.register_type_strategy(
    ChoiceCriteria, st.builds(ChoiceCriteria, alpha=st.floats(0.01, 0.4), deciding=st.just(("AP",)))
)
st.register_type_strategy(IndexOptions, st.sampled_from([IndexOptions(), IndexOptions(stemmer="none", positions=True)]))
# Any text is no regular expression with its replacement, unless its signs with a meaning are escaped.
st.register_type_strategy(
    IdRule,
    st.builds(
        IdRule, pattern=st.text().map(re.escape), replacement=st.text().map(lambda text: text.replace("\\", r"\\"))
    ),
)
st.register_type_strategy(PageOptions, st.sampled_from([PageOptions(), PageOptions("split", "de")]))


@pytest.mark.parametrize("file", FILES)
@settings(
    max_examples=2, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_what_is_written_is_read(file: RecordFile[Any], data: st.DataObject) -> None:
    record = data.draw(st.from_type(file.kind))
    text = file.text(record)
    read = file.parse(text, "x")
    assert type(read) is file.kind
    assert {field.name for field in dataclasses.fields(record)} <= json.loads(text).keys()
    # By their texts, in which NaN equals NaN.
    assert file.text(read) == text
