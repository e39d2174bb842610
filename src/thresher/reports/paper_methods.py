"""The methods of an experiment as a paragraph for a paper, with its bibliography: versions, parameters, tests, sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.base.errors import InputError
from thresher.base.files import write_text
from thresher.base.number_text import counted
from thresher.cleaners.scorer import Scorer
from thresher.evaluation.significance import TEST_NAMES
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.manifest import Software
from thresher.experiments.results import Results
from thresher.experiments.table import Variant
from thresher.indexes.analysis import Analysis, formula_of
from thresher.reports import references
from thresher.reports.formatting import correction_text, percent_text, plain
from thresher.reports.latex import escape_latex
from thresher.reports.software import origin, program
from thresher.reports.summary import margin_text
from thresher.reports.table import measure_header
from thresher.scores.weighting import Weights

BIBLIOGRAPHY = ".bib"
_ENDINGS = (".tex", ".md")
_EXPONENTIAL = "exp-"


@dataclass(frozen=True)
class Cited:
    """A part of a sentence, with the keys of its sources."""

    text: str
    keys: Sequence[str] = ()


Sentence = tuple[Cited, ...]


def write_methods(results: Results, software: Software, choice: Choice | None, path: Path) -> Path:
    """Write the paragraph as LaTeX or Markdown, by the path's ending, and its bibliography beside it; return that file.

    Citations are `\\cite{key}`, or `[@key]` as Pandoc has them.
    """
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise InputError("methods are written as LaTeX or Markdown", "end the file name in .tex or .md", str(path))
    sentences = list(methods_sentences(results, software, choice))
    show = _markdown
    if ending == ".tex":
        show = _latex
    texts: list[str] = []
    keys: list[str] = []
    for sentence in sentences:
        texts.append("".join(map(show, sentence)))
        for part in sentence:
            keys += part.keys
    write_text(path, " ".join(texts) + "\n")
    file = path.with_suffix(BIBLIOGRAPHY)
    write_text(file, references.bibliography(keys))
    return file


def _latex(part: Cited) -> str:
    words = part.text.strip(" ")
    before, _, after = part.text.partition(words)
    text = f"{before}{escape_latex(words)}{after}"
    if not part.keys:
        return text
    return rf"{text}~\cite{{{','.join(part.keys)}}}"


def _markdown(part: Cited) -> str:
    if not part.keys:
        return part.text
    keys = [f"@{key}" for key in part.keys]
    return f"{part.text} [{'; '.join(keys)}]"


def methods_sentences(results: Results, software: Software, choice: Choice | None = None) -> Iterator[Sentence]:
    """Give the sentences, in the order of the work."""
    yield from _work(results, software)
    yield from _treatments(results)
    yield _index(results, software)
    yield from _evaluation(results, software)
    if choice:
        yield _choice(choice)


def _software(software: Software, name: str) -> Cited:
    """Return a program with its version, where that is known."""
    return Cited(program(software, name), references.SOFTWARE.get(name, ()))


def _work(results: Results, software: Software) -> Iterator[Sentence]:
    facts = results.facts
    end = "."
    where_from = origin(software)
    if where_from:
        end = f" ({where_from})."
    yield (
        Cited(f"We cleaned and searched {counted(facts.pages.documents, 'page')} ({plain(facts.title)}) with "),
        _software(software, "thresher"),
        Cited(end),
    )


def _treatments(results: Results) -> Iterator[Sentence]:
    """Give the sentences on the cleaners, weights and pruning methods that variants have."""
    cleaners: dict[str, Cited] = {}
    weights: dict[str, Cited] = {}
    methods: dict[str, Cited] = {}
    for variant in _used_variants(results):
        for scorer in variant.cleaner.scorers:
            name = scorer.canonical_name
            cleaners[name] = _cited(results, name, _keys_of(scorer))
        if variant.weights is not None:
            name = variant.weights.canonical_name
            weights[name] = _cited(results, name, _keys_of_weights(variant.weights))
        if variant.pruning is not None:
            name = variant.pruning.method.canonical_name
            methods[name] = _cited(results, name, references.PRUNING.get(variant.pruning.method.name, ()))
    yield from _listed("Pages were cleaned by ", list(cleaners.values()))
    for cited in weights.values():
        yield from _listed("Words counted by ", [cited])
    yield from _listed("Indexes were pruned by ", list(methods.values()))


def _used_variants(results: Results) -> list[Variant]:
    """Return the built variants; all explored variants if only the baseline was built."""
    table = results.tables[0]
    if len(table.built) > 1:
        table = table.only(table.built)
    return [row.variant for row in table.rows]


def _cited(results: Results, name: str, keys: Sequence[str]) -> Cited:
    """Return a method by its name, with its label before it if it has one."""
    label = results.facts.labels.get(name)
    if label:
        return Cited(f"{label} ({name})", keys)
    return Cited(name, keys)


def _keys_of(scorer: Scorer) -> Sequence[str]:
    if scorer.name == "extractor":
        return references.EXTRACTORS.get(str(scorer.values["by"]), ())
    return references.SCORERS.get(scorer.name, ())


def _keys_of_weights(weights: Weights) -> Sequence[str]:
    if not weights.anchors:
        return references.WEIGHTS
    return references.WEIGHTS + references.ANCHORS


def _listed(before: str, parts: Sequence[Cited], after: str = ".") -> Iterator[Sentence]:
    """Give a sentence that lists parts, if there are any."""
    if not parts:
        return
    sentence = [Cited(before)]
    for number, part in enumerate(parts, start=1):
        sentence.append(part)
        if number == len(parts) - 1:
            sentence.append(Cited(" and "))
        elif number < len(parts):
            sentence.append(Cited(", "))
    sentence.append(Cited(after))
    yield tuple(sentence)


def _index(results: Results, software: Software) -> Sentence:
    setup = results.facts.setup
    analysis = Analysis(setup.index_language, setup.stemmer, setup.stopwords).description
    analysis = f"{analysis[:1].lower()}{analysis[1:]}"
    sentence = [
        _software(software, "lucene"),
        Cited(" through "),
        _software(software, "anserini"),
        Cited(" and "),
        _software(software, "pyserini"),
        Cited(f" analysed texts ({analysis}), and retrieved up to {counted(setup.depth, 'document')} per topic by "),
    ]
    for number, model in enumerate(results.retrievals):
        _, _, formula = formula_of(model).rstrip(".").partition(": ")
        if number:
            sentence.append(Cited(" and by "))
        sentence.append(Cited(formula or model, references.MODELS.get(model.partition("(")[0], ())))
    sentence.append(Cited("."))
    return tuple(sentence)


def _evaluation(results: Results, software: Software) -> Iterator[Sentence]:
    facts = results.facts
    measures: list[Cited] = []
    for measure in results.measures:
        measures.append(Cited(_measure_text(measure), _measure_keys(measure)))
    for sentence in _listed(f"Over {counted(len(facts.topics), 'topic')} we report ", measures, ", computed by "):
        yield (*sentence, _software(software, "ir-measures"), Cited("."))
    if not results.tests:
        return
    tests = f"{counted(results.tests, 'test')} of variants and measures"
    yield (
        Cited("Differences from no cleaning: "),
        Cited(TEST_NAMES[facts.test][:1].lower() + TEST_NAMES[facts.test][1:], references.TESTS[facts.test]),
        Cited("; "),
        Cited(correction_text(facts.correction, tests), references.CORRECTIONS[facts.correction]),
        Cited(f"; α = {facts.alpha:g}; "),
        Cited("intervals by the bootstrap over topics", references.INTERVALS),
        Cited("."),
    )
    if facts.held_out_topics:
        held_out = counted(len(facts.held_out_topics), "held-out topic")
        yield (Cited(f"Cutoffs that were chosen on the topics were tested on {held_out}."),)


def _measure_text(measure: str) -> str:
    header = measure_header(measure)
    if header.name.startswith(_EXPONENTIAL):
        return f"{header.name.removeprefix(_EXPONENTIAL)} with gains of 2 to the power of the grade, less 1"
    return measure


def _measure_keys(measure: str) -> Sequence[str]:
    return references.MEASURES.get(measure_header(measure).name.partition("@")[0], ())


def _choice(choice: Choice) -> Sentence:
    criteria = choice.criteria
    measures = " and ".join(measure_header(measure).name for measure in choice.measures)
    text = (
        f"Of {', '.join(criteria.families)} we looked for the smallest index that is shown to lose less than "
        f"{margin_text(criteria.margin)} of {measures}: one-sided tests from the largest index on, with a probability of at "
        f"most {percent_text(criteria.alpha)} that it loses more"
    )
    return Cited(text, references.NON_INFERIORITY), Cited(".")
