"""The verbs that make models: `thresher lm`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from thresher.cli.options import FILE, say


@click.group()
def lm() -> None:
    """Make word language models for the scorer `perplexity`: `train`, `import`."""


@lm.command("train")
@click.argument("texts", metavar="TEXT...", nargs=-1, type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The model's folder to write.")
@click.option("--order", default=2, show_default=True, help="The length of the longest n-grams, 2 or 3.")
@click.option("--tokeniser", default="words", show_default=True, help="words, characters, pyplexity.")
@click.option("--language", default="en", show_default=True, help="Whose abbreviations end no sentence.")
@click.option("--field", default="text", show_default=True, help="The member of JSON lines that holds the text.")
@click.option(
    "--min-count", "least_count", default=1, show_default=True, help="Words that occur more rarely become unknown."
)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
def train_words(**plan: Any) -> None:
    """Train a model on text: files of text (.gz, .zst) or of JSON lines (.jsonl), or folders of HTML.

    It is PyPlexity's mixture of maximum-likelihood estimates. One sentence in a hundred is held out, if there are enough; the
    model's card lists the perplexities of these. KenLM's `lmplz` trains others, which `thresher lm import` reads.
    """
    from thresher.language_models.words.training import Plan, train

    output, order = plan["output"], plan["order"]
    card = train(Plan(**plan))
    training = card.training
    if training is not None:
        most = math.ceil(training.perplexities["90"])
        say(
            f"{output}: order {order}, {training.words:,} words in {training.sentences:,} sentences, "
            f"{' + '.join(f'{count:,}' for count in card.ngrams)} n-grams; 90 % of {training.perplexity_sentences:,} "
            f"{training.perplexities_of} have a perplexity of {most:,} or less; "
            f"use it as 'perplexity(lm={output})@{most}'"
        )


@lm.command("import")
@click.argument("file", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The folder to write.")
@click.option(
    "--tokeniser",
    default="words",
    show_default=True,
    help="How its training text was cut into words: words, characters, pyplexity, pyplexity-trigrams.",
)
@click.option("--name", help="The model's name [default: the file's].")
def import_words(file: Path, output: Path, tokeniser: str, name: str | None) -> None:
    """Import a model, an ARPA FILE (also .gz) or a KenLM binary, as a folder with a card."""
    from thresher.language_models.words.importing import import_model

    card = import_model(file, output, tokeniser, name)
    counts = " + ".join(f"{count:,}" for count in card.ngrams)
    say(
        f"{output}: {card.name}, {counts} n-grams, tokeniser {card.tokeniser}; use it as 'perplexity(lm={output})@8000'"
    )
