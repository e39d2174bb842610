from __future__ import annotations

import json
import math
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pytest
from index_checks import is_clean
from messages import assert_names

from thresher.base.errors import ConfigError, StateError
from thresher.indexes.analysis import DELIMITER, FILLER, Analysis, analyse, parse_retrieval, term_list, text_analyzer
from thresher.indexes.indexing import (
    IndexOptions,
    PrunedDocument,
    build_index,
    build_pruned_index,
    open_index,
    settings_of,
)
from thresher.indexes.jvm import java_class
from thresher.indexes.original_statistics import OriginalStatistics, TermLosses
from thresher.indexes.searching import LuceneRanking, Searcher
from thresher.indexes.work import IndexStatistics, QueryWork

Documents = list[tuple[str, str]]
Keep = Callable[[str, str], bool]

MODELS = ("qld", "qld(mu=30)", "bm25", "bm25(b=0.75,k1=1.2)", "qld(exact)", "qld(exact,mu=30)", "classic")
LONG = "x" * 255
WORDS = ("list", "strings", "file", "日", "本", "😀", LONG, "naïve", "3", "tree", "graph", "zebra")
OWN_FILES = {"thresher.json", "lengths.npy", "statistics.parquet"}


@dataclass(frozen=True)
class Counts:
    """The tf of a collection's documents, before and after pruning."""

    whole: dict[str, Counter[str]]
    kept: dict[str, Counter[str]]

    def pruned(self, original: bool) -> Iterator[PrunedDocument]:
        for identifier, counts in self.whole.items():
            kept = self.kept[identifier]
            length = counts.total() if original else kept.total()
            removed = counts.total() - kept.total() if original else 0
            yield PrunedDocument(identifier, term_list(kept.items()), removed, length, bool(counts) and not kept)

    def losses(self) -> TermLosses:
        terms = sorted({term for counts in self.whole.values() for term in counts}, reverse=True)
        df, cf, left = Counter[str](), Counter[str](), Counter[str]()
        for identifier, counts in self.whole.items():
            lost = counts - self.kept[identifier]
            df.update(lost.keys())
            cf.update(lost)
            left.update(self.kept[identifier].keys())
        return TermLosses(
            pa.array(terms, pa.string()),
            df=np.array([df[term] for term in terms], dtype=np.int64),
            cf=np.array([cf[term] for term in terms], dtype=np.int64),
            remaining_df=np.array([left[term] for term in terms], dtype=np.int64),
        )

    def build(self, folder: Path, original: bool = True) -> Path:
        build_pruned_index(self.pruned(original), folder, IndexOptions(lengths=True), self.losses if original else None)
        return folder

    def statistics(self) -> IndexStatistics:
        kept = [counts for counts in self.kept.values() if counts]
        tokens = sum(counts.total() for counts in kept)
        emptied = sum(bool(counts) and not self.kept[identifier] for identifier, counts in self.whole.items())
        return IndexStatistics(
            len(self.whole) - emptied, tokens, sum(map(len, kept)), len({word for one in kept for word in one})
        )


@cache
def terms_of(text: str) -> Counter[str]:
    # Letters are composed before they are indexed.
    return Counter(analyse(text_analyzer(Analysis()), normalize("NFC", text)))


def pruned_counts(documents: Iterable[tuple[str, str]], keep: Keep) -> Counts:
    whole = {identifier: terms_of(text) for identifier, text in documents}
    kept = {
        identifier: Counter({word: tf for word, tf in counts.items() if keep(identifier, word)})
        for identifier, counts in whole.items()
    }
    return Counts(whole, kept)


def random_documents(chance: random.Random, count: int) -> Documents:
    """Documents of 0 to some hundred words, the first words often, and one of stop words only."""
    weights = [1 / (place + 1) for place in range(len(WORDS))]
    sizes = [chance.choice((0, 1, 5, 23, 24, 60, 300)) for _ in range(count)]
    texts = [" ".join(chance.choices(WORDS, weights, k=size)) or "the of" for size in sizes]
    return [(f"d{number}", text) for number, text in enumerate(texts)]


def randomly(chance: random.Random, share: float) -> Keep:
    return lambda identifier, word: chance.random() < share


def in_a_byte(length: int) -> int:
    """Lucene keeps lengths below 24 as they are and others, less 24, to four significant bits (`SmallFloat.intToByte4`)."""
    if length < 24:
        return length
    scale: int = 2 ** max((length - 24).bit_length() - 4, 0)
    return 24 + (length - 24) // scale * scale


def brute_force(model: str, query: Counter[str], counts: Counts, original: bool) -> dict[str, float]:
    """Score every document that keeps a query word, by the published formulas in Lucene's form, in float64."""
    ranking = parse_retrieval(model)
    known = counts.whole if original else counts.kept
    lengths = {identifier: one.total() for identifier, one in known.items()}
    tokens, nonempty = sum(lengths.values()), sum(length > 0 for length in lengths.values())
    dfs = {word: sum(one[word] > 0 for one in known.values()) for word in query}
    cfs = {word: sum(one[word] for one in known.values()) for word in query}
    scores: dict[str, float] = {}
    for identifier, kept in counts.kept.items():
        words = [word for word in query if kept[word]]
        if not words:
            continue
        length = lengths[identifier] if ranking.exact else in_a_byte(lengths[identifier])
        score = query.total() * math.log(ranking.mu / (ranking.mu + length)) if ranking.exact else 0.0
        for word in words:
            tf, df, cf = kept[word], dfs[word], cfs[word]
            if ranking.exact:
                part = math.log(1 + tf / (ranking.mu * cf / tokens))
            elif ranking.family == "qld":
                share = (cf + 1) / (tokens + 1)
                part = max(math.log(1 + tf / (ranking.mu * share)) + math.log(ranking.mu / (ranking.mu + length)), 0)
            elif ranking.family == "classic":
                part = math.sqrt(tf) * (1 + math.log((nonempty + 1) / (df + 1))) / math.sqrt(length)
            else:
                idf = math.log(1 + (nonempty - df + 0.5) / (df + 0.5))
                part = idf * tf / (tf + ranking.k1 * (1 - ranking.b + ranking.b * length * nonempty / tokens))
            score += query[word] * part
        scores[identifier] = score
    return scores


def lucene_scores(folder: Path, model: str, query: str, depth: int = 1000) -> dict[str, float]:
    with Searcher(folder, parse_retrieval(model), depth) as searcher:
        ranking = searcher.ranking
        ids, scores = ranking.hits(query) if isinstance(ranking, LuceneRanking) else ranking.rank(query)
        return dict(zip(ids, map(float, scores), strict=True))


def contents_of(folder: Path) -> dict[str, bytes]:
    """The bytes of all files but for what differs in every build: the segment's random id, checksums, and the record of its
    time."""
    header = (folder / "_0.fnm").read_bytes()
    begin = 4 + 1 + header[4] + 4
    identity = header[begin : begin + 16]
    return {
        path.name: path.read_bytes() if path.name in OWN_FILES else path.read_bytes().replace(identity, b"")[:-8]
        for path in folder.iterdir()
        if path.suffix not in ("", ".si", ".lock")
    }


@pytest.mark.slow
@pytest.mark.parametrize("original", [True, False], ids=["original", "pruned"])
@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.02])
def test_scores_are_those_of_a_brute_force_scorer(tmp_path: Path, share: float, original: bool) -> None:
    chance = random.Random(f"{share}")
    counts = pruned_counts(random_documents(chance, 60), randomly(chance, share))
    folder = counts.build(tmp_path / "index", original)
    assert is_clean(folder)
    found = 0
    for query in ("list", "list list file", "日本 😀 strings strings strings zzznowhere", f"{LONG} naïve 3 tree zebra"):
        words = terms_of(query)
        for model in MODELS:
            expected = brute_force(model, words, counts, original)
            assert lucene_scores(folder, model, query) == pytest.approx(expected, rel=1e-6, abs=1e-6)
            found += len(expected)
    assert found > 20


def test_worked_example(tmp_path: Path) -> None:
    """`apple` is lost in d2, and d4 loses all it has; 10 tokens, 4 documents, p(apple) = 3/10."""
    documents = [("d1", "apple apple pear"), ("d2", "apple plum plum plum"), ("d3", "fig fig"), ("d4", "kiwi")]
    counts = pruned_counts(
        documents, lambda identifier, word: (identifier, word) not in (("d2", "appl"), ("d4", "kiwi"))
    )
    folder = counts.build(tmp_path / "index")
    expected = math.log(1 + 2 / (10 * 3 / 10)) + math.log(10 / 13)
    assert lucene_scores(folder, "qld(exact,mu=10)", "apple") == pytest.approx({"d1": expected}, abs=1e-9)
    # Lucene adds 1 to both counts of p(apple).
    expected = math.log(1 + 2 / (10 * 4 / 11)) + math.log(10 / 13)
    assert lucene_scores(folder, "qld(mu=10)", "apple") == pytest.approx({"d1": expected}, abs=1e-6)
    # 2 of 4 documents have apple; the mean length is 2.5.
    expected = math.log(1 + 2.5 / 2.5) * 2 / (2 + 0.9 * (0.6 + 0.4 * 3 / 2.5))
    assert lucene_scores(folder, "bm25", "apple") == pytest.approx({"d1": expected}, abs=1e-6)


@pytest.mark.parametrize(("model", "query"), [("qld(mu=30)", "list"), ("bm25", "list strings file")])
def test_the_best_are_right_where_lucene_skips_documents(tmp_path: Path, model: str, query: str) -> None:
    chance = random.Random(5)
    documents = [(f"d{n}", " ".join(chance.choices(WORDS[:4], (9, 3, 1, 1), k=n % 40 + 1))) for n in range(3000)]
    counts = pruned_counts(documents, randomly(chance, 0.7))
    folder = counts.build(tmp_path / "index")
    scores = brute_force(model, terms_of(query), counts, True)
    best = sorted(scores.values(), reverse=True)[:5]
    assert list(lucene_scores(folder, model, query, 5).values()) == pytest.approx(best, rel=1e-6)
    with Searcher(folder, parse_retrieval(model), 5) as searcher:
        assert searcher.work([query]).documents < len(scores)


@pytest.mark.parametrize("original", [True, False], ids=["original", "pruned"])
def test_at_full_size_it_is_the_index_of_the_texts(
    documents: Documents, queries: Sequence[str], tmp_path: Path, original: bool
) -> None:
    some = [*documents, ("stop", "the of"), ("odd", f"{LONG} a|b 日本語 😀 re\u0301sume\u0301 x_y 1,000.5")]
    build_index(some, tmp_path / "whole", IndexOptions(lengths=True))
    counts = pruned_counts(some, lambda identifier, word: True)
    folder = counts.build(tmp_path / "index", original)
    assert contents_of(folder) == contents_of(tmp_path / "whole")
    assert {path.name for path in folder.iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}
    for model in ("qld", "qld(exact)", "bm25"):
        with (
            Searcher(folder, parse_retrieval(model)) as ours,
            Searcher(tmp_path / "whole", parse_retrieval(model)) as whole,
        ):
            for query in queries:
                assert ours.search(query) == whole.search(query)
                assert ours.work([query]) == whole.work([query])


def test_removing_what_no_query_asks_for_leaves_scores_as_they_were(
    documents: Documents, index: Path, tmp_path: Path
) -> None:
    """Lengths, tokens, documents, df and cf are the same to the last bit."""
    query = "return a list of strings file file"
    words = set(terms_of(query))
    folder = pruned_counts(documents, lambda identifier, word: word in words).build(tmp_path / "index")
    for model in ("qld", "qld(exact)", "bm25"):
        assert lucene_scores(folder, model, query) == lucene_scores(index, model, query)


@pytest.mark.parametrize("original", [True, False], ids=["original", "pruned"])
@pytest.mark.parametrize("share", [0.9, 0.1, 0.0])
def test_the_filler_is_in_no_count(documents: Documents, tmp_path: Path, share: float, original: bool) -> None:
    counts = pruned_counts([*documents, ("stop", "the of")], randomly(random.Random(3), share))
    options = IndexOptions(lengths=True)
    losses = counts.losses if original else None
    report = build_pruned_index(counts.pruned(original), tmp_path / "index", options, losses)
    assert report.statistics == counts.statistics()
    assert (report.documents, report.empty) == (len(documents) + 1, 0)
    files = [path for path in (tmp_path / "index").iterdir() if path.name != "thresher.json"]
    assert report.bytes == sum(path.stat().st_size for path in files) == sum(report.bytes_by_type.values())
    assert is_clean(tmp_path / "index")
    query = "return list"
    df = sum(one[word] > 0 for one in counts.kept.values() for word in ("return", "list"))
    matching = sum(bool(one["return"] or one["list"]) for one in counts.kept.values())
    for model in ("qld", "bm25", "qld(exact)"):
        with Searcher(tmp_path / "index", parse_retrieval(model)) as searcher:
            assert searcher.work([query]) == QueryWork(df, matching, (df,), (matching,))
            assert searcher.search(FILLER) == []
    lengths = [one.total() for one in (counts.whole if original else counts.kept).values()]
    assert np.load(tmp_path / "index" / "lengths.npy").tolist() == lengths
    with open_index(tmp_path / "index") as reader:
        assert (reader.getDocCount("contents"), reader.getSumTotalTermFreq("contents")) == (
            sum(length > 0 for length in lengths),
            sum(lengths),
        )


def test_two_builds_are_the_same(documents: Documents, tmp_path: Path) -> None:
    for name in ("one", "two"):
        pruned_counts(documents, randomly(random.Random(1), 0.5)).build(tmp_path / name)
    assert contents_of(tmp_path / "one") == contents_of(tmp_path / "two")
    assert "statistics.parquet" in contents_of(tmp_path / "one")


def test_no_term_holds_what_term_lists_are_written_with() -> None:
    """Neither does a query have the filler."""
    character = java_class("java.lang.Character")
    spaces = [chr(point) for point in range(0x3001) if character.isWhitespace(point)]
    assert len(spaces) > 20
    for sign in (*spaces, DELIMITER, FILLER):
        text = f"a{sign}b {sign} 1{sign}1 あ{sign} 😀{sign}\u200d {sign}\u0301 _{sign}_ ア{sign}ア"
        for stemmer in ("porter", "krovetz", "none"):
            assert sign not in "".join(analyse(text_analyzer(Analysis(stemmer=stemmer, stopwords=False)), text))


def test_terms_are_read_as_they_are(tmp_path: Path) -> None:
    terms = {"a|b": 3, "|": 1, "5": 2, "日本": 1, "😀": 40_000, LONG: 2, "é" * 255: 1, "The": 1}
    document = PrunedDocument("d", term_list(terms.items()), 0, sum(terms.values()))
    build_pruned_index([document], tmp_path / "index", IndexOptions(), None)
    with open_index(tmp_path / "index") as reader:
        every = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, "contents").iterator()
        found = {}
        while (term := every.next()) is not None:
            found[term.utf8ToString()] = every.totalTermFreq()
    assert found == terms


@pytest.mark.parametrize("option", ["positions", "stored", "vectors"])
def test_options_that_lists_of_terms_cannot_fulfil(tmp_path: Path, option: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_pruned_index([], tmp_path / "index", IndexOptions(**{option: True}), None)
    assert_names(caught.value, "a pruned index", f"{option} = true", "Fix: ", f"leave out {option}", "pruning")
    assert list(tmp_path.iterdir()) == []


def test_counts_that_disagree(tmp_path: Path) -> None:
    def losses(cf: int, left: int) -> Callable[[], TermLosses]:
        numbers = (np.array([number]) for number in (1, cf, left))
        return lambda: TermLosses(pa.array(["x"]), *numbers)

    with pytest.raises(ValueError, match=r"documents lost 2 .* terms 3"):
        build_pruned_index([PrunedDocument("a", "x", 2, 3)], tmp_path / "index", IndexOptions(), losses(3, 1))
    with pytest.raises(ValueError, match=r"has 3 terms, .* 2 are left"):
        build_pruned_index([PrunedDocument("a", "x y", 2, 3)], tmp_path / "index", IndexOptions(), losses(2, 1))
    with pytest.raises(ValueError, match=r"documents lost 2 .* terms 0"):
        build_pruned_index([PrunedDocument("a", "x", 2, 3)], tmp_path / "index", IndexOptions(), None)
    assert list(tmp_path.iterdir()) == []


def test_no_documents(tmp_path: Path) -> None:
    report = build_pruned_index([], tmp_path / "index", IndexOptions(lengths=True), Counts({}, {}).losses)
    assert report.statistics == IndexStatistics(0, 0, 0, 0)
    for model in ("qld", "qld(exact)", "bm25"):
        with Searcher(tmp_path / "index", parse_retrieval(model)) as searcher:
            assert searcher.search("word") == []


def test_what_terms_lost_is_read_as_it_was_given(documents: Documents, tmp_path: Path) -> None:
    counts = pruned_counts(documents, randomly(random.Random(2), 0.4))
    folder = counts.build(tmp_path / "index")
    losses = counts.losses()
    lost = dict(zip(losses.terms.to_pylist(), zip(losses.df, losses.cf, strict=True), strict=True))
    held = {word for one in counts.kept.values() for word in one}
    assert len(held) > 5 * 128
    with open_index(folder) as reader:
        statistics = OriginalStatistics(folder / "statistics.parquet", reader)
        for word in sorted(lost)[::29]:
            assert statistics.removed(word) == (lost[word] if word in held else (0, 0))
        for word in ("", "zzznowhere", "zzzz", "\U0010ffff"):
            assert statistics.removed(word) == (0, 0)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"PAR1")], ids=["missing", "damaged"])
def test_original_statistics_that_cannot_be_read(
    documents: Documents, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    folder = pruned_counts(documents[:20], randomly(random.Random(1), 0.5)).build(tmp_path / "index")
    damage(folder / "statistics.parquet")
    with pytest.raises(StateError) as caught, Searcher(folder, parse_retrieval("qld")):
        pass
    where = f"{folder / 'statistics.parquet'}: "
    assert_names(caught.value, where, "statistics cannot be read", "Fix: ", "build the index again")


def test_original_statistics_of_another_index(documents: Documents, tmp_path: Path) -> None:
    one, two = (
        pruned_counts(documents[:20], randomly(random.Random(1), share)).build(tmp_path / f"{share}")
        for share in (0.5, 0.4)
    )
    shutil.copy(one / "statistics.parquet", two)
    with pytest.raises(StateError) as caught, Searcher(two, parse_retrieval("qld(exact)")):
        pass
    where = f"{two / 'statistics.parquet'}: "
    assert_names(caught.value, where, "statistics belong to another index", "Fix: ", "build the index again")


def test_records_of_older_indexes_are_read(tmp_path: Path) -> None:
    build_index([("a", "x")], tmp_path, IndexOptions())
    path = tmp_path / "thresher.json"
    record = json.loads(path.read_text())
    assert record.pop("original_statistics") is False
    path.write_text(json.dumps(record))
    settings = settings_of(tmp_path)
    assert settings is not None
    assert not settings.original_statistics
