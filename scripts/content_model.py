#!/usr/bin/env python3
"""Train the content model that comes with the package, `web`, and write its scores into scripts/pages/content.md.

usage: scripts/content_model.py GOLD_FOLDERS [--errors]

GOLD_FOLDERS holds the training sets `wcxb-dev`, `aeb` and `trafilatura-eval`, whose licences allow training, and `marked`,
which `scripts/content_marks.py` writes. It also holds the test sets `cleaneval-dev`, `cleanportaleval` and `dragnet-300`.
The tables compare the model with the packages of the extra `extractors` on equal pages. With --errors, the script does not
train but writes the shipped model's errors on the test sets into the page.
"""

import argparse
import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from content_training.fitting import calibration_error
from content_training.gold_sets import read_gold_sets
from content_training.marks import NAME, SOURCES
from content_training.plots import calibration_plot
from content_training.stages import PagesOfSet, Trained, TrainingSettings, train_content_model
from fill import put, table
from thresher import compare_cleaned, mean_interval, parse_cleaner, read_gold, read_page_bytes, score_gold
from thresher.base.progress import progress
from thresher.cleaners.content_model.model import (
    FOLDER,
    ContentModel,
    TrainingSet,
    load_content_model,
    write_content_model,
)

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "scripts" / "pages" / "content.md"
ARCHIVE = "trafilatura-eval"
TRAINED_ON = {
    "wcxb-dev": (
        "CC BY 4.0",
        "Murrough Foley: WCXB, a multi-type web content extraction benchmark, development split, 2026",
    ),
    "aeb": ("MIT", "Scrapinghub (Zyte): article extraction benchmark, 2020"),
    ARCHIVE: ("Apache-2.0", "Adrien Barbaresi and contributors: Trafilatura, its evaluation pages"),
    NAME: (
        " and ".join(sorted({source.licence for source in SOURCES.values()})),
        f"pages of {', '.join(SOURCES)}, marked by a language model",
    ),
}
HELD_BACK = ("cleaneval-dev", "cleanportaleval", "dragnet-300")
# Blocks of snippet pages weigh more, since each page has only a few labelled blocks.
WEIGHTS = {ARCHIVE: 3.0}
DOCTYPE = re.compile(rb"(?i)<!doctype\s+html([^>]*)>")
HTML5 = re.compile(rb"(?i)<(?:article|section|nav|header|footer|main|figure|video|svg|meta charset)\b")
COMPARED = ("trafilatura", "readability", "resiliparse", "justext")


def read_sets(folders: Path, names: Sequence[str], work: Path, folds: int = 0) -> list[PagesOfSet]:
    """Return the sets with licences and weights; with `folds`, also their synthetic pages. Unpack the archive into `work`."""
    paths = []
    for name in names:
        paths.append(folders / name)
        if name == ARCHIVE:
            with tarfile.open(folders / name / f"{name}.tar.xz") as archive:
                archive.extractall(work, filter="data")
            (work / "tests").rename(work / name)
            paths[-1] = work / name
    sets, left_out = read_gold_sets(paths, workers=os.cpu_count() or 1, synthetic_folds=folds)
    for name, stems in left_out.items():
        print(f"{name}: {len(stems)} pages without text or gold text", flush=True)
    described = []
    for gold_set in sets:
        about = gold_set.about
        licence, attribution = TRAINED_ON.get(about.name, ("", ""))
        licensed = TrainingSet(about.name, about.pages, about.blocks, licence, attribution)
        described.append(replace(gold_set, about=licensed, weight=WEIGHTS.get(about.name, 1.0)))
    return described


def by_model(model: ContentModel, gold_set: PagesOfSet) -> np.ndarray:
    """Return each page's word F1 by a model at its cutoff."""
    cutoff = np.float32(model.card.cutoff)
    pages = progress(gold_set.pages, gold_set.about.name, len(gold_set.pages), "pages")
    return np.array([page.bags.f1(model.probabilities_of(page.features) >= cutoff) for page in pages if page.bags])


def by_extractors(folder: Path, stems: set[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each extractor's word F1 on the pages of a gold standard."""
    cleaners = [parse_cleaner(f"extractor({name})").checked() for name in COMPARED]
    pages = [page for page in read_gold(folder).pages if page.stem in stems]
    with tempfile.TemporaryDirectory() as store:
        scorers = [scorer for cleaner in cleaners for scorer in cleaner.scorers]
        score_gold(pages, scorers, Path(store), os.cpu_count() or 1)
        compared = list(compare_cleaned(pages, Path(store), cleaners, os.cpu_count() or 1))
    for number, cleaner in enumerate(cleaners):
        yield cleaner.name, np.array([page.quality[number].tokens.bag.f1 for page in compared])


def row(name: str, scores: np.ndarray) -> str:
    interval = mean_interval([*map(float, scores)])
    return f"| {name} | {len(scores):,} | {interval.mean:.4f} | {interval.low:.4f} to {interval.high:.4f} |\n"


def with_interval(scores: np.ndarray) -> str:
    """Return a mean and half the width of its 95 % interval; the value alone for one page."""
    if len(scores) < 2:
        return f"{scores.mean():.3f}"
    interval = mean_interval([*map(float, scores)])
    return f"{interval.mean:.3f} ±{(interval.high - interval.low) / 2:.3f}"


def markup(html: bytes) -> str:
    """Return the decade of a page's markup, by its document type or by tags that only HTML5 has."""
    declared = DOCTYPE.search(html[:5000])
    older = declared and re.search(rb"(?i)dtd (x?html [0-9])", declared[1])
    if older:
        return "1990s: HTML 2 or 3" if older[1].lower() in (b"html 2", b"html 3") else "2000s: HTML 4, XHTML"
    return "2010s on: HTML5" if declared or HTML5.search(html) else "1990s: no document type"


def tables(folders: Path, trained: Trained, sets: Sequence[PagesOfSet], others: Sequence[PagesOfSet]) -> str:
    """Return the tables of every set with whole gold texts: by cleaner, by page type if it has types, and by markup."""
    text = ""
    for gold_set in (*sets, *others):
        complete = [page for page in gold_set.pages if page.bags]
        if not complete or gold_set.about.name == NAME:
            continue
        name = gold_set.about.name
        ours = trained.f1[name] if name in trained.f1 else by_model(trained.model, gold_set)
        how = "by cross-validation over domains" if name in trained.f1 else "not trained on"
        scores = {f"content@{trained.model.card.cutoff:g}": ours}
        scores |= dict(by_extractors(folders / name, {page.stem for page in complete}))
        text += f"**{name}**, {how}:\n\n| cleaner | pages | word F1 | 95 % interval |\n| --- | ---: | ---: | --- |\n"
        text += "".join(row(cleaner, values) for cleaner, values in scores.items()) + "\n"
        decades = {page.stem: markup(read_page_bytes(page)) for page in read_gold(folders / name).pages}
        for heading, kinds in (
            ("page type", np.array([page.page_type for page in complete])),
            ("markup", np.array([decades[page.stem] for page in complete])),
        ):
            if not kinds.all():
                continue
            text += (
                f"| {heading} | pages | {' | '.join(scores)} |\n| --- | ---: | {' | '.join('---:' for _ in scores)} |\n"
            )
            for kind in sorted({*kinds.tolist()}):
                inside = kinds == kind
                means = " | ".join(with_interval(values[inside]) for values in scores.values())
                text += f"| {kind} | {int(inside.sum())} | {means} |\n"
            text += "\n"
    return text


# The feature that identifies each kind of blocks. A block is of the first kind that fits.
KINDS = {
    "comments": "in_comment",
    "related, teasers": "in_related",
    "navigation, footers": "in_navigation",
    "links": "links",
    "title, headings": "level",
    "tables": "in_tag_table",
    "lists": "list_item",
}


def errors(model: ContentModel, sets: Sequence[PagesOfSet]) -> str:
    """Return a table of wrongly kept and of lost words by kind of block and set, in per cent of the gold's words."""
    rows = [["kind of block"], *([kind] for kind in (*KINDS, "other text", "pages with word F1 below .5"))]
    for gold_set in sets:
        total = 0.0
        wrong = np.zeros((len(KINDS) + 1, 2))
        low = 0
        for page in gold_set.pages:
            features, words = page.features, page.features.words
            kept = model.probabilities_of(features) >= np.float32(model.card.cutoff)
            low += page.bags is not None and page.bags.f1(kept) < 0.5
            left = np.ones(len(words), dtype=bool)
            total += float(words @ page.labels)
            for number, name in enumerate((*KINDS.values(), "")):
                inside = left & (features.values[features.names.index(name)] > 0.5) if name else left
                left = left & ~inside
                wrong[number, 0] += float((words * (1 - page.labels))[inside & kept].sum())
                wrong[number, 1] += float((words * page.labels)[inside & ~kept].sum())
        cells = [[f"{100 * value / total:.1f}" for value in pair] for pair in wrong]
        heads = [f"{gold_set.about.name}: kept, not content", "content, lost"]
        for own, more in zip(rows, [heads, *cells, [f"{low} of {len(gold_set.pages)}", ""]], strict=True):
            own += more
    return table(rows[0], rows[1:])


def main() -> None:
    """Train and measure the model, and write it, its card and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path)
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    settings = TrainingSettings()
    with tempfile.TemporaryDirectory() as name:
        if options.errors:
            model = load_content_model("web")
            put(PAGE, "errors", errors(model, read_sets(options.folders, HELD_BACK, Path(name))))
            return
        sets = read_sets(options.folders, [*TRAINED_ON], Path(name), settings.folds)
        trained = train_content_model(sets, settings)
        others = read_sets(options.folders, HELD_BACK, Path(name))
    target = Path(str(FOLDER))
    target.mkdir(exist_ok=True)
    path = target / "web.content"
    write_content_model(path, trained.model)
    card = {
        "date": datetime.now(UTC).date().isoformat(),
        "made_by": "scripts/content_model.py",
        "data": [{"name": name, "licence": about[0], "attribution": about[1]} for name, about in TRAINED_ON.items()],
        "cutoff": trained.model.card.cutoff,
        "scores": dict(trained.model.card.scores),
        "bytes": path.stat().st_size,
        "sha256": sha256(path.read_bytes()).hexdigest(),
    }
    (target / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(card, indent=2), flush=True)
    put(PAGE, "scores", tables(options.folders, trained, sets, others))
    calibration_plot("web", trained.calibration).save(PAGE.parent / "plots" / "content-calibration.svg")
    error = calibration_error(trained.calibration)
    knots = len(trained.model.network.calibration.sums)
    sentences = (
        f"A curve of {knots} knots turns the network's sums, by cross-validation, into probabilities.\n"
        f"With pages' cutoffs at a half, their mean error is {error:.3f}, weighted as in training.\n"
    )
    put(PAGE, "calibration", sentences)
    means = [f"{mean:.4f}" for mean in trained.curve.values()]
    put(
        PAGE,
        "cutoffs",
        table(("cutoff", *(f"{each:g}" for each in trained.curve)), [["mean word F1 of the sets", *means]]),
    )


if __name__ == "__main__":
    main()
