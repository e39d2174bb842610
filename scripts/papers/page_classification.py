"""Page classification after cleaning: Table 6 of the perplexity paper (Fernández-Pichel et al.), section 5.2.

LABELLED is a folder or tar archive with pages as class/group/page; WebKB's groups are universities. HTTP headers at the
beginning of pages are removed. A classifier trained on all other groups classifies the pages of each group, cleaned by each
cleaner and uncleaned. The output folder gets the tables as CSV and Markdown, and each page's predicted classes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import binomtest

from paper_files import errors_in_a_line, write_table
from text_classifiers import Ints, TextClassifier, TransformerClassifier, linear_classifier
from thresher import (
    Backend,
    CleanedDocument,
    InputError,
    ScorePlan,
    cleaned_documents,
    decode,
    holm,
    open_collection,
    parse_cleaner,
    score_collection,
)
from thresher.base.files import temporary_folder, write_text
from thresher.base.progress import progress
from thresher.collections.warc.http import charset, parse_response

Doubles = npt.NDArray[np.float64]
BASELINE = "none"
CLEANERS = (
    *("perplexity(lm=books)@8000", "perplexity(lm=books)@10000", "words@11", "density@10.5", "ncleaner@0", "justext"),
    "boilerpipe(rules=words)",
)
RESAMPLES, SEED = 2000, 20130101
_STATUS = b"HTTP/1.0 200\n"
# Fields that an HTTP header begins with. Some pages begin with other text that looks like a field.
_BEGIN = re.compile(rb"(?:content-type|content-length|date|last-modified|mime-version|server):", re.IGNORECASE)


def read_pages(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield class, group and HTML of each page of a folder or tar archive, without hidden files.

    Raises:
        InputError: a page is not in class/group/page, or the pages cannot be read.
    """
    try:
        for name, content in _files(path):
            *_, label, group, _ = ("", "", *name.split("/"))
            if not label:
                raise InputError(f"{name!r} is in no class and group", "arrange pages as class/group/page", str(path))
            page, declared = without_header(content)
            yield label, group, decode(page, declared).utf8.decode()
    except (OSError, tarfile.TarError) as error:
        raise InputError(f"it cannot be read ({error})", "give a folder or tar archive", str(path)) from error


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob("*"), key=str):
            if file.is_file() and not file.name.startswith("."):
                yield file.relative_to(path).as_posix(), file.read_bytes()
        return
    with tarfile.open(path) as archive:
        for member in archive:
            if content := archive.extractfile(member):
                yield member.name, content.read()


def without_header(content: bytes) -> tuple[bytes, str | None]:
    """Return a page without an HTTP header at its beginning, and the header's charset; None if it names no charset.

    >>> without_header(b"Server: CERN\\nContent-Type: text/html; charset=latin-1\\n\\n<p>Rain")
    (b'<p>Rain', 'latin-1')
    """
    block = _STATUS + content if _BEGIN.match(content) else content
    response = parse_response(block)
    return block[response.body :], charset(response.content_type)


def f1_by_class(tables: npt.NDArray[Any]) -> Doubles:
    """Return F1 = 2 TP / (actual + predicted) of each class; 0 for a class that neither occurs nor is predicted.

    `tables` are counts by actual and predicted class; shape (…, classes, classes).
    """
    right = np.diagonal(tables, axis1=-2, axis2=-1).astype(np.float64)
    totals = tables.sum(axis=-1) + tables.sum(axis=-2)
    f1: Doubles = np.divide(2 * right, totals, out=np.zeros_like(right), where=totals > 0)
    return f1


def f1_difference(labels: Ints, predicted: Ints, baseline: Ints, classes: int) -> tuple[float, float, float]:
    """Return the difference of macro F1 from the baseline's, and its 95 % interval by the paired bootstrap over pages.

    Drawing pages with replacement is equivalent to drawing the table's counts from a multinomial distribution (Efron 1979).
    """
    cube = np.bincount((labels * classes + predicted) * classes + baseline, minlength=classes**3)
    drawn = np.random.default_rng(SEED).multinomial(cube.sum(), cube / cube.sum(), size=RESAMPLES)
    shaped = np.vstack((cube, drawn)).reshape(-1, classes, classes, classes)
    differences = f1_by_class(shaped.sum(axis=3)).mean(axis=1) - f1_by_class(shaped.sum(axis=2)).mean(axis=1)
    low, high = np.quantile(differences[1:], (0.025, 0.975))
    return float(differences[0]), float(low), float(high)


def classify(
    pages: pd.DataFrame,
    texts: Mapping[str, Sequence[str]],
    classifier: TextClassifier,
    workers: int,
    always: Sequence[str] = (),
) -> pd.DataFrame:
    """Return pages with a column of predicted classes for each cleaner. The classifier of a group is trained on all others.

    The groups `always` are in every training set, and their pages are not classified or returned.

    Raises:
        InputError: the training pages of a group lack a class or have no text after a cleaner, or a group of `always` is
            missing.
    """
    if unknown := sorted({*always} - {*pages.group}):
        groups = ", ".join(sorted(set(pages.group)))
        raise InputError(f"there is no group {unknown[0]!r}", f"use one of {groups}", "--always-train")
    names = sorted(set(pages["class"]))
    labels = pages["class"].map(names.index).to_numpy(dtype=np.int64)
    tasks = [(name, group) for name in texts for group in sorted({*pages.group} - {*always})]

    def classify_group(task: tuple[str, str]) -> Ints:
        cleaner, group = task
        inside = (pages.group == group).to_numpy()
        train, test = ([texts[cleaner][at] for at in np.flatnonzero(rows).tolist()] for rows in (~inside, inside))
        if not any(train) or len({*labels[~inside].tolist()}) < max(2, len(names)):
            problem = f"without the group {group!r} there are no pages of a class, or {cleaner} leaves no text"
            raise InputError(
                problem, "give pages of two classes, each in two groups, and a cleaner that keeps some text"
            )
        return classifier(train, labels[~inside], test)

    predicted = {name: np.zeros(len(labels), dtype=np.int64) for name in texts}
    with ThreadPoolExecutor(workers) as pool:
        numbers = progress(pool.map(classify_group, tasks), "classifying", len(tasks), "groups")
        for (name, group), own in zip(tasks, numbers, strict=True):
            predicted[name][pages.group == group] = own
    classified = pages.assign(**{name: np.array(names, dtype=object)[own] for name, own in predicted.items()})
    return classified[~classified.group.isin(always)]


def measure(
    classified: pd.DataFrame, cleaners: Mapping[str, Sequence[CleanedDocument]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return F1 and tests by cleaner, and results by left-out group, from the predictions of `classify`."""
    names = sorted(set(classified["class"]))
    labels, baseline = (classified[name].map(names.index).to_numpy() for name in ("class", BASELINE))
    rows, groups = [], []
    for cleaner, documents in cleaners.items():
        own = classified[cleaner].map(names.index).to_numpy()
        right, was_right = own == labels, baseline == labels
        f1 = f1_by_class(_confusion(labels, own, len(names)))
        gained, lost = int((right & ~was_right).sum()), int((was_right & ~right).sum())
        row = {
            "cleaner": cleaner,
            "macro_f1": f1.mean(),
            **dict(zip(names, f1, strict=True)),
            "words": sum(document.words for document in documents),
            "emptied": sum(not document.text for document in documents),
            "right": right.mean(),
        }
        if cleaner != BASELINE:
            difference = f1_difference(labels, own, baseline, len(names))
            row |= dict(zip(("difference", "low", "high"), difference, strict=True))
            # McNemar's test, exact.
            p = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
            row |= {"gained": gained, "lost": lost, "p": p}
        rows.append(row)
        for group, inside in classified.reset_index(drop=True).groupby("group").indices.items():
            there = f1_by_class(_confusion(labels[inside], own[inside], len(names)))[np.unique(labels[inside])]
            row = {"cleaner": cleaner, "group": group, "pages": len(inside)}
            groups.append({**row, "macro_f1": there.mean(), "right": right[inside].mean()})
    table = pd.DataFrame(rows)
    return table.assign(p_holm=[np.nan, *holm(table.p[1:].tolist())]), pd.DataFrame(groups)


def _confusion(labels: Ints, predicted: Ints, classes: int) -> Ints:
    """Return the number of pages by actual and predicted class."""
    return np.bincount(labels * classes + predicted, minlength=classes * classes).reshape(classes, classes)


def run(
    labelled: Path,
    cleaners: Sequence[str],
    output: Path,
    classifier: TextClassifier = linear_classifier,
    workers: int = 1,
    always: Sequence[str] = (),
) -> None:
    """Classify the pages cleaned by each cleaner and uncleaned, and write the tables.

    Raises:
        ThresherError: as `read_pages`, `classify` and `score_collection`.
    """
    read = pd.DataFrame(read_pages(labelled), columns=["class", "group", "html"])
    every = [parse_cleaner(name).checked() for name in (BASELINE, *cleaners)]
    scorers = {scorer.canonical_name: scorer for cleaner in every for scorer in cleaner.scorers}
    output.mkdir(parents=True, exist_ok=True)
    with temporary_folder(output) as folder:
        lines = (json.dumps({"id": str(number), "html": html}) for number, html in enumerate(read.html))
        write_text(folder / "pages.jsonl", "\n".join(lines))
        plan = ScorePlan(open_collection(folder / "pages.jsonl"), tuple(scorers.values()))
        score_collection(plan, folder / "scores", Backend(workers=workers))
        documents = {cleaner.name: [*cleaned_documents(folder / "scores", cleaner)] for cleaner in every}
    pages = read.loc[[int(document.id) for document in documents[BASELINE]], ["class", "group"]]
    texts = {name: [document.text for document in own] for name, own in documents.items()}
    classified = classify(pages, texts, classifier, workers, always)
    write_text(output / "pages.csv", classified.to_csv(index=False))
    tested = [*(~pages.group.isin(always))]
    table, groups = measure(classified, {name: [*compress(own, tested)] for name, own in documents.items()})
    counts = classified["class"].value_counts().sort_index()
    by_class = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    trained = f", {', '.join(always)} always trained on" if always else ""
    pages_of = f"{len(classified):,} of {len(read):,} pages: {by_class}."
    caption = f"F1 by class (Table 6), each group left out in turn{trained}. {pages_of}"
    write_table(output, "f1", caption, table[["cleaner", "macro_f1", *counts.index]])
    caption = (
        "Against the uncleaned pages: difference of macro F1, its 95 % interval; McNemar's exact test of single pages."
    )
    write_table(output, "tests", caption, table.drop(columns=["macro_f1", *counts.index]))
    write_table(output, "groups", "Left-out groups.", groups)


def main() -> None:
    """Read the command line and classify the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labelled", type=Path)
    parser.add_argument("-c", "--cleaner", action="append", help="cleaner, may be repeated [default: seven cleaners]")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--transformer", type=Path, help="folder with the weights of a transformer to classify by")
    parser.add_argument(
        "--always-train", action="append", default=[], metavar="GROUP", help="group that is in every training set"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes [default: one per core]")
    options = parser.parse_args()
    classifier = TransformerClassifier(options.transformer) if options.transformer else linear_classifier
    cleaners = options.cleaner or CLEANERS
    with errors_in_a_line():
        run(options.labelled, cleaners, options.output, classifier, options.workers, options.always_train)


if __name__ == "__main__":
    main()
