"""The scoring pass with real worker processes: nothing is lost, nothing is done twice, nothing depends on who did it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import Message, assert_names
from shard_rows import store_rows
from troublesome import Bomb, Listed, Trouble, page, pages, whole
from worker_processes import workers_alive

from thresher.base.errors import InputError, StateError
from thresher.base.processes import Backend
from thresher.cleaners.characters.character_counts import LEXICAL, Settings
from thresher.cleaners.characters.scoring import write_model
from thresher.cleaners.characters.training import train
from thresher.cleaners.scorers.ncleaner import NCleaner
from thresher.collections import IdRule, Part, ReadOptions, Source, file_collection, open_collection
from thresher.collections.file_collection import FileEntry, walk
from thresher.collections.interface import UNFIT_ID
from thresher.collections.sources import SOURCE_BYTES, Reading, Span, grouped
from thresher.pages import PageOptions
from thresher.scores import score_pass
from thresher.scores.crash_log import CrashLog, PartTask, page_at_work_path
from thresher.scores.limits import Limits
from thresher.scores.lost_pages import Failure, failures
from thresher.scores.page_at_work import read_page_at_work
from thresher.scores.parts import process_part
from thresher.scores.score_pass import ScorePlan, ScoreReport, score_collection
from thresher.scores.score_work import ScoreWork
from thresher.scores.store import EMPTIED, FAILED, SCORED, ShardReport, read_cost, read_report, shards, written_shards

SCORERS = (Trouble(),)
LIMITS = Limits(seconds=1.0, mib=0.01)
TIMES = ("seconds", "times")


def counted(report: ScoreReport) -> dict[str, object]:
    return {name: value for name, value in asdict(report).items() if name not in (*TIMES, "workers")}


def score_alone(
    part: Part, folder: Path, scorers: tuple[Trouble, ...] = SCORERS, limits: Limits = Limits()
) -> ShardReport:
    process_part(PartTask(part), ScoreWork(Listed(()), folder, scorers=scorers, limits=limits))
    return read_report(shards(folder)[0])


def rows(folder: Path) -> dict[str, tuple[str, str]]:
    return {row["id"]: (row["status"], row["reason"]) for row in store_rows(folder)}


TROUBLE: Mapping[int, str | bytes | Source] = {
    1: "SLEEP please",
    2: "HOLD the interpreter",
    3: "EXIT 7",
    4: "KILL now",
    5: "RAISE now",
    6: b"",
    7: b"<script>only()</script>",
    8: "long " * 3000,
    9: Source("d9", "listed", 10, 9, path=Path("/nowhere/at/all.html")),
    10: Source("d10", "listed", 0, 10, problem="the record is broken"),
    11: Source("d 11", "listed", 0, 11, content=b"an unfit id"),
    12: Source("", "listed", 0, 12, content=b"no id"),
    13: page(0, "an id that came before"),
    # An id that only failed pages had before is free.
    14: page(10, "an id that came before, on a broken record"),
    # In another shard, after it has been scored by halves.
    300: "KILL again",
    301: "EXIT 0",
}


@pytest.mark.slow
def test_pages_that_end_their_worker_are_listed_and_all_others_are_as_without_them(tmp_path: Path) -> None:
    plan, backend = ScorePlan(pages(600, TROUBLE), SCORERS, limits=LIMITS), Backend(workers=2)
    report = score_collection(plan, tmp_path / "store", backend)
    assert (report.documents, report.scored, report.emptied, report.failed) == (600, 585, 2, 13)
    assert (report.shards, report.workers) == (3, 2)
    assert [(failure.id, failure.reason) for failure in failures(tmp_path / "store")] == [
        ("d1", "took longer than 1 s"),
        ("d2", "took longer than 1 s"),
        ("d3", "ended its worker (exit code 7)"),
        ("d4", "ended its worker (exit code -9)"),
        ("d5", Message("cannot be scored: ValueError: two lines ?")),
        ("d8", Message("too large", "0.0 MiB", "0.01 MiB")),
        ("d9", Message("cannot be read", "No such file")),
        ("d10", "the record is broken"),
        ("d 11", f"{UNFIT_ID}: 'd 11'"),
        ("", "the document has no id"),
        ("d0", Message("id occurs twice", "listed at byte 0")),
        ("d300", "ended its worker (exit code -9)"),
        ("d301", "ended its worker (exit code 0)"),
    ]
    result = rows(tmp_path / "store")
    assert [name for name, (status, _) in result.items() if status == EMPTIED] == ["d6", "d7"]
    assert result["d6"][1] == result["d7"][1] == "the page holds no text"

    # The same pages without the troublesome ones, here and one by one.
    calm = [entry for number, entry in enumerate(plan.collection.items) if number not in TROUBLE]  # type: ignore[attr-defined]
    calm.insert(1, TROUBLE[14])  # type: ignore[arg-type]
    alone = score_alone(whole(calm), tmp_path)
    others = store_rows(tmp_path / "store")
    assert [row for row in others if row["status"] == SCORED] == store_rows(tmp_path)
    assert alone.words == report.words

    # No worker stays behind, and a rerun does not try the pages again that ended one.
    assert workers_alive() == []
    assert score_collection(plan, tmp_path / "store", backend) == report
    shards(tmp_path / "store")[0].unlink()
    told = (tmp_path / "store" / "crashed_pages.json").stat().st_mtime_ns
    assert counted(score_collection(plan, tmp_path / "store", backend)) == counted(report)
    assert store_rows(tmp_path / "store") == others
    assert (tmp_path / "store" / "crashed_pages.json").stat().st_mtime_ns == told


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScorePlan, Path, ScoreReport]:
    """700 pages scored by three workers: three shards. Nobody may change the folder."""
    plan = ScorePlan(pages(700, {600: b""}), SCORERS)
    folder = tmp_path_factory.mktemp("calm")
    return plan, folder, score_collection(plan, folder, Backend(workers=3))


def test_scores_do_not_depend_on_the_number_of_workers(
    calm: tuple[ScorePlan, Path, ScoreReport], tmp_path: Path
) -> None:
    plan, folder, report = calm
    assert counted(score_collection(plan, tmp_path, Backend(workers=1))) == counted(report)
    assert len(shards(folder)) == 3
    assert store_rows(tmp_path) == store_rows(folder)


def test_the_report_adds_up_its_shards(calm: tuple[ScorePlan, Path, ScoreReport]) -> None:
    _, folder, report = calm
    parts = [read_report(path) for path in shards(folder)]
    times = [read_cost(path) for path in shards(folder)]
    assert [part.documents for part in parts] == [256, 256, 188]
    assert (report.documents, report.scored, report.emptied, report.failed) == (700, 699, 1, 0)
    assert report.seconds.keys() == {"pages", "trouble(q=0.5)"}
    for stage, spent in report.seconds.items():
        assert spent == pytest.approx(sum(part.seconds[stage] for part in times))
    assert report.times.wall == pytest.approx(sum(part.times.wall for part in times) / 3)
    assert report.times.cpu == pytest.approx(sum(part.times.cpu for part in times))
    assert report.times.peak == max(part.times.peak for part in times) > 10
    # page 17k+r says 3 + r words and 3 more in its second block; the empty one says none.
    assert report.words == sum(6 + number % 17 for number in range(700) if number != 600)
    assert report.bytes == sum(entry.size for entry in calm[0].collection.items)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "lost", [["shard-000000-000001.npz"], ["shard-000000-000000.npz", "complete.json"], ["complete.json"]]
)
def test_what_is_missing_is_done_again_and_only_that(
    calm: tuple[ScorePlan, Path, ScoreReport], tmp_path: Path, lost: list[str]
) -> None:
    plan, done, report = calm
    for path in done.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for name in lost:
        (tmp_path / name).unlink()
    kept = {path: path.stat().st_mtime_ns for path in shards(tmp_path)}
    assert counted(score_collection(plan, tmp_path, Backend(workers=2))) == counted(report)
    assert store_rows(tmp_path) == store_rows(done)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert counted(score_pass._REPORT_FILE.read(tmp_path / "complete.json")) == counted(report)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    flag, folder = tmp_path / "go", tmp_path / "killed"
    plan = ScorePlan(pages(700, {520: f"WAIT {flag} "}), SCORERS, limits=Limits(600))
    code = (
        "import sys\nfrom pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from troublesome import Trouble, pages\n"
        "from thresher.scores.score_pass import ScorePlan, score_collection\n"
        "from thresher.scores.limits import Limits\n"
        "if __name__ == '__main__':\n"
        f"    plan = ScorePlan(pages(700, {{520: 'WAIT {flag} '}}), (Trouble(),), limits=Limits(600))\n"
        f"    score_collection(plan, Path({str(folder)!r}))\n"
    )
    (tmp_path / "main.py").write_text(code, encoding="utf-8")
    run = subprocess.Popen([sys.executable, str(tmp_path / "main.py")], start_new_session=True)
    try:
        # The third shard waits at its page 520 - 512 while the others are written.
        while len(written_shards(folder)) < 2 or read_page_at_work(folder / "shard-000000-000002.page").page != 8:
            assert run.poll() is None
            time.sleep(0.02)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    assert [path.name for path in shards(folder)] == ["shard-000000-000000.npz", "shard-000000-000001.npz"]
    assert not (folder / "complete.json").exists()
    flag.touch()
    undisturbed = tmp_path / "undisturbed"
    assert counted(score_collection(plan, folder)) == counted(score_collection(plan, undisturbed))
    assert [path.read_bytes() for path in shards(folder)] == [path.read_bytes() for path in shards(undisturbed)]
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in undisturbed.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(("files", "expected"), [(3, 64), (300, 64), (1165, 73), (4200, 256)])
def test_small_collections_of_files_give_more_shards(tmp_path: Path, files: int, expected: int) -> None:
    for number in range(files):
        (tmp_path / f"{number:04}.html").touch()
    plan = ScorePlan(open_collection(tmp_path), SCORERS)
    assert (plan.shard_pages, plan.key().shard_pages) == (expected, expected)
    sizes = [len(part.sources or ()) for part in plan.collection.parts(plan.shard_pages)]
    assert sizes == [*[expected] * (files // expected), *[files % expected] * (files % expected > 0)]


def test_a_pass_lists_a_folder_five_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the key, before it begins, for its parts, and at its end for what changed and to join ranges."""
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "page.html").write_text("<p>rain</p>")
    plan = ScorePlan(open_collection(tmp_path / "crawl"), SCORERS)
    lists: list[Path] = []

    def counted_walk(root: Path) -> list[FileEntry]:
        lists.append(root)
        return walk(root)

    monkeypatch.setattr(file_collection, "walk", counted_walk)
    assert score_collection(plan, tmp_path / "store", Backend(workers=1)).scored == 1
    assert len(lists) == 5
    # Finished, it is only looked whether the collection is the same.
    assert score_collection(plan, tmp_path / "store", Backend(workers=1)).scored == 1
    assert len(lists) == 6


def test_other_collections_and_other_wishes_have_their_own_shards(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text('{"id": "1", "contents": "rain"}\n')
    plan = ScorePlan(open_collection(tmp_path), SCORERS)
    assert (plan.shard_pages, replace(plan, most_pages=3).shard_pages) == (256, 3)


class _OtherScorer(Trouble):
    name = "other"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"collection": Listed(pages(3).items, mark="2")}, "collection"),
        ({"collection": Listed(pages(3).items, options=ReadOptions(IdRule(escape=True)))}, "reading"),
        ({"scorers": (Trouble(q=0.25),)}, "scorers"),
        ({"scorers": ()}, "scorers"),
        ({"options": PageOptions(blocks="split")}, "pages"),
        ({"options": PageOptions(language="de")}, "pages"),
        ({"limits": Limits(seconds=29.0)}, "limits"),
        ({"scorers": (_OtherScorer(),), "limits": Limits(mib=1)}, "scorers, limits"),
    ],
)
def test_scores_made_otherwise_are_refused(tmp_path: Path, change: dict[str, object], named: str) -> None:
    plan = ScorePlan(pages(3), SCORERS)
    score_pass._claim(plan, tmp_path, fresh=False)
    before = (tmp_path / "store.json").read_bytes()
    score_pass._claim(plan, tmp_path, fresh=False)
    with pytest.raises(StateError) as caught:
        score_collection(replace(plan, **change), tmp_path)  # type: ignore[arg-type]
    assert_names(caught.value, f"{tmp_path}: ", named, "Fix: ", "--fresh")
    assert (tmp_path / "store.json").read_bytes() == before


def test_scores_of_another_model_under_the_same_name_are_refused(tmp_path: Path) -> None:
    model = tmp_path / "mine.ncleaner"
    plan = ScorePlan(pages(3), (NCleaner(model=str(model)),))
    for clean in ("a clean text", "another text"):
        write_model(model, train([([clean], [f"{clean} and more"])], Settings(2, 0.5, LEXICAL), "a test"))
        if clean == "a clean text":
            score_pass._claim(plan, tmp_path / "store", fresh=False)
    with pytest.raises(StateError, match=r"\(changed: scorers\)"):
        score_pass._claim(plan, tmp_path / "store", fresh=False)


@pytest.mark.parametrize("damage", ["", "[]", "{", "\xff", '{"version": 5, "collection": "a"}'])
def test_a_key_that_is_damaged_or_of_another_version_is_refused(tmp_path: Path, damage: str) -> None:
    (tmp_path / "store.json").write_text(damage, encoding="latin-1")
    with pytest.raises(StateError) as caught:
        score_collection(ScorePlan(pages(3), SCORERS), tmp_path)
    assert_names(
        caught.value, f"{tmp_path}: ", "another version", "damaged", "Fix: ", "`thresher explore FILE --fresh`"
    )


def test_fresh_starts_over(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    score_collection(ScorePlan(pages(300), SCORERS), folder)
    smaller = ScorePlan(Listed(pages(2).items, mark="2"), (Trouble(q=2.0),))
    report = score_collection(smaller, folder, fresh=True)
    assert (report.documents, report.shards) == (2, 1)
    table = store_rows(folder)
    assert [row["id"] for row in table] == ["d0", "d1"]
    assert [*table[0]][-1] == "score:trouble(q=2.0)"
    assert sorted(path.name for path in folder.iterdir()) == [
        "complete.json",
        "shard-000000-000000.npz",
        "shard-000000-000000.times.json",
        "store.json",
    ]


def test_an_empty_collection_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        score_collection(ScorePlan(Listed(()), SCORERS), tmp_path)
    assert_names(caught.value, "listed: ", "collection is empty", "Fix: ", "check the path")


@pytest.mark.slow
def test_an_id_that_comes_twice_far_apart_fails_the_second_time(tmp_path: Path) -> None:
    items = (*pages(600).items, page(3, "again and again"), Source("d5", "other", 10, content=b"<p>and</p>"))
    report = score_collection(ScorePlan(Listed(items), SCORERS), tmp_path)
    assert (report.documents, report.scored, report.failed) == (602, 600, 2)
    assert report.words == sum(6 + number % 17 for number in range(600))
    assert list(failures(tmp_path)) == [
        Failure("listed", 3, "d3", Message("id occurs twice", "listed at byte 3")),
        Failure("other", None, "d5", Message("id occurs twice", "listed at byte 5")),
    ]
    # As if these two had failed when they were scored.
    broken = [
        replace(item, problem=failure.reason) for item, failure in zip(items[-2:], failures(tmp_path), strict=True)
    ]
    score_collection(ScorePlan(Listed((*items[:-2], *broken)), SCORERS), tmp_path / "broken")
    assert store_rows(tmp_path) == store_rows(tmp_path / "broken")
    # Twice is the same as once.
    whole_store = [path.read_bytes() for path in shards(tmp_path)]
    (tmp_path / "complete.json").unlink()
    assert counted(score_collection(ScorePlan(Listed(items), SCORERS), tmp_path)) == counted(report)
    assert [path.read_bytes() for path in shards(tmp_path)] == whole_store


@dataclass(frozen=True)
class Ranged(Listed):
    """A file of records of one letter each, but that at 10, which holds "345": what looks like records within a record.

    The page at `deadly` ends its worker.
    """

    deadly: int = -1

    def parts(self, pages: int) -> Iterator[Part]:
        for number in range(5):
            yield Part(0, number, self.path, "f", 3 * number, 3 * number + 3, exact=not number)

    def read(self, part: Part) -> Reading:
        inside = range(11, 13)
        offset = part.begin
        first = None
        while offset < part.end:
            first = offset if first is None else first
            content = b"<p>KILL</p>" if offset == self.deadly else b"<p>x</p>"
            yield Source(f"d{offset}", "f", len(content), offset, content=content)
            # Only from the record itself its end is known.
            offset = inside.stop if offset + 1 == inside.start else offset + 1
        return Span(first, max(offset, part.begin))


def test_ranges_that_begin_within_a_record_are_read_again(tmp_path: Path) -> None:
    report = score_collection(ScorePlan(Ranged(()), SCORERS), tmp_path, Backend(workers=2))
    result = [row["id"] for row in store_rows(tmp_path)]
    assert result == ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d13", "d14"]
    assert report.documents == 13
    assert [(part.begin, part.first, part.after) for part in map(read_report, shards(tmp_path))] == [
        (0, 0, 3),
        (None, 3, 6),
        (None, 6, 9),
        (None, 9, 13),
        (13, 13, 15),
    ]


@pytest.mark.slow
def test_a_page_of_a_range_read_again_is_blamed_where_it_is_now(tmp_path: Path) -> None:
    # The second page of the last range at first, for it began within a record; then the first.
    score_collection(ScorePlan(Ranged((), deadly=13), SCORERS), tmp_path)
    assert list(failures(tmp_path)) == [Failure("f", 13, "d13", "ended its worker (exit code -9)")]
    assert rows(tmp_path)["d14"] == (SCORED, "")


def test_a_worker_that_ends_before_any_page_is_no_endless_loop(tmp_path: Path) -> None:
    # A worker that was killed at the third page left its position, which proves nothing.
    left = page_at_work_path(tmp_path, whole(()))
    left.write_text('{"page": 2, "helper": null, "begun": 0.0, "suspect": null}')
    with pytest.raises(StateError) as caught:
        score_collection(ScorePlan(pages(3), (Bomb(),)), tmp_path)
    assert_names(caught.value, "listed: ", "(exit code 3)", "Fix: ", "same command again")
    assert not (tmp_path / "crashed_pages.json").exists()


@dataclass(frozen=True)
class Stalling(Listed):
    """Five pages; reading the third does not come to an end, but for the second time."""

    def parts(self, pages: int) -> Iterator[Part]:
        yield Part(0, 0, self.path, "f", 0, 5, exact=True)

    def read(self, part: Part) -> Reading:
        for number in range(5):
            if number == 2 and not self.path.exists():
                self.path.touch()
                time.sleep(600)
            yield Source(f"d{number}", part.name, 8, number, content=b"<p>x</p>")
        return Span(0, 5)


def test_a_page_that_takes_long_to_read_fails_alone(tmp_path: Path) -> None:
    stalling = Stalling((), path=tmp_path / "stalled")
    report = score_collection(ScorePlan(stalling, SCORERS, limits=LIMITS), tmp_path / "store")
    assert (report.documents, report.scored, report.failed) == (5, 4, 1)
    assert list(failures(tmp_path / "store")) == [Failure("f", 2, "d2", "took longer than 1 s")]


def test_what_takes_long_to_read_for_ever_costs_the_rest_of_its_part(tmp_path: Path) -> None:
    part = whole(pages(5).items)
    log = CrashLog(tmp_path, LIMITS)
    task = log.task(part)
    for crashed, unread in (({2: "took longer than 1 s"}, None), ({2: "took longer than 1 s"}, 2)):
        page_at_work_path(tmp_path, part).write_text('{"page": 2, "helper": null, "begun": 0.0, "suspect": null}')
        task = log.retry(task, -signal.SIGALRM)
        assert (task.crashed, task.unread) == (crashed, unread)
    process_part(task, ScoreWork(Listed(()), tmp_path, scorers=SCORERS))
    reasons = [failure.reason for failure in failures(tmp_path)]
    assert reasons == [Message("cannot be read", "reader", "longer than 1 s")]


@dataclass(frozen=True)
class Crashing(Listed):
    """Three parts of five pages; reading the third page of the second ends the process, as a library in C would."""

    def parts(self, pages: int) -> Iterator[Part]:
        for number in range(3):
            yield Part(number, 0, self.path, f"f{number}", 0, 5, exact=True)

    def read(self, part: Part) -> Reading:
        for number in range(5):
            if (part.file, number) == (1, 2):
                os.kill(os.getpid(), signal.SIGABRT)
            yield Source(f"d{part.file}{number}", part.name, 8, number, content=b"<p>x</p>")
        return Span(0, 5)


@pytest.mark.slow
def test_what_crashes_its_reader_costs_the_rest_of_its_part(tmp_path: Path) -> None:
    plan, backend = ScorePlan(Crashing(()), SCORERS), Backend(workers=2)
    report = score_collection(plan, tmp_path, backend)
    assert (report.documents, report.scored, report.failed) == (13, 12, 1)
    assert list(failures(tmp_path)) == [
        Failure("f1", None, "", Message("cannot be read", "ended its worker (exit code -6)"))
    ]
    read = [row["id"] for row in store_rows(tmp_path) if row["status"] == SCORED]
    assert read == ["d00", "d01", "d02", "d03", "d04", "d10", "d11", "d20", "d21", "d22", "d23", "d24"]
    # A rerun does not try it again.
    shards(tmp_path)[1].unlink()
    told = (tmp_path / "crashed_pages.json").stat().st_mtime_ns
    assert counted(score_collection(plan, tmp_path, backend)) == counted(report)
    assert (tmp_path / "crashed_pages.json").stat().st_mtime_ns == told


@pytest.mark.slow
def test_late_pages_cost_their_limit_once_and_no_other_part_anything(tmp_path: Path) -> None:
    late = dict.fromkeys((3, 5, 100, 300), "SLEEP now")
    # While the first part's pages are late, the other worker is at these.
    others = dict.fromkeys(range(400, 408), "NAP now")
    tallied = {number: f"TALLY {tmp_path / str(number)} {what}" for number, what in (late | others).items()}
    plan = ScorePlan(pages(500, tallied), SCORERS, limits=Limits(2))
    report = score_collection(plan, tmp_path / "store", Backend(workers=2))
    assert (report.documents, report.scored, report.failed) == (500, 496, 4)
    assert [failure.id for failure in failures(tmp_path / "store")] == ["d3", "d5", "d100", "d300"]
    assert {number: (tmp_path / str(number)).read_text() for number in tallied} == dict.fromkeys(tallied, "1")


KINDS = {
    "good": (SCORED, lambda number: page(number, "some words")),
    "blank": (EMPTIED, lambda number: page(number, b" \n ")),
    "empty": (EMPTIED, lambda number: page(number, b"")),
    "unreadable": (FAILED, lambda number: Source(f"d{number}", "listed", 5, path=Path("/nowhere"))),
    "oversized": (FAILED, lambda number: page(number, "long " * 3000)),
    "raising": (FAILED, lambda number: page(number, "RAISE")),
    "known to end its worker": (FAILED, lambda number: page(number, "KILL")),
}


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(KINDS)), max_size=12))
def test_every_page_is_scored_emptied_or_failed(tmp_path: Path, kinds: list[str]) -> None:
    sources = tuple(KINDS[kind][1](number) for number, kind in enumerate(kinds))
    crashed = {number: "known" for number, kind in enumerate(kinds) if kind == "known to end its worker"}
    part = whole(sources)
    documents = process_part(PartTask(part, crashed), ScoreWork(Listed(()), tmp_path, scorers=SCORERS, limits=LIMITS))
    (path,) = shards(tmp_path)
    report = read_report(path)
    statuses = [KINDS[kind][0] for kind in kinds]
    assert documents == report.documents == len(kinds) == report.scored + report.emptied + report.failed
    assert (report.scored, report.emptied, report.failed) == tuple(map(statuses.count, (SCORED, EMPTIED, FAILED)))
    table = store_rows(tmp_path)
    assert [row["status"] for row in table] == statuses
    assert [row["id"] for row in table] == [source.id for source in sources]
    assert not list(tmp_path.glob("*.page"))


@given(
    st.lists(st.integers(0, 9 * 2**20) | st.just(SOURCE_BYTES + 1), max_size=40)
    | st.integers(0, 1100).map(lambda count: [1] * count)
)
def test_pages_at_hand_are_grouped_by_count_and_bytes(sizes: list[int]) -> None:
    sources = [Source(str(number), "", size) for number, size in enumerate(sizes)]
    parts = list(grouped(iter(sources), 3, Path("a"), "b", 256))
    assert [(part.file, part.number, part.path, part.name) for part in parts] == [
        (3, number, Path("a"), "b") for number in range(len(parts))
    ]
    cut = [part.sources or () for part in parts]
    assert [source for shard in cut for source in shard] == sources
    for shard, after in zip(cut, [*cut[1:], None][: len(cut)], strict=True):
        size = sum(source.size for source in shard)
        assert 0 < len(shard) <= 256
        assert size <= 16 * 2**20 or len(shard) == 1
        # It was ended only where the next page did not fit.
        assert after is None or len(shard) == 256 or size + after[0].size > 16 * 2**20


def test_a_page_that_takes_long_may_take_as_long_as_the_limit(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    report = score_alone(whole([page(0, f"WAIT {flag} ")]), tmp_path, limits=Limits(seconds=1e6))
    assert (report.scored, signal.getitimer(signal.ITIMER_REAL)) == (1, (0.0, 0.0))
