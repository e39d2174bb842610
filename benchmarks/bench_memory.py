"""The peak memory of a scoring worker, with all scorers at work, at two sizes of the same collection."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from passages import PAGES

from thresher.collections import open_collection
from thresher.passes.backends import Backend
from thresher.scorers.registry import scorers
from thresher.scoring.score_pass import ScorePlan, score_collection

BAR_MIB = 300.0


@dataclass(frozen=True)
class Peak:
    """The largest worker's memory over a collection of this many pages."""

    pages: int
    megabytes: float
    mib: float

    def line(self) -> str:
        """Return the measurement in one line."""
        verdict = "within" if self.mib < BAR_MIB else "ABOVE"
        size = f"{self.pages:,} pages ({self.megabytes:.0f} MB)"
        return f"peak of a worker over {size}: {self.mib:.0f} MiB, {verdict} {BAR_MIB:g} MiB"


def measure(folder: Path, times: int = 10, workers: int = 2) -> list[Peak]:
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
            plan = ScorePlan(open_collection(pages), tuple(kind() for kind in scorers().values()))
            report = score_collection(plan, Path(name) / f"scores-{copies}", Backend(workers=workers))
            peaks.append(Peak(report.documents, report.bytes / 1e6, report.times.peak))
    return peaks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, default=PAGES, help="a folder of HTML files")
    parser.add_argument("--times", type=int, default=10, help="copies of each page in the larger collection")
    arguments = parser.parse_args()
    for peak in measure(arguments.pages, arguments.times):
        print(peak.line())
