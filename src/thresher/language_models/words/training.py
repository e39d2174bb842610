"""Training word models on text, and the model `self` on the collection that it scores."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import ConfigError, ConfigErrors, InputError
from thresher.files import atomic_path, file_digest
from thresher.language_models.words import ngrams
from thresher.language_models.words.models import (
    ARPA,
    BINARY,
    CARD,
    SELF,
    SELF_LEAST_WORDS,
    SELF_MODEL,
    SELF_MOST_PAGES,
    find_model,
)
from thresher.language_models.words.ngrams import HISTORY, SPECIAL, WEIGHTS, Run, Sentences
from thresher.language_models.words.texts import PORTION_BYTES, Portion, describe, portions, segments
from thresher.language_models.words.tokenisers import NORMALISATIONS, TOKENISERS, WORDS, Tokeniser, tokeniser
from thresher.language_models.words.word_model import FLOOR, ModelCard, Training, WordModel
from thresher.pages import PageOptions
from thresher.pages.plain import Ints
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import progress

PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99)
HELD_OUT = 100
"""Every 100th sentence of each portion is held out, if there are as many in all: fewer make unreliable percentiles."""
# Digests of sentences that are counted at once.
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Plan:
    """A training configuration.

    Attributes:
        texts: files and folders, as `texts.portions` reads them.
        order: the length of the longest n-grams, 2 or 3.
        unigram: whose unigram the model has, see `ngrams.interpolated`.
        language: whose abbreviations end no sentence.
        field: the member of JSON lines that holds the text.
        least_count: rarer words become `<unk>`.
        hold_out: whether sentences are held out for the card's perplexities.
        portion_bytes: text per worker task.
    """

    texts: tuple[Path, ...]
    output: Path
    order: int = 2
    unigram: str = HISTORY
    tokeniser: str = WORDS
    language: str = "en"
    field: str = "text"
    least_count: int = 1
    hold_out: bool = True
    workers: int = 2
    portion_bytes: int = PORTION_BYTES

    def check(self) -> None:
        """Validate the plan before reading text."""
        if problems := _problems(self):
            raise problems[0] if len(problems) == 1 else ConfigErrors(problems)


def _problems(plan: Plan) -> list[ConfigError]:
    problems = [
        ConfigError("there is no such file or folder", "check the path", str(path))
        for path in plan.texts
        if not path.exists()
    ]
    if not plan.texts:
        problems.append(ConfigError("there is no text to train on", "name files of text, or folders of HTML", "TEXT"))
    folder = plan.output
    replaceable = folder.is_dir() and ((folder / CARD).exists() or not any(folder.iterdir()))
    if folder.exists() and not replaceable:
        problems.append(
            ConfigError("it exists and is not a language model", "choose another folder", f"--output {plan.output}")
        )
    if plan.order not in WEIGHTS:
        fix = "choose 2 or 3, or train with KenLM's lmplz and import the model"
        problems.append(ConfigError("there are no models of that order", fix, f"--order {plan.order}"))
    if plan.tokeniser not in TOKENISERS:
        fix = f"use one of {', '.join(TOKENISERS)}"
        problems.append(ConfigError(f"unknown tokeniser {plan.tokeniser!r}", fix, f"--tokeniser {plan.tokeniser}"))
    if plan.least_count < 1:
        problems.append(ConfigError("it must be 1 or more", "give a larger number", f"--min-count {plan.least_count}"))
    return problems


@dataclass(frozen=True)
class _Encoded:
    """A portion's sentences: the distinct words, and for each word in order its number among these.

    `lengths` are the words of each sentence, `counts` those that the tokeniser counts.
    """

    distinct: list[bytes]
    numbers: npt.NDArray[np.int32]
    lengths: Ints
    counts: Ints

    @property
    def is_held(self) -> npt.NDArray[np.bool_]:
        """Whether each sentence may be held out."""
        held: npt.NDArray[np.bool_] = np.arange(len(self.lengths)) % HELD_OUT == HELD_OUT - 1
        return held

    def take(self, chosen: npt.NDArray[np.bool_]) -> _Encoded:
        """Return some of the sentences."""
        words = self.numbers[np.repeat(chosen, self.lengths)]
        return replace(self, numbers=words, lengths=self.lengths[chosen], counts=self.counts[chosen])

    def lines(self) -> list[bytes]:
        """Return each sentence, with spaces between its words."""
        words = [self.distinct[number] for number in self.numbers.tolist()]
        ends = np.cumsum(self.lengths)
        return [
            b" ".join(words[begin:end])
            for begin, end in zip((ends - self.lengths).tolist(), ends.tolist(), strict=True)
        ]


def train(plan: Plan) -> ModelCard:
    """Train a model and write its folder atomically; an older model there is replaced.

    The ARPA file does not depend on the number of workers. The text is in memory as numbers, 4 bytes a word.
    """
    plan.check()
    files = [describe(path) for path in plan.texts]
    # For little text, starting processes takes longer than the work.
    workers = max(1, min(plan.workers, sum(file.bytes for file in files) // plan.portion_bytes))
    with atomic_path(plan.output) as folder:
        folder.mkdir(parents=True)
        read = _read(plan, workers)
        held = [one.take(one.is_held) for one in read]
        hold_out = plan.hold_out and sum(len(one.lengths) for one in held) >= HELD_OUT
        learnt = [one.take(~one.is_held) for one in read] if hold_out else read
        words, counts, sentences = _numbered(plan, learnt)
        levels = ngrams.count_levels(sentences, counts, plan.order)
        arpa = folder / ARPA
        ngrams.write_arpa(arpa, words, levels, ngrams.interpolated(levels, plan.unigram))
        ngrams.write_binary(arpa, folder / BINARY)
        model = WordModel(find_model(str(folder)), tokeniser(WORDS, ""))
        perplexities = np.concatenate(
            [model.of_tokens(one.lines(), one.counts) for one in (held if hold_out else learnt)]
        )
        percentiles = np.percentile(perplexities, PERCENTILES)
        training = Training(
            date=datetime.now(UTC).date().isoformat(),
            texts=tuple(files),
            words=int(counts.sum()),
            sentences=sum(len(one.lengths) for one in learnt),
            vocabulary=len(words) - len(SPECIAL),
            least_count=plan.least_count,
            cut_words=int(counts[0]),
            perplexities={str(at): round(float(value), 4) for at, value in zip(PERCENTILES, percentiles, strict=True)},
            perplexities_of="held-out sentences" if hold_out else "training sentences",
            perplexity_sentences=len(perplexities),
        )
        card = _card(plan, training, tuple(len(level.keys) for level in levels), file_digest(arpa))
        card.write(folder / CARD)
    return card


def _read(plan: Plan, workers: int) -> list[_Encoded]:
    options, tokenise = PageOptions(language=plan.language), tokeniser(plan.tokeniser, "--tokeniser")
    tasks = ((portion,) for portion in portions(plan.texts, plan.portion_bytes))
    encode = partial(_encode, options=options, field=plan.field, tokenise=tokenise)
    results = run_tasks(Backend(workers=workers), encode, tasks, "reading text", str(plan.output), ordered=True)
    return list(progress(results, "reading text", None, "portions"))


def _encode(portion: Portion, options: PageOptions, field: str, tokenise: Tokeniser) -> _Encoded:
    split: list[list[bytes]] = []
    counted: list[int] = []
    for page in segments(portion, options, field):
        for sentence, count in zip(*tokenise(page.plain, page.sentence_ends), strict=True):
            if words := sentence.split():
                split.append(words)
                counted.append(int(count))
    tokens = [*chain.from_iterable(split)]
    distinct = sorted(set(tokens))
    numbers = {word: at for at, word in enumerate(distinct)}
    return _Encoded(
        distinct,
        np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens)),
        np.fromiter(map(len, split), np.int64, len(split)),
        np.array(counted, dtype=np.int64),
    )


def _numbered(plan: Plan, read: Sequence[_Encoded]) -> tuple[list[bytes], Ints, list[Sentences]]:
    """Return the vocabulary, the most frequent words first (ties in the order of their bytes), their counts, and the text.

    The first words are those of `SPECIAL`. All that are too rare count as `<unk>`.
    """
    known: dict[bytes, int] = {}
    places = [np.array([known.setdefault(word, len(known)) for word in one.distinct], dtype=np.int64) for one in read]
    sums = np.zeros(len(known), dtype=np.int64)
    for one, at in zip(read, places, strict=True):
        sums[at] += np.bincount(one.numbers, minlength=len(at))
    most = sums.max(initial=0)
    where = ", ".join(map(str, plan.texts))
    if not most:
        raise InputError("the training text has no words", "give text with words", where)
    if most < plan.least_count:
        raise InputError(
            f"no word occurs {plan.least_count} times, the most frequent one {most} times",
            f"lower --min-count to {most} or less",
            where,
        )
    names = [*known]
    order = np.array(sorted(range(len(names)), key=names.__getitem__))
    order = order[np.argsort(-sums[order], kind="stable")]
    order = order[sums[order] >= plan.least_count]
    numbers = np.zeros(len(names), dtype=np.int32)
    numbers[order] = np.arange(len(order)) + len(SPECIAL)
    counts = np.concatenate(([sums.sum() - sums[order].sum(), 0, 0], sums[order]))
    words = [*(word.encode() for word in SPECIAL), *(names[at] for at in order.tolist())]
    return (
        words,
        counts,
        [Sentences(numbers[at][one.numbers], one.lengths) for one, at in zip(read, places, strict=True)],
    )


def _card(plan: Plan, training: Training, counts: tuple[int, ...], digest: str) -> ModelCard:
    weights = WEIGHTS[plan.order]
    terms = ["P(w | u v)", "P(w | v)"][-plan.order + 1 :]
    shares = " + ".join(f"{weight:g} * {term}" for weight, term in zip(weights[:0:-1], terms, strict=True))
    unigram = "v" if plan.unigram == HISTORY else "w"
    unknown = "<unk> was not seen in training: a word of count 0"
    if training.cut_words:
        unknown = f"{training.cut_words} rare words of the text count as <unk>"
    return ModelCard(
        name=plan.output.name,
        language=plan.language,
        corpus=", ".join(text.name for text in training.texts),
        order=plan.order,
        ngrams=counts,
        formula=f"{shares} + {weights[0]:g} * P({unigram}) + {FLOOR:g}, by maximum likelihood",
        tokeniser=plan.tokeniser,
        unknown_words=unknown,
        sentence_ends="<s> begins a sentence, </s> is neither counted nor scored",
        digest=digest,
        normalisation=NORMALISATIONS[plan.tokeniser],
        training=training,
    )


Pages = Callable[[], Iterable[Sequence[str]]]
"""Returns the sentences of descriptive blocks by page, the same at each call."""


def learn(sentences: Pages, output: Path, language: str, workers: int = 1, where: str = SELF) -> None:
    """Write the folder of the model `self`, unless it is there.

    Sentences are equal if their lower case has the same digest of 64 bits; these are in memory, besides what `train` needs.

    `sentences` is called twice if there is no model yet; temporary files are beside the folder; `where` is named in errors.
    """
    if (output / CARD).is_file():
        return
    with atomic_path(output) as folder:
        work = folder / "work"
        work.mkdir(parents=True)
        text = work / "descriptive-sentences.txt"
        pages, (keys, counts) = _count_pages(sentences())
        count = _write_sentences(sentences(), text, keys, counts <= SELF_MOST_PAGES) if pages else 0
        # Nothing is held out: unseen sentences would score worse than others. Training on too little text counts its words.
        plan = Plan((text,), work / SELF, language=language, workers=workers, hold_out=False, **SELF_MODEL)
        card = train(plan) if count else None
        words = card.training.words if card and card.training else 0
        if card is None or words < SELF_LEAST_WORDS:
            raise InputError(
                f"too little descriptive text to train a model on: {words} words in {count} different sentences of "
                f"{pages} pages, and {SELF_LEAST_WORDS} words are needed",
                "give a larger collection, or another model such as lm=books",
                where,
            )
        for path in (work / SELF).iterdir():
            path.replace(folder / path.name)
        corpus = (
            f"{count} different sentences of descriptive blocks on {pages} pages of the collection itself, without those on "
            f"more than {SELF_MOST_PAGES} pages"
        )
        replace(card, corpus=corpus).write(folder / CARD)
        shutil.rmtree(work)


def _count_pages(pages: Iterable[Sequence[str]]) -> tuple[int, Run]:
    """Return how many pages have sentences; and the sentences' digests, with the number of pages that each is on."""
    runs: list[Run] = []
    waiting = [np.zeros(0, dtype=np.int64)]
    total = size = 0
    for sentences in filter(None, pages):
        waiting.append(np.unique(_digests(sentences)))
        total += 1
        size += len(waiting[-1])
        if size >= _BLOCK:
            ngrams.add_run(runs, np.concatenate(waiting))
            waiting, size = waiting[:1], 0
    ngrams.add_run(runs, np.concatenate(waiting))
    return total, ngrams.merged(runs)


def _write_sentences(pages: Iterable[Sequence[str]], text: Path, keys: Ints, is_wanted: npt.NDArray[Any]) -> int:
    """Write a line for each distinct sentence that is wanted; return how many. `is_wanted` is changed."""
    count = 0
    with text.open("w", encoding="utf-8", newline="\n") as out:
        for sentences in filter(None, pages):
            for at, sentence in zip(np.searchsorted(keys, _digests(sentences)).tolist(), sentences, strict=True):
                if is_wanted[at]:
                    is_wanted[at] = False
                    out.write(sentence + "\n")
                    count += 1
    return count


def _digests(sentences: Sequence[str]) -> Ints:
    digests = [blake2b(sentence.lower().encode(), digest_size=8).digest() for sentence in sentences]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)
