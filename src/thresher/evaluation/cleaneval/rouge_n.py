"""ROUGE-5 of a cleaned page against its gold text, as WebMainBench computes it, with a tokeniser of this project's.

ROUGE-N counts common n-grams (Lin: ROUGE: A Package for Automatic Evaluation of Summaries, ACL workshop 2004). WebMainBench
(Ma et al.: Dripper, arXiv 2511.23119) takes n = 5 over the tokens of the package jieba, case and punctuation kept. Without
Chinese, jieba's tokens are: letters a to z and digits in a row, with decimals and a per cent sign; the signs `+#&._%-` in a
row; every other character by itself, white space too. This module makes the same tokens with two differences. White space in
a row is one token, since gold texts of other sets have line breaks of their own. Each Chinese character is a token, where
jieba looks for words in a dictionary of 5 MB.
"""

from __future__ import annotations

import re
from collections import Counter

from thresher.evaluation.cleaneval.cleaning_measures import RougeCounts

LENGTH = 5
"""Tokens of an n-gram."""
_TOKEN = re.compile(r"[a-zA-Z0-9]+(?:\.[0-9]+)?%?|[+#&._%-]+|\s+|.")
_SPACE = re.compile(r"\s+")


def rouge_5(cleaned: str, gold: str) -> RougeCounts:
    """Count the common n-grams of two texts, each as often as both have it.

    Two empty texts agree. Texts that are shorter than an n-gram agree with nothing.
    """
    cleaned_tokens = tokens(cleaned)
    gold_tokens = tokens(gold)
    if not cleaned_tokens and not gold_tokens:
        return RougeCounts(0, 0, 0)
    cleaned_ngrams = _ngrams(cleaned_tokens)
    gold_ngrams = _ngrams(gold_tokens)
    hits = (cleaned_ngrams & gold_ngrams).total()
    return RougeCounts(hits, max(1, cleaned_ngrams.total()), max(1, gold_ngrams.total()))


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, without white space at its ends."""
    return _TOKEN.findall(_SPACE.sub(" ", text.strip()))


def _ngrams(tokens: list[str]) -> Counter[tuple[str, ...]]:
    shifted = [tokens[offset:] for offset in range(LENGTH)]
    return Counter(zip(*shifted, strict=False))
