"""The verbs of `thresher ncleaner`: page text, training, the learning curve, the choice of n and q."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from thresher.cli.options import FILE, say, show, tell_all, workers_option
from thresher.errors import ConfigError

_LYNX = click.option("--lynx", is_flag=True, help="Convert HTML by `lynx -dump`, which must be installed.")
_NON_LEXICAL = click.option(
    "--non-lexical", "alphabet", flag_value="non-lexical", help="Map all letters to a and digits to 0."
)
_VOWELS = click.option(
    "--vowels", "alphabet", flag_value="vowels", help="Map vowels to a, consonants to t and digits to 0."
)


@click.group()
def ncleaner() -> None:
    """Make character models for the scorer `ncleaner` from your own pages: `text`, `train`, `folds`, `curve`, `tune`."""


@ncleaner.command()
@click.argument("page", type=FILE)
@_LYNX
def text(page: Path, lynx: bool) -> None:
    """Print a PAGE as text to clean by hand: blank lines between segments, `# ` at headings, `* ` at list items."""
    from thresher.language_models.characters.pages import read_page_file
    from thresher.pages.marked_text import write_marked_text

    marked = write_marked_text(read_page_file(page, lynx))
    if sys.stdout.isatty():
        tell_all(marked.removesuffix("\n"))
    else:
        click.echo(marked, nl=False)


@ncleaner.command()
@click.argument("clean", type=FILE)
@click.argument("raw", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The model file to write.")
@click.option(
    "--n", "n", type=click.IntRange(1, 9), help="The n-gram size [default: 3, or 6 with --non-lexical or --vowels]."
)
@click.option("--q", "q", type=float, help="The weight of shorter histories [default: 0.5, or 0.4 with these].")
@_NON_LEXICAL
@_VOWELS
@click.option("--pages", type=click.IntRange(1), help="Train on this many pages, drawn at random [default: all].")
@_LYNX
def train(
    clean: Path,
    raw: Path,
    output: Path,
    n: int | None,
    q: float | None,
    alphabet: str | None,
    pages: int | None,
    lynx: bool,
) -> None:
    """Train a model on pages cleaned by hand (CLEAN) and as they were (RAW): two files, or two folders with equal names.

    HTML is converted to text; all else is text with blank lines between segments.
    """
    from thresher.language_models.characters.character_counts import Settings, usual_settings
    from thresher.language_models.characters.character_counts import train as train_model
    from thresher.language_models.characters.model_files import write_model
    from thresher.language_models.characters.pages import find_pairs, read_pairs
    from thresher.progress import progress

    usual = usual_settings(alphabet)
    settings = Settings(usual.n if n is None else n, usual.q if q is None else q, usual.alphabet)
    pairs = find_pairs(clean, raw, pages)
    read = progress(read_pairs(pairs, lynx), "training", len(pairs.files), "pages")
    model = train_model(read, settings, f"{clean.name} against {raw.name}")
    write_model(output, model)
    if pairs.alone:
        say(f"{pairs.alone} raw pages have no cleaned page and are left out")
    say(
        f"{output}: {model.pages} pages, {len(model.keys):,} n-grams, {output.stat().st_size:,} bytes; "
        f"use it as 'ncleaner(model={output})@0'"
    )


@ncleaner.command()
@click.argument("gold_folder", type=FILE)
@click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="Folds of the cross-validation.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the folds.")
@click.option("--csv", "csv_file", type=FILE, help="Write every number to this file.")
@workers_option
def folds(gold_folder: Path, folds: int, seed: int, csv_file: Path | None, workers: int) -> None:
    """Print how well the whole system cleans the pages of GOLD_FOLDER by cross-validation: models never saw the page.

    GOLD_FOLDER is as for `thresher cleaneval`. The rows are all text, the heuristics alone, and the models of each alphabet
    with the papers' n and q, as in StupidOS's Tables 1 and 2.
    """
    from thresher.cleaneval.gold import read_whole_gold
    from thresher.cleaneval.ncleaner_evaluation import cross_validate
    from thresher.files import write_text
    from thresher.reports.cleaning_tables import cleaners_csv, measures_table, segmentation_table, words_table

    results = cross_validate(read_whole_gold(gold_folder).pages, folds, seed, workers)
    if csv_file is not None:
        write_text(csv_file, cleaners_csv(results))
    tables = (words_table(results), measures_table(results), segmentation_table(results))
    show(*filter(None, tables))


@ncleaner.command()
@click.argument("clean", type=FILE)
@click.argument("raw", type=FILE)
@click.argument("gold_folder", type=FILE)
@click.option(
    "--sizes", help="Numbers of pages to train on, such as 1,2,5,10 [default: 1, 2, 5, 10, 20, 50 ... and all]."
)
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Random orders of the pages.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the orders.")
@_NON_LEXICAL
@_VOWELS
@click.option("--csv", "csv_file", type=FILE, help="Write every model's numbers to this file.")
def curve(
    clean: Path,
    raw: Path,
    gold_folder: Path,
    sizes: str | None,
    repeats: int,
    seed: int,
    alphabet: str | None,
    csv_file: Path | None,
) -> None:
    """Print how well models that are trained on growing subsets of CLEAN and RAW clean the pages of GOLD_FOLDER.

    CLEAN and RAW are as for `train`, GOLD_FOLDER is as for `thresher cleaneval`. Each size takes the first pages of a random
    order. Precision, recall and F1 are of words, all pages pooled, at the cutoff 0; macro F1 is the mean over pages. All are
    means over the orders, F1 also minimum and maximum.
    """
    from thresher.cleaneval.ncleaner_evaluation import measure_curve, summarize_curve
    from thresher.files import write_text
    from thresher.language_models.characters.character_counts import usual_settings
    from thresher.reports.model_tables import curve_csv, curve_table

    wanted = None if sizes is None else _sizes(sizes)
    points = measure_curve(clean, raw, gold_folder, usual_settings(alphabet), wanted, repeats, seed)
    curve_sizes = summarize_curve(points)
    if csv_file is not None:
        write_text(csv_file, curve_csv(points))
    show(curve_table(curve_sizes))


@ncleaner.command()
@click.argument("raw", type=FILE)
@click.option("--most", type=click.IntRange(1, 9), default=8, show_default=True, help="The largest n to try.")
@click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="Folds of the cross-validation.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the folds.")
@_NON_LEXICAL
@_VOWELS
@_LYNX
def tune(raw: Path, most: int, folds: int, seed: int, alphabet: str | None, lynx: bool) -> None:
    """Print the cross-entropy of RAW pages (a folder) in bits per character over n and q, by cross-validation over pages."""
    from thresher.language_models.characters.character_counts import usual_settings
    from thresher.language_models.characters.pages import page_files, segment_texts
    from thresher.language_models.characters.tuning import tune as tune_model
    from thresher.progress import progress

    signs = usual_settings(alphabet).alphabet
    files = [*page_files(raw).values()]
    pages = [segment_texts(path, lynx) for path in progress(files, "reading", len(files), "pages")]
    tuning = tune_model(pages, signs, most, folds=folds, seed=seed)
    click.echo("q    " + "".join(f"{f'n = {n}':>9}" for n in range(1, most + 1)))
    for weight, bits in zip(tuning.qs, tuning.bits, strict=True):
        click.echo(f"{weight:<5g}" + "".join(f"{value:9.3f}" for value in bits))
    n, q, least = tuning.best
    click.echo(f"best: n = {n}, q = {q:g} ({least:.3f} bits per character)")


def _sizes(text: str) -> tuple[int, ...]:
    """Return the distinct numbers in `text`, in increasing order."""
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise ConfigError(f"{text!r} is not a list of numbers", "write it like 1,2,5,10", "--sizes") from error
