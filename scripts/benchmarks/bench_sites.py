"""CPU time of a pass with repeated texts and link texts, against a pass with `content` alone, over experiments' collections.

To measure other pages, such as the demo's, run `make bench NAME=sites PAGES=collections/pydoc-site`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench_explore import EXPERIMENTS
from measurements import Measurement
from passages import PAGES
from thresher import Backend, Collection, ScorePlan, load_experiment, open_collection, parse_scorer, score_collection

BAR = 1.3
NAMES = ("ray-docs", "sqlite-docs", "postgresql", "man-pages", "web", "cacm")
SCORERS = "content", "repeated(share)"


def measure(pages: Path = PAGES, rounds: int = 3) -> Iterator[Measurement]:
    """Yield the ratio for each experiment, or for a folder of other pages."""
    if pages != PAGES:
        yield compared(pages.name, open_collection(pages), rounds)
        return
    for name in NAMES:
        experiment = load_experiment(EXPERIMENTS / f"{name}.toml")
        yield compared(name, experiment.collection.open(), rounds)


def compared(name: str, pages: Collection, rounds: int) -> Measurement:
    """Score the pages by one worker, `rounds` times with either plan in turn, and return the ratio of CPU seconds.

    For each plan the round with the fewest CPU seconds of all processes counts.
    """
    content, repeated = (parse_scorer(scorer).scorer for scorer in SCORERS)
    plans = {
        "content": ScorePlan(pages, (content,)),
        "sites": ScorePlan(pages, (content, repeated)).with_links(),
    }
    least = dict.fromkeys(plans, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "scores"
        for _ in range(rounds):
            for name_of_plan, plan in plans.items():
                report = score_collection(plan, store, Backend(workers=1))
                shutil.rmtree(store)
                least[name_of_plan] = min(least[name_of_plan], report.times.cpu)
    value = least["sites"] / least["content"]
    title = f"{name}, pass with content, repeated(share) and texts of links / with content"
    outcome = f"{least['sites']:.2f} CPU s / {least['content']:.2f} CPU s = {value:.2f}"
    return Measurement(title, outcome, value, BAR)
