"""Word models on one core: from text to perplexities against PyPlexity's method; time of loading; memory."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from measurements import Measurement, interleaved, ratio
from thresher import Segments, read_html
from thresher.cleaners.words.books import read_counts
from thresher.cleaners.words.models import load_model, model_files
from thresher.cleaners.words.tokenisers import TOKENISERS
from thresher.cleaners.words.word_model import WordModel
from thresher.pages.plain import plain_text

BAR_RATIO = 1 / 5
BAR_WORDS = 1.5e6
BAR_MB = 60.0
BAR_ARPA, BAR_BINARY = 0.5, 0.05

_MEMORY = """
import psutil, sys
import thresher.cleaners.words.models
before = psutil.Process().memory_info().rss
thresher.cleaners.words.models.load_model(sys.argv[1])
print(before / 1e6, psutil.Process().memory_info().rss / 1e6)
"""
# PyPlexity's replacements in each sentence, in its order.
_PATTERNS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (",", " ,"),
        (";", " ;"),
        (":", " :"),
        (r"\. [\w]*", " . "),
        (r"\.$", " ."),
        (r"\(", " ( "),
        (r"\)", " ) "),
        (r'"[ ]*', '" '),
        (r'[ ]*"', ' "'),
        *((sign, f" {sign} ") for sign in "<>='`"),
        (r"\?", " ? "),
        ("¿", " ¿ "),
        ("!", " ! "),
        ("¡", " ¡ "),
        (r"\s+", " "),
    )
]
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class Dictionaries:
    """PyPlexity's method over the counts of `books`: dictionaries from the bytes of words to probabilities."""

    def __init__(self) -> None:
        unigrams, bigrams = read_counts()
        total = sum(unigrams.values())
        self.unigrams = {word.encode(): count / total for word, count in unigrams.items()}
        self.bigrams = {
            f"{first} {second}".encode(): count / sum(followers.values())
            for first, followers in bigrams.items()
            for second, count in followers.items()
        }

    def perplexity(self, sentence: str) -> float:
        text = sentence.translate(_LOWER)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        tokens = text.strip().split(" ")
        bits = 0.0
        for first, second in zip(["#", *tokens[:-1]], tokens, strict=True):
            pair = self.bigrams.get(f"{first} {second}".encode(), 0)
            bits += math.log2(pair * 0.8 + self.unigrams.get(first.encode(), 0) * 0.2 + 1 / 1000000)
        return float(2 ** (-bits / len(tokens)))


def measure(folder: Path, rounds: int = 5) -> list[Measurement]:
    """Return the speed of scoring the text of a folder's pages by Thresher and by dictionaries; loading times; memory.

    Thresher gets the text of each page and the ends of its blocks; the dictionaries get sentences. The tokeniser `words`
    counts the words for both.
    """
    pages = [read_html(path.read_bytes()) for path in sorted(folder.rglob("*.html"))]
    files = model_files("books")
    models = {name: WordModel(files.path, TOKENISERS[name]) for name in ("words", "characters", "pyplexity")}
    dictionaries = Dictionaries()
    sentences = [sentence for page in pages for sentence in page.sentences]
    words = sum(int(TOKENISERS["words"](page.plain, page.sentence_ends)[1].sum()) for page in pages)

    def ours(model: WordModel) -> None:
        for page in pages:
            again = Segments(page.text, plain_text(page.text), page.block_ends, page.levels, None)
            model.perplexities(again.plain, again.sentence_ends)

    def theirs() -> None:
        for sentence in sentences:
            dictionaries.perplexity(sentence)

    best = interleaved({**{name: partial(ours, model) for name, model in models.items()}, "theirs": theirs}, rounds)
    result: list[Measurement] = [
        Measurement(
            f"text to perplexities, tokeniser {name}",
            f"{words:,} words in {best[name]:.3f} s, {words / best[name] / 1e6:.2f} million a second",
            words / best[name],
            BAR_WORDS,
            " a second",
            least=True,
        )
        for name in models
    ]
    result.append(ratio("text to perplexities / PyPlexity's dictionaries", best["words"], best["theirs"], BAR_RATIO))
    result += _loading(files.path, rounds)
    return [*result, _memory("books")]


def _loading(arpa: Path, rounds: int) -> list[Measurement]:
    """Time loading the ARPA file of `books`, and its KenLM binary if KenLM's `build_binary` is installed."""
    with tempfile.TemporaryDirectory() as name:
        binary = Path(name) / "model.binary"
        paths = {"books from its ARPA file": (arpa, BAR_ARPA)}
        if builder := shutil.which("build_binary"):
            subprocess.run([builder, "-s", str(arpa), str(binary)], check=True, capture_output=True)
            paths["books from a KenLM binary"] = (binary, BAR_BINARY)
        words = TOKENISERS["words"]
        best = interleaved({name: partial(WordModel, path, words) for name, (path, _) in paths.items()}, rounds)
    return [
        Measurement(f"loading {name}", f"{best[name]:.4f} s", best[name], bar, " s") for name, (_, bar) in paths.items()
    ]


def _memory(model: str) -> Measurement:
    load_model(model)
    command = [sys.executable, "-c", _MEMORY, model]
    completed = subprocess.run(command, check=True, capture_output=True, text=True)
    before, after = np.array(completed.stdout.split(), dtype=float).tolist()
    outcome = f"{after:.1f} MB, {before:.1f} MB of it Python, NumPy and lxml"
    return Measurement(f"a process with the language model {model}", outcome, after, BAR_MB, " MB")
