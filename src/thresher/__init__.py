"""Thresher: clean a web collection, search it, and see what cleaning costs and saves.

import thresher

thresher.score_html(html, ["words", "perplexity"])    # one number for each block or sentence
thresher.clean_html(html)                             # the text of a page
thresher.clean_pages(pages, "perplexity@8000")        # of many pages, as they come, by another cleaner
thresher.index_collection("crawl", name, "index")     # all of a collection, by the name of a treatment
thresher.run("experiments/pydoc.toml")                # a whole experiment; or its tables, with pages in memory
thresher.explore("experiments/pydoc.toml")            # every cutoff of its scorers
thresher.choose("experiments/pydoc.toml")             # one of them, and what it is worth
thresher.explain("results/pydoc", "12")               # why a topic won or lost
thresher.search("indexes/mine", {"1": "rain tonight"})  # a run, for `evaluate` and `compare_runs`

Extensions and studies also find here the records and functions that these are built of: `read_html` and `Scorer`,
`read_gold` and `compare_words`, `Experiment` and `VariantTable`, `Searcher` and `read_run`, and the errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0"

_NAMES = {
    "base.defaults": ("DEFAULT_INDEX", "WEIGHTED"),
    "base.errors": ("ConfigError", "InputError", "MissingDependencyError", "StateError", "ThresherError"),
    "base.processes": ("Backend",),
    "cleaners.cleaner": ("BASELINE", "Cut", "parse_cleaner", "parse_scorer", "parse_sweep"),
    "cleaners.languages": ("language_of",),
    "cleaners.registry": ("scorer_class", "scorers"),
    "cleaners.relative_cutoffs": ("Cutoff", "parse_cutoff"),
    "cleaners.scorer": ("Scores",),
    "collections": ("documents", "open_collection"),
    "collections.interface": ("Collection", "IdRule", "JsonFields", "ReadOptions"),
    "collections.sources": ("Page", "Source"),
    "evaluation.cleaneval.cleaning_measures": (
        "Agreement",
        "PageWords",
        "agreement",
        "compare_tokens",
        "compare_words",
        "matching_blocks",
    ),
    "evaluation.cleaneval.comparing": ("compare_cleaned", "score_gold"),
    "evaluation.cleaneval.gold": ("GoldPage", "LabelledText", "parse_gold_page", "read_gold", "read_page_bytes"),
    "evaluation.cleaneval.results": ("MeanInterval", "mean_interval"),
    "evaluation.corrections": ("benjamini_hochberg", "holm"),
    "evaluation.measures": ("parse_measure",),
    "evaluation.non_inferiority": ("MarginComparison", "RunVerdict", "compare_by_margin", "parse_margin"),
    "evaluation.significance": ("Comparison", "compare", "corrected"),
    "evaluation.topics": ("Topic", "read_topics"),
    "evaluation.trec_files": ("read_qrels", "read_run", "write_run"),
    "experiments.choosing.choices": ("Choice", "ChosenIndex", "ModelChoice", "read_choice"),
    "experiments.choosing.criteria": ("ChoiceCriteria",),
    "experiments.config": ("Experiment",),
    "experiments.inputs": ("TopicSet", "read_inputs", "read_topic_set", "score_experiment"),
    "experiments.results": ("Results",),
    "experiments.table": ("Row", "Variant", "VariantTable"),
    "indexes.analysis": ("RetrievalModel", "parse_retrieval"),
    "indexes.indexing": ("IndexOptions", "IndexReport", "build_index"),
    "indexes.pruning.treatments": ("Family", "Treatment", "parse_treatment"),
    "indexes.searching": ("Searcher",),
    "indexes.work": ("IndexStatistics",),
    "pages": ("PageOptions", "read_html", "read_page"),
    "pages.decoding": ("decode",),
    "reports.chart_data": ("chart_data",),
    "reports.drawing": ("Plot", "variants_plot"),
    "reports.latex": ("render_latex",),
    "reports.paper_plots": ("PaperPlot", "paper_plot"),
    "reports.paper_tables": ("PaperTable", "paper_table"),
    "reports.summary": ("findings",),
    "reports.table": ("measure_header",),
    "reports.text_tables": ("render_markdown",),
    "reports.variant_tables": ("main_table",),
    "scores.cutting": ("CleanedDocument", "clean_page", "cleaned_documents"),
    "scores.percentiles": ("resolve_all",),
    "scores.score_pass": ("ScorePlan", "ScoreReport", "score_collection"),
    "scores.scoring": ("score_page",),
    "scores.store": ("PageScores", "read_shard", "shards"),
}
"""Records and functions for extenders and researchers, by module; the verbs are in `thresher.api`."""
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

if TYPE_CHECKING:
    from thresher.api import *  # noqa: F403, each name stands in its list
    from thresher.base.defaults import DEFAULT_INDEX as DEFAULT_INDEX
    from thresher.base.defaults import WEIGHTED as WEIGHTED
    from thresher.base.errors import ConfigError as ConfigError
    from thresher.base.errors import InputError as InputError
    from thresher.base.errors import MissingDependencyError as MissingDependencyError
    from thresher.base.errors import StateError as StateError
    from thresher.base.errors import ThresherError as ThresherError
    from thresher.base.processes import Backend as Backend
    from thresher.cleaners.cleaner import BASELINE as BASELINE
    from thresher.cleaners.cleaner import Cut as Cut
    from thresher.cleaners.cleaner import parse_cleaner as parse_cleaner
    from thresher.cleaners.cleaner import parse_scorer as parse_scorer
    from thresher.cleaners.cleaner import parse_sweep as parse_sweep
    from thresher.cleaners.languages import language_of as language_of
    from thresher.cleaners.registry import scorer_class as scorer_class
    from thresher.cleaners.registry import scorers as scorers
    from thresher.cleaners.relative_cutoffs import Cutoff as Cutoff
    from thresher.cleaners.relative_cutoffs import parse_cutoff as parse_cutoff
    from thresher.cleaners.scorer import Scores as Scores
    from thresher.collections import documents as documents
    from thresher.collections import open_collection as open_collection
    from thresher.collections.interface import Collection as Collection
    from thresher.collections.interface import IdRule as IdRule
    from thresher.collections.interface import JsonFields as JsonFields
    from thresher.collections.interface import ReadOptions as ReadOptions
    from thresher.collections.sources import Page as Page
    from thresher.collections.sources import Source as Source
    from thresher.evaluation.cleaneval.cleaning_measures import Agreement as Agreement
    from thresher.evaluation.cleaneval.cleaning_measures import PageWords as PageWords
    from thresher.evaluation.cleaneval.cleaning_measures import agreement as agreement
    from thresher.evaluation.cleaneval.cleaning_measures import compare_tokens as compare_tokens
    from thresher.evaluation.cleaneval.cleaning_measures import compare_words as compare_words
    from thresher.evaluation.cleaneval.cleaning_measures import matching_blocks as matching_blocks
    from thresher.evaluation.cleaneval.comparing import compare_cleaned as compare_cleaned
    from thresher.evaluation.cleaneval.comparing import score_gold as score_gold
    from thresher.evaluation.cleaneval.gold import GoldPage as GoldPage
    from thresher.evaluation.cleaneval.gold import LabelledText as LabelledText
    from thresher.evaluation.cleaneval.gold import parse_gold_page as parse_gold_page
    from thresher.evaluation.cleaneval.gold import read_gold as read_gold
    from thresher.evaluation.cleaneval.gold import read_page_bytes as read_page_bytes
    from thresher.evaluation.cleaneval.results import MeanInterval as MeanInterval
    from thresher.evaluation.cleaneval.results import mean_interval as mean_interval
    from thresher.evaluation.corrections import benjamini_hochberg as benjamini_hochberg
    from thresher.evaluation.corrections import holm as holm
    from thresher.evaluation.measures import parse_measure as parse_measure
    from thresher.evaluation.non_inferiority import MarginComparison as MarginComparison
    from thresher.evaluation.non_inferiority import RunVerdict as RunVerdict
    from thresher.evaluation.non_inferiority import compare_by_margin as compare_by_margin
    from thresher.evaluation.non_inferiority import parse_margin as parse_margin
    from thresher.evaluation.significance import Comparison as Comparison
    from thresher.evaluation.significance import compare as compare
    from thresher.evaluation.significance import corrected as corrected
    from thresher.evaluation.topics import Topic as Topic
    from thresher.evaluation.topics import read_topics as read_topics
    from thresher.evaluation.trec_files import read_qrels as read_qrels
    from thresher.evaluation.trec_files import read_run as read_run
    from thresher.evaluation.trec_files import write_run as write_run
    from thresher.experiments.choosing.choices import Choice as Choice
    from thresher.experiments.choosing.choices import ChosenIndex as ChosenIndex
    from thresher.experiments.choosing.choices import ModelChoice as ModelChoice
    from thresher.experiments.choosing.choices import read_choice as read_choice
    from thresher.experiments.choosing.criteria import ChoiceCriteria as ChoiceCriteria
    from thresher.experiments.config import Experiment as Experiment
    from thresher.experiments.inputs import TopicSet as TopicSet
    from thresher.experiments.inputs import read_inputs as read_inputs
    from thresher.experiments.inputs import read_topic_set as read_topic_set
    from thresher.experiments.inputs import score_experiment as score_experiment
    from thresher.experiments.results import Results as Results
    from thresher.experiments.table import Row as Row
    from thresher.experiments.table import Variant as Variant
    from thresher.experiments.table import VariantTable as VariantTable
    from thresher.indexes.analysis import RetrievalModel as RetrievalModel
    from thresher.indexes.analysis import parse_retrieval as parse_retrieval
    from thresher.indexes.indexing import IndexOptions as IndexOptions
    from thresher.indexes.indexing import IndexReport as IndexReport
    from thresher.indexes.indexing import build_index as build_index
    from thresher.indexes.pruning.treatments import Family as Family
    from thresher.indexes.pruning.treatments import Treatment as Treatment
    from thresher.indexes.pruning.treatments import parse_treatment as parse_treatment
    from thresher.indexes.searching import Searcher as Searcher
    from thresher.indexes.work import IndexStatistics as IndexStatistics
    from thresher.pages import PageOptions as PageOptions
    from thresher.pages import read_html as read_html
    from thresher.pages import read_page as read_page
    from thresher.pages.decoding import decode as decode
    from thresher.reports.chart_data import chart_data as chart_data
    from thresher.reports.drawing import Plot as Plot
    from thresher.reports.drawing import variants_plot as variants_plot
    from thresher.reports.latex import render_latex as render_latex
    from thresher.reports.paper_plots import PaperPlot as PaperPlot
    from thresher.reports.paper_plots import paper_plot as paper_plot
    from thresher.reports.paper_tables import PaperTable as PaperTable
    from thresher.reports.paper_tables import paper_table as paper_table
    from thresher.reports.summary import findings as findings
    from thresher.reports.table import measure_header as measure_header
    from thresher.reports.text_tables import render_markdown as render_markdown
    from thresher.reports.variant_tables import main_table as main_table
    from thresher.scores.cutting import CleanedDocument as CleanedDocument
    from thresher.scores.cutting import clean_page as clean_page
    from thresher.scores.cutting import cleaned_documents as cleaned_documents
    from thresher.scores.percentiles import resolve_all as resolve_all
    from thresher.scores.score_pass import ScorePlan as ScorePlan
    from thresher.scores.score_pass import ScoreReport as ScoreReport
    from thresher.scores.score_pass import score_collection as score_collection
    from thresher.scores.scoring import score_page as score_page
    from thresher.scores.store import PageScores as PageScores
    from thresher.scores.store import read_shard as read_shard
    from thresher.scores.store import shards as shards
else:  # to a type checker a misspelt name should be an error

    def __getattr__(name: str) -> Any:
        # Late, so that worker processes and `thresher --help` do not import all of it.
        if name in _MODULES:
            return getattr(import_module(f"thresher.{_MODULES[name]}"), name)
        if name == "__all__":
            return sorted([*import_module("thresher.api").__all__, *_MODULES])
        if not name.startswith("__"):
            api = import_module("thresher.api")
            if name in api.__all__:
                return getattr(api, name)
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return [name for name in globals() if name.startswith("__")] + __getattr__("__all__")
