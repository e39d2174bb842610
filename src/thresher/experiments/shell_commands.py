"""Commands for a shell that repeat a step, or apply a treatment to a collection."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from thresher.base.defaults import ID_RULES, LANGUAGE
from thresher.cleaners.scorer import SENTENCE
from thresher.cleaners.scorers.extractor import FileText
from thresher.experiments.config import Experiment
from thresher.experiments.schema import ID_KEYS, INDEX_KEYS, READING_KEYS, Document, as_options
from thresher.indexes.pruning.treatments import Treatment

_CLEANED = "cleaned.jsonl"
_INDEX = "index"


def command_of(verb: str, experiment: Experiment, folder: Path, *options: str) -> str:
    """Return a command for an experiment whose results are in `folder`."""
    words = ["thresher", verb, str(experiment.file)]
    words.extend(options)
    if folder.parent != Path("results"):
        words += ["--results", str(folder.parent)]
    return shlex.join(words)


def treatment_commands(document: Document, source: str, treatment: Treatment, lengths: bool = False) -> tuple[str, ...]:
    """Return the shell commands that repeat a run of the experiment on the pages at `source`, one stage at a time.

    Args:
        document: the experiment file.
        source: the collection.
        treatment: the treatment of its pages.
        lengths: whether the index stores exact lengths of documents.

    Returns:
        No lines if no command does the same: `thresher clean` with a language leaves out pages in other languages, and only
        an experiment file names texts of other files.
    """
    has_sentences = any(scorer.segment == SENTENCE for scorer in treatment.cleaner.scorers)
    if has_sentences and document.pages.language != LANGUAGE:
        return ()
    pages = [source]
    pages += as_options(document, "collection", READING_KEYS + ID_KEYS)
    if document.collection.ids == ID_RULES[0] and ".warc" in _first_file(Path(source)).name:
        pages += ["--ids", "record"]
    pages += as_options(document, "pages", ["blocks"])
    index = list(as_options(document, "index", INDEX_KEYS))
    if not document.index.stopwords:
        index.append("--keep-stopwords")
    if lengths:
        index.append("--lengths")
    if treatment.pruning is not None:
        index += as_options(document, "pruning", ["statistics"])
    return clean_and_index(treatment, pages, index)


def clean_and_index(treatment: Treatment, pages: Sequence[str], index: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the shell lines that apply a treatment to pages; none if its texts are in files that only an experiment names.

    The lines clean the pages and index the cleaned text. With weights, the first line makes the index of the pages, and the
    second writes the cleaned text, without weights, for another engine.

    Args:
        treatment: the treatment of the pages.
        pages: the collection, with options of `thresher clean`.
        index: options of `thresher index`.
    """
    for scorer in treatment.cleaner.scorers:
        if any(isinstance(text, FileText) for text in scorer.required_texts):
            return ()
    clean = _shell_line("thresher", "clean", *pages, "-c", treatment.cleaner.name, "-o", _CLEANED)
    if treatment.weights is not None:
        # Cleaned text no longer marks titles, headings and links.
        return _shell_line("thresher", "index", *pages, *index, "-t", treatment.name, "-o", _INDEX), clean
    pruning: list[str] = []
    if treatment.pruning is not None:
        pruning = ["--prune", treatment.pruning.name]
    return clean, _shell_line("thresher", "index", _CLEANED, *index, *pruning, "-o", _INDEX)


def _first_file(source: Path) -> Path:
    """Return the first file of a folder, or the file itself."""
    for path in source.rglob("*"):
        if path.is_file():
            return path
    return source


def _shell_line(*words: str) -> str:
    """Return a line for a shell; unprintable words are written as bash and POSIX (2024) have it."""
    quoted = []
    for word in words:
        if word.isprintable():
            quoted.append(shlex.quote(word))
        else:
            quoted.append(f"$'{_escaped(word)}'")
    return " ".join(quoted)


def _escaped(word: str) -> str:
    characters = []
    for byte in os.fsencode(word):
        if byte in b"'\\" or not 32 <= byte < 127:
            characters.append(f"\\x{byte:02x}")
        else:
            characters.append(chr(byte))
    return "".join(characters)
