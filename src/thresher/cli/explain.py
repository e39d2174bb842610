"""The verbs `explain`, why topics won or lost, and `play`, a place to try pages, in a browser on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, keys, say, tell, tell_all, terminal_width
from thresher.errors import ConfigError, MissingDependencyError


@click.command()
@click.argument("folder", metavar="RESULTS/NAME", type=FILE)
@click.argument("topic", required=False)
@click.option(
    "--variant",
    help="The variant [default: the recommended one, or else that with the largest change of the main measure].",
)
@click.option("--document", help="Explain this document of the topic alone, whatever its rank and judgment.")
@click.option("--model", help="The retrieval model [default: the experiment's first].")
@click.option("--experiment", type=FILE, help="The experiment file [default: where it was when it was run].")
@click.option("--indexes", type=FILE, default="indexes", show_default=True, help="The folder of indexes.")
@click.option("--pages", is_flag=True, help="Write pages on all topics beside the report, which then links to them.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole record as JSON.")
def explain(
    folder: Path,
    topic: str | None,
    variant: str | None,
    document: str | None,
    model: str | None,
    experiment: Path | None,
    indexes: Path,
    pages: bool,
    as_json: bool,
) -> None:
    """Explain why a TOPIC of finished results won or lost against the baseline; without one, all topics together.

    For each judged document that rose or fell: by how many ranks, its score's change taken apart exactly into lost terms,
    length and statistics, the removed passages that hold topic words, and the cutoffs at which they would return.
    """
    from thresher.experiments.chooser import last_choice
    from thresher.experiments.explainer import Why, experiment_of, explain_experiment
    from thresher.explaining.explanations import RECORD, read_explained
    from thresher.reports.explanation_text import explanation_lines

    if document is not None and topic is None:
        raise ConfigError("a document is explained for a topic", "name the topic too", "--document")
    if pages and topic is not None:
        raise ConfigError("pages are written of all topics", "leave the topic out", "--pages")
    why = Why(topic, variant, document, model)
    explained = explain_experiment(experiment_of(folder, experiment), folder, indexes, why, say)
    if pages:
        from thresher.playing.explained_topics import write_explained_topics
        from thresher.reports import write_report
        from thresher.variants.files import read_results

        written = write_explained_topics(explained, folder)
        results = read_results(folder)
        key = results.facts.key
        write_report(folder, results, last_choice(folder, key), read_explained(folder, key))
        say(f"pages: {written}")
    if as_json:
        tell_all(RECORD.text(explained))
        return
    for line in explanation_lines(explained, terminal_width()):
        tell(line)


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
