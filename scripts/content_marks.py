#!/usr/bin/env python3
"""Take the pages that were marked for training out of clones of their repositories.

usage: scripts/content_marks.py CLONES GOLD_FOLDERS

CLONES holds the repositories that `scripts/content_training/marks.py` names, each in a folder of its own name without
the owner.
Pages are written into `marked` in GOLD_FOLDERS, where `scripts/content_model.py` looks for them.
"""

from pathlib import Path

from arguments import parser_of
from content_training.marks import NAME, take_pages
from thresher import ThresherError

if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("gold_folders", type=Path)
    arguments = parser.parse_args()
    try:
        taken = take_pages(arguments.clones, arguments.gold_folders / NAME)
    except ThresherError as error:
        raise SystemExit("\n".join(f"error: {line}" for line in error.lines())) from error
    for source, pages in taken.items():
        print(f"{source}: {pages} pages")
