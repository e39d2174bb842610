"""All benchmarks: ratios measured in one run, each beside its bar.

usage: make bench [PAGES=folder of HTML pages]
"""

from __future__ import annotations

import sys
from pathlib import Path

import bench_boilerpipe
import bench_explore
import bench_index
import bench_justext
import bench_memory
import bench_ncleaner
import bench_pages
import bench_profile
import bench_scale
import bench_search
import language_models
from passages import PAGES


def main(pages: Path) -> None:
    """Print every measurement as soon as it is there."""
    if not any(pages.rglob("*.html")):
        sys.exit(f"error: {pages}: there are no HTML pages. Fix: give a folder: make bench PAGES=collections/pydoc.")
    print(f"pages: {pages.name if pages != PAGES else 'dragnet-300'}", flush=True)
    # Workers before Java: see thresher.lucene.jvm.
    for benchmark in (
        bench_memory,
        bench_explore,
        bench_scale,
        bench_pages,
        bench_justext,
        bench_boilerpipe,
        bench_ncleaner,
        language_models,
        bench_profile,
        bench_index,
        bench_search,
    ):
        for found in benchmark.measure(pages):
            print(found.line(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
