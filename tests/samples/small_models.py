"""Small models for tests: an ARPA file, and the binaries that KenLM's `build_binary` makes of it."""

import base64
import zlib
from pathlib import Path

import kenlm
import numpy as np

from thresher.cleaners.words.word_model import WordModel
from thresher.pages.plain import plain_text

ARPA = (
    "\\data\\\nngram 1=4\nngram 2=2\n\n"
    "\\1-grams:\n-1\t<unk>\t0\n-1\t<s>\t-0.5\n-1\t</s>\n-1\ta\t-0.3\n\n"
    "\\2-grams:\n-0.1\t<s> a\n-0.2\ta a\n\n\\end\\\n"
)
PROBING = (
    "c-qU&O)OBz$yLZGDJihh*U!#KO-##7%}LQq&d=3P&QD2INXswEO)OC;OD!tS%+FIW<zhg9274f}pAks>2Lg}?BUFY7OdhaD7Gpt?LjaI?L7n1W%eGRuT5L"
    "ctJNxn_adCELAe$@a`^Vbi2iZ&*sv7o#2q?WDiElq^=FELCRg;e_GZ(zyKjrKhpM8x*Z$H#l*R-BJb7n8HNj9Z<*>(&z#XzhNBoY|_yM;c}"
)
TRIE = (
    "c-qU&O)OBz$yLZGDJihh*U!#KO-##7%}LQq&d=3P&QD2INXswEO)OC;OD!tS%+FIW<zhg9274f}pAks>2Lg}?BUFY7Odhajg7QJ)EGTjizzn4e>J;}{wv{"
    "pnW@lf%BreX*mGk{$ZSjL_B)j&52sHkFWd5v~GxwpZN45*yZe);|miBJt%$X<Ikp%(G4lx-"
)


def binary(packed: str) -> bytes:
    """Return the bytes of `PROBING` or `TRIE`."""
    return zlib.decompress(base64.b85decode(packed))


def write_arpa(path: Path) -> Path:
    """Write the ARPA file; it gives `a a b` log10 P = -0.1 - 0.2 - 0.3 - 1 after `<s>`, and `b` -0.5 - 1."""
    path.write_text(ARPA)
    return path


def load(path: Path) -> kenlm.Model:
    """Load a model by KenLM itself, which says nothing of it."""
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def perplexity_of(model: WordModel, sentence: str) -> float:
    """Return the perplexity of one sentence, infinite if it has no words."""
    plain = plain_text(" ".join(sentence.split()))
    return float(model.perplexities(plain, np.array([len(plain.text)], dtype=np.int64))[0])
