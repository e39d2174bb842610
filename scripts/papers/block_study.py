"""The study of block features of Kohlschütter, Fankhauser, Nejdl (WSDM 2010), sections 3 to 5, on a gold standard.

Writes a row for each block with its features (blocks.parquet), tables as CSV and Markdown, and plots.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from block_classes import CLASSES
from block_classifiers import CLASSIFIERS, cross_validate, folds_of_pages
from block_features import FEATURES, FOUR, TWO, Problem, read_blocks
from block_measures import block_scores, cut_points, information_gain
from block_plots import density_plot, gains_plot, words_plot
from paper_files import errors_in_a_line, write_plot, write_table
from random_writers import WriterFit, density_shares, fit_one_state, fit_three_parts, fit_two_states, word_shares
from thresher import read_gold
from thresher.base.files import write_text
from thresher.base.progress import progress

PUBLISHED = Path(__file__).with_name("published")
BY_TYPE = ("words @15", "link density @0.33", "text density @10.5", "Algorithm 2", "tree: all local (P/C/N)")
"""Classifiers in the table by type of page."""
GAINS_SHOWN, GAINS_DRAWN = 15, 30
UNITS = ("blocks", "words", "tokens")
Row = dict[str, Any]
Scores = npt.NDArray[np.float32]
CLASSIFIERS_SHOWN = [
    *("classifier", "features", "leaves"),
    *(f"{by}_{name}" for by in ("blocks", "words", "published") for name in ("f1", "false_positive_rate", "roc_area")),
]
TYPES_SHOWN = [
    *("page_type", "pages", "blocks", "words", "content_blocks", "content_words"),
    *(f"f1_{name}" for name in BY_TYPE),
]


MIXTURE = (
    *("template", "template_mean", "template_exponents", "full_text", "full_text_mean", "full_text_exponents"),
    *("transition", "transition_mean", "transition_deviation"),
)
"""The parameters of `three_parts`. The paper reads its parts as incomplete sentences, complete sentences, and a transition."""


def class_shares(blocks: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers and shares of blocks, words and tokens by class (Table 1)."""
    counted = blocks[["words", "tokens"]].astype(np.int64).assign(blocks=1)[list(UNITS)]
    by_class = counted.groupby(blocks["class"]).sum().reindex(CLASSES, fill_value=0)
    boilerplate = by_class[:1]
    content = (counted.sum() - boilerplate.sum()).to_frame("any content").T
    totals = pd.concat([boilerplate, content, by_class[1:].query("blocks > 0")])
    shares = (totals / counted.sum()).add_suffix("_share")
    rows = pd.concat([totals, shares], axis=1).rename_axis("class").reset_index()
    return rows.merge(pd.read_csv(PUBLISHED / "shallow-classes.csv"), how="left")


def classified(
    blocks: pd.DataFrame, problem: Problem, folds: int, workers: int
) -> tuple[pd.DataFrame, dict[str, Scores]]:
    """Return the classifiers' measures beside the paper's (Table 2), and the scores by the classifiers in `BY_TYPE`."""
    fold, labels = folds_of_pages(blocks, problem, folds), problem.labels(blocks)
    every_word = blocks.words.to_numpy(dtype=np.float64)
    rows: list[Row] = []
    scores_by_type = {}
    for classifier in progress(CLASSIFIERS, f"{problem.name} classes", len(CLASSIFIERS), "classifiers"):
        scores, leaves = cross_validate(blocks, problem, classifier, fold, workers)
        row = {"problem": problem.name, "classifier": classifier.name, "features": len(classifier.features)}
        row["leaves"] = leaves or np.nan
        for unit, weights in (("blocks", np.ones(len(labels))), ("words", every_word)):
            row |= {f"{unit}_{name}": value for name, value in block_scores(labels, scores, weights).items()}
        rows.append(row)
        if classifier.name in BY_TYPE:
            scores_by_type[classifier.name] = scores
    published = pd.read_csv(PUBLISHED / "shallow-classifiers.csv")
    return pd.DataFrame(rows).merge(published, how="left"), scores_by_type


def information_gains(blocks: pd.DataFrame, problem: Problem) -> pd.DataFrame:
    """Return the features by information gain, with blocks weighted by their words and equally (Figure 1)."""
    labels, classes = problem.labels(blocks), len(problem.classes)
    words = blocks.words.to_numpy(dtype=np.float64)
    rows = []
    for feature in FEATURES:
        values = blocks[feature].to_numpy()
        cuts = cut_points(values, labels, classes)
        by_words, by_blocks = (
            information_gain(values, labels, classes, weights, cuts) for weights in (words, np.ones(len(values)))
        )
        row = {"feature": feature, "by_words": by_words, "by_blocks": by_blocks, "intervals": len(cuts) + 1}
        rows.append({"problem": problem.name, **row})
    return pd.DataFrame(rows).sort_values(["by_words", "feature"], ascending=[False, True], ignore_index=True)


def by_page_type(blocks: pd.DataFrame, scores: dict[str, Scores]) -> pd.DataFrame:
    """Return sizes, random writers and F1 of two classes, for all pages and for each type, the most frequent type first."""
    content, kinds = TWO.labels(blocks), blocks.page_type.replace("", "no type")
    sizes = blocks.groupby(kinds).page.nunique().sort_index().sort_values(ascending=False, kind="stable")
    rows = []
    for name in ("all", *(sizes.index if (blocks.page_type != "").any() else ())):
        inside = ((kinds == name) | (name == "all")).to_numpy()
        words, labels = blocks.words[inside].to_numpy(dtype=np.float64), content[inside]
        one_state, two_states = writers(words)
        row: Row = {
            "page_type": name,
            "pages": blocks.page[inside].nunique(),
            "blocks": inside.sum(),
            "words": int(words.sum()),
        }
        row |= {"content_blocks": labels.mean(), "content_words": words[labels > 0].sum() / max(words.sum(), 1)}
        row |= {"end": one_state.parameters[0], "one_r2": one_state.r2, "one_rmse": one_state.rmse}
        row |= dict(zip(("short", "short_end", "long_end"), two_states.parameters, strict=True))
        row |= {"two_r2": two_states.r2, "two_rmse": two_states.rmse}
        row |= {f"f1_{key}": block_scores(labels, scores[key][inside], words)["f1"] for key in BY_TYPE}
        rows.append(row)
    return pd.DataFrame(rows)


def writers(words: npt.NDArray[Any]) -> tuple[WriterFit, WriterFit]:
    """Return the fits of the random writers with one state and with two states."""
    shares = word_shares(words)
    return fit_one_state(shares), fit_two_states(shares)


def histogram(blocks: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of blocks by class and number of words, and by class and rounded text density."""
    counts = pd.DataFrame({"class": blocks["class"], "blocks": 1, "words": blocks.words.astype(np.int64)})
    counts["linked_words"] = np.rint(blocks.links * blocks.words).astype(np.int64)
    parts = []
    for feature in ("words", "density"):
        value = np.rint(blocks[feature]).astype(np.int64)
        sums = counts.assign(value=value).groupby(["value", "class"], as_index=False).sum()
        parts.append(sums.assign(feature=feature))
    bins = pd.concat(parts, ignore_index=True)
    return bins.assign(share=bins.blocks / max(1, int((blocks.words > 0).sum())))


def study(folder: Path, gold: Path | None, output: Path, folds: int = 10, workers: int = 1) -> None:
    """Study the blocks of a gold standard, and write tables and plots.

    Raises:
        InputError: as `read_gold`, `read_blocks` and `folds_of_pages`.
    """
    standard = read_gold(folder, gold)
    blocks, without = read_blocks(standard.pages, workers)
    output.mkdir(parents=True, exist_ok=True)
    for reason, stems in {**standard.left_out, **without}.items():
        if stems:
            print(f"{reason} ({len(stems)}): {', '.join(stems)}")
    blocks.to_parquet(output / "blocks.parquet", index=False)
    pages = f"{len(standard.pages):,} pages: {blocks.page.nunique():,} with blocks."
    write_table(output, "classes", f"Classes of blocks (Table 1). {pages}", class_shares(blocks))
    for problem in (TWO, FOUR) if len(set(FOUR.labels(blocks))) > 2 else (TWO,):
        rows, scores = classified(blocks, problem, folds, workers)
        caption = f"Classification into {problem.name} classes (Table 2), {folds}-fold cross-validation by page."
        write_table(output, f"classifiers-{problem.name}", caption, rows, rows[CLASSIFIERS_SHOWN])
        gains = information_gains(blocks, problem)
        caption = f"Information gain of features about {problem.name} classes, in bits (Figure 1)."
        write_table(output, f"gains-{problem.name}", caption, gains, gains.drop(columns="problem")[:GAINS_SHOWN])
        title = f"{output.name}: information about {problem.name} classes"
        write_plot(output / f"gains-{problem.name}.svg", title, gains_plot(gains[:GAINS_DRAWN]))
        if problem is TWO:
            types = by_page_type(blocks, scores)
    write_table(output, "types", "Classification into two classes, by words.", types, types[TYPES_SHOWN])
    published = pd.read_csv(PUBLISHED / "shallow-writers.csv")
    caption = "Words of blocks as geometric distributions: one state (Eq. 2), two states (Eq. 3)."
    write_table(output, "writers", caption, pd.concat([types[[*published]], published]))
    shares = density_shares(blocks.density.to_numpy(), blocks.words.to_numpy())
    mixed = fit_three_parts(shares)
    row = {
        "set": "these pages",
        **dict(zip(MIXTURE, mixed.parameters, strict=True)),
        "r2": mixed.r2,
        "rmse": mixed.rmse,
    }
    caption = "Words by text density: two beta distributions and a normal one (section 5.1), on [0, 1] as scale."
    write_table(
        output, "densities", caption, pd.concat([pd.DataFrame([row]), pd.read_csv(PUBLISHED / "shallow-densities.csv")])
    )
    bins, fits = histogram(blocks), writers(blocks.words.to_numpy())
    write_text(output / "histogram.csv", bins.to_csv(index=False))
    write_plot(output / "words.svg", f"{output.name}: blocks by number of words", words_plot(bins, *fits))
    write_plot(output / "density.svg", f"{output.name}: words by text density", density_plot(bins, mixed, len(shares)))


def main() -> None:
    """Read the command line and study a gold standard."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="pages and gold, as for `thresher cleaneval`")
    parser.add_argument("--gold", type=Path, help="folder of the gold if it is elsewhere, as for `thresher cleaneval`")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write into")
    parser.add_argument("--folds", type=int, default=10, help="folds of the cross-validation by page [default: 10]")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes [default: one per core]")
    options = parser.parse_args()
    with errors_in_a_line():
        study(options.folder, options.gold, options.output, options.folds, options.workers)


if __name__ == "__main__":
    main()
