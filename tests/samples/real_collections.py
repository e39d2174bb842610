"""Collections with topics below `retrieval` of the shared data."""

from thresher.collections import IdRule

REAL = (
    ("cacm/cacm.tar.gz", "topics.cacm.txt", IdRule(pattern="-0+", replacement="-")),
    ("postgresql-manual/pages.tar.gz", "topics.tsv", IdRule(prefix="pages", keep_suffix=True)),
)
"""The archive, its topics beside it, and the rule that makes its ids those of the qrels."""
