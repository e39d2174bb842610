#!/usr/bin/env python3
"""Compare language models by their separation of gold text and by search, for scripts/pages/models.md.

usage: scripts/models.py CORPUS --gold FOLDER... --experiment FILE... [--output FOLDER]

Run the script in the project's folder. It trains models on the corpus (PyPlexity's mixtures) and compares them with `books`
and `self`. The pages also have rows of other estimators, which Thresher no longer trains. The tables of retrieval have the
form of the perplexity paper's Table 2, by model, order and cutoff, with its cutoffs and percentiles of smoothed perplexities.
"""

import argparse
import csv
import shutil
from collections.abc import Sequence
from pathlib import Path

from calls import cell, paper, run_sweeps
from fill import put, table
from thresher import Results, main_table, render_markdown
from thresher.evaluation.cleaneval.gold_files import PAGE_FOLDERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "scripts" / "pages"
TRAINED = {"interpolated-2": ("--order", "2"), "interpolated-3": ("--order", "3")}
SEARCHED = ("books", "self", *TRAINED)
SMOOTHED = "context=0.7,prior=32"
CUTOFFS = (1000, 2000, 4000, 6000, 8000, 10000, 12000, 14000)
AREAS = ("area_sentences", "sentences_low", "sentences_high", "area_words", "area_page_mean")
PERCENTILES = ("p60", "p70", "p80", "p90")


def train(corpus: Path, folder: Path) -> dict[str, str]:
    """Train the missing models, and return every model's path by its name."""
    paths = {"books": "books", "self": "self"}
    for name, options in TRAINED.items():
        paths[name] = str(folder / name)
        if not (folder / name / "card.json").exists():
            paper("word_training", corpus, *options, output=folder / name)
    return paths


def separate(gold: Path, models: dict[str, str], output: Path) -> None:
    plain = [f"perplexity(lm={path})" for path in models.values()]
    smoothed = [f"perplexity(lm={path},{SMOOTHED})" for path in models.values()]
    paper("separation", gold, *plain, *smoothed, output=output)
    areas = []
    with (output / "separation.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            name = row["scorer"]
            for model, path in models.items():
                name = name.replace(f"lm={path}", f"lm={model}")
            sentences, low, high, words, pages = (f"{float(row[area]):.3f}" for area in AREAS)
            areas.append((name, sentences, f"{low} to {high}", words, pages))
    heads = ("", "sentences", "95 %", "words", "page mean")
    put(DOCS / "models.md", f"separation: {gold.name}", table(heads, areas))


def experiment(path: Path, models: dict[str, str], output: Path) -> None:
    """Run an experiment's collection, topics and qrels with sweeps of the models, and put the tables into the pages."""
    sweeps: dict[str, Sequence[object]] = {f"perplexity(lm={models[name]})": CUTOFFS for name in SEARCHED}
    sweeps |= {f"perplexity(lm={models[name]},{SMOOTHED})": PERCENTILES for name in SEARCHED}
    results = run_sweeps(path, f"{path.stem}-models", sweeps, output)
    put(DOCS / "model-tables.md", f"retrieval: {path.stem}", named(render_markdown(main_table(results)), models))
    put(DOCS / "models.md", f"retrieval: {path.stem}", named(short_table(results), models))


def named(text: str, models: dict[str, str]) -> str:
    """Return a text with the models' names in place of their paths."""
    for name, path in models.items():
        text = text.replace(f"lm={path}", f"lm={name}")
    return text


def short_table(results: Results) -> str:
    """Return a table with a row for each model and a column for each cutoff: the main measure, and the index's size."""
    explored, text = results.tables[0], ""
    for labels in (tuple(map(str, CUTOFFS)), PERCENTILES):
        rows = []
        for sweep, members in explored.sweeps.items():
            cells = {explored.rows[index].name.rpartition("@")[2]: index for index in members}
            if set(labels) <= cells.keys():
                rows.append((sweep.removesuffix("@p"), *(cell(explored, cells[label]) for label in labels)))
        text += table((f"{explored.main} (index, %)", *labels), rows) + "\n"
    return f"{text}All text: {explored.mean(explored.main)[0]:.4f}.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--gold", nargs="*", type=Path, default=[])
    parser.add_argument("--experiment", nargs="*", type=Path, default=[])
    parser.add_argument("--output", type=Path, default=Path("results", "models"))
    options = parser.parse_args()
    models = train(options.corpus, options.output)
    for gold in options.gold:
        separate(gold, models, options.output / gold.name)
    if options.gold:
        pages = next(options.gold[0] / name for name in PAGE_FOLDERS if (options.gold[0] / name).is_dir())
        paper("histogram", "books", pages, output=options.output / "histogram")
        shutil.copy(options.output / "histogram" / "histogram.svg", DOCS / "plots" / "histogram-books.svg")
    for path in options.experiment:
        experiment(path, models, options.output)


if __name__ == "__main__":
    main()
