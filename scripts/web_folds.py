#!/usr/bin/env python3
"""Train models for `content` that do not know the pages that they are to score: for `scripts/seven.py`, which does so itself.

usage: scripts/web_folds.py GOLD_FOLDERS [--rounds N] [--folds N]

The shipped model was trained on the pages of experiments/web.toml, so it knows them better than other pages. Here models are
trained on WCXB's development split, AEB and Trafilatura's pages without each fold of domains in turn. GOLD_FOLDERS holds
`wcxb-dev`, `aeb` and `trafilatura-eval`; marked pages, and pages made of others, take no part. The models and the fold of each
page go to collections/web-folds.
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
"""Fewer than the shipped model's, since three models are trained."""


def main() -> None:
    """Train and write."""
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
    (pages,) = (one.pages for one in sets if one.about.name == WEB)
    folds = folds_of([page.domain for page in pages], options.folds).tolist()
    of_page = {page.stem: fold for page, fold in zip(pages, folds, strict=True)}
    (FOLDER / FOLDS_FILE).write_text(json.dumps(of_page, indent=0) + "\n", encoding="utf-8")
    for name, scores in trained.f1.items():
        print(f"{name}: word F1 {scores.mean():.4f} by cross-validation")


if __name__ == "__main__":
    main()
