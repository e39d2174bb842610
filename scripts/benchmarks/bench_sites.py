"""The pass with repeated texts and texts of links, against the pass with `content` alone.

The bar is for a site whose pages link to each other: `make bench NAME=sites PAGES=collections/pydoc-site`.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

from measurements import Measurement, interleaved, ratio
from thresher import Backend, ScorePlan, open_collection, parse_scorer, score_collection

BAR = 1.3


def measure(folder: Path, rounds: int = 5) -> list[Measurement]:
    """Score the pages of a folder by one worker, `rounds` times each way in turn."""
    content, repeated = (parse_scorer(name).scorer for name in ("content", "repeated(share)"))
    pages = open_collection(folder)
    plans = {
        "content": ScorePlan(pages, (content,)),
        "sites": ScorePlan(pages, (content, repeated)).with_links(),
    }
    with tempfile.TemporaryDirectory() as name:

        def score(plan: ScorePlan) -> None:
            store = Path(name) / "scores"
            shutil.rmtree(store, ignore_errors=True)
            score_collection(plan, store, Backend(workers=1))

        best = interleaved({key: partial(score, plan) for key, plan in plans.items()}, rounds)
    title = "pass with content, repeated(share) and texts of links / with content"
    return [ratio(title, best["sites"], best["content"], BAR)]
