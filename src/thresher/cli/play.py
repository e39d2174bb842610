"""The verb `play`: a place to try pages, in a browser on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, keys, say
from thresher.errors import MissingDependencyError


@click.command()
@click.argument("source", metavar="[PAGES|RESULTS/NAME]", type=FILE, required=False)
@click.option("--scorer", "-s", "scorers", multiple=True, help="Show the scores of this one too. May be repeated.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port [default: one that is free].")
@keys("pages", "blocks", "language")
def play(source: Path | None, scorers: tuple[str, ...], port: int, blocks: str, language: str) -> None:
    """Try pages in a browser on this machine: all scores, two cleaners side by side, ranks if there are results.

    Pages are pasted, dropped, or picked from PAGES, any collection, or from finished results. Nothing is fetched, and no other
    machine can connect.
    """
    from thresher.pages import PageOptions

    try:
        from thresher.playing.play_server import Play, serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        fix = "install the extra: pip install 'thresher[play]'"
        raise MissingDependencyError(f"{error.name} is not installed", fix) from error
    serve(Play(source, scorers, PageOptions(blocks, language)), port, say)
