"""The verbs of `thresher lm`: word language models for the scorer `perplexity`."""

from __future__ import annotations

import math
from pathlib import Path

import click

from thresher.cli.lm_histogram import histogram
from thresher.cli.lm_separate import separate
from thresher.cli.options import FILE, say
from thresher.errors import ConfigError


@click.group()
def lm() -> None:
    """Make word language models for the scorer `perplexity`: `train`, `import`, `histogram`, `separate`."""


@lm.command()
@click.argument("texts", metavar="TEXT...", nargs=-1, type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The model's folder to write.")
@click.option("--order", default=2, show_default=True, help="The length of the longest n-grams, 1 to 5.")
@click.option("--estimator", default="interpolated", show_default=True, help="interpolated, mle or kneser-ney.")
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
@click.option("--vocabulary", type=int, help="Keep so many of the most frequent words [default: all].")
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

    Of every hundred sentences one is held out, if there are enough, to tell in the model's card what perplexities normal
    sentences have.
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


lm.add_command(histogram)
lm.add_command(separate)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.replace(",", " ").split()))
    except ValueError as error:
        raise ConfigError("thresholds are whole numbers", "write --prune '0 0 1'", f"--prune {text}") from error
