"""The verbs of `thresher lm`: word language models for the scorer `perplexity`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import click

from thresher.cli.options import (
    FILE,
    gold_options,
    keys,
    plot_option,
    say,
    say_stems,
    show,
    terminal_width,
    workers_option,
)
from thresher.errors import ConfigError


@click.group()
def lm() -> None:
    """Make word language models for the scorer `perplexity`: `train`, `import`, `score`, `histogram`, `separate`."""


@lm.command()
@click.argument("texts", metavar="TEXT...", nargs=-1, type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The model's folder to write.")
@click.option("--order", default=2, show_default=True, help="The length of the longest n-grams, 1 to 5.")
@click.option(
    "--estimator", default="interpolated", show_default=True, help="interpolated, mle, mle-occurrences or kneser-ney."
)
@click.option(
    "--unigram",
    default="history",
    show_default=True,
    help="Whose unigram `interpolated` mixes in: history (the previous word's, as PyPlexity does) or current.",
)
@click.option("--tokeniser", default="words", show_default=True, help="words, characters, pyplexity.")
@click.option("--language", default="en", show_default=True, help="Whose abbreviations end no sentence.")
@click.option("--field", default="text", show_default=True, help="The member of JSON lines that holds the text.")
@click.option("--min-count", default=1, show_default=True, help="Words that occur more rarely become unknown.")
@click.option("--vocabulary", type=int, help="Keep this many of the most frequent words [default: all].")
@click.option(
    "--prune", default="0", help="Leave out n-grams that occur so often or less: a number an order, as '0 0 1'."
)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
def train(
    texts: tuple[Path, ...],
    output: Path,
    order: int,
    estimator: str,
    unigram: str,
    tokeniser: str,
    language: str,
    field: str,
    min_count: int,
    vocabulary: int | None,
    prune: str,
    workers: int,
) -> None:
    """Train a model on text: files of text (.gz, .zst) or of JSON lines (.jsonl), or folders of HTML.

    One sentence in a hundred is held out, if there are enough; the model's card lists the perplexities of these.
    """
    from thresher.language_models.words.training import Plan
    from thresher.language_models.words.training import train as train_model

    plan = Plan(
        texts=texts,
        output=output,
        order=order,
        estimator=estimator,
        unigram=unigram,
        tokeniser=tokeniser,
        language=language,
        field=field,
        least_count=min_count,
        most_words=vocabulary,
        prune=_numbers(prune),
        workers=workers,
    )
    card = train_model(plan)
    training = card.training
    if training is not None:
        most = math.ceil(training.perplexities["90"])
        say(
            f"{output}: {estimator} of order {order}, {training.words:,} words in {training.sentences:,} sentences, "
            f"{' + '.join(f'{count:,}' for count in card.ngrams)} n-grams; 90 % of {training.perplexity_sentences:,} "
            f"{training.perplexities_of} have a perplexity of {most:,} or less; "
            f"use it as 'perplexity(lm={output})@{most}'"
        )


@lm.command("import")
@click.argument("file", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The folder to write.")
@click.option(
    "--tokeniser",
    metavar="NAME",
    help="How its training text was cut into words: words, characters, pyplexity, pyplexity-trigrams "
    "[default: words; for .st files PyPlexity's own].",
)
@click.option("--name", help="The model's name [default: the file's].")
def import_model(file: Path, output: Path, tokeniser: str | None, name: str | None) -> None:
    """Import a model: an ARPA FILE (also .gz), a KenLM binary, or a .st model of PyPlexity's, as a folder with a card."""
    from thresher.language_models.words.importing import import_model as write

    card = write(file, output, tokeniser, name)
    counts = " + ".join(f"{count:,}" for count in card.ngrams)
    say(
        f"{output}: {card.name}, {counts} n-grams, tokeniser {card.tokeniser}; use it as 'perplexity(lm={output})@8000'"
    )


@lm.command()
@click.argument("model")
@click.argument("sentence", required=False)
def score(model: str, sentence: str | None) -> None:
    """Print the perplexity of a SENTENCE under a MODEL (`books` or a path), or of each line of standard input, one a line.

    A sentence without words has the perplexity inf.
    """
    from thresher.language_models import load_model
    from thresher.scorers.perplexity import Perplexity

    scorer = Perplexity(lm=model)
    scorer.check(model)
    scorer.prepare()
    loaded = load_model(model)
    sentences: Iterable[str] = (
        (sentence,) if sentence is not None else click.open_file("-", encoding="utf-8", errors="replace")
    )
    for each in sentences:
        # As many digits as the model's 32 bits tell apart.
        click.echo(f"{loaded.perplexity(each):.7g}")


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.replace(",", " ").split()))
    except ValueError as error:
        raise ConfigError("thresholds are whole numbers", "write --prune '0 0 1'", f"--prune {text}") from error


@lm.command()
@click.argument("model")
@click.argument("collection", type=FILE)
@plot_option
@click.option("--csv", "table", type=FILE, metavar="FILE", help="Write the tables into this CSV file, sentences whole.")
@keys("pages", "blocks", "language")
@workers_option
def histogram(
    model: str, collection: Path, plot: Path | None, table: Path | None, blocks: str, language: str, workers: int
) -> None:
    """Show the perplexities of a COLLECTION's sentences (any input of `thresher clean`) under a MODEL: `books` or a path.

    Percentiles with example sentences, and what the perplexity paper's cutoffs would remove: to choose a cutoff.
    """

    from thresher.collections import IdRule, ReadOptions, open_collection
    from thresher.files import temporary_folder
    from thresher.pages import PageOptions
    from thresher.passes.backends import Backend
    from thresher.reports.histograms import histogram_figure, percentile_table, removed_table, write_histogram_csv
    from thresher.scorers.perplexity import Perplexity
    from thresher.scoring.distribution import read_distribution
    from thresher.scoring.score_pass import ScorePlan, score_collection

    scorer = Perplexity(lm=model)
    scorer.check(model)
    reference = scorer.reference_percentiles()
    # Ids are not shown, so any will do.
    pages = open_collection(collection, ReadOptions(IdRule(escape=True)))
    with temporary_folder() as store:
        scores = score_collection(
            ScorePlan(pages, (scorer,), PageOptions(blocks, language)), store, Backend(workers=workers)
        )
        distribution = read_distribution(store, scorer)
    show(percentile_table(distribution, reference, terminal_width()), removed_table(distribution))
    if scores.failed:
        click.echo(f"{scores.failed} of {scores.documents} pages failed and are not counted", err=True)
    if table is not None:
        write_histogram_csv(distribution, reference, table)
    if plot is not None:
        from thresher.reports.plot_style import write_plot

        write_plot(histogram_figure(distribution, f"{collection.name}: {scorer.canonical_name}"), plot)


@lm.command()
@click.argument("gold_folder", type=FILE)
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    help="A language model: books, self (learned from these pages), or a path as in perplexity(lm=PATH); may be repeated.",
)
@click.option(
    "--scorer",
    "-s",
    "names",
    multiple=True,
    metavar="NAME",
    help="Any other scorer, such as 'ncleaner(model=nonlexical)'; may be repeated.",
)
@gold_options
@click.option("--rough", is_flag=True, help="A sentence is content if its text occurs in the gold text; no alignment.")
@click.option("--csv", "csv_file", type=FILE, help="Write every number to this file.")
def separate(
    gold_folder: Path,
    models: tuple[str, ...],
    names: tuple[str, ...],
    gold: Path | None,
    rough: bool,
    comments: bool,
    csv_file: Path | None,
) -> None:
    """Print how well language models separate content from boilerplate on the pages of GOLD_FOLDER, at any cutoff.

    GOLD_FOLDER is as for `thresher cleaneval`. The measure is the area under the ROC curve over sentences: 0.5 is chance, 1 is
    perfect. A sentence is content if at least half of its words are aligned with the gold text. The number of words and
    the text density are given for comparison.
    """
    from thresher.cleaneval.gold import read_whole_gold
    from thresher.cleaneval.separation import asked_scorers, measure_separation
    from thresher.files import write_text
    from thresher.reports.model_tables import separation_csv, separation_table

    scorers = asked_scorers(models, names)
    standard = read_whole_gold(gold_folder, gold, comments)
    say_stems("pages without gold", standard.without_gold)
    run = measure_separation(standard.pages, scorers, rough)
    for stem, reason in run.failed:
        say(f"failed: {stem}: {reason}")
    if csv_file is not None:
        write_text(csv_file, separation_csv(run))
    show(separation_table(run))
