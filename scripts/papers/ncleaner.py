"""NCleaner's experiments: cross-validation on a gold standard, the learning curve, and the choice of n and q.

usage: python scripts/papers/ncleaner.py folds GOLD_FOLDER [--n N] [--q Q] -o OUT
       python scripts/papers/ncleaner.py curve GOLD_FOLDER OTHER_GOLD_FOLDER -o OUT
       python scripts/papers/ncleaner.py tune RAW_FOLDER -o OUT

Sources: Evert, NCleaner, LREC 2008, section 3, section 4 with Table 2, section 5 with Fig. 4; StupidOS, WAC 2007, section
3.3 with Fig. 2, section 4 with Tables 1 and 2. Gold folders are as for `thresher cleaneval`. Models have the papers' n and q,
unless `--n` and `--q` set them. A block is kept if it is at least as probable under the clean model as under the dirty model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress, groupby
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt
import pandas as pd
from lxml.etree import LxmlError

from gold_measures import paired_t_test, pooled, segments
from paper_files import OUTPUT, errors_in_a_line, write_plot, write_table
from thresher import (
    ConfigError,
    GoldPage,
    InputError,
    LabelledText,
    PageWords,
    compare_words,
    parse_gold_page,
    read_gold,
)
from thresher.base.files import real_path, write_text
from thresher.base.numbers import Ints
from thresher.base.progress import progress
from thresher.cleaners.characters.character_counts import ALPHABETS, Alphabet, Settings
from thresher.cleaners.characters.scoring import SegmentScorer
from thresher.cleaners.characters.training import (
    ngrams,
    normalise,
    page_files,
    segment_texts,
    train,
    usual_settings,
)
from thresher.cleaners.scorers.ncleaner import Bars, Mask, bars
from thresher.evaluation.cleaneval.cleaning_measures import summarize_pages
from thresher.pages.marked_text import marked_segments, read_marked_text

Text = tuple[LabelledText, ...]
Floats = npt.NDArray[np.float64]
Row = dict[str, Any]
QS = tuple(tenth / 10 for tenth in range(1, 10))
FOLD_TABLES: dict[str, tuple[str, ...]] = {
    "pooled": ("micro_",),
    "by-page": ("precision_", "recall_", "f1_"),
    "segments": ("labelled_", "unlabelled_"),
    "t-tests": ("t_",),
}
CURVE = ("precision", "recall", "f1", "macro_f1")


class GoldBlocks(NamedTuple):
    """A page with gold.

    `passes` tells which blocks pass the heuristics, `bars` which blocks are navigation bars, and `training` has the clean and
    the raw segments to train on.
    """

    blocks: Text
    passes: Mask
    bars: Mask
    gold: GoldPage
    training: tuple[list[str], list[str]]

    def kept(self, scorer: SegmentScorer) -> Mask:
        """Return which blocks a model keeps."""
        scores = scorer.score("\n".join(block.text for block in self.blocks))
        # Stored scores have single precision, so compare in it to keep exactly the blocks that `clean` keeps.
        return (scores.astype(np.float32) >= 0) & ~self.bars


def read(page: GoldPage) -> GoldBlocks:
    """Parse a page. A page that does not parse counts as emptied."""
    clean = [segment.text for part in page.segments for segment in read_marked_text(part.text)]
    try:
        parsed = parse_gold_page(page)
    except LxmlError:
        none = np.zeros(0, dtype=np.bool_)
        return GoldBlocks((), none, none, page, (clean, []))
    blocks = tuple(LabelledText(segment.label, segment.text) for segment in marked_segments(parsed))
    return GoldBlocks(blocks, Bars().score(parsed) > 0, bars(parsed), page, (clean, parsed.blocks))


def cross_validate(
    pages: Sequence[GoldBlocks], folds: int, seed: int = 0, n: int | None = None, q: float | None = None
) -> dict[str, list[Text]]:
    """Return each page's text by cleaner: all text, the heuristics alone, and models of each alphabet.

    A model is trained on the other folds. It has the papers' n and q for its alphabet, unless `n` or `q` is given.
    """
    if len(pages) < folds:
        problem = f"{len(pages)} pages are too few for {folds} folds"
        raise ConfigError(problem, "give more pages, or fewer folds", "--folds")
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(len(pages)) % folds).tolist()
    cleaned: dict[str, list[Text]] = {
        "none": [tuple(LabelledText(None, block.text) for block in page.blocks) for page in pages],
        Bars.name: [tuple(compress(page.blocks, page.passes)) for page in pages],
    }
    for alphabet in ALPHABETS:
        settings = usual_settings(alphabet)
        settings = replace(settings, n=n or settings.n, q=settings.q if q is None else q)
        scorers = []
        for fold in range(folds):
            others = (page.training for page, own in zip(pages, fold_of_page, strict=True) if own != fold)
            scorers.append(SegmentScorer(train(others, settings, "the pages of the other folds")))
        cleaned[f"ncleaner, {alphabet}"] = [
            tuple(compress(page.blocks, page.kept(scorers[fold])))
            for page, fold in zip(pages, fold_of_page, strict=True)
        ]
    return cleaned


def fold_rows(cleaned: dict[str, list[Text]], pages: Sequence[GoldBlocks]) -> list[Row]:
    """Return a row of measures in [0, 1] for each cleaner. t-tests are paired by page, against the first cleaner."""
    rows: list[Row] = []
    base: list[PageWords] = []
    for name, texts in cleaned.items():
        words = [
            compare_words("\n".join(part.text for part in text), page.gold.text)
            for text, page in zip(texts, progress(pages, f"comparing {name}", len(pages), "pages"), strict=True)
        ]
        base = base or words
        summary = summarize_pages(words)
        row: dict[str, Any] = {"cleaner": name}
        for part in ("precision", "recall", "f1"):
            macro = getattr(summary, part)
            row |= {f"micro_{part}": getattr(summary.micro, part), f"{part}_mean": macro.mean, f"{part}_sd": macro.sd}
        compared = [segments(text, page.gold.segments) for text, page in zip(texts, pages, strict=True)]
        counts = [page for page in compared if page is not None]
        for kind in ("labelled", "unlabelled") if any(page.gold for page in counts) else ():
            whole, by_page = pooled(counts, kind == "labelled"), [pooled([page], kind == "labelled") for page in counts]
            for part in ("precision", "recall", "f1"):
                row[f"{kind}_micro_{part}"] = getattr(whole, part)
                row[f"{kind}_{part}_mean"] = fmean(getattr(page, part) for page in by_page)
        for part in ("f1", "precision"):
            own, other = ([getattr(page.alignment, part) for page in each] for each in (words, base))
            test = paired_t_test(own, other)
            row |= {f"t_{part}": test.t, f"t_{part}_df": test.df, f"t_{part}_p": test.p}
            row[f"t_{part}_low"] = test.difference.low
        rows.append(row)
    return rows


def usual_sizes(pages: int) -> tuple[int, ...]:
    """Return the numbers of training pages to try: 1, 2, 5, 10, 20, 50 and so on, and all pages."""
    steps = (step * 10**power for power in range(len(str(pages))) for step in (1, 2, 5))
    return (*(size for size in steps if size < pages), pages)


def learning_curve(
    pages: Sequence[GoldBlocks],
    tested: Sequence[GoldBlocks],
    sizes: Sequence[int],
    repeats: int,
    settings: Settings,
    seed: int = 0,
) -> Iterator[Row]:
    """Train models on growing subsets of the pages, and yield the quality of each on the tested pages.

    Precision, recall and F1 are over the pooled words of all pages; macro F1 is the mean over pages. Each subset is the
    beginning of a random order of the pages. The orders of few repeats are the first orders of many repeats. A subset whose
    cleaned text is not shorter than its raw text gives no model; this happens with single pages.
    """
    if wrong := [size for size in sizes if not 1 <= size <= len(pages)]:
        problem = f"{wrong[0]} training pages cannot be taken from {len(pages)}"
        raise ConfigError(problem, f"give sizes from 1 to {len(pages)}", "--sizes")
    # Models often keep equal blocks of a page, so comparisons are cached.
    compared: dict[tuple[int, bytes], PageWords] = {}
    for repeat in range(repeats):
        order = np.random.default_rng([seed, repeat]).permutation(len(pages)).tolist()
        for size in sizes:
            chosen = [pages[page].training for page in sorted(order[:size])]
            try:
                scorer = SegmentScorer(train(chosen, settings, "a subset"))
            except InputError:
                continue
            words = []
            for number, page in enumerate(tested):
                keep = page.kept(scorer)
                key = number, keep.tobytes()
                if key not in compared:
                    text = "\n".join(block.text for block in compress(page.blocks, keep))
                    compared[key] = compare_words(text, page.gold.text)
                words.append(compared[key])
            summary = summarize_pages(words)
            cleaned = sum(len(segment.split()) for clean, _ in chosen for segment in clean)
            values = (summary.micro.precision, summary.micro.recall, summary.micro.f1, summary.f1.mean)
            yield {"pages": size, "words": cleaned, "repeat": repeat, **dict(zip(CURVE, values, strict=True))}


def by_size(points: Sequence[Row]) -> list[Row]:
    """Return, by number of training pages, the mean, minimum and maximum of each measure over the orders."""
    rows: list[Row] = []
    for pages, group in groupby(sorted(points, key=lambda point: int(point["pages"])), lambda point: point["pages"]):
        own = [*group]
        row = {"pages": pages, "words": round(fmean(point["words"] for point in own)), "models": len(own)}
        for name in CURVE:
            values = [point[name] for point in own]
            row |= {name: fmean(values), f"{name}_least": min(values), f"{name}_most": max(values)}
        rows.append(row)
    return rows


def curve_plot(sizes: Sequence[Row]) -> dict[str, Any]:
    """Return a plot of precision, recall and F1 by number of training pages, with bands from minimum to maximum."""
    values = [
        {
            "pages": row["pages"],
            "measure": name,
            "mean": row[name],
            "low": row[f"{name}_least"],
            "high": row[f"{name}_most"],
        }
        for row in sizes
        for name in CURVE[:3]
    ]
    y = {"type": "quantitative", "scale": {"zero": False}, "title": "words of all pages pooled"}
    return {
        "width": 380,
        "height": 260,
        "data": {"values": values},
        "encoding": {
            "x": {"field": "pages", "type": "quantitative", "scale": {"type": "log"}, "title": "pages of training"},
            "color": {"field": "measure", "type": "nominal", "title": None, "sort": CURVE},
        },
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.18},
                "encoding": {"y": {"field": "low", **y}, "y2": {"field": "high"}},
            },
            {"mark": {"type": "line", "point": True}, "encoding": {"y": {"field": "mean", **y}}},
        ],
    }


def tune(
    pages: Sequence[Sequence[str]],
    alphabet: Alphabet,
    most: int,
    qs: tuple[float, ...] = QS,
    folds: int = 10,
    seed: int = 0,
) -> Floats:
    """Return -(1/N) Σ log2 P*(c | h) in bits for all q and all n up to `most`, each page under a model of the other folds.

    As in scoring, an n-gram with an unseen history has probability 0 in the sum of P*, and no shorter history takes its
    share. `pages` has the segments of each page. Shape (qs, most).
    """
    texts = [text for page in pages if (text := "\n".join(filter(None, map(normalise, page))))]
    if len(texts) < folds:
        problem = f"{len(texts)} pages with text are too few for {folds} folds"
        raise InputError(problem, "give more pages, or fewer folds", "tune")
    numbers = [keys[keys % alphabet.size != 0] for keys in (ngrams(text, most, alphabet) for text in texts)]
    fold_of_page = np.random.default_rng(seed).permutation(np.arange(len(texts)) % folds)
    keys, fold_of_key = np.concatenate(numbers), np.repeat(fold_of_page, [len(page) for page in numbers])
    # Σ_k q^k P(c | h without its first k), a row for each q. The sum for n + 1 is q times the sum for n, plus one term.
    sums = np.zeros((len(qs), len(keys)))
    bits: Floats = np.zeros((len(qs), most))
    for n in range(1, most + 1):
        sums *= np.array(qs)[:, None]
        sums += _held_out(keys % alphabet.size**n, fold_of_key, folds, alphabet, n)
        for row, q in enumerate(qs):
            bits[row, n - 1] = -(np.log2(sums[row]).mean() + np.log2((1 - q) / (1 - q**n)))
    return bits


def _held_out(keys: Ints, fold_of_key: Ints, folds: int, alphabet: Alphabet, n: int) -> Floats:
    """Return P(c | h) of each n-gram from the counts of the other folds, with add-one smoothing for n = 1."""
    seen, of_key = np.unique(keys, return_inverse=True)
    histories, of_history = np.unique(seen // alphabet.size, return_inverse=True)
    all_counts = np.bincount(of_key, minlength=len(seen))
    result = np.zeros(len(keys))
    for fold in range(folds):
        inside = np.flatnonzero(fold_of_key == fold)
        counts = all_counts - np.bincount(of_key[inside], minlength=len(seen))
        if n == 1:
            probabilities = (counts + 1) / (counts.sum() + alphabet.size - 1)
        else:
            totals = np.bincount(of_history, counts, len(histories))[of_history]
            probabilities = np.divide(counts, totals, out=np.zeros(len(seen)), where=totals > 0)
        result[inside] = probabilities[of_key[inside]]
    return result


def tuning_plot(rows: Sequence[Row]) -> dict[str, Any]:
    """Return a plot of the cross-entropy by q, with a line for each n."""
    y = {
        "field": "bits",
        "type": "quantitative",
        "scale": {"zero": False},
        "title": "cross-entropy, bits per character",
    }
    return {
        "width": 380,
        "height": 260,
        "data": {"values": rows},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "q", "type": "quantitative", "title": "q, the weight of the next shorter history"},
            "y": y,
            "color": {"field": "n", "type": "nominal"},
        },
    }


FILE = click.Path(path_type=Path)
_SEED = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of folds and orders.")
_FOLDS = click.option("--folds", type=click.IntRange(2), default=10, show_default=True, help="Number of folds.")
_ALPHABET = click.option("--alphabet", type=click.Choice([*ALPHABETS]), default="lexical", show_default=True)


@click.group()
def main() -> None:
    """Repeat the experiments of the papers on NCleaner and StupidOS."""


@main.command("folds")
@click.argument("gold_folder", type=FILE)
@_FOLDS
@click.option("--n", "n", type=click.IntRange(1, 9), help="Length of n-grams [default: the papers', by alphabet].")
@click.option("--q", "q", type=float, help="Weight of shorter histories [default: the papers', by alphabet].")
@_SEED
@OUTPUT
def folds_command(gold_folder: Path, folds: int, n: int | None, q: float | None, seed: int, output: Path) -> None:
    """Print the quality of the whole system on the pages of GOLD_FOLDER, by cross-validation."""
    pages = [*map(read, read_gold(gold_folder).pages)]
    rows = fold_rows(cross_validate(pages, folds, seed, n, q), pages)
    frame = pd.DataFrame(rows)
    settings = "".join(f", {name} = {value:g}" for name, value in (("n", n), ("q", q)) if value is not None)
    for table, begin in FOLD_TABLES.items():
        names = [name for name in frame if name.startswith(begin)]
        if names:
            write_table(
                output, table, f"{gold_folder.name}, {folds} folds{settings}: {table}.", frame[["cleaner", *names]]
            )


@main.command("curve")
@click.argument("folders", metavar="GOLD_FOLDER OTHER", type=FILE, nargs=2)
@click.option("--sizes", help="Numbers of pages to train on [default: 1,2,5,10,20,50 and so on, and all].")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Random orders of the pages.")
@_SEED
@_ALPHABET
@OUTPUT
def curve_command(
    folders: tuple[Path, Path], sizes: str | None, repeats: int, seed: int, alphabet: str, output: Path
) -> None:
    """Print the quality of models trained on growing subsets of GOLD_FOLDER, on the pages of OTHER."""
    gold_folder, other = folders
    if real_path(gold_folder) == real_path(other):
        problem = "a model cannot be tested on the pages that it was trained on"
        raise ConfigError(problem, "give another folder", str(other))
    pages, tested = ([*map(read, read_gold(folder).pages)] for folder in (gold_folder, other))
    chosen_sizes = tuple(map(int, sizes.split(","))) if sizes else usual_sizes(len(pages))
    models = learning_curve(pages, tested, chosen_sizes, repeats, usual_settings(alphabet), seed)
    points = list(progress(models, "training", len(chosen_sizes) * repeats, "models"))
    if not points:
        raise InputError("no subset has more raw text than cleaned text", "give larger sizes", "--sizes")
    rows, title = by_size(points), f"trained on {gold_folder.name}, tested on {other.name}"
    write_table(output, "curve", f"Words of all pages pooled, {title}.", pd.DataFrame(rows))
    write_text(output / "models.csv", pd.DataFrame(points).to_csv(index=False))
    write_plot(output / "curve.svg", title, curve_plot(rows))


@main.command("tune")
@click.argument("raw", type=FILE)
@click.option("--most", type=click.IntRange(1, 9), default=8, show_default=True, help="The largest n to try.")
@_FOLDS
@_SEED
@_ALPHABET
@OUTPUT
def tune_command(raw: Path, most: int, folds: int, seed: int, alphabet: str, output: Path) -> None:
    """Print the cross-entropy of the pages in the folder RAW, in bits per character, by n and q."""
    files = [*page_files(raw).values()]
    pages = [segment_texts(path) for path in progress(files, "reading", len(files), "pages")]
    bits = tune(pages, ALPHABETS[alphabet], most, folds=folds, seed=seed).tolist()
    rows = [{"q": q, "n": n, "bits": value} for q, row in zip(QS, bits, strict=True) for n, value in enumerate(row, 1)]
    least = min(rows, key=lambda row: (row["bits"], row["n"], row["q"]))
    best = f"best: n = {least['n']}, q = {least['q']:g}"
    caption = f"Cross-entropy in bits per character, {raw.name}, {alphabet} alphabet, {folds} folds; {best}."
    by_q = pd.DataFrame(rows).pivot(index="q", columns="n", values="bits").add_prefix("n = ").reset_index()
    # Show three decimals; the default of tables is one decimal for values above 1.
    shown = by_q.map(lambda value: f"{value:.3f}").assign(q=by_q.q)
    write_table(output, "tuning", caption, by_q, shown)
    write_plot(output / "tuning.svg", f"{raw.name}, {alphabet} alphabet; {best}", tuning_plot(rows))


if __name__ == "__main__":
    with errors_in_a_line():
        main()
