#!/usr/bin/env python3
"""Measure cleaning on gold standards, for cleaning.md, cleaning-tables.md and cleaning-curves.md in scripts/pages.

usage: scripts/cleaning.py GOLD_FOLDER... [--output FOLDER]

The script measures the default cleaners and the packages of the extra `extractors` on every gold standard. On each of the
first two it also sweeps cutoffs and trains NCleaner on growing parts. It tests the best cutoffs and the models on the other
of the two.
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
    """Return the tables of a run, each with its caption."""
    return re.findall(r"(?:\|.*\n)+(?:\n(?!\|).+\n)*", (folder / "table.md").read_text(encoding="utf-8"))


def measure(gold: Path, output: Path) -> None:
    thresher("cleaneval", gold, "--extractors", "--output", output)
    first, *others = tables(output)
    put(DOCS / "cleaning.md", f"gold: {gold.name}", first)
    put(DOCS / "cleaning-tables.md", f"gold: {gold.name}", "\n".join(others))


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
    options = parser.parse_args()
    for gold in options.gold:
        measure(gold, options.output / gold.name)
    if len(options.gold) > 1:
        here, there = options.gold[:2]
        for gold, other in ((here, there), (there, here)):
            transfer(gold, other, options.output / f"{gold.name}-sweeps")
            learn(gold, other, options.output / f"{gold.name}-learning")


if __name__ == "__main__":
    main()
