"""Thresher: clean a web collection, search it, and see what cleaning costs and saves.

import thresher

thresher.score_html(html, ["words", "perplexity"])    # one number for each block or sentence
thresher.clean_html(html)                             # the text of a page
thresher.clean_pages(pages, "perplexity@8000")        # of many pages, as they come, by another cleaner
thresher.run("experiments/pydoc.toml")                # a whole experiment; or its tables, with pages in memory
thresher.explore("experiments/pydoc.toml")            # every cutoff of its scorers
thresher.choose("experiments/pydoc.toml")             # one of them, and what it is worth
thresher.explain("results/pydoc", "12")               # why a topic won or lost
thresher.search("indexes/mine", {"1": "rain tonight"})  # a run, for `evaluate` and `compare_runs`
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from thresher.api import *  # noqa: F403, each name stands in its list
else:  # to a type checker a misspelt name should be an error

    def __getattr__(name: str) -> Any:
        # Late, so that worker processes and `thresher --help` do not import all of it.
        if not name.startswith("__") or name == "__all__":
            api = import_module("thresher.api")
            if name in (*api.__all__, "__all__"):
                return getattr(api, name)
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return [name for name in globals() if name.startswith("__")] + __getattr__("__all__")
