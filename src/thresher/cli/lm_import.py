"""The verb `thresher lm import`: language models made elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(path_type=Path)


@click.command("import")
@click.argument("file", type=_FILE)
@click.option("--output", "-o", required=True, type=_FILE, help="The folder to write.")
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
    click.echo(
        f"{output}: {card.name}, {counts} n-grams, tokeniser {card.tokeniser}; use it as 'perplexity(lm={output})@8000'",
        err=True,
    )
