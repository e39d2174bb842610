"""The verbs that make models, `thresher lm` (words) and `thresher ncleaner` (characters), and `thresher perplexity`."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import click

from thresher.base.errors import StateError, escape_controls
from thresher.cli.options import FILE, print_message


@click.group()
def lm() -> None:
    """Make word language models for the scorer `perplexity`: `train`, `import`."""


@lm.command("train")
@click.argument("texts", metavar="TEXT...", nargs=-1, type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="Folder of the model.")
@click.option("--order", default=2, show_default=True, help="Length of the longest n-grams, 2 or 3.")
@click.option("--tokeniser", default="words", show_default=True, help="words, characters or pyplexity.")
@click.option("--language", default="en", show_default=True, help="Language whose abbreviations end no sentence.")
@click.option("--field", default="text", show_default=True, help="Member of JSON lines with the text.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Number of processes.")
def train_words(texts: tuple[Path, ...], output: Path, **options: Any) -> None:
    """Train a model on TEXT: text files (also .gz, .zst), JSON lines (.jsonl) or folders of HTML.

    The estimator is PyPlexity's mixture of maximum-likelihood estimates. If there are enough sentences, one in a hundred is
    held out, and the model's card lists their perplexities. For other estimators, use KenLM's `lmplz` and `thresher lm
    import`.
    """
    from thresher.cleaners.words.text_training import TextOptions, train

    card = train(texts, output, TextOptions(**options))
    training = card.training
    if training is not None:
        most = math.ceil(training.perplexities["90"])
        # Sentences that a model was trained on are far likelier than any other text.
        cutoff = "p80"
        if training.perplexities_of.startswith("held"):
            cutoff = str(most)
        print_message(
            f"{output}: order {card.order}, {training.words:,} words in {training.sentences:,} sentences, "
            f"{' + '.join(f'{count:,}' for count in card.ngrams)} n-grams; 90 % of {training.perplexity_sentences:,} "
            f"{training.perplexities_of} have a perplexity of {most:,} or less; "
            f"use it as 'perplexity(lm={output})@{cutoff}'"
        )


@lm.command("import")
@click.argument("file", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="Folder of the model.")
@click.option(
    "--tokeniser",
    default="words",
    show_default=True,
    help="Tokeniser of the training text: words, characters, pyplexity or pyplexity-trigrams.",
)
@click.option("--name", help="Name of the model [default: the name of the file].")
def import_words(file: Path, output: Path, tokeniser: str, name: str | None) -> None:
    """Import a model from FILE, an ARPA file (also .gz) or a KenLM binary, into a folder with a card."""
    from thresher.cleaners.words.importing import import_model

    card = import_model(file, output, tokeniser, name)
    counts = " + ".join(f"{count:,}" for count in card.ngrams)
    # Perplexities of different models differ in scale: no cutoff fits all, a share of the collection does.
    what = f"{card.name}, {counts} n-grams, tokeniser {card.tokeniser}"
    print_message(f"{output}: {what}; use it as 'perplexity(lm={output})@p70'")


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option("--lm", default="books", show_default=True, help="Language model: books, or a path.")
def perplexity(texts: tuple[str, ...], lm: str) -> None:
    """Print the perplexity of each TEXT, or of each line of standard input, as one sentence, then a tab and the text."""
    from thresher.cleaners.scorers.pages import Pages
    from thresher.pages import read_text_page

    scorer = Pages(lm=lm)
    scorer.prepare()
    lines = (line.decode("utf-8", "replace") for line in sys.stdin.buffer)
    for text in texts or lines:
        sentence = " ".join(text.split())
        perplexity_of_text = scorer.score_page(read_text_page(sentence))
        click.echo(f"{perplexity_of_text:.6g}\t{escape_controls(sentence, None)}")


@click.group()
def ncleaner() -> None:
    """Make character models for the scorer `ncleaner` from your own pages: `train`."""


@ncleaner.command("train")
@click.argument("clean", type=FILE)
@click.argument("raw", type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="File of the model.")
@click.option(
    "--n", "n", type=click.IntRange(1, 9), help="Length of n-grams [default: 3, or 6 with --non-lexical or --vowels]."
)
@click.option(
    "--q", "q", type=float, help="Weight of shorter histories [default: 0.5, or 0.4 with --non-lexical or --vowels]."
)
@click.option("--non-lexical", "alphabet", flag_value="non-lexical", help="Map all letters to a and digits to 0.")
@click.option("--vowels", "alphabet", flag_value="vowels", help="Map vowels to a, consonants to t and digits to 0.")
@click.option("--pages", type=click.IntRange(1), help="Number of pages to train on, drawn at random [default: all].")
def train_characters(clean: Path, raw: Path, output: Path, pages: int | None, **settings: Any) -> None:
    """Train a model on the same pages cleaned by hand (CLEAN) and raw (RAW): two files, or two folders with equal names.

    HTML is cut into blocks. Any other file is text with blank lines between segments.
    """
    from thresher.base.progress import progress
    from thresher.cleaners.characters.scoring import write_model
    from thresher.cleaners.characters.training import find_pairs, read_pairs, train, usual_settings

    if output.exists() and not is_zipfile(output):  # as models are
        raise StateError("it exists and is no model of ncleaner", "choose another name", str(output))
    usual = usual_settings(settings["alphabet"])
    if settings["n"] is not None:
        usual = replace(usual, n=settings["n"])
    if settings["q"] is not None:
        usual = replace(usual, q=settings["q"])
    pairs = find_pairs(clean, raw, pages)
    read = progress(read_pairs(pairs), "training", len(pairs.files), "pages")
    model = train(read, usual, f"{clean.name} against {raw.name}")
    write_model(output, model)
    if pairs.unpaired:
        print_message(f"{pairs.unpaired} raw pages have no cleaned page and are left out")
    print_message(
        f"{output}: {model.pages} pages, {len(model.keys):,} n-grams, {output.stat().st_size:,} bytes; "
        f"use it as 'ncleaner(model={output})@0'"
    )
