"""The files of a study of blocks."""

from __future__ import annotations

from pathlib import Path

from thresher.files import write_text
from thresher.reports.formats import render_markdown
from thresher.reports.plot_style import write_plot
from thresher.reports.study_plots import density_figure, gains_figure, words_figure, writers_figure
from thresher.reports.study_tables import (
    CLASS_SHARES,
    CLASSIFIED,
    GAINS,
    HISTOGRAM,
    TYPE_ROWS,
    study_shares,
    study_tables,
)
from thresher.reports.table import csv_table
from thresher.studying.block_study import BlockStudy, problem_names
from thresher.studying.studied_blocks import write_blocks


def write_study(study: BlockStudy, folder: Path) -> None:
    """Write `blocks.parquet`, the CSV files, `table.md` and the plots into `folder`.

    Raises:
        ThresherError: if the folder cannot be written.
    """
    write_blocks(study.blocks, folder / "blocks.parquet")
    for name, text in (
        ("classes.csv", csv_table(CLASS_SHARES, study_shares(study))),
        ("classifiers.csv", csv_table(CLASSIFIED, study.classifiers)),
        ("gains.csv", csv_table(GAINS, study.gains)),
        ("page_types.csv", csv_table(TYPE_ROWS, study.types)),
        ("histogram.csv", csv_table(HISTOGRAM, study.histogram)),
        ("table.md", "\n".join(map(render_markdown, study_tables(study)))),
    ):
        write_text(folder / name, text)
    for problem in problem_names(study):
        write_plot(gains_figure(study, problem), folder / f"information-gain-{problem}.svg")
    write_plot(words_figure(study), folder / "words.svg")
    write_plot(density_figure(study), folder / "density.svg")
    write_plot(writers_figure(study.types[0]), folder / "random-writers.svg")
