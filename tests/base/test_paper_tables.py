"""Table 4 of the PyPlexity paper goes in, Table 5 comes out; and docs/results/costs.md shows what comes out."""

from pathlib import Path

import pytest

from thresher.base.machine import Power

DOCS = Path(__file__).parents[2] / "docs" / "results" / "costs.md"
WATTS = 2 * 85  # a node has two Xeon E5-2630 v4
NODES = 15  # for both cleaning steps

# name: index building, search of 50 queries, "search of 10K queries"
TABLE_4 = {
    "BASELINE": ("03:24:23", "00:00:45", "125:25:00"),
    "bigrams, BNC (8K)": ("01:01:42", "00:00:23", "64:11:40"),
    "bigrams, BNC (10K)": ("01:07:48", "00:00:25", "70:03:20"),
    "trigrams, BNC (8K)": ("01:00:08", "00:00:24", "65:31:40"),
    "trigrams, BNC (10K)": ("01:04:04", "00:00:25", "68:56:40"),
}
CLEANING = "00:45:00"  # tags, and again perplexity

# name: tag cleaning, perplexity, index building, 10K queries, 1M queries
TABLE_5 = {
    "BASELINE": ("–", "–", "0.20", "0.15", "14.54"),
    "bigrams, BNC (8K)": ("0.65", "0.65", "0.06", "0.07", "7.44"),
    "bigrams, BNC (10K)": ("0.65", "0.65", "0.07", "0.08", "8.12"),
    "trigrams, BNC (8K)": ("0.65", "0.65", "0.06", "0.08", "7.60"),
    "trigrams, BNC (10K)": ("0.65", "0.65", "0.06", "0.08", "7.99"),
}


def hours(time: str) -> float:
    h, m, s = map(int, time.split(":"))
    return h + m / 60 + s / 3600


def co2_kg(machine_hours: float) -> float:
    return (Power(WATTS, "two sockets").grams(3600 * machine_hours) or 0.0) / 1000


def kg(name: str) -> tuple[float, float, float, float]:
    """Cleaning (each of the two steps), index, 10K queries, 1M queries."""
    index, _, ten_thousand = TABLE_4[name]
    # Table 5 follows from a fiftieth of the column: see below.
    queries = hours(ten_thousand) / 50
    cleaning = 0.0 if name == "BASELINE" else hours(CLEANING) * NODES
    return (
        co2_kg(cleaning),
        co2_kg(hours(index)),
        co2_kg(queries),
        co2_kg(100 * queries),
    )


def printed(name: str) -> tuple[str, ...]:
    cleaning, *rest = kg(name)
    cleaned = "–" if name == "BASELINE" else f"{cleaning:.2f}"
    return (cleaned, cleaned, *(f"{value:.2f}" for value in rest))


@pytest.mark.parametrize("name", list(TABLE_4))
def test_table_5_follows_from_table_4(name):
    assert printed(name) == TABLE_5[name]


@pytest.mark.parametrize("name", list(TABLE_4))
def test_the_10k_column_is_50_times_10k_queries(name):
    _, fifty, ten_thousand = TABLE_4[name]
    of_one = hours(ten_thousand) / 10_000 * 3600
    # What is called one query's time there is the time of the 50 queries, before rounding to seconds.
    assert round(of_one) == pytest.approx(hours(fifty) * 3600, abs=1)
    assert of_one / 50 * 10_000 / 3600 == pytest.approx(hours(ten_thousand) / 50, rel=1e-12)


def test_the_10k_column_for_the_baseline_in_numbers():
    assert hours("125:25:00") * 3600 / 10_000 == pytest.approx(45.15)
    assert hours("02:30:30") * 3600 == pytest.approx(45.15 / 50 * 10_000)


def saving_per_million() -> float:
    """Mean over the four variants, with cleaning and indexing."""
    _, base_index, _, base_search = kg("BASELINE")
    savings = []
    for name in list(TABLE_4)[1:]:
        cleaning, index, _, search = kg(name)
        savings.append(base_index + base_search - (2 * cleaning + index + search))
    return sum(savings) / len(savings)


def test_the_saving_a_day_is_16_tonnes():
    assert saving_per_million() == pytest.approx(5.58, abs=0.01)
    queries_a_day = 2_000_000 * 60 * 24
    tonnes = 5.58 * queries_a_day / 1_000_000 / 1000
    assert f"{tonnes:.2f}" == "16.07"


def test_the_page_shows_these_tables():
    page = DOCS.read_text(encoding="utf-8")
    for name in TABLE_4:
        assert f"| {name} | {' | '.join(printed(name))} |" in page
        assert f"| {name} | {' | '.join(TABLE_4[name])} |" in page
    for number in ("5.58", "16.07 t", "45.15 s", "2:30:30", "2,880 million", "0.341", "170 W"):
        assert number in page
