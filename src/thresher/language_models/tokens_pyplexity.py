r"""The tokeniser `pyplexity`: the words as PyPlexity's models know them.

Source: PyPlexity 0.2.12, its class of perplexity models and its remover of tags. Its rules, in this order:

- Characters outside ASCII are dropped (its remover of tags does that to HTML before all else), so that café is caf.
- Letters become lower case.
- `,`, `;` and `:` begin a token, and what follows without a space belongs to it: `1,000` is `1` and `,000`.
- A full stop before a space is a token, and the letters, digits and low lines right after the space are dropped: of
  `Mr. Smith went` stay `mr`, `.`, `went`. A full stop at the end of the sentence is a token; any other is part of its word.
- `( ) " < > = ' `` ` `` ? !` are tokens. All other signs are part of the word they touch.

Here the plain form of a text comes first, in which a typographic apostrophe is `'` and an ellipsis `.`, and control characters
are white space.
"""

from __future__ import annotations

import re
import string

import numpy as np
import numpy.typing as npt

from thresher.language_models.tokens import cut
from thresher.pages.plain import ODD, Ints, PlainText, count_by_end, run_starts

_DROPPED = 0
_BEGINNING, _ALONE = b",;:", b"()\"<>='`?!"
_STOP = re.compile(rb"\. \w*")


def _table() -> npt.NDArray[np.uint8]:
    table = np.zeros(256, dtype=np.uint8)
    table[:128] = np.arange(128)
    table[[*range(32), 127]] = ord(" ")
    table[ord(ODD)] = _DROPPED
    upper = list(string.ascii_uppercase.encode())
    table[upper] = np.array(upper) + 32
    return table


_TABLE = _table()


def tokenise_pyplexity(plain: PlainText, ends: Ints) -> tuple[list[bytes], Ints]:
    """Prepare sentences for a model of PyPlexity's.

    Args and returns: as `thresher.language_models.tokens.tokenise`.
    """
    prepared, line_feeds, starts = _prepare(plain, ends)
    return cut(prepared, line_feeds), count_by_end(starts, line_feeds)


def tokenise_pyplexity_trigrams(plain: PlainText, ends: Ints) -> tuple[list[bytes], Ints]:
    """Prepare sentences for a trigram model of PyPlexity's: as `pyplexity`, but a sentence's last token is only counted.

    PyPlexity adds up n - 1 terms for n tokens, and divides by n.

    Args and returns: as `thresher.language_models.tokens.tokenise`; of n tokens, the first n - 1 are given.
    """
    prepared, line_feeds, starts = _prepare(plain, ends)
    counts = count_by_end(starts, line_feeds)
    begins = np.append(0, line_feeds)[:-1]
    last = np.append(starts, 0)[np.searchsorted(starts, line_feeds) - 1]
    stops = np.where(counts > 0, last, begins)
    return [prepared[begin:stop] for begin, stop in zip(begins.tolist(), stops.tolist(), strict=True)], counts


def _prepare(plain: PlainText, ends: Ints) -> tuple[bytes, Ints, Ints]:
    """Return the sentences' tokens with spaces between them, where a line feed ends each sentence, and where tokens begin."""
    text = plain.text
    if text.isascii():
        codes = np.frombuffer(text.encode(), dtype=np.uint8)
    else:
        codes = np.minimum(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"), 255).astype(np.uint8)
    signs = _TABLE[codes]
    kept = signs != _DROPPED
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    page = np.insert(signs[kept], kept_before[ends], ord("\n")).tobytes()
    for sign in _BEGINNING:
        page = page.replace(b"%c" % sign, b" %c" % sign)
    page = _STOP.sub(b" . ", page).replace(b".\n", b" .\n")
    for sign in _ALONE:
        page = page.replace(b"%c" % sign, b" %c " % sign)
    signs = np.frombuffer(page, dtype=np.uint8)
    return page, np.flatnonzero(signs == ord("\n")), run_starts(signs > ord(" "))
