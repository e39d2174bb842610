"""The options of `thresher report` for papers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.base.errors import ConfigError, StateError
from thresher.cli import options

if TYPE_CHECKING:
    from thresher.experiments.results import Results


@dataclass(frozen=True)
class PaperFiles:
    """The files for a paper that a command asks for, and their contents."""

    table: Path | None
    plot: Path | None
    methods: Path | None
    measure: str | None
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    model: str | None
    pairs: bool
    label: str
    width: str
    experiment: Path | None

    def labelled(self, results: Results, folder: Path) -> Results:
        """Return the results with the labels that the experiment file has now, where it is in its place or named."""
        from thresher.experiments.config import read_labels
        from thresher.experiments.explainer import experiment_file

        file = self.experiment
        if file is None:
            try:
                file = experiment_file(folder)
            except StateError:
                return results
        return replace(results, facts=replace(results.facts, labels=read_labels(file)))

    def write(self, results: Results, folder: Path) -> list[tuple[str, Path]]:
        """Write the files, and return them with their kinds."""
        from thresher.experiments.chooser import last_choice
        from thresher.experiments.manifest import software_of
        from thresher.reports.latex import parse_length
        from thresher.reports.paper_files import write_paper_table
        from thresher.reports.paper_methods import write_methods
        from thresher.reports.paper_plots import PaperPlot, paper_plot
        from thresher.reports.paper_rows import unused_labels
        from thresher.reports.paper_tables import PaperTable

        for name in unused_labels(results):
            options.print_message(f"[report] labels: the results have nothing called {name}")
        files: list[tuple[str, Path]] = []
        choice = last_choice(folder, results.facts.key)
        if self.table:
            specification = PaperTable(_names(self.columns), _names(self.rows), self.model, self.pairs)
            write_paper_table(results, specification, self.table, self.label, self.width)
            files.append(("table", self.table))
        if self.plot:
            plot = PaperPlot(_names(self.rows), self.measure, self.model, parse_length(self.width))
            paper_plot(results, plot, choice).save(self.plot)
            files.append(("plot", self.plot))
        if self.methods:
            bibliography = write_methods(results, software_of(folder), choice, self.methods)
            files += [("methods", self.methods), ("references", bibliography)]
        return files

    def check(self) -> None:
        """Refuse options of files that are not asked for."""
        for option, value in {"--columns": self.columns, "--pairs": self.pairs, "--label": self.label}.items():
            if value and not self.table:
                raise ConfigError("it is an option of a table", "add --table FILE.tex", option)
        if self.measure and not self.plot:
            raise ConfigError("it is an option of a plot", "add --plot FILE.pdf", "--measure")
        for option, value in {"--rows": self.rows, "--model": self.model}.items():
            if value and not self.table and not self.plot:
                raise ConfigError(
                    "it is an option of tables and plots", "add --table FILE.tex or --plot FILE.pdf", option
                )


def _names(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in texts, which commas outside brackets separate.

    >>> _names(("AP,P@10", "a(b=1,c=2)@3"))
    ('AP', 'P@10', 'a(b=1,c=2)@3')
    """
    names: list[str] = []
    for text in texts:
        begin = depth = 0
        for place, sign in enumerate(f"{text},"):
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if sign == "," and depth <= 0:
                names.append(text[begin:place].strip())
                begin = place + 1
    return tuple(names)


def paper_options(verb: options.Verb) -> options.Verb:
    """Add the options of tables and plots for papers; the verb gets the `paper` that they ask for."""

    @wraps(verb)
    def checked(*args: Any, paper: PaperFiles, **named: Any) -> Any:
        paper.check()
        return verb(*args, paper=paper, **named)

    filled = options.group("paper", PaperFiles)(checked)
    for option in (
        click.option("--experiment", type=options.FILE, help="Experiment file [default: its path when it was run]."),
        click.option("--measure", help="Plot's measure [default: the main one]."),
        click.option("--width", default="3.3in", show_default=True, help="Width of a column of the paper."),
        click.option("--model", help="Retrieval model [default: all in a table, the first in a plot]."),
        click.option("--label", default="", help="Table's label for \\ref."),
        click.option("--pairs", is_flag=True, help="Test every two rows; letters name the worse ones."),
        click.option(
            "--rows",
            multiple=True,
            help="Variants, sweeps and systems by name or label, with commas [default: built variants].",
        ),
        click.option(
            "--columns", multiple=True, help="Columns of results.csv, with commas [default: sizes and all measures]."
        ),
        click.option(
            "--methods",
            type=options.FILE,
            metavar="FILE.tex",
            help="Write a paragraph on versions, methods and tests, as LaTeX or Markdown (.md), and a .bib beside it.",
        ),
        click.option(
            "--plot",
            type=options.FILE,
            metavar="FILE.pdf",
            help="Write a plot of size and effectiveness in print size, as PDF, SVG or PNG.",
        ),
        click.option(
            "--table", type=options.FILE, metavar="FILE.tex", help="Write a LaTeX table that fits one or two columns."
        ),
    ):
        filled = option(filled)
    return filled
