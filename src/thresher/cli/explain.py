"""The verb `explain`: why topics won or lost."""

from __future__ import annotations

from pathlib import Path

import click

from thresher.cli.options import FILE, say, tell, tell_all, terminal_width
from thresher.errors import ConfigError


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
    from thresher.explaining.explanations import RECORD
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
        from thresher.results.experiment_results import read_results

        written = write_explained_topics(explained, folder)
        results = read_results(folder)
        write_report(folder, results, *last_choice(folder, results.key))
        say(f"pages: {written}")
    if as_json:
        tell_all(RECORD.text(explained))
        return
    for line in explanation_lines(explained, terminal_width()):
        tell(line)
