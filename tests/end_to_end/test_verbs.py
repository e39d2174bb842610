"""Every verb of the command line, and what it leaves."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
import yaml
from commands import THRESHER, Done, installed, thresher
from lxml import html
from messages import Message, assert_names
from small_web import PAGES, TOPICS, Finished

from thresher import __version__
from thresher.base.defaults import DEFAULT_CLEANER, SEARCH_CLEANER
from thresher.base.numbers import Interval
from thresher.cleaners.registry import scorers
from thresher.evaluation.topics import read_topics
from thresher.experiments.results import read_results
from thresher.indexes.analysis import Analysis, analyse, parse_retrieval, text_analyzer
from thresher.indexes.indexing import open_index
from thresher.indexes.jvm import java_class
from thresher.indexes.pruning.treatments import methods

VARIANTS = ["none", "words@5", "words@20", "words@40", "density@8", "perplexity(lm=books)@8000"]
FILES = ["none", "words@5", "words@20", "words@40", "density@8", "perplexity_lm=books_@8000"]


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_run_prints_the_table_on_standard_output_and_stages_on_standard_error(finished: Finished) -> None:
    done = finished.done
    assert done.code == 0
    # Where a stage takes long, a line says how far it is.
    reading, scoring, indexing, timing = [
        line for line in done.err.splitlines() if not re.search(r": \d+ of \d+ ", line)
    ]
    assert_names(reading, "reading pages")
    assert_names(scoring, "scoring", "density, perplexity(lm=books), words")
    assert_names(indexing, "indexing and searching", "6 variants", f"{PAGES} pages")
    assert_names(timing, "timing 6 variants", "0.1 s", "--seconds 0")
    lines = done.out.splitlines()
    assert_names(lines[0], "- Of 5 variants", "none is significantly worse")
    assert len(lines) <= 40
    head = next(number for number, line in enumerate(lines) if line.startswith("variant "))
    assert lines[head].split()[:2] == ["variant", "exp-nDCG@10"]
    firsts = [line.split()[0] for line in lines[head:] if line]
    assert next(name for name in firsts if name in VARIANTS) == "none"
    assert lines[-1] == f"report: {finished.results / 'report.html'}"
    assert "\x1b" not in done.out


def test_answers_come_whole_in_one_line_or_as_the_record(finished: Finished, tmp_path: Path) -> None:
    folder = tmp_path / "web"
    shutil.copytree(finished.results, folder)
    full = thresher("report", folder, "--full").out.splitlines()
    firsts = [line.split()[0] for line in full if line]
    assert [name for name in firsts if name in VARIANTS] == VARIANTS
    (quiet,) = thresher("report", folder, "--quiet").out.splitlines()
    assert f"- {quiet}" == full[0]
    record = json.loads(thresher("report", folder, "--json").out)
    assert record == json.loads((folder / "results.json").read_text(encoding="utf-8"))
    both = thresher("report", folder, "--json", "--quiet")
    assert (both.code, both.out) == (2, "")
    assert "--quiet and --json" in both.err


def test_run_leaves_these_files_and_no_others(finished: Finished) -> None:
    found = sorted(str(path.relative_to(finished.results)) for path in finished.results.rglob("*") if path.is_file())
    reports = ["manifest.json", "per_topic.csv", "report.html", "results.csv", "results.json", "table.md", "table.tex"]
    reports.append("variants.parquet")
    stages = [f"stages/{stage}-{name}.json" for stage in ("index", "search") for name in FILES] + [
        "stages/measure.json",
        "stages/title-bias.json",
    ]
    runs = [f"runs/{name}{suffix}" for name in FILES for suffix in (".trec", ".yaml")]
    shard = [f"scores/shard-000000-000000.{kind}" for kind in ("npz", "times.json")]
    scores = ["scores/complete.json", *shard, "scores/store.json"]
    assert found == sorted([".lock", "failures.jsonl", *reports, *stages, *runs, *scores])
    assert (finished.results / "failures.jsonl").read_bytes() == b""
    assert sorted(path.name for path in finished.indexes.iterdir()) == sorted([".lock", *FILES])


def test_tables_tell_the_same_values(finished: Finished) -> None:
    table = rows(finished.results / "results.csv")
    assert [row["variant"] for row in table] == VARIANTS
    stored = read_results(finished.results).table()
    topic_rows = rows(finished.results / "per_topic.csv")
    assert len(topic_rows) == len(VARIANTS) * TOPICS * 5
    markdown = (finished.results / "table.md").read_text().splitlines()
    latex = (finished.results / "table.tex").read_text()
    for index, (row, line) in enumerate(zip(table, markdown[2:], strict=False)):
        assert line.startswith(f"| {row['variant']} | ")
        assert int(row["documents"]) + int(row["emptied"]) == PAGES
        assert int(row["bytes"]) == sum(
            path.stat().st_size
            for path in (finished.indexes / FILES[VARIANTS.index(row["variant"])]).iterdir()
            if path.name != "thresher.json"
        )
        for measure in ("P@5", "P@10", "AP", "nDCG(dcg='exp-log2')@10", "Judged@10"):
            values = [
                float(item["value"])
                for item in topic_rows
                if (item["variant"], item["measure"]) == (row["variant"], measure)
            ]
            assert len(values) == TOPICS
            assert float(row[measure]) == pytest.approx(sum(values) / TOPICS, abs=1e-12)
            assert stored.mean(measure)[index] == float(row[measure])
            assert f"{float(row[measure]):.4f}" in line
            assert f"{float(row[measure]):.4f}" in latex


def test_report_is_one_page_that_needs_nothing_else(finished: Finished) -> None:
    page = html.parse(str(finished.results / "report.html")).getroot()
    assert page.findtext(".//title")
    assert not page.xpath("//link | //iframe | //object | //embed | //base | //script[@src]")
    targets = [
        str(value) for value in page.xpath("//@src | //@href | //@*[name()='xlink:href'] | //@srcset | //@action")
    ]
    assert {target[:1] for target in targets if not target.startswith("data:")} <= {"#"}
    anchors = {target[1:] for target in targets if target.startswith("#")}
    assert anchors <= {str(value) for value in page.xpath("//@id")}
    text = (finished.results / "report.html").read_text()
    assert not re.search(r"url\(\s*['\"]?(?!#|data:)|@import", text)
    body = page.text_content()
    for variant in VARIANTS:
        assert variant in body


def test_manifest_says_what_the_results_were_made_from(finished: Finished) -> None:
    manifest = json.loads((finished.results / "manifest.json").read_text())
    assert manifest["experiment"] == "web"
    assert manifest["config"]["file"] == "web.toml"
    assert set(manifest["inputs"]) == {"collection", "topics", "qrels"}
    # The report, the table and the manifest say what ranked.
    formula = parse_retrieval("qld").formula
    assert manifest["retrieval"] == {"qld": formula}
    assert f"qld: {formula}." in (finished.results / "table.md").read_text()
    assert f"qld: {formula}." in html.parse(str(finished.results / "report.html")).getroot().text_content()
    assert manifest["topics"] == [str(number) for number in range(1, TOPICS + 1)]
    assert manifest["versions"]["thresher"] == __version__
    assert manifest["versions"]["pyserini"] == "1.6.0"
    assert manifest["versions"]["lucene"].split(".")[0] == "9"
    assert date.fromisoformat(manifest["date"])
    scoring = manifest["scoring"]
    assert scoring["documents"] == scoring["scored"] == PAGES
    assert sorted(scoring["seconds"]) == ["density", "pages", "perplexity(lm=books)", "words"]
    assert list(manifest["variants"]) == [f"{name} qld" for name in VARIANTS]
    for name, variant in zip(FILES, manifest["variants"].values(), strict=True):
        assert variant["run"] == f"{name}.trec"
        work = variant["search"]["work"]
        assert 0 < work["documents"] <= work["postings"] <= variant["index"]["statistics"]["postings"]
        assert sum(variant["index"]["bytes_by_type"].values()) == variant["index"]["bytes"]


def test_work_is_what_the_indexes_hold(finished: Finished) -> None:
    """Counts of tokens, postings and terms, and those of the topics' terms, read from Lucene again."""
    queries = [topic.query for topic in read_topics(finished.web.folder / "topics.tsv").values()]
    for row, name in zip(rows(finished.results / "results.csv"), FILES, strict=True):
        with open_index(finished.indexes / name) as reader:
            terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, "contents")
            counts = [terms.getSumTotalTermFreq(), terms.getSumDocFreq(), terms.size()]
            assert [int(row[column]) for column in ("tokens", "postings", "vocabulary")] == counts
            analyzer = text_analyzer(Analysis())
            term = java_class("org.apache.lucene.index.Term")
            postings = [
                reader.docFreq(term("contents", word)) for query in queries for word in set(analyse(analyzer, query))
            ]
        assert float(row["query_postings"]) == pytest.approx(sum(postings) / len(queries))


def test_every_variant_was_timed_beside_the_twin(finished: Finished) -> None:
    results = read_results(finished.results)
    (floor,) = results.facts.noise
    assert floor.retrieval == "qld"
    assert floor.rounds >= floor.restarts >= 1
    assert floor.copy.wall.value > 0
    table = rows(finished.results / "results.csv")
    for row, line in zip(results.table().rows, table, strict=True):
        assert row.built is not None
        time = row.built.query
        assert time is not None
        assert time.wall.low <= time.wall.value <= time.wall.high
        assert time.ratio.low <= time.ratio.value <= time.ratio.high
        assert float(line["query_seconds"]) == time.wall.value
        assert (float(line["query_ratio_low"]), float(line["query_ratio_high"])) == (time.ratio.low, time.ratio.high)
        assert line["query_measurable"] == str(int(time.measurable))
        # Too little time was allowed to build every index again and again.
        assert row.built.indexing is None
        assert "indexing_seconds" not in line
        assert [item.work for item in row.built.footprints] == [
            "tag removal",
            "scoring",
            "indexing",
            "10,000 searches",
            "1,000,000 searches",
        ]
        assert float(line["10000_searches_hours"]) == pytest.approx(10_000 * time.wall.value / 3600)
    base = results.table().baseline.built
    assert base is not None
    assert base.query is not None
    assert base.query.ratio == Interval(1.0, 1.0, 1.0)
    page = html.parse(str(finished.results / "report.html")).getroot()
    (table,) = page.xpath("//details[@id='costs']//table")
    assert [row.find("th").text_content() for row in table.xpath("./tbody/tr")] == VARIANTS


def test_every_run_has_its_metadata(finished: Finished) -> None:
    for name, variant in zip(FILES, VARIANTS, strict=True):
        metadata = yaml.safe_load((finished.results / "runs" / f"{name}.yaml").read_text())
        assert metadata["tag"] == variant
        assert metadata["method"]["cleaning"]["name"] == variant
        assert metadata["data"]["test collection"]["documents"] == PAGES
        method = metadata["resources"]["emissions method"]
        assert_names(method, "estimated", "Eq. 9", "65 W", "TDP configured", "1 machine", "PUE 1 ", "0.341 kg/kWh")
        lines = (finished.results / "runs" / f"{name}.trec").read_text().splitlines()
        assert lines
        for line in lines:
            topic, q0, _, rank, _, tag = line.split(" ")
            assert (q0, tag) == ("Q0", variant)
            assert 1 <= int(topic) <= TOPICS
            assert 1 <= int(rank) <= 40


def test_report_writes_the_same_reports_again(finished: Finished, tmp_path: Path, charts: None) -> None:
    for name in ("results.json", "variants.parquet"):
        shutil.copy(finished.results / name, tmp_path)
    done = thresher("report", tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:-1] == finished.done.out.splitlines()[:-1]
    for name in ("results.json", "results.csv", "per_topic.csv", "table.md", "table.tex", "report.html"):
        assert (tmp_path / name).read_bytes() == (finished.results / name).read_bytes(), name


def test_clean_index_search_give_what_run_gave(finished: Finished, tmp_path: Path) -> None:
    """The verbs one by one, from the raw pages on, make the run and the index of the experiment."""
    pages, topics = (finished.web.folder / name for name in ("pages", "topics.tsv"))
    cleaned, index, run = tmp_path / "cleaned.jsonl", tmp_path / "index", tmp_path / "run.trec"
    done = thresher("clean", pages, "-c", "words@20", "-o", cleaned, "--workers", "2")
    row = rows(finished.results / "results.csv")[2]
    kept, emptied = int(row["documents"]), int(row["emptied"])
    told = Message(
        *(f"{cleaned}: {PAGES} pages", f"{kept} with text", f"{emptied} emptied", "0 failed"),
        f"{int(row['words']):,} words kept",
    )
    assert (done.code, done.out, done.err.splitlines()[0]) == (0, "", told)
    documents = [json.loads(line) for line in cleaned.read_text().splitlines()]
    assert {tuple(document) for document in documents if document["contents"]} == {("id", "title", "contents")}
    assert sum(not document["contents"] for document in documents) == emptied

    done = thresher("index", cleaned, "-o", index)
    size = int(row["bytes"])
    assert done == Done(0, "", f"{index}: {kept} documents indexed, {emptied} empty, {size:,} bytes\n")

    done = thresher("search", index, topics, "-o", run, "--depth", "40", "--tag", "words@20")
    found = (finished.results / "runs" / "words@20.trec").read_bytes()
    assert done.code == 0
    hits = len(found.splitlines())
    assert re.sub(r"\d+\.\d\d ms", "T ms", done.err) == f"{run}: {TOPICS} topics, {hits} hits, median T ms a query\n"
    assert run.read_bytes() == found
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cleaned.jsonl", "index", "run.trec"]


def test_evaluate_gives_what_run_gave(finished: Finished) -> None:
    qrels = finished.web.folder / "qrels.txt"
    run = finished.results / "runs" / "words@20.trec"
    baseline = finished.results / "runs" / "none.trec"
    row = rows(finished.results / "results.csv")[2]
    done = thresher("evaluate", qrels, run, "--baseline", baseline)
    assert (done.code, done.err) == (0, "")
    table = [line.split("\t") for line in done.out.splitlines() if not line.startswith("#")]
    assert table[0][:4] == ["run", "measure", "mean", "difference"]
    values = {(line[0], line[1]): line[2] for line in table[1:]}
    for measure in ("P@5", "P@10", "AP", "nDCG(dcg='exp-log2')@10", "Judged@10"):
        assert values[str(run), measure] == f"{float(row[measure]):.4f}"
    ndcg = next(line for line in table if line[:2] == [str(run), "nDCG(dcg='exp-log2')@10"])
    assert float(ndcg[3]) == pytest.approx(float(row["nDCG(dcg='exp-log2')@10 difference"]), abs=5e-5)
    assert ndcg[4] == "/".join(row[f"nDCG(dcg='exp-log2')@10 {side}"] for side in "WTL")

    for fact in (f"against {baseline}", "Holm correction over 4 tests", "α = 0.05"):
        assert fact in done.out.splitlines()[-1]
    options = ("--correction", "none", "--alpha", "0.1")
    free = thresher("evaluate", qrels, run, "--baseline", baseline, *options)
    lines = [line.split("\t") for line in free.out.splitlines()]
    assert [head for head in table[0] if head not in lines[0]] == ["p (Holm)"]
    assert_names(lines[-1][0], "p not corrected", "α = 0.1")
    place = table[0].index("p")
    assert [line[place] for line in lines[:-1]] == [line[place] for line in table]

    done = thresher("evaluate", qrels, run, "-m", "AP", "--per-topic")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert [line[:3] for line in lines] == [[str(run), "AP", str(number)] for number in range(1, TOPICS + 1)]
    assert sum(float(line[3]) for line in lines) / TOPICS == pytest.approx(float(row["AP"]), abs=1e-6)


def test_cleaners_lists_every_scorer_for_people_and_programs() -> None:
    people, programs = thresher("cleaners"), thresher("cleaners", "--json")
    first, *which = people.out.split("\nnone\n")[0].splitlines()
    assert [line.split()[0].rstrip(":") for line in which if line][:2] == [DEFAULT_CLEANER, SEARCH_CLEANER]
    assert first == "Which cleaner to choose:"
    assert (people.code, people.err, programs.code, programs.err) == (0, "", 0, "")
    declared = json.loads(programs.out)
    assert [entry["name"] for entry in declared] == list(scorers())
    for entry in declared:
        title = entry["name"] if entry["decides"] else f"{entry['name']}@CUTOFF"
        assert f"{title}\n    {entry['description']}\n" in people.out
        assert entry["example"] in people.out
        assert entry["source"] in people.out


def test_pruning_methods_lists_every_pruning_method_for_people_and_programs() -> None:
    people, programs = thresher("pruning-methods"), thresher("pruning-methods", "--json")
    assert (people.code, people.err, programs.code, programs.err) == (0, "", 0, "")
    declared = json.loads(programs.out)
    assert [entry["name"] for entry in declared] == list(methods())
    for entry in declared:
        assert f"{entry['name']}@CUTOFF\n    {entry['description']}\n" in people.out
        assert entry["example"] in people.out
        assert entry["source"] in people.out


def test_clean_shows_what_it_removed(tmp_path: Path) -> None:
    pages, cleaned, removed = (tmp_path / name for name in ("pages", "c.jsonl", "r.jsonl"))
    pages.mkdir()
    (pages / "a.html").write_text("<p>Home<p>Rain is <b>expected</b> &lt;tonight&gt; everywhere.")
    (pages / "b.html").write_text("")
    done = thresher("clean", pages, "-c", "bte+words@2", "-o", cleaned, "--removed", removed)
    counts = Message(f"{cleaned}: 2 pages", "1 with text", "1 emptied", "0 failed", "5 words kept")
    warned = Message("warning: 1 of 2 pages (50.0 %)", "left without text", "1 no text")
    assert (done.code, done.out, done.err.splitlines()[:-1]) == (0, "", [counts, warned])
    bte = {"cut": "bte", "score": 1.0, "cutoff": 0.5, "outcome": "passed"}
    low = {"cut": "words@2", "score": 1.0, "cutoff": 2.0, "outcome": "dropped"}
    high = {"cut": "words@2", "score": 5.0, "cutoff": 2.0, "outcome": "passed"}
    text = "Rain is expected <tonight> everywhere."
    assert [json.loads(line) for line in removed.read_text(encoding="utf-8").splitlines()] == [
        {
            "id": "a",
            "segments": [
                {"block": 0, "text": "Home", "kept": False, "cuts": [{**bte, "score": 0.0, "outcome": "dropped"}, low]},
                {"block": 1, "text": text, "kept": True, "cuts": [bte, high]},
            ],
        },
        {"id": "b", "segments": []},
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "pages", "r.jsonl"]


def test_clean_writes_all_its_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Rain is expected.")
    arguments = ("clean", tmp_path / "page.html", "-c", "words@2", "-o", tmp_path / "c.jsonl")
    same = thresher(*arguments, "--removed", tmp_path / "x" / ".." / "c.jsonl")
    assert (same.code, same.out) == (2, "")
    assert_names(same.err, f"error: {tmp_path / 'c.jsonl'}: two of the files", "one file", "Fix: give each a name")
    (tmp_path / "file").write_text("")
    assert thresher(*arguments, "--removed", tmp_path / "file" / "r.jsonl").code == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "page.html"]


def test_doctor_finds_java_and_lucene() -> None:
    done = installed("doctor")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("✗")] == []
    states = {line[2:].split("  ")[0].strip(): line for line in lines if line[:1] in "✓!"}
    assert {
        "Python",
        "pyserini",
        "java home",
        "java version",
        "jars",
        "ufal.kenlm",
        "TDP",
        "memory",
        "disk, here",
    } <= set(states)
    assert "pyserini" in states["jars"]


def test_doctor_names_the_fix_for_what_is_missing(tmp_path: Path) -> None:
    """Without a home folder for models, nothing can be built: the exit code says so."""
    (tmp_path / "file").write_text("")
    done = installed("doctor", THRESHER_CACHE=str(tmp_path / "file" / "cache"))
    bad = [line for line in done.out.splitlines() if line.startswith("✗")]
    assert done.code == 4
    assert len(bad) == 1
    assert bad[0].endswith(f"{tmp_path / 'file' / 'cache'} cannot be written")
    assert_names(done.out, "fix: ", "THRESHER_CACHE")


def test_version_and_help() -> None:
    assert installed("--version") == Done(0, f"thresher, version {__version__}\n", "")
    done = installed("--help")
    assert (done.code, done.err) == (0, "")
    for verb in ("run", "clean", "index", "search", "evaluate", "report", "cleaners", "doctor"):
        assert re.search(rf"^  {verb} ", done.out, re.MULTILINE)
        if verb == "run":
            assert thresher(verb, "--help").out.startswith("Usage: thresher run [OPTIONS] EXPERIMENT\n")


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error_worth_a_traceback() -> None:
    with subprocess.Popen([THRESHER, "cleaners"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


def test_words_with_characters_that_nobody_sees_are_found(tmp_path: Path) -> None:
    """Soft hyphens, joiners and decomposed letters, in pages, in documents that were not cleaned here, and in queries."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "page.html").write_text("<p>Der Fa\u0308hr&shy;hafen\u00adbetrieb ruht.", encoding="utf-8")
    cleaned, topics, run = tmp_path / "cleaned.jsonl", tmp_path / "topics.tsv", tmp_path / "run.trec"
    assert thresher("clean", tmp_path / "pages", "-c", "none", "-o", cleaned).code == 0
    with cleaned.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "raw", "contents": "Ein Fa\u0308hr\u200bhafen\u2060betrieb."}) + "\n")
        file.write(json.dumps({"id": "other", "contents": "Ein Hafen."}) + "\n")
    assert thresher("index", cleaned, "-o", tmp_path / "index").code == 0
    queries = ("F\u00e4hrhafenbetrieb", "Fa\u0308hr\u00adhafenbetrieb", "\ufeffFährhafen\u200dbetrieb", "hafen")
    topics.write_text("".join(f"{topic}\t{query}\n" for topic, query in enumerate(queries)), encoding="utf-8")
    assert thresher("search", tmp_path / "index", topics, "-o", run).code == 0
    documents: dict[str, set[str]] = {}
    for line in run.read_text().splitlines():
        topic, _, document, *_ = line.split()
        documents.setdefault(topic, set()).add(document)
    assert documents == {"0": {"page", "raw"}, "1": {"page", "raw"}, "2": {"page", "raw"}, "3": {"other"}}
