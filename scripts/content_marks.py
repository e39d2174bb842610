#!/usr/bin/env python3
"""Copy the pages that were marked for training from clones of their repositories.

usage: scripts/content_marks.py CLONES GOLD_FOLDERS

CLONES holds clones of the repositories in `scripts/content_training/marks.py`, each in a folder named like the repository,
without its owner. The script writes the pages into GOLD_FOLDERS/marked, where `scripts/content_model.py` looks for them.
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
