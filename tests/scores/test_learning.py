"""Scorers that learn from the collection before they score it: what they are given, what is kept, what it costs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from messages import assert_names
from shard_rows import store_rows
from troublesome import Listed, Trouble, pages

from thresher.base.errors import InputError, StateError
from thresher.base.processes import Backend
from thresher.cleaners.scorer import Scorer, Scores
from thresher.cleaners.scorers import perplexity
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Density, descriptive_blocks
from thresher.cleaners.words import training
from thresher.cleaners.words.models import model_files
from thresher.collections import Source
from thresher.pages import Segments, read_html
from thresher.scores.limits import Limits
from thresher.scores.lost_pages import Failure, failures
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import ScoreReport, read_cost, shards
from thresher.scores.training import Descriptive, descriptive_sentences, learn

SELF = "perplexity(lm=self)"
FOOTER = "All rights in these words are held by those who wrote them down for you and for no one else."


def prose(number: int) -> str:
    told = " ".join(f"Chapter {part} tells how river {number} of {part} runs." for part in range(4))
    return f"<title>River {number}</title><p>Menu</p><p>{told} It was long ago in a far land.</p><p>{FOOTER}</p>"


def rivers(count: int = 40, special: Mapping[int, str | bytes | Source] | None = None) -> Listed:
    texts = {number: prose(number).encode() for number in range(count)}
    return pages(count, {**texts, **(special or {})})


def scores(folder: Path) -> list[list[float]]:
    return [row[f"score:{SELF}"] for row in store_rows(folder)]


def test_scores_are_those_of_the_model_of_the_collections_own_sentences(tmp_path: Path) -> None:
    plan = ScorePlan(rivers(), (Density(), Perplexity(lm="self")), most_pages=16)
    report = score_collection(plan, tmp_path / "store", Backend(workers=2))
    assert (report.documents, report.scored, report.shards) == (40, 40, 3)

    segments = [read_html(prose(number)) for number in range(40)]
    wanted = []
    for some in segments:
        blocks = descriptive_blocks(some)
        assert blocks.tolist() == [False, False, True, True]
        wanted.append([s for s, block in zip(some.sentences, some.block_of_sentence, strict=True) if blocks[block]])
    training.learn(lambda: wanted, tmp_path / "own", "en")
    model = model_files(str(tmp_path / "own")).load()
    expected = [model.perplexities(some.plain, some.sentence_ends).astype("float32").tolist() for some in segments]
    assert scores(tmp_path / "store") == expected
    assert FOOTER not in (tmp_path / "own" / "model.arpa").read_text(encoding="utf-8")

    names = sorted(path.name for path in (tmp_path / "store").iterdir())
    written = [f"shard-000000-00000{n}.{kind}" for n in range(3) for kind in ("npz", "times.json")]
    assert names == ["complete.json", "models", *written, "store.json"]
    fingerprint = Perplexity(lm="self").fingerprint
    assert sorted(path.name for path in (tmp_path / "store" / "models").iterdir()) == [
        "learning.json",
        f"self-{fingerprint}",
    ]
    card = model_files(str(tmp_path / "store" / "models" / f"self-{fingerprint}")).card
    assert card is not None
    # "It was long ago" is on all pages, as the footer is.
    assert_names(card.corpus, "160 different sentences", "40 pages", "more than 2 pages")


def test_what_learning_took_is_the_scorers_and_in_all_sums(tmp_path: Path) -> None:
    report = score_collection(ScorePlan(rivers(), (Density(), Perplexity(lm="self"))), tmp_path, Backend(workers=2))
    learning = json.loads((tmp_path / "models" / "learning.json").read_text())
    (shard,) = [read_cost(path) for path in shards(tmp_path)]
    assert learning["seconds"].keys() == {SELF}
    assert learning["seconds"][SELF] > 0 < learning["times"]["wall"]
    assert report.seconds == {
        "pages": shard.seconds["pages"],
        "density": shard.seconds["density"],
        SELF: pytest.approx(shard.seconds[SELF] + learning["seconds"][SELF]),
    }
    assert report.times.wall == pytest.approx(shard.times.wall / 2 + learning["times"]["wall"])
    assert report.times.cpu == pytest.approx(shard.times.cpu + learning["times"]["cpu"])
    assert report.times.peak == max(shard.times.peak, learning["times"]["peak"])


def test_a_pass_that_goes_on_learns_nothing_again_and_one_without_its_model_learns_the_same(tmp_path: Path) -> None:
    plan = ScorePlan(rivers(), (Perplexity(lm="self"),), most_pages=16)
    score_collection(plan, tmp_path)
    before = scores(tmp_path)
    model = tmp_path / "models" / f"self-{Perplexity(lm='self').fingerprint}"
    content, stamp = (model / "model.arpa").read_bytes(), (model / "model.arpa").stat().st_mtime_ns
    shards(tmp_path)[1].unlink()
    score_collection(plan, tmp_path)
    assert (scores(tmp_path), (model / "model.arpa").stat().st_mtime_ns) == (before, stamp)

    (model / "card.json").unlink()
    shards(tmp_path)[0].unlink()
    score_collection(plan, tmp_path)
    assert (scores(tmp_path), (model / "model.arpa").read_bytes()) == (before, content)
    assert (model / "model.arpa").stat().st_mtime_ns != stamp


def test_what_was_picked_before_a_run_ended_is_not_picked_again(tmp_path: Path) -> None:
    plan = ScorePlan(rivers(), (Perplexity(lm="self"),), most_pages=16)
    picking = replace(plan, scorers=(Descriptive(),))
    score_collection(picking, tmp_path / "whole" / "learning")
    score_collection(picking, tmp_path / "learning")
    first, second, _ = shards(tmp_path / "learning")
    stamp = first.stat().st_mtime_ns
    second.unlink()
    seen = []

    def pick(store: Path, scorer: Scorer) -> ScoreReport:
        report = score_collection(picking, store)
        seen.append(first.stat().st_mtime_ns)
        assert [*descriptive_sentences(store)] == [*descriptive_sentences(tmp_path / "whole" / "learning")]
        return report

    learn(plan.scorers, tmp_path, pick, "en", 1)
    assert seen == [stamp]
    assert not (tmp_path / "learning").exists()


def test_pages_that_cannot_be_read_teach_nothing_and_end_a_worker_once(tmp_path: Path) -> None:
    special: dict[int, str | bytes | Source] = {
        1: b"",
        2: "long " * 3000,
        3: Source("d3", "listed", 10, 3, path=Path("/nowhere/at/all.html")),
    }
    report = score_collection(
        ScorePlan(rivers(40, special), (Perplexity(lm="self"),), limits=Limits(mib=0.01)), tmp_path
    )
    assert (report.documents, report.scored, report.emptied, report.failed) == (40, 37, 1, 2)
    card = model_files(str(next((tmp_path / "models").glob("self-*")))).card
    assert card is not None
    assert_names(card.corpus, "148 different sentences", "37 pages")


class _Dying(Descriptive):
    """Picks, and does what pages say."""

    def score(self, segments: Segments) -> Scores:
        Trouble().score(segments)
        return super().score(segments)


def test_pages_that_ended_a_worker_while_text_was_picked_are_not_tried_again(tmp_path: Path) -> None:
    collection = rivers(40, {5: prose(5).replace("Menu", "KILL").encode()})
    plan = ScorePlan(collection, (Perplexity(lm="self"),))

    def pick(store: Path, scorer: Scorer) -> ScoreReport:
        return score_collection(replace(plan, scorers=(_Dying(),)), store)

    learn(plan.scorers, tmp_path, pick, "en", 1)
    assert json.loads((tmp_path / "crashed_pages.json").read_text()) == {
        "pages": {"shard-000000-000000": {"5": "ended its worker (exit code -9)"}},
        "unread": {},
        "helpers": {},
    }
    report = score_collection(plan, tmp_path)
    assert (report.scored, report.failed) == (39, 1)
    assert list(failures(tmp_path)) == [Failure("listed", 5, "d5", "ended its worker (exit code -9)")]


def test_a_collection_with_too_little_text_is_refused(tmp_path: Path) -> None:
    """Of each page four sentences of nine words are its own; the others are on all three pages."""
    with pytest.raises(InputError) as caught:
        score_collection(ScorePlan(rivers(3), (Perplexity(lm="self"),)), tmp_path)
    assert_names(caught.value, "perplexity(lm=self): ", "108", "12", "3", "1000", "Fix: ", "lm=books")
    with pytest.raises(InputError, match="the collection is empty"):
        score_collection(ScorePlan(pages(0), (Perplexity(lm="self"),)), tmp_path / "empty")


def test_scores_of_a_model_that_is_made_otherwise_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = ScorePlan(rivers(), (Perplexity(lm="self"),))
    score_collection(plan, tmp_path)
    for module, name in ((perplexity, "SELF_SETTINGS"), (perplexity, "RULE")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, {**getattr(module, name), "another": 1})
            with pytest.raises(StateError, match=r"\(changed: scorers\)"):
                score_collection(plan, tmp_path)
    score_collection(replace(plan, limits=Limits(mib=1)), tmp_path, fresh=True)
    assert len(list((tmp_path / "models").glob("self-*"))) == 1


def test_sentences_of_a_store_are_those_of_the_pages(tmp_path: Path) -> None:
    texts = ["", prose(1), "<p>Menu", f"<p>{FOOTER} “Ünd söweiter!” {FOOTER}<h1>{FOOTER}</h1>", prose(2)]
    collection = pages(len(texts), {number: text.encode() for number, text in enumerate(texts)})
    score_collection(ScorePlan(collection, (Descriptive(),), most_pages=3), tmp_path)
    assert list(descriptive_sentences(tmp_path)) == [
        [],
        read_html(prose(1)).sentences[2:],
        [],
        [FOOTER, "“Ünd söweiter!”", FOOTER],
        read_html(prose(2)).sentences[2:],
    ]


def test_scorers_that_share_a_model_have_it_made_once(tmp_path: Path) -> None:
    """Alone, each would have cost the same."""
    other = Perplexity(lm="self", prior=32)
    report = score_collection(ScorePlan(rivers(), (Perplexity(lm="self"), other)), tmp_path)
    assert len(list((tmp_path / "models").glob("self-*"))) == 1
    learning = json.loads((tmp_path / "models" / "learning.json").read_text())
    assert learning["seconds"].keys() == {SELF, other.canonical_name} == report.seconds.keys() - {"pages"}
    assert len(set(learning["seconds"].values())) == 1
