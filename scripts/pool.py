#!/usr/bin/env python3
"""List the pool to judge: the top documents of every run of an experiment that its qrels lack.

usage: scripts/pool.py RESULTS_FOLDER QRELS [DEPTH]

Prints `topic<TAB>docid` by topic. The order of documents reveals neither rank nor run.
"""

import hashlib
import sys
from pathlib import Path

from arguments import parser_of
from thresher import read_qrels, read_run


def main(results: Path, qrels_path: Path, depth: int) -> None:
    qrels = read_qrels(qrels_path) if qrels_path.stat().st_size else {}
    pool: dict[str, set[str]] = {}
    for path in sorted((results / "runs").glob("*.trec")):
        for topic, hits in read_run(path).items():
            top = sorted(hits, key=lambda document: -hits[document])[:depth]
            pool.setdefault(topic, set()).update(top)
    for topic, documents in pool.items():
        for document in sorted(
            documents - set(qrels.get(topic, {})), key=lambda name: hashlib.sha256(name.encode()).digest()
        ):
            sys.stdout.write(f"{topic}\t{document}\n")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("depth", nargs="?", type=int, default=10)
    arguments = parser.parse_args()
    main(arguments.results, arguments.qrels, arguments.depth)
