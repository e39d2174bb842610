"""The peak memory of a scoring worker with all scorers, on a small collection and on copies of its pages."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from measurements import Measurement, all_scorers
from thresher import Backend, ScorePlan, open_collection, score_collection

BAR_MIB = 300.0


def measure(folder: Path, times: int = 10, workers: int = 2) -> list[Measurement]:
    """Score the pages of a folder once, then a collection of `times` copies of each, in new worker processes."""
    peaks = []
    with tempfile.TemporaryDirectory() as name:
        for copies in (1, times):
            pages = Path(name) / f"pages-{copies}"
            for path in sorted(folder.rglob("*.html")):
                for copy in range(copies):
                    target = pages / str(copy) / path.name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)
            plan = ScorePlan(open_collection(pages), all_scorers())
            report = score_collection(plan, Path(name) / f"scores-{copies}", Backend(workers=workers))
            peak = report.times.peak
            name_of = f"peak of a worker over {report.documents:,} pages ({report.bytes / 1e6:.0f} MB)"
            peaks.append(Measurement(name_of, f"{peak:.0f} MiB", peak, BAR_MIB, " MiB"))
    return peaks
