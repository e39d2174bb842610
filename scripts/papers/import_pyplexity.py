"""Convert PyPlexity's `.st` models into folders that perplexity(lm=FOLDER) reads, with equal perplexities.

usage: python scripts/papers/import_pyplexity.py FILE.st --output FOLDER (needs `pip install storable`)

A `.st` file is in Perl's Storable format: an array of two hashes (pairs of words with P(w2 | w1), words with P(w)) or of three
(triples, pairs, words). A key is its words separated by spaces; `#` precedes a sentence. Source of the format and the
formulas: the bigram and trigram model classes of PyPlexity 0.2.12.

**Pairs.** P(w2 | w1) = 0.8 · P(w2 | w1) + 0.2 · P(w1) + 1e-6. A back-off model represents this exactly: see
`thresher.cleaners.words.ngrams.write_mixture`.

**Triples.** 0.6 · P(w3 | w1 w2) + 0.3 · P(w2 | w1) + 0.1 · P(w1) + 1e-6. No back-off model represents this formula: after an
unseen pair w1 w2, it backs off to a history without w1. But PyPlexity does not apply the formula to three words in a row. It
arranges the tokens t_1 … t_n of a sentence as (t_{i-1}, t_i, t_i), i from 1 to n - 1, with # for t_0. So it looks up triples
whose last two words are equal, and never reaches the last token. These values depend on pairs only. An ARPA file of pairs
represents them exactly, with the tokeniser `pyplexity-trigrams`, which also leaves out the last token. Triples that PyPlexity
never looks up are not written.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from paper_files import errors_in_a_line
from thresher import InputError, MissingDependencyError
from thresher.base.files import atomic_path, file_digest, user_error
from thresher.cleaners.words.importing import check_replaceable
from thresher.cleaners.words.models import ARPA, BINARY, CARD
from thresher.cleaners.words.ngrams import BEGIN, END, UNKNOWN, WEIGHTS, Bigram, History, write_binary, write_mixture
from thresher.cleaners.words.tokenisers import NORMALISATIONS, PYPLEXITY, PYPLEXITY_TRIGRAMS, tokeniser
from thresher.cleaners.words.word_model import BIGRAM_FORMULA, FLOOR, UNSEEN_WORDS, ModelCard, WordModel

_BOUNDARY = "#"
# KenLM's special words. They are no tokens of PyPlexity's, which contain neither < nor >.
_RESERVED = frozenset((BEGIN, END, UNKNOWN, "<UNK>"))
_CONTROL = re.compile("[\0-\x1f]")
_TRIGRAM_FORMULA = (
    "0.6 * P(w | previous w) + 0.3 * P(w | previous) + 0.1 * P(previous) + 1e-6; a sentence's last token is counted and not "
    "scored (what PyPlexity 0.2.12 computes with a trigram model, exactly; no back-off model holds the formula for three "
    "words in a row)"
)
_FIX = "give a model that PyPlexity reads"

Table = dict[tuple[str, ...], float]


def import_pyplexity(source: Path, output: Path, name: str | None = None) -> ModelCard:
    """Write the model in a `.st` file as a folder, and return its card. Uses about 200 bytes per entry, as PyPlexity does."""
    check_replaceable(output)
    hashes = _read(source)
    order = len(hashes)
    tables = [_table(entries, order - at, source) for at, entries in enumerate(hashes)]
    left_out = sum(map(len, hashes)) - sum(map(len, tables))
    words = {word: probability for (word,), probability in tables[-1].items()}
    # PyPlexity looks up only triples whose last two words are equal.
    doubled = {key[:2]: value for table in tables[:-2] for key, value in table.items() if key[1] == key[2]}
    word_weight, pair_weight, triple_weight = (*WEIGHTS[order], 0.0)[:3]

    def rest(first: str) -> float:
        return word_weight * words.get(first, 0.0) + FLOOR

    def pairs() -> Iterator[Bigram]:
        for key in (*tables[-2], *(key for key in doubled if key not in tables[-2])):
            first, second = key
            value = triple_weight * doubled.get(key, 0.0) + pair_weight * tables[-2].get(key, 0.0) + rest(first)
            yield Bigram(first, second, value)
            # The first word of a sentence follows #, as in the text.
            if first == _BOUNDARY:
                yield Bigram(BEGIN, second, value)

    seen = [*pairs()]
    vocabulary = {*words, *(word for first, second, _ in seen for word in (first, second))} - {BEGIN}
    histories = [History(UNKNOWN, FLOOR), History(END, None), History(BEGIN, rest(_BOUNDARY))]
    histories += [History(word, rest(word)) for word in sorted(vocabulary)]
    cut_by = PYPLEXITY_TRIGRAMS if order > 2 else PYPLEXITY
    more = f"; without {left_out:,} entries that no text can match" if left_out else ""
    with atomic_path(output.absolute()) as folder:
        folder.mkdir()
        path = folder / ARPA
        ngrams = write_mixture(path, histories, seen, len(seen))
        WordModel(path, tokeniser(cut_by, ""))
        write_binary(path, folder / BINARY)
        card = ModelCard(
            name=name or source.stem,
            language="unknown",
            corpus=f"unknown: imported from {source.name}{more}",
            order=2,
            ngrams=ngrams,
            formula=_TRIGRAM_FORMULA if order > 2 else f"{BIGRAM_FORMULA}, exactly)",
            tokeniser=cut_by,
            unknown_words=UNSEEN_WORDS,
            sentence_ends="<s> stands for PyPlexity's #, </s> is not scored",
            digest=file_digest(path),
            normalisation=NORMALISATIONS[cut_by],
        )
        card.write(folder / CARD)
    return card


def _read(source: Path) -> list[dict[Any, Any]]:
    """Return the hashes in a `.st` file: triples, if it has triples, pairs, words."""
    try:
        from storable import retrieve
    except ImportError as error:
        problem = "reading PyPlexity's models needs the package storable"
        raise MissingDependencyError(problem, "pip install storable", str(source)) from error
    try:
        content = retrieve(str(source))
    except OSError as error:
        raise user_error(error, source) from error
    # A corrupt length may cause a MemoryError.
    except (struct.error, LookupError, ValueError, TypeError, RecursionError, OverflowError, MemoryError) as error:
        raise InputError("the Storable file is damaged", "get it again", str(source)) from error
    if isinstance(content, list) and len(content) in (2, 3) and all(isinstance(part, dict) for part in content):
        return content
    problem = "it is in Perl's Storable format, but no model of PyPlexity's, which is an array of two or three hashes"
    raise InputError(problem, _FIX, str(source))


def _table(entries: dict[Any, Any], words: int, source: Path) -> Table:
    """Return the entries that text can match, by their words.

    PyPlexity looks up a key by its bytes in UTF-8. The package `storable` returns bytes for keys that Perl marks as text, as
    in PyPlexity's models. It returns other keys as text, and as numbers if they look like numbers.
    """
    table: Table = {}
    for raw, value in entries.items():
        try:
            text = raw.decode() if isinstance(raw, bytes) else str(raw)
        except UnicodeDecodeError:
            continue
        key = tuple(text.split(" "))
        if len(key) != words or not all(key) or _CONTROL.search(text) or not _RESERVED.isdisjoint(key):
            continue
        try:
            table[key] = float(value)
        except (TypeError, ValueError):
            table[key] = math.nan
        # Sums of rounded numbers may slightly exceed 1.
        if not 0 <= table[key] <= 1 + FLOOR:
            raise InputError(f"{value!r} is not a probability", _FIX, str(source))
    return table


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="Folder to write.")
@click.option("--name", help="Name of the model [default: name of the file].")
def main(source: Path, output: Path, name: str | None) -> None:
    """Convert PyPlexity's .st model into a folder with a card."""
    card = import_pyplexity(source, output, name)
    click.echo(
        f"{output}: {card.name}, {card.ngrams[0]:,} words, {card.ngrams[1]:,} pairs; 'perplexity(lm={output})@8000'"
    )


if __name__ == "__main__":
    with errors_in_a_line():
        main()
