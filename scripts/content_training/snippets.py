"""Gold standards of snippets, in the form of Trafilatura's evaluation.

`evaldata.json` has `{url: {"file": name, "with": [...], "without": [...]}}`: snippets that a cleaned page must have, and
snippets that it must not have. The pages are in `eval/` and `cache/`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thresher import GoldPage, InputError, read_gold
from thresher.base.files import fit_text, read_text
from thresher.evaluation.cleaneval.gold_files import stem_of

FILE = "evaldata.json"
_PAGES = ("eval", "cache")
_FIX = 'write {"url": {"file": "1.html", "with": ["text"], "without": ["text"]}, ...}'


class SnippetPage(GoldPage):
    """A page with gold for snippets only: whether its other text is content is unknown."""


def read_pages(folder: Path, comments: bool = False) -> tuple[GoldPage, ...]:
    """Return the pages of a gold standard, sorted by stem. They are `SnippetPage`s if the folder has `evaldata.json`."""
    if not (folder / FILE).is_file():
        return read_gold(folder, comments=comments).pages
    by_stem: dict[str, GoldPage] = {}
    try:
        entries = json.loads(read_text(folder / FILE))
        for url, entry in entries.items():
            path = next((path for name in _PAGES if (path := folder / name / entry["file"]).is_file()), None)
            if path is None:
                continue
            required, forbidden = (_texts(entry, member) for member in ("with", "without"))
            page = SnippetPage(stem_of(path.name), path, (), fit_text(url), "", required, forbidden)
            if page.stem in by_stem:
                raise InputError(f"two pages are named {page.stem!r}", "keep one of them", str(folder / FILE))
            by_stem[page.stem] = page
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"it does not hold snippets by URL ({error})", _FIX, str(folder / FILE)) from error
    if not by_stem:
        raise InputError(f"no page of {FILE} is in eval/ or cache/", "put the pages there", str(folder))
    return tuple(by_stem[stem] for stem in sorted(by_stem))


def _texts(entry: dict[str, Any], member: str) -> tuple[str, ...]:
    texts = entry.get(member) or []
    # Every text would contain a blank snippet.
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError(f"`{member}` is not a list of texts")
    return tuple(map(fit_text, texts))
