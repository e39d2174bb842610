"""What was chosen and tested, as a table, as CSV and in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.evaluation.significance import ALPHA
from thresher.reports.cleaning_tables import p_cell
from thresher.reports.csv_files import COMPARED, compared_numbers, csv_text, number_text
from thresher.reports.formatting import MARKS, MINUS, NOTHING, fixed, signed
from thresher.reports.tables import MEASURE_DECIMALS, Cell, Column, Table, wins_cell
from thresher.results.held_out import Chosen, chosen_rows
from thresher.results.records import Results
from thresher.results.selection import baseline_row, direction, main_measure, retrievals

CHOSEN_FILE = "chosen.csv"


def chosen_table(results: Results) -> Table | None:
    """Return a row a sweep and single cleaner; None where nothing is tested.

    Raises:
        InputError: as `chosen_rows`.
    """
    tested, held_out = chosen_rows(results), results.held_out
    if not tested or held_out is None:
        return None
    several = len(retrievals(results)) > 1
    measure = main_measure(results)
    columns = (
        Column("chosen", align="left"),
        *((Column("retrieval", align="left"),) if several else ()),
        Column("training"),
        Column("held out", marked=True),
        Column("baseline", "held out"),
        Column("difference"),
        Column("interval"),
        Column("W/T/L", "topics"),
        Column("p"),
        Column("best possible", "variant", align="left"),
        Column("best possible", "difference"),
        Column("optimism"),
    )
    rows = tuple(tuple(_cells(item, held_out, measure, several)) for item in tested)
    return Table(columns, rows, _caption(results, held_out, tested), keys=1 + several)


def chosen_csv(results: Results) -> str:
    """Return one line a sweep and single cleaner, with all numbers of the main measure, here those of `best` too.

    Raises:
        InputError: as `chosen_rows`.
    """
    measure = main_measure(results)
    header = ["retrieval", "sweep", "chosen", "measure", "training", "held_out"]
    header += [f"held_out {name}" for name in COMPARED]
    header += ["best", "best held_out", *(f"best {name}" for name in COMPARED), "optimism"]
    return csv_text(header, (_line(item, measure) for item in chosen_rows(results)))


def chosen_sentences(results: Results) -> Iterator[str]:
    """Give a sentence for each sweep and retrieval model.

    Raises:
        InputError: as `chosen_rows`.
    """
    held_out, measure = results.held_out, main_measure(results)
    for item in chosen_rows(results):
        if held_out is None or item.best is None or item.optimism is None:
            continue
        row, found = item.held_out, item.comparison
        opening = f"{row.retrieval}: " if len(retrievals(results)) > 1 else ""
        value, baseline = row.measures[measure], baseline_row(held_out, row.retrieval).measures[measure]
        text = (
            f"{opening}Chosen on the {results.topics} topics, {row.variant} has a {measure} of {_value(value)} "
            f"on the {held_out.topics} held-out ones, against {_value(baseline)} of the baseline "
            f"(difference {_signed(found.difference)}, interval {_signed(found.ci_low)} to {_signed(found.ci_high)}, "
            f"{'' if direction(found) != 'none' else 'not '}significant)"
        )
        if item.best is row:
            yield f"{text}; it is the best there too."
        else:
            yield f"{text}; {item.best.variant}, the best there, would have promised {_value(item.optimism)} more."


def _cells(item: Chosen, held_out: Results, measure: str, several: bool) -> Iterator[Cell]:
    row, found, best = item.held_out, item.comparison, item.best
    value = row.measures[measure]
    baseline = baseline_row(held_out, row.retrieval).measures[measure]
    yield Cell(row.variant)
    if several:
        yield Cell(row.retrieval)
    yield _number(item.training.measures[measure])
    yield Cell(_value(value), MARKS[direction(found)], value)
    yield _number(baseline)
    yield Cell(_signed(found.difference), value=found.difference)
    yield Cell(f"{_signed(found.ci_low)} to {_signed(found.ci_high)}", value=found.ci_low)
    yield wins_cell(found)
    yield p_cell(found.p_holm)
    yield Cell(best.variant if best else NOTHING)
    gained = best.comparisons[measure].difference if best else None
    yield Cell(_signed(gained), value=gained)
    yield _number(item.optimism)


def _caption(results: Results, held_out: Results, tested: Sequence[Chosen]) -> str:
    rows = len(tested)
    text = (
        f"{main_measure(results)}. Of each sweep the cutoff of the best mean over the {results.topics} training topics, of "
        f"equals that with the smallest index, and the single cleaners, tested on {held_out.topics} held-out topics, which "
        "had no part in the choice. Difference, 95 % interval and p against the baseline on the held-out topics. "
        f"{results.test}, Holm correction over {rows} {'row' if rows == 1 else 'rows'}, α = {ALPHA}: †+ is significantly "
        f"better, †{MINUS} significantly worse."
    )
    if any(direction(item.comparison) == "mixed" for item in tested):
        text += " † alone is significant, but mean and ranks differ in sign."
    return f"{text} Optimism: what the best cutoff on the held-out topics would have promised beyond the chosen one."


def _line(item: Chosen, measure: str) -> list[str]:
    row, best = item.held_out, item.best
    line = [row.retrieval, item.sweep or "", row.variant, measure]
    line += [number_text(item.training.measures[measure]), number_text(row.measures[measure])]
    line += compared_numbers(item.comparison)
    line += [best.variant if best else "", number_text(best.measures[measure] if best else None)]
    return [*line, *compared_numbers(best.comparisons[measure] if best else None), number_text(item.optimism)]


def _number(value: float | None) -> Cell:
    return Cell(_value(value), value=value)


def _value(value: float | None) -> str:
    return fixed(value, MEASURE_DECIMALS)


def _signed(value: float | None) -> str:
    return signed(value, MEASURE_DECIMALS)
