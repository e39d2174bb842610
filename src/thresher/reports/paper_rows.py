"""The rows of tables and plots for papers: their selection and their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from thresher.base.errors import ConfigError
from thresher.experiments.results import BaselineRun, Results
from thresher.experiments.table import VariantTable
from thresher.indexes.pruning.treatments import BAR
from thresher.reports.variant_columns import variant_columns
from thresher.reports.variant_rows import VariantRow
from thresher.reports.variant_tables import shown_rows

MOST_ROWS = 40
"""Rows of a table before cutoffs are left out: a page holds no more."""


def labelled(name: str, labels: Mapping[str, str]) -> str:
    """Return what a paper shows for a name: its label, or the name with the labels of its sweep, or of its two parts.

    >>> labels = {"content(headings=keep)": "Content", "none|dcp": "DCP", "justext": "jusText"}
    >>> labelled("content(headings=keep)@0.3", labels), labelled("none|dcp@0.5", labels), labelled("justext|up@1", labels)
    ('Content@0.3', 'DCP@0.5', 'jusText|up@1')
    """
    if name in labels:
        return labels[name]
    sweep, at, cutoff = name.rpartition("@")
    if sweep in labels:
        return f"{labels[sweep]}{at}{cutoff}"
    cleaner, bar, pruning = name.partition(BAR)
    if not bar:
        return name
    return f"{labelled(cleaner, labels)}{bar}{labelled(pruning, labels)}"


@dataclass(frozen=True, eq=False)
class PaperRow:
    """A variant as a retrieval model ranks it, or a run of another system: the other one is None."""

    name: str
    retrieval: str
    variant: VariantRow | None = None
    system: BaselineRun | None = None


def paper_rows(results: Results, asked: Sequence[str] = (), model: str | None = None) -> list[PaperRow]:
    """Return the rows of a table: of each retrieval model the baseline and the others; runs of other systems at the end.

    Args:
        results: the results.
        asked: variants, sweeps and systems by name or label, in the order of the rows; by default all that were built.
        model: the retrieval model; None for all.

    Raises:
        ConfigError: if there is no such row or retrieval model.
    """
    labels = results.facts.labels
    tables = results.tables if model is None else (results.table(model),)
    check_rows(results, asked)
    rows: list[PaperRow] = []
    for table in tables:
        retrieval = labelled(table.retrieval, labels)
        for row in _variants(table, asked, labels):
            rows.append(PaperRow(labelled(row.record.name, labels), retrieval, variant=row))
    for system in results.facts.systems:
        name = labelled(system.name, labels)
        if not asked or {system.name, name} & set(asked):
            rows.append(PaperRow(name, "", system=system))
    return rows


def check_rows(results: Results, asked: Sequence[str]) -> None:
    """Refuse names of no variant, sweep or system.

    Raises:
        ConfigError: if there is one.
    """
    labels = results.facts.labels
    names: set[str] = set()
    for row in results.tables[0].rows:
        names.update((row.name, row.variant.sweep or row.name))
    names.update(system.name for system in results.facts.systems)
    names.update([labelled(name, labels) for name in names])
    for name in asked:
        if name not in names:
            near = get_close_matches(name, names, 3) or sorted(names)[:10]
            raise ConfigError(
                f"there is no row {name!r}", f"name a variant, sweep or system, such as {', '.join(near)}", "rows"
            )


def unused_labels(results: Results) -> list[str]:
    """Return the names with a label that nothing in the results has."""
    names = set(results.retrievals)
    names.update(system.name for system in results.facts.systems)
    for row in results.tables[0].rows:
        names |= _names_of_parts(row.name)
        if row.variant.sweep:
            names |= _names_of_parts(row.variant.sweep)
        names.update(scorer.canonical_name for scorer in row.variant.cleaner.scorers)
    for column in variant_columns(results.measures):
        names.update((column.name, column.title))
    labels = results.facts.labels
    # Names with paths stand there twice, from the file's folder and from the working folder.
    used = {labels[name] for name in names if name in labels}
    unused: list[str] = []
    for name, label in labels.items():
        if name not in names and label not in used:
            unused.append(name)
    return unused


def _names_of_parts(name: str) -> set[str]:
    """Return the name of a variant or sweep, its cleaner and its pruning method, each with and without its cutoff."""
    with_cutoffs = {name}
    with_cutoffs.update(name.split(BAR))
    without_cutoffs = {part.rpartition("@")[0] for part in with_cutoffs}
    return with_cutoffs | without_cutoffs


def _variants(table: VariantTable, asked: Sequence[str], labels: Mapping[str, str]) -> Iterator[VariantRow]:
    if not asked:
        yield from shown_rows(table, MOST_ROWS)
        return
    indices = [0]
    indices += asked_variants(table, asked, labels)
    for index in dict.fromkeys(indices):
        yield VariantRow(table, index)


def asked_variants(table: VariantTable, asked: Sequence[str], labels: Mapping[str, str]) -> Iterator[int]:
    """Give the variants of names, sweeps or labels, in this order; of a sweep those that were built, if any was."""
    built = set(table.built)
    for name in asked:
        of_sweep: list[int] = []
        for index, row in enumerate(table.rows):
            if name in (row.name, labelled(row.name, labels)):
                yield index
            elif row.variant.sweep is not None and name in (row.variant.sweep, labelled(row.variant.sweep, labels)):
                of_sweep.append(index)
        yield from [index for index in of_sweep if index in built] or of_sweep
