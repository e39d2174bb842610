"""The verb `thresher lm separate`: which language model parts content from boilerplate best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from thresher.cleaneval.gold import GoldPage
    from thresher.cleaneval.separation import Area, Floats, Separation
    from thresher.pages import Segments
    from thresher.reports.table import Table
    from thresher.scorers.base import Scorer

_FILE = click.Path(path_type=Path)
_SENTENCE, _YARDSTICKS = (
    "words of the sentence",
    {"words of the block": "words", "text density of the block": "density"},
)


@click.command()
@click.argument("gold_folder", type=_FILE)
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    help="A language model: books, self (learnt from these pages), or a path as in perplexity(lm=PATH); may be repeated.",
)
@click.option(
    "--scorer",
    "-s",
    "names",
    multiple=True,
    metavar="NAME",
    help="Any other scorer, such as 'ncleaner(model=nonlexical)'; may be repeated.",
)
@click.option("--gold", type=_FILE, help='Gold elsewhere: a folder, or JSON of {"stem": {"articleBody": "text"}}.')
@click.option("--rough", is_flag=True, help="A sentence is content if its text occurs in the gold text; no alignment.")
@click.option("--comments", is_flag=True, help="Readers' comments (Dragnet's, L3S-GN1's) are content too.")
@click.option("--csv", "csv_file", type=_FILE, help="Write every number to this file.")
def separate(
    gold_folder: Path,
    models: tuple[str, ...],
    names: tuple[str, ...],
    gold: Path | None,
    rough: bool,
    comments: bool,
    csv_file: Path | None,
) -> None:
    """Print how well language models part content from boilerplate on the pages of GOLD_FOLDER, whatever the cutoff.

    GOLD_FOLDER is as for `thresher cleaneval`. The measure is the area under the ROC curve over sentences: 0.5 is chance, 1 is
    perfect. A sentence is content if at least half of its words are aligned with the gold text. The number of words and
    the text density stand below as yardsticks.
    """
    import shutil
    import tempfile

    import numpy as np

    from thresher.cleaneval.gold import read_gold
    from thresher.cleaneval.separation import LabelledPage, aligned_labels, goodness, rough_labels, separation
    from thresher.errors import InputError
    from thresher.files import write_text
    from thresher.progress import progress
    from thresher.reports.formats import render_text
    from thresher.scorers.base import KEEP_LOW

    asked = _scorers(models, names)
    standard = read_gold(gold_folder, gold, comments)
    if standard.without_gold:
        click.echo(f"pages without gold ({len(standard.without_gold)}): {', '.join(standard.without_gold)}", err=True)
    labelled: list[LabelledPage] = []
    scores: dict[str, list[Floats]] = {_SENTENCE: []}
    pages = [(page, found) for page in standard.pages if (found := _segments(page)) is not None]
    if not pages:
        raise InputError("no page can be parsed", "give pages in HTML", str(gold_folder))
    with tempfile.TemporaryDirectory(prefix="thresher-") as folder:
        scorers = _taught(asked, [segments for _, segments in pages], Path(folder))
        for page, segments in progress(pages, "labelling", len(pages), "pages"):
            words = segments.words_in_sentences
            labels = (rough_labels if rough else aligned_labels)(segments.sentences, page.text)
            labelled.append(LabelledPage(labels[words > 0], words[words > 0]))
            scores[_SENTENCE].append(words[words > 0].astype(np.float64))
        for name, scorer in progress(scorers.items(), "scoring", len(scorers), "scorers"):
            scores[name] = [goodness(scorer, segments)[segments.words_in_sentences > 0] for _, segments in pages]
    order = [*(name for name in scorers if name not in _YARDSTICKS), _SENTENCE, *_YARDSTICKS]
    rows = {name: separation(labelled, scores[name]) for name in order}
    low = {name for name, scorer in scorers.items() if scorer.keep == KEEP_LOW}
    if csv_file is not None:
        write_text(csv_file, _csv(rows, low))
    sentences, content = sum(len(page.content) for page in labelled), sum(int(page.content.sum()) for page in labelled)
    caption = f"{len(labelled)} pages, {sentences:,} sentences with words, {content:,} of them content."
    width = shutil.get_terminal_size((160, 40)).columns
    click.echo(render_text(_table(rows, low, caption), width), nl=False)


def _scorers(models: Sequence[str], names: Sequence[str]) -> dict[str, Scorer]:
    """Return what scores, by the name of its row, yardsticks last.

    Raises:
        ConfigErrors: all names that do not parse or name what is not there.
    """
    from thresher.errors import ConfigError, ConfigErrors
    from thresher.scorers.cleaners import parse_scorer
    from thresher.scorers.registry import scorer_class

    found: dict[str, Scorer] = {}
    problems = []
    for model in models or (() if names else ("books",)):
        scorer = scorer_class("perplexity", "--model")(lm=model)
        try:
            scorer.check(f"--model {model}")
        except ConfigError as problem:
            problems.append(problem)
        found[scorer.canonical_name] = scorer
    for name in names:
        try:
            cut = parse_scorer(name, f"--scorer {name}")
            cut.checked()
        except ConfigError as problem:
            problems.append(problem)
        else:
            found[cut.scorer.canonical_name] = cut.scorer
    if problems:
        raise ConfigErrors(problems)
    for scorer in found.values():
        if not scorer.learns:
            scorer.prepare()
    return found | {row: scorer_class(name, row)() for row, name in _YARDSTICKS.items()}


def _segments(page: GoldPage) -> Segments | None:
    """Return a page's segments; None if it cannot be parsed, which is said.

    Raises:
        InputError: if its file cannot be read.
    """
    from lxml.etree import LxmlError

    from thresher.collections import Page
    from thresher.files import user_error
    from thresher.pages import read_page

    try:
        return read_page(Page(page.stem, page.path.read_bytes()))[0]
    except OSError as error:
        raise user_error(error, page.path) from error
    except LxmlError as error:
        click.echo(f"failed: {page.stem}: {' '.join(str(error).split())}", err=True)
        return None


def _taught(scorers: dict[str, Scorer], pages: Sequence[Segments], folder: Path) -> dict[str, Scorer]:
    """Return scorers that can score the pages, whose descriptive text teaches those that learn; models go to `folder`."""
    from thresher.scorers.base import Lesson
    from thresher.scorers.descriptive import descriptive_blocks

    def sentences() -> Iterator[list[str]]:
        for segments in pages:
            picked = descriptive_blocks(segments)[segments.block_of_sentence].tolist()
            yield [*compress(segments.sentences, picked)]

    lesson = Lesson(sentences, "en", 1)
    return {
        name: scorer.for_collection(lesson, folder) if scorer.learns else scorer for name, scorer in scorers.items()
    }


def _table(rows: dict[str, Separation], low: set[str], caption: str) -> Table:
    from thresher.reports.cleaning_tables import number_cell
    from thresher.reports.formatting import NOTHING, fixed
    from thresher.reports.tables import Cell, Column, Table

    def interval(found: Area) -> Cell:
        return Cell(f"{fixed(found.low, 3)} to {fixed(found.high, 3)}", value=found.low)

    columns = (
        Column("scorer", align="left"),
        Column("area", "sentences"),
        Column("area", "95 %"),
        Column("area", "words"),
        Column("area", "95 %"),
        Column("area", "page mean"),
        Column("best F1", "words"),
        Column("its cutoff"),
    )
    lines = []
    for name, found in rows.items():
        best = found.best
        lines.append(
            (
                Cell(name),
                number_cell(found.sentences.value),
                interval(found.sentences),
                number_cell(found.words.value),
                interval(found.words),
                number_cell(found.page_mean),
                number_cell(best.f1) if best else Cell(NOTHING),
                Cell(f"{_cutoff(best.cutoff, name in low):,.6g}") if best else Cell(NOTHING),
            )
        )
    note = "Area under the ROC curve over sentences, over words, and its mean over pages; 0.5 is chance."
    return Table(columns, tuple(lines), caption, note, rules=(list(rows).index(_SENTENCE),))


def _csv(rows: dict[str, Separation], low: set[str]) -> str:
    """Return one line a row; floats have the fewest digits that give the same float back."""
    from thresher.reports.table import csv_text

    header = ["scorer", "area_sentences", "sentences_low", "sentences_high", "area_words", "words_low", "words_high"]
    lines = []
    for name, found in rows.items():
        numbers = [
            *(getattr(area, end) for area in (found.sentences, found.words) for end in ("value", "low", "high")),
            found.page_mean,
        ]
        best = ["", ""] if found.best is None else [repr(found.best.f1), repr(_cutoff(found.best.cutoff, name in low))]
        lines.append([name, *map(repr, numbers), str(found.pages), *best])
    return csv_text([*header, "area_page_mean", "pages_with_both", "best_f1_words", "best_cutoff"], lines)


def _cutoff(goodness: float, is_low: bool) -> float:
    return -goodness if is_low else goodness
