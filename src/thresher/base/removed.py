"""Names of version 0.2 that this version lacks, each with its replacement.

If a user names a removed command, option, key of an experiment file, scorer or pruning method, the error's fix is the text
here.
"""

from __future__ import annotations

COMMANDS: dict[str, str] = {
    "pseudo-topics": "give topics and judgments of people, or begin with `thresher advise PAGES`",
}
"""The fix by command, such as `pseudo-topics` or `lm import`."""

OPTIONS: dict[tuple[str, str], str] = {
    ("play", "--port"): "write a page instead of starting a server: `thresher play PAGES -o try.html`",
    ("clean", "--metadata"): "add --with-language for the language; further members of JSON lines are written anyway",
    ("clean", "--side-by-side"): "try cleaners on a sample of the pages: `thresher play PAGES -o try.html`",
    ("explain", "--pages"): "name a topic: `thresher explain RESULTS/NAME TOPIC`",
}
"""The fix by command and option, such as `("clean", "--metadata")`."""

KEYS: dict[str, str] = {
    "vectors": "leave it out: dense vectors are explored outside Thresher",
}
"""The fix by table of an experiment file, such as `vectors`, or by table and key, such as `experiment.seed`."""

_IN_EXAMPLE = "install examples/page_filters of Thresher's repository, which has it as the scorer"
SCORERS: dict[str, str] = {
    "agree": "name one of the packages: extractor(trafilatura)",
    "prior": "use words@5, or perplexity(lm=books,context=0.7,prior=32)@8000",
    "union": "name one of the packages: extractor(trafilatura)",
    "pages(c4)": f"{_IN_EXAMPLE} c4",
    "pages(content-share)": f"{_IN_EXAMPLE} content-share",
    "pages(distinct)": f"{_IN_EXAMPLE} distinct",
    "pages(divergence)": f"{_IN_EXAMPLE} divergence",
    "pages(gopher)": f"{_IN_EXAMPLE} gopher",
}
"""The fix by name of a scorer, such as `union`."""

PRUNING_METHODS: dict[str, str] = {
    "pca": "leave it out: it prunes dense vectors, which are explored outside Thresher",
}
"""The fix by name of a pruning method."""


def removed_text(name: str) -> str:
    """Return the statement that a name of version 0.2 is gone.

    >>> removed_text("'union'")
    "'union' was removed in version 0.3"
    """
    return f"{name} was removed in version 0.3"
