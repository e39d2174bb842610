"""What is written of results is what is read, and what is damaged is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sweep_views import same_tables

from thresher.base.errors import StateError
from thresher.base.files import file_digest
from thresher.base.machine import Power
from thresher.base.repeats import BreakEven, Payoff
from thresher.experiments.results import (
    RESULTS_FILE,
    TABLE_FILE,
    Facts,
    Pages,
    Results,
    Setup,
    read_results,
    write_results,
)
from thresher.experiments.table import Built, Cost, Row, Variant, VariantTable
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import IndexStatistics, QueryWork

NAMES = ("none", "words@5", "words@2.5", "none|dcp@0.5", "words@5|tcp(k=10)@0.25", "justext", "words@p30+density@9")
FACTS = Facts(
    "mine",
    "Mine — “ä”",
    "0123",
    {},
    {},
    Pages(5, 3, 1, 1, 77, (("a", "no text"),)),
    Setup("join", "en", 8.0, 10.0, ("words",), "porter", True, (), 1000, 0, 2, 0.0, Power(65.0, "TDP")),
)
BUILT = Built(
    {"doc": 12, "tim": 3},
    QueryWork(1.5, 2.5, (1.0, 2.0), (2.0, 3.0)),
    Cost(0.1, 0.2, 30.0),
    Cost(1.1, 1.2, 31.0, 0.004),
    Cost(2.1, 2.2, 32.0),
    None,
    None,
    BreakEven(Payoff.UNKNOWN),
    (),
)


@st.composite
def results(draw: st.DrawFn) -> Results:
    """Results of one or two retrieval models, with and without held-out topics."""
    names = ("none", *draw(st.lists(st.sampled_from(NAMES[1:]), unique=True)))
    topics = draw(st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True))
    held_out = draw(st.lists(st.text(max_size=5), max_size=3, unique=True))
    measures = ("AP", "nDCG@10")
    number = st.floats(width=64)
    rows = tuple(
        Row(
            Variant(parse_treatment(name), draw(st.none() | st.just("words")), draw(st.none() | number)),
            IndexStatistics(*draw(st.tuples(*[st.integers(0, 2**40)] * 4))),
            draw(st.integers(0, 2**40)),
            draw(st.none() | st.integers(0, 2**40)),
            draw(st.booleans()),
            draw(st.none() | st.just(BUILT)),
        )
        for name in names
    )
    tables = tuple(
        VariantTable(
            model,
            measures,
            tuple(topics),
            rows,
            draw(arrays.arrays(np.float64, (2, len(names), len(topics)), elements=number)),
            draw(arrays.arrays(np.float64, (len(names), len(topics)), elements=number)),
            tuple(held_out),
            draw(arrays.arrays(np.float64, (2, len(names), len(held_out)), elements=number)),
        )
        for model in draw(st.sampled_from([("qld",), ("qld", "bm25(b=0.4)")]))
    )
    facts = replace(FACTS, topics=dict.fromkeys(topics, "a query"), held_out_topics=dict.fromkeys(held_out, "b"))
    return Results(facts, tables)


@given(results())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, written: Results) -> None:
    folder = tmp_path_factory.mktemp("results")
    write_results(written, folder)
    read = read_results(folder)
    assert read.facts == written.facts
    if not any(cutoff != cutoff for row in written.tables[0].rows if (cutoff := row.variant.cutoff) is not None):
        assert same_tables(read.tables, written.tables)
    before = (folder / TABLE_FILE).read_bytes(), (folder / RESULTS_FILE).read_bytes()
    write_results(read, folder)
    assert before == ((folder / TABLE_FILE).read_bytes(), (folder / RESULTS_FILE).read_bytes())


def table(names: tuple[str, ...], values: list[list[float]], sizes: list[int]) -> VariantTable:
    """A table of one measure; sweeps are named by the scorer."""
    rows = tuple(
        Row(
            Variant(parse_treatment(name), "words" if name.startswith("words@") and "|" not in name else None, None),
            IndexStatistics(9, size, size, 5),
            size,
            bytes=size,
        )
        for name, size in zip(names, sizes, strict=True)
    )
    topics = tuple(str(number) for number in range(len(values[0])))
    array = np.array([values])
    return VariantTable("qld", ("nDCG@10",), topics, rows, array, array[0] * 0, (), np.zeros((1, len(names), 0)))


SMALL = table(
    ("none", "words@2", "words@5", "none|dcp@0.5", "none|random(seed=0)@0.5", "words@5|dcp@0.5"),
    [[0.5, 0.5], [0.5, 0.7], [0.2, 0.2], [0.6, 0.6], [0.9, 0.9], [0.1, 0.3]],
    [100, 80, 40, 50, 50, 20],
)


def test_the_front_the_best_and_families_are_those_worked_out_by_hand() -> None:
    assert SMALL.main == "nDCG@10"
    assert SMALL.mean("nDCG@10").tolist() == [0.5, 0.6, 0.2, 0.6, 0.9, 0.2]
    assert SMALL.candidates == (1, 2, 3, 5)  # the random one is a control
    assert SMALL.front("nDCG@10", SMALL.candidates) == (5, 3)
    assert SMALL.front("nDCG@10") == (5, 4)
    assert SMALL.frontier("nDCG@10", SMALL.candidates) == (5, 3)
    assert SMALL.best("nDCG@10", SMALL.candidates) == 3  # of equals the smaller
    assert {family.value: indices for family, indices in SMALL.families.items()} == {
        "cleaners": (1, 2),
        "pruning": (3,),
        "combinations": (5,),
    }
    assert dict(SMALL.sweeps) == {"words": (1, 2)}
    assert SMALL.singles == (3, 5)
    assert SMALL.shares.tolist() == [1.0, 0.8, 0.4, 0.5, 0.5, 0.2]
    assert SMALL.emptied.tolist() == [0] * 6


def test_tables_are_joined_and_cut() -> None:
    first, second = SMALL.only((0, 2)), SMALL.only((0, 1, 2))
    joined = first.joined(second)
    assert [row.name for row in joined.rows] == ["none", "words@5", "words@2"]
    assert joined.of("nDCG@10").tolist() == [[0.5, 0.5], [0.2, 0.2], [0.5, 0.7]]
    with pytest.raises(ValueError, match="do not join"):
        first.joined(replace(second, retrieval="bm25"))
    with pytest.raises(ValueError, match="baseline"):
        SMALL.only((1, 2))
    with pytest.raises(ValueError, match="twice"):
        SMALL.only((0, 1, 1))


def test_what_was_built_and_what_was_explored_complete_each_other() -> None:
    def of(names: dict[str, tuple[bool, bool]]) -> Results:
        whole = SMALL.only([SMALL.position[name] for name in names])
        rows = [
            replace(row, explored=names[row.name][0], built=BUILT if names[row.name][1] else None) for row in whole.rows
        ]
        return Results(replace(FACTS, topics={"0": "a", "1": "b"}), (whole.with_rows(rows),))

    explored = of({"none": (True, False), "words@2": (True, False), "words@5": (True, False)})
    run = of({"none": (False, True), "words@5": (False, True), "none|dcp@0.5": (False, True)})
    both = run.with_explored(explored)
    assert [(row.name, row.explored, row.built is not None) for row in both.tables[0].rows] == [
        ("none", True, True),
        ("words@5", True, True),
        ("none|dcp@0.5", False, True),
        ("words@2", True, False),
    ]
    again = explored.with_built(run)
    assert [(row.name, row.explored, row.built is not None) for row in again.tables[0].rows] == [
        ("none", True, True),
        ("words@2", True, False),
        ("words@5", True, True),
        ("none|dcp@0.5", False, True),
    ]
    assert both.was_run
    assert both.was_explored
    assert [row.name for row in both.only_built().tables[0].rows] == ["none", "words@5", "none|dcp@0.5"]
    # A variant that is run no more stays as explored.
    less = of({"none": (False, True), "none|dcp@0.5": (False, True)}).with_explored(both)
    assert [(row.name, row.built is not None) for row in less.tables[0].rows] == [
        ("none", True),
        ("none|dcp@0.5", True),
        ("words@5", False),
        ("words@2", False),
    ]


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="nothing was explored or run yet"):
        read_results(tmp_path)
    facts = replace(FACTS, topics={"0": "a", "1": "b"})
    write_results(Results(facts, (SMALL,)), tmp_path)
    kept = (tmp_path / TABLE_FILE).read_bytes()
    write_results(Results(facts, (SMALL.only((0, 1)),)), tmp_path)
    text = (tmp_path / RESULTS_FILE).read_text(encoding="utf-8")
    for table_bytes in (kept, kept[:-7], b""):
        (tmp_path / TABLE_FILE).write_bytes(table_bytes)
        with pytest.raises(StateError, match="not the table that belongs"):
            read_results(tmp_path)
    (tmp_path / TABLE_FILE).unlink()
    with pytest.raises(StateError, match=TABLE_FILE):
        read_results(tmp_path)
    for broken in (text[:-9], "[]", text.replace('"version":7', '"version":6'), text.replace('"facts"', '"fact"')):
        assert broken != text
        (tmp_path / RESULTS_FILE).write_text(broken, encoding="utf-8")
        with pytest.raises(StateError, match=RESULTS_FILE):
            read_results(tmp_path)


def test_names_that_would_now_mean_something_else_are_refused(tmp_path: Path) -> None:
    # Written when content kept no headline by default.
    variants = [Variant(parse_treatment(name)) for name in ("none", "content@0.5")]
    rows = [replace(row, variant=variant) for row, variant in zip(SMALL.rows, variants, strict=False)]
    results = Results(replace(FACTS, topics={"0": "a", "1": "b"}), (replace(SMALL.only((0, 1)), rows=tuple(rows)),))
    write_results(results, tmp_path)
    assert [row.name for row in read_results(tmp_path).tables[0].rows] == ["none", "content(headings=headline)@0.5"]
    path, facts = tmp_path / TABLE_FILE, tmp_path / RESULTS_FILE
    table, digest = pq.read_table(path), file_digest(path)
    names = pa.array(["none", "content@0.5"])
    pq.write_table(table.set_column(table.schema.get_field_index("variant"), "variant", names), path)
    facts.write_text(facts.read_text(encoding="utf-8").replace(digest, file_digest(path)), encoding="utf-8")
    with pytest.raises(StateError, match=r"content@0\.5 .*named content\(headings=headline\)@0\.5"):
        read_results(tmp_path)
