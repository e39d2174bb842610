#!/usr/bin/env python3
"""Measure cleaning on gold standards and put the figures into scripts/pages/cleaning.md, cleaning-tables.md and
cleaning-curves.md.

usage: scripts/cleaning.py GOLD_FOLDER... [--output FOLDER]

Every gold standard is measured with the default cleaners and the packages of the extra `extractors`. On the first
two, cutoffs are
swept, each set's best is tested on the other, and NCleaner is trained on growing parts of one and scored on the other.
"""

import argparse
import re
import shutil
from pathlib import Path

from calls import paper, thresher
from fill import put
from thresher.base.files import safe_name

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "scripts" / "pages"
SWEEPS = ("words=2,4,6,8,10,12,15,20,30", "density=2,4,6,8,9,10,10.5,11,12,14", "ncleaner", "perplexity(lm=books)")


def tables(folder: Path) -> list[str]:
    """Give the tables of a run, each with its caption."""
    return re.findall(r"(?:\|.*\n)+(?:\n(?!\|).+\n)*", (folder / "table.md").read_text(encoding="utf-8"))


def measure(gold: Path, output: Path) -> None:
    thresher("cleaneval", gold, "--extractors", "--output", output)
    found = tables(output)
    put(DOCS / "cleaning.md", f"gold: {gold.name}", found[0])
    put(DOCS / "cleaning-tables.md", f"gold: {gold.name}", "\n".join(found[1:]))


def transfer(gold: Path, other: Path, output: Path) -> None:
    sweeps = [argument for sweep in SWEEPS for argument in ("--sweep", sweep)]
    paper("cutoff_curves", gold, *sweeps, "--test", other, output=output)
    put(DOCS / "cleaning.md", f"transfer: {gold.name}", (output / "transfer.md").read_text(encoding="utf-8"))
    curves = [output / f"{safe_name(sweep.partition('=')[0])}.md" for sweep in SWEEPS]
    text = "\n".join(path.read_text(encoding="utf-8") for path in curves)
    put(DOCS / "cleaning-curves.md", f"sweeps: {gold.name}", text)


def learn(gold: Path, other: Path, output: Path) -> None:
    paper("ncleaner", "curve", gold, other, output=output)
    put(DOCS / "cleaning.md", f"learning: {gold.name}", (output / "curve.md").read_text(encoding="utf-8"))
    shutil.copy(output / "curve.svg", DOCS / "plots" / f"learning-{gold.name}.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "cleaning")
    asked = parser.parse_args()
    for gold in asked.gold:
        measure(gold, asked.output / gold.name)
    if len(asked.gold) > 1:
        here, there = asked.gold[:2]
        for gold, other in ((here, there), (there, here)):
            transfer(gold, other, asked.output / f"{gold.name}-sweeps")
            learn(gold, other, asked.output / f"{gold.name}-learning")


if __name__ == "__main__":
    main()
