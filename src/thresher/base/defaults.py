"""Choices and defaults that experiment files, the command line and the library share, each declared once."""

from __future__ import annotations

PAGE_SECONDS = 30.0
"""Pages that take longer fail."""
PAGE_MIB = 16.0
"""Larger pages fail."""
FORMATS = ("html", "text", "warc", "trec-web", "jsonl", "tar", "parquet")
"""The formats of collections' files."""
ID_RULES = ("path", "stem", "address", "record")
"""The sources of document ids: see `thresher.collections.interface.IdRule`."""
BLOCK_RULES = ("join", "split")
"""The tags that end no block: all inline tags, or only A: see `thresher.pages.PageOptions`."""
LANGUAGE = "en"
"""The language of the sentence splitter's abbreviations."""
STEMMERS = ("porter", "krovetz", "none")
"""The stemmers of Anserini's English analysis."""
INDEX_LANGUAGES = tuple("en ar bn cjk da de es fa fi fr hi hu id it ja ko nl no pl pt ru sv te th tr uk zh".split())
"""The languages of Anserini's analysers, by ISO 639-1; `ko` and `zh` have Lucene's analyser for all of CJK."""
STATISTICS = ("original", "pruned")
"""The collection statistics that a pruned index is ranked with: the statistics before pruning, or its own."""
OUTPUT_FORMATS = ("jsonl", "jsonl.gz", "jsonl.zst", "parquet")
"""The formats of cleaned collections, which are also endings of file names."""
MARKDOWN = "markdown"
HTML = "html"
TEXT_NAME = "contents"
"""Further formats, with the endings `.md` and `.html`; members have their names. The member with the text is `TEXT_NAME`."""
TOPIC_FIELD = "title"
"""The field of TREC or XML topics that is the query."""
RETRIEVAL_MODEL = "qld"
QLD_MU = 2000.0
BM25_K1 = 0.9
BM25_B = 0.4
"""The parameters of the retrieval models: Anserini's."""
DEPTH = 1000
"""The number of hits per topic."""
GRADES = ("relevance", "effectiveness", "credibility")
"""The columns of grades in qrels, in order; qrels with four columns have only the first grade."""
MAIN_MEASURE = "nDCG(dcg='exp-log2')@10"
"""The measure that defaults were chosen by."""
DEFAULT_MEASURES = ("P@5", "P@10", "AP", MAIN_MEASURE, "Judged@10")
"""The measures of the paper's tables, and the share of the top hits that is judged."""
LOCAL = "local"
DASK = "dask"
BACKENDS = (LOCAL, DASK)
"""The workers: processes of this machine, or the workers of a Dask cluster."""
COLLECTION = "p"
REFERENCE = "r"
DOCUMENT = "doc"
"""The letters before the number of a relative cutoff: see `thresher.cleaners.relative_cutoffs`."""
CARBON_INTENSITY = 0.341
"""kg of CO2 equivalents a kWh: the paper's region and provider (from Moro and Lonza 2018)."""
MEASURE_SECONDS = 60.0
"""The seconds that queries are timed for, and indexing."""
PUE = 1.0
"""Power usage effectiveness: a data centre's power by its machines' power. 1.58 is a usual average (Lottick et al. 2019)."""
MOST_EMPTIED = 0.01
"""The share of the pages with text that a recommended variant may leave without text."""
MARGIN = "5%"
"""The accepted loss: Spärck Jones (1974) calls a difference of 5 % between systems noticeable, one of 10 % material."""
WEIGHTED = "content(headings=keep)@0.3+repeated(share,headings=keep)@0.01|weights(title=8,headings=2,anchors=1)"
"""The text and the weights that did best on seven collections, each time chosen on the other six: scripts/weights.py."""
DEFAULT_FAMILIES = (f"{WEIGHTED}|dcp", f"{WEIGHTED}|gain(alpha=0.2,floor=0.0)", "none|dcp")
"""The sweeps that an index is recommended from: weights with the two ways to prune that lose least, and pruning alone."""
LUCENE = "lucene"
OTHER_ENGINE = "other"
ENGINES = (LUCENE, OTHER_ENGINE)
"""The engines that an index is chosen for: an engine other than Lucene takes text, and no postings."""
MOST_TITLED = 0.25
"""Share of the relevant pages with all words of their topic in title or headings; beyond it reports warn."""
ALPHA = 0.05
"""The significance level of the paper."""
WILCOXON = "wilcoxon"
STUDENT = "t"
RANDOMISATION = "randomisation"
TESTS = (WILCOXON, STUDENT, RANDOMISATION)
"""Paired two-sided tests: see `thresher.evaluation.significance.compare`."""
HOLM = "holm"
BENJAMINI_HOCHBERG = "bh"
CORRECTIONS = (HOLM, BENJAMINI_HOCHBERG, "none")
"""Corrections of p-values for the number of tests: see `thresher.evaluation.corrections`."""
DEFAULT_CLEANER = "content@0.5"
"""The cleaner for text. Keeping all headings, as for search, costs up to .07 of word F1: scripts/pages/content.md."""
SEARCH_CLEANER = "content(headings=keep)@0.3"
"""The cleaner for search: scripts/defaults.py measures it on seven collections."""
PRUNING = "dcp@0.5"
DEFAULT_INDEX = f"{WEIGHTED}|{PRUNING}"
"""The index to begin with: scripts/defaults.py measures how much can be pruned."""
_MEASURED = ("web", "ray-docs", "sqlite-docs", "postgresql", "pydoc", "man-pages", "cacm")
LEFT_OUT = dict(zip(_MEASURED, (0.026, 0.099, 0.019, 0.044, -0.006, -0.026, 0.018), strict=True))
"""The change of exp-nDCG@10 on each collection by the index that the other six choose: docs/results/defaults.md."""
