#!/usr/bin/env python3
"""Train models for `content` without each fold of the pages of `web`. scripts/seven.py runs this script if they are missing.

usage: scripts/web_folds.py GOLD_FOLDERS [--rounds N] [--folds N]

The shipped model was trained on the pages of experiments/web.toml, so its scores of these pages are too good. This script
trains models on WCXB's development split, AEB and Trafilatura's pages, without each fold of domains in turn. GOLD_FOLDERS has
`wcxb-dev`, `aeb` and `trafilatura-eval`. Marked and synthetic pages are not used. The script writes the models and the fold of
each page into collections/web-folds.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

from arguments import parser_of
from content_model import ARCHIVE, read_sets
from content_training.stages import TrainingSettings, train_content_model
from content_training.training_pages import folds_of
from thresher.cleaners.content_model.model import write_content_model

FOLDER = Path(__file__).parents[1] / "collections" / "web-folds"
FOLDS_FILE = "folds.json"
WEB = "wcxb-dev"
ROUNDS, FOLDS = 4, 3
"""Rounds and folds of training, fewer than for the shipped model, since the script trains three models."""


def main() -> None:
    """Train the models, and write them and the folds."""
    parser = parser_of(__doc__)
    parser.add_argument("folders", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folds", type=int, default=FOLDS)
    options = parser.parse_args()
    settings = TrainingSettings(folds=options.folds)
    settings = replace(settings, network=replace(settings.network, rounds=options.rounds))
    with tempfile.TemporaryDirectory() as work:
        sets = read_sets(options.folders, (WEB, "aeb", ARCHIVE), Path(work))
    trained = train_content_model(sets, settings)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, model in enumerate(trained.without):
        write_content_model(FOLDER / f"{number}.content", model)
    (pages,) = (gold_set.pages for gold_set in sets if gold_set.about.name == WEB)
    folds = folds_of([page.domain for page in pages], options.folds).tolist()
    of_page = {page.stem: fold for page, fold in zip(pages, folds, strict=True)}
    (FOLDER / FOLDS_FILE).write_text(json.dumps(of_page, indent=0) + "\n", encoding="utf-8")
    for name, scores in trained.f1.items():
        print(f"{name}: word F1 {scores.mean():.4f} by cross-validation")


if __name__ == "__main__":
    main()
