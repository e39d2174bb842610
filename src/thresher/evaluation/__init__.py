"""Evaluation of runs: TREC's formats, measures by topic, paired tests against the baseline, the Pareto front."""

from thresher.base.defaults import DEFAULT_MEASURES, GRADES
from thresher.evaluation.measures import FURTHER, check_overlap, evaluate, parse_measure, topic_set
from thresher.evaluation.significance import UNTESTED, Comparison, compare, compare_all, holm, is_tested, pareto_front
from thresher.evaluation.topics import TOPIC_FORMATS, Topic, read_topics, spelled_as
from thresher.evaluation.trec_files import read_qrels, read_run, write_run

__all__ = [
    "DEFAULT_MEASURES",
    "FURTHER",
    "GRADES",
    "TOPIC_FORMATS",
    "UNTESTED",
    "Comparison",
    "Topic",
    "check_overlap",
    "compare",
    "compare_all",
    "evaluate",
    "holm",
    "is_tested",
    "pareto_front",
    "parse_measure",
    "read_qrels",
    "read_run",
    "read_topics",
    "spelled_as",
    "topic_set",
    "write_run",
]
