"""The columns of what a variant costs: exact work, measured times, stages, energy and CO2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thresher.costs import Footprint, Interval, MeasuredTime
from thresher.reports.formatting import BELOW_RESOLUTION, fixed, significant_digits
from thresher.reports.table import COUNT, Column, each, fitted, pick, within
from thresher.results.experiment_results import Cost, VariantResult

NOT_MEASURABLE = "not measurable here"
"""What stands for a difference that noise may have made."""

WORK: tuple[Column[VariantResult], ...] = (
    Column("tokens", lambda row: row.statistics.tokens, "Tokens in the index.", "tokens", "index", COUNT),
    Column("postings", lambda row: row.statistics.postings, "Postings in the index.", "postings", "index", COUNT),
    Column(
        "vocabulary", lambda row: row.statistics.vocabulary, "Different terms in the index.", "terms", "index", COUNT
    ),
    Column(
        "query_postings",
        lambda row: row.work.postings,
        "Postings of a query's terms, mean over topics.",
        "postings",
        "a query",
        COUNT,
    ),
    Column(
        "query_documents",
        lambda row: row.work.documents,
        "Documents scored for a query, mean over topics.",
        "scored",
        "a query",
        COUNT,
    ),
)
"""The columns of exact work, the same on every machine."""
BOUNDS: tuple[Column[Interval], ...] = (
    Column("low", lambda interval: interval.low, "Lower end of the 95 % interval."),
    Column("high", lambda interval: interval.high, "Upper end of the 95 % interval."),
)


def _difference(time: MeasuredTime) -> str:
    if time.ratio.low == time.ratio.high == 1:  # the baseline
        return ""
    return "measurable" if time.measurable else NOT_MEASURABLE


def _milliseconds(time: MeasuredTime) -> Interval:
    saved = time.saved
    return Interval(1000 * saved.value, 1000 * saved.low, 1000 * saved.high)


TIMES: tuple[Column[MeasuredTime], ...] = (
    Column("ms", lambda time: 1000 * time.wall.value, "Wall time, mean over topics.", "wall", "ms", fitted(3)),
    Column("cpu_ms", lambda time: 1000 * time.cpu.value, "CPU time of the thread or process.", "CPU", "ms", fitted(3)),
    Column("ratio", lambda time: time.ratio.value, "Wall time by the baseline's, geometric mean over topics."),
    *within(BOUNDS, lambda time: time.ratio, "ratio_"),
    Column(
        "ratio_interval",
        lambda time: time.ratio.low,
        "95 % interval of the ratio.",
        "interval",
        text=lambda time: f"{fixed(time.ratio.low, 3)} to {fixed(time.ratio.high, 3)}",
        exact=False,
    ),
    Column(
        "cpu_ratio",
        lambda time: time.cpu_ratio.value,
        "CPU time by the baseline's, geometric mean over topics.",
        "CPU ratio",
    ),
    Column("saved_ms", lambda time: 1000 * time.saved.value, "Wall time less than the baseline's."),
    *within(BOUNDS, _milliseconds, "saved_ms_"),
    Column(
        "measurable",
        lambda time: "yes" if time.measurable else "no",
        "Whether the difference from the baseline is more than noise.",
        align="left",
    ),
    Column(
        "verdict",
        _difference,
        "Whether the difference from the baseline is more than noise.",
        "difference",
        align="left",
        exact=False,
    ),
)
"""The columns of a measured time."""

COSTS: tuple[Column[Cost], ...] = (
    Column("wall_seconds", lambda cost: cost.wall, "Wall seconds.", "wall", "s", fitted(2)),
    Column("cpu_seconds", lambda cost: cost.cpu, "CPU seconds.", "CPU", "s", fitted(2)),
    Column("peak_mib", lambda cost: cost.peak, "Peak memory in MiB (2²⁰ bytes).", "peak", "MiB", fitted(1)),
    Column(
        "co2_grams",
        lambda cost: BELOW_RESOLUTION if cost.co2_grams is None else cost.co2_grams,
        "Grams of CO₂ equivalents, or `below resolution` where too little was done to measure.",
        "CO₂",
        "g",
        each(significant_digits),
    ),
)
"""The columns of what a stage took."""


FOOTPRINTS = ("cleaning", "indexing", "10,000 searches", "1,000,000 searches")


def footprint_columns(works: Sequence[str] = FOOTPRINTS) -> list[Column[VariantResult]]:
    """Return hours, energy and CO2 of each kind of work, the first of those a variant has."""
    return [column for number, work in enumerate(works) for column in _footprint(number, work)]


def shown_footprints(works: Sequence[str], quantity: str) -> list[Column[VariantResult]]:
    """Return the columns that a table of `hours`, `kwh` or `kg` shows: their cells have the bounds too."""
    return pick(footprint_columns(works), *(f"{_slug(work)}_{quantity}" for work in works))


def _footprint(number: int, work: str) -> list[Column[VariantResult]]:
    def part(row: VariantResult) -> Footprint | None:
        return row.footprints[number] if number < len(row.footprints) else None

    name = _slug(work)
    columns: list[Column[VariantResult]] = []
    for quantity, unit, figure, meaning in (
        ("hours", "h", lambda item: item.hours, f"Hours of {work}, of all machines together."),
        ("kwh", "kWh", lambda item: item.kwh, f"Energy of {work}, or `{BELOW_RESOLUTION}`."),
        ("kg", "kg CO₂", lambda item: item.kg, f"CO₂ of {work}, or `{BELOW_RESOLUTION}`."),
    ):
        columns += within(_figure(quantity, unit, work, figure, meaning), part, f"{name}_")
    return columns


def _figure(
    name: str, unit: str, work: str, figure: Callable[[Footprint], Interval | None], meaning: str
) -> list[Column[Footprint]]:
    shown = Column[Footprint](
        name,
        lambda item: BELOW_RESOLUTION if (value := figure(item)) is None else value.value,
        meaning,
        work,
        unit,
        each(significant_digits),
        text=lambda item: _with_bounds(figure(item), item.repeated),
    )
    return [shown, *within(BOUNDS, lambda item: figure(item) if item.repeated else None, f"{name}_")]


def _with_bounds(figure: Interval | None, repeated: bool) -> str:
    if figure is None:
        return BELOW_RESOLUTION
    text = significant_digits(figure.value)
    if not repeated:
        return text
    return f"{text} ({significant_digits(figure.low)} to {significant_digits(figure.high)})"


def _slug(work: str) -> str:
    return work.replace(",", "").replace(" ", "_")
