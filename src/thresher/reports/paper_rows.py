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
    """Return the text of a paper for a name: its label, or the name with the labels of its sweep, or of its two parts.

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


def paper_rows(results: Results, names: Sequence[str] = (), model: str | None = None) -> list[PaperRow]:
    """Return the rows of a table: the baseline and the variants of each retrieval model, then runs of other systems.

    Args:
        results: the results.
        names: variants, sweeps and systems by name or label, in the order of the rows; by default all built variants
            and all systems.
        model: the retrieval model; None for all.

    Raises:
        ConfigError: if a row or the retrieval model is unknown.
    """
    labels = results.facts.labels
    tables = results.tables
    if model is not None:
        tables = (results.table(model),)
    check_rows(results, names)
    rows: list[PaperRow] = []
    for table in tables:
        retrieval = labelled(table.retrieval, labels)
        for row in _variants(table, names, labels):
            rows.append(PaperRow(labelled(row.record.name, labels), retrieval, variant=row))
    for system in results.facts.systems:
        name = labelled(system.name, labels)
        if not names or system.name in names or name in names:
            rows.append(PaperRow(name, "", system=system))
    return rows


def check_rows(results: Results, names: Sequence[str]) -> None:
    """Refuse names that no variant, sweep or system has.

    Raises:
        ConfigError: if there is one.
    """
    labels = results.facts.labels
    declared_names = _system_names(results)
    for row in results.tables[0].rows:
        declared_names.update((row.name, row.variant.sweep or row.name))
    labelled_names = {labelled(name, labels) for name in declared_names}
    known_names = declared_names | labelled_names
    for name in names:
        if name not in known_names:
            near = get_close_matches(name, known_names, 3) or sorted(known_names)[:10]
            raise ConfigError(
                f"there is no row {name!r}", f"name a variant, sweep or system, such as {', '.join(near)}", "rows"
            )


def _system_names(results: Results) -> set[str]:
    return {system.name for system in results.facts.systems}


def unused_labels(results: Results) -> list[str]:
    """Return the labelled names that are not in the results."""
    names = _system_names(results)
    names.update(results.retrievals)
    for row in results.tables[0].rows:
        names |= _names_of_parts(row.name)
        if row.variant.sweep:
            names |= _names_of_parts(row.variant.sweep)
        for scorer in row.variant.cleaner.scorers:
            names.add(scorer.canonical_name)
    for column in variant_columns(results.measures):
        names.update((column.name, column.title))
    # Labels have a name with a path twice, from the file's folder and from the working folder.
    used_labels: set[str] = set()
    unused: dict[str, str] = {}
    for name, label in results.facts.labels.items():
        if name in names:
            used_labels.add(label)
        else:
            unused[name] = label
    return [name for name, label in unused.items() if label not in used_labels]


def _names_of_parts(name: str) -> set[str]:
    """Return the name of a variant or sweep, its cleaner and its pruning method, each with and without its cutoff."""
    with_cutoffs = {name}
    with_cutoffs.update(name.split(BAR))
    without_cutoffs = {part.rpartition("@")[0] for part in with_cutoffs}
    return with_cutoffs | without_cutoffs


def _variants(table: VariantTable, names: Sequence[str], labels: Mapping[str, str]) -> Iterator[VariantRow]:
    if not names:
        yield from shown_rows(table, MOST_ROWS)
        return
    indices = [0]
    indices += named_variants(table, names, labels)
    for index in dict.fromkeys(indices):
        yield VariantRow(table, index)


def named_variants(table: VariantTable, names: Sequence[str], labels: Mapping[str, str]) -> Iterator[int]:
    """Give the variants of names, sweeps or labels, in this order; of a sweep only the built variants, if it has any."""
    for name in names:
        members: list[int] = []
        built_members: list[int] = []
        for index, row in enumerate(table.rows):
            sweep = row.variant.sweep
            if name in (row.name, labelled(row.name, labels)):
                yield index
            elif sweep is not None and name in (sweep, labelled(sweep, labels)):
                members.append(index)
                if row.built is not None:
                    built_members.append(index)
        yield from built_members or members
