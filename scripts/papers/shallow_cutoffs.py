"""Single features as cleaners: mean word F1 on each gold standard, at the cutoff with the best mean on the other standards.

The features describe blocks (Kohlschütter et al. 2010, section 3.3).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from cutoff_curves import compare_words_alone
from paper_files import errors_in_a_line, write_table
from shallow_scorers import Capitals, FullStops, Position, Quotient, SentenceLength, WordLength
from thresher import Cleaner, Cut, Scorer, parse_cutoff, read_gold, score_gold
from thresher.base.files import temporary_folder
from thresher.base.progress import progress
from thresher.cleaners.scorers.shallow_features import Density, Links, Words

Cutoffs = Sequence[float | str]
FEATURES: tuple[tuple[Scorer, Cutoffs], ...] = (
    (Words(), (2, 5, 8, 10, 12, 15, 20, 25)),
    (Density(), (5, 7, 8, 9, 10, 10.5, 11, 12)),
    *((scorer, scorer.grid) for scorer in (Links(), FullStops(), SentenceLength(), Capitals(), WordLength())),
    *((scorer, scorer.grid) for scorer in (Position(), Position(origin="top"), Quotient(), Quotient(of="density"))),
)
"""The measured features with their cutoffs."""


def f1_by_cutoff(
    folder: Path, features: Sequence[tuple[Scorer, Cutoffs]], workers: int = 1
) -> Mapping[str, Mapping[str, float]]:
    """Return the mean F1 of a gold standard's pages by scorer and cutoff. `none` stands for all text."""
    pages = read_gold(folder).pages
    cleaners = {"none": {"": Cleaner()}}
    for scorer, cutoffs in features:
        cut, name = Cut(scorer, None), scorer.canonical_name
        cleaners[name] = {f"{at}": Cleaner((cut.at(parse_cutoff(f"{at}", name, name), name),)) for at in cutoffs}
    f1 = {}
    with temporary_folder() as scratch:
        score_gold(pages, [scorer for scorer, _ in features], scratch / "scores", workers)
        for name, by_cutoff in progress(cleaners.items(), folder.name, len(cleaners), "features"):
            words = compare_words_alone(pages, scratch / "scores", [*by_cutoff.values()], workers)
            means = np.mean([[compared.alignment.f1 for compared in page] for page in words], axis=0)
            f1[name] = dict(zip(by_cutoff, means.tolist(), strict=True))
    return f1


def transferred(by_set: Mapping[str, Mapping[str, Mapping[str, float]]]) -> pd.DataFrame:
    """Return F1 and cutoff of each scorer on each set. The cutoff is the best on the other sets."""
    rows = []
    for name in next(iter(by_set.values())):
        row: dict[str, float | str] = {"feature": name}
        for own, f1 in by_set.items():
            others = [by_name[name] for other, by_name in by_set.items() if other != own]
            means = {cutoff: sum(other[cutoff] for other in others) for cutoff in f1[name]}
            best = max(means, key=means.__getitem__)
            row |= {own: f1[name][best], f"{own}_cutoff": best}
        rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Read the command line and measure the features on gold standards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, nargs="+", help="two gold standards or more, as for `thresher cleaneval`")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write into")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes [default: one per core]")
    options = parser.parse_args()
    with errors_in_a_line():
        by_set = {gold.name: f1_by_cutoff(gold, FEATURES, options.workers) for gold in options.gold}
        options.output.mkdir(parents=True, exist_ok=True)
        caption = "Mean F1, and the cutoff with the best mean on the other sets."
        write_table(options.output, "features", caption, transferred(by_set))


if __name__ == "__main__":
    main()
