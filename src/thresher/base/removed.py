"""Names of version 0.2 and of its development that this version lacks, each with its replacement.

If a user names a removed command, option, key of an experiment file, scorer or pruning method, the error's fix is the text
here.
"""

from __future__ import annotations

_REPOSITORY = "of Thresher's repository"
_LM_IMPORT = "train with KenLM's `lmplz`, whose model `thresher lm import` reads"
_SWEEPS = "name the sweeps to test: `--families words`, or families in [choose]"
_TEST_TOPICS = "test the choice on topics of its own, which [held_out] names"

COMMANDS: dict[str, str] = {
    "arms": "list the pruning methods by `thresher pruning-methods`",
    "classify": f"run scripts/papers/page_classification.py {_REPOSITORY}",
    "content": f"run scripts/content_train.py {_REPOSITORY}",
    "content importance": f"run scripts/papers/content_importance.py {_REPOSITORY}",
    "content train": f"run scripts/content_train.py {_REPOSITORY}",
    "lm histogram": f"run scripts/papers/histogram.py {_REPOSITORY}",
    "lm score": "use `thresher perplexity TEXT`",
    "lm separate": f"run scripts/papers/separation.py {_REPOSITORY}",
    "ncleaner curve": f"run `scripts/papers/ncleaner.py curve` {_REPOSITORY}",
    "ncleaner folds": f"run `scripts/papers/ncleaner.py folds` {_REPOSITORY}",
    "ncleaner text": f"run scripts/papers/ncleaner_text.py {_REPOSITORY}",
    "ncleaner tune": f"run `scripts/papers/ncleaner.py tune` {_REPOSITORY}",
    "pseudo-topics": "give topics and judgments of people, or begin with `thresher advise PAGES`",
    "study": f"run scripts/papers/block_study.py {_REPOSITORY}",
}
"""The fix by command, such as `pseudo-topics` or `lm separate`."""

OPTIONS: dict[tuple[str, str], str] = {
    ("choose", "--folds"): _TEST_TOPICS,
    ("choose", "--measured"): _SWEEPS,
    ("choose", "--neighbour"): _SWEEPS,
    ("choose", "--repeats"): _TEST_TOPICS,
    ("choose", "--scorer"): _SWEEPS,
    ("choose", "--stability"): _SWEEPS,
    ("clean", "--metadata"): "add --with-language for the language; further members of JSON lines are written anyway",
    ("clean", "--shard-size"): "write one file, and cut JSON lines with `split -l`",
    ("clean", "--side-by-side"): "try cleaners on a sample of the pages: `thresher play PAGES -o try.html`",
    ("cleaneval", "--floor"): f"run scripts/papers/reliability.py {_REPOSITORY}",
    ("cleaneval", "--peers"): "write --extractors",
    ("cleaneval", "--sweep"): "name each cutoff as a cleaner: -c words@5 -c words@8",
    ("explain", "--pages"): "name a topic: `thresher explain RESULTS/NAME TOPIC`",
    ("lm train", "--estimator"): _LM_IMPORT,
    ("lm train", "--min-count"): _LM_IMPORT,
    ("lm train", "--prune"): _LM_IMPORT,
    ("lm train", "--unigram"): _LM_IMPORT,
    ("lm train", "--vocabulary"): _LM_IMPORT,
    (
        "ncleaner train",
        "--lynx",
    ): f"give text files, which `scripts/papers/ncleaner_text.py --lynx` {_REPOSITORY} writes",
    ("play", "--port"): "write a page instead of starting a server: `thresher play PAGES -o try.html`",
}
"""The fix by command and option, such as `("clean", "--metadata")`."""

KEYS: dict[str, str] = {
    "choose.neighbour": "leave it out: [choose] families names the few sweeps to test",
    "choose.stability": "leave it out: [choose] families names the few sweeps to test",
    "collection.generate": "run `make collections/pydoc`, and write path = '../collections/pydoc'",
    "costs.co2": "leave it out: CO2 is computed from time, measured_watts and region",
    "evaluation.without_headings": "add variants with headings=drop, such as words(headings=drop)@11",
    "vectors": "leave it out: dense vectors are explored outside Thresher",
}
"""The fix by table of an experiment file, such as `vectors`, or by table and key, such as `costs.co2`."""

_IN_EXAMPLE = f"install examples/page_filters {_REPOSITORY}, which has it as the scorer"
_IN_SCRIPT = f"use words, density or links; scripts/papers/shallow_cutoffs.py {_REPOSITORY} measures it on gold text"
SCORERS: dict[str, str] = {
    "agree": "name one of the packages: extractor(trafilatura)",
    "capitals": _IN_SCRIPT,
    "fullstops": _IN_SCRIPT,
    "position": _IN_SCRIPT,
    "prior": "use words@5, or perplexity(lm=books,context=0.7,prior=32)@8000",
    "priorspread": "use words@5, or perplexity(lm=books,context=0.7,prior=32)@8000",
    "quotient": _IN_SCRIPT,
    "sentencelength": _IN_SCRIPT,
    "union": "name one of the packages: extractor(trafilatura)",
    "wordlength": _IN_SCRIPT,
    "pages(c4)": f"{_IN_EXAMPLE} c4",
    "pages(content-share)": f"{_IN_EXAMPLE} content-share",
    "pages(distinct)": f"{_IN_EXAMPLE} distinct",
    "pages(divergence)": f"{_IN_EXAMPLE} divergence",
    "pages(gopher)": f"{_IN_EXAMPLE} gopher",
}
"""The fix by name of a scorer, such as `union`."""

PRUNING_METHODS: dict[str, str] = {
    "pca": "leave it out: it prunes dense vectors, which are explored outside Thresher",
    "tdv": "use idf or ridf, which prune whole terms too",
    "views": "use dcp or nucleus, which keep terms of each document without a query log",
}
"""The fix by name of a pruning method."""


def removed_text(name: str) -> str:
    """Return the statement that a name of version 0.2 is gone.

    >>> removed_text("'union'")
    "'union' was removed in version 0.3"
    """
    return f"{name} was removed in version 0.3"
