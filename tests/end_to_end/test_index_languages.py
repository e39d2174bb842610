"""German and Chinese pages: one analysis when indexing, searching, exploring, pruning and running."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import thresher
from messages import assert_names
from test_explore import compared

from thresher.base.defaults import INDEX_LANGUAGES
from thresher.experiments.config import load_experiment
from thresher.experiments.explorer import explore_experiment
from thresher.experiments.runner import run_experiment
from thresher.reports.methods import methods

GERMAN = {
    "dach": "Die alten Häuser am Markt haben steile Dächer. Der Dachdecker prüft die Ziegel in jedem Frühjahr.",
    "garten": "Im Garten wachsen Äpfel und Birnen. Die Bäume brauchen im Sommer viel Wasser.",
    "bahn": "Die Bahn fährt durch das Tal. Der Zug hält an kleinen Bahnhöfen, und die Reisenden steigen ein.",
    "haus": "Das Haus steht am Wald. Sein Dach ist neu, und der Apfelbaum vor der Tür blüht.",
}
CHINESE = {
    "xian": "长城很长。游客每年都来看长城，他们喜欢山上的风景。",
    "cha": "茶叶来自南方。春天采的茶叶最好，很多人喜欢喝绿茶。",
    "he": "黄河流过北方。河水很急，春天的时候河边有很多鸟。",
    "shan": "山上有一座古老的寺庙。游客喜欢在山上喝茶。",
}
JAPANESE = {
    "fuji": "富士山は日本で一番高い山です。毎年たくさんの人が登ります。",
    "cha": "京都のお茶は有名です。春に新しい茶葉を摘みます。",
    "kawa": "川の水はとてもきれいです。夏には子供たちが泳ぎます。",
    "tera": "古いお寺が山の上にあります。観光客は静かな庭を歩きます。",
}
THAI = {
    "chang": "ช้างเป็นสัตว์บกที่ใหญ่ที่สุดในประเทศไทย และอาศัยอยู่ในป่า",
    "khao": "ชาวนาปลูกข้าวในฤดูฝน และเก็บเกี่ยวในฤดูหนาว",
    "wat": "วัดเก่าแก่ตั้งอยู่บนภูเขา นักท่องเที่ยวชอบเดินชมสวน",
    "thale": "ทะเลทางใต้สวยงามมาก ผู้คนมาว่ายน้ำในฤดูร้อน",
}
LANGUAGES = {
    "de": (GERMAN, {"1": "Haus", "2": "Baum Apfel"}, "dach"),
    "zh": (CHINESE, {"1": "游客", "2": "春天茶叶"}, "xian"),
}
WITH_LIMITS = {
    "ja": (JAPANESE, {"1": "富士山", "2": "お茶"}, "fuji"),
    "th": (THAI, {"1": "ช้าง", "2": "ข้าว"}, "chang"),
}
MENU = {
    "de": "Startseite Kontakt Impressum",
    "zh": "首页 联系 关于",
    "ja": "ホーム 連絡先 会社概要",
    "th": "หน้าแรก ติดต่อ เกี่ยวกับ",
}


def write(folder: Path, language: str) -> Path:
    """Write pages, topics and qrels of a language, and an experiment with all kinds of variants."""
    pages, topics, _ = {**LANGUAGES, **WITH_LIMITS}[language]
    (folder / "pages").mkdir()
    for name, text in pages.items():
        html = f"<html><body><ul><li><a href='/'>{MENU[language]}</a></ul><p>{text}</p><p>{text[:9]}</p></body></html>"
        (folder / "pages" / f"{name}.html").write_text(html, encoding="utf-8")
    (folder / "topics.tsv").write_text(
        "".join(f"{topic}\t{query}\n" for topic, query in topics.items()), encoding="utf-8"
    )
    (folder / "qrels.txt").write_text("".join(f"{topic} 0 {name} 1\n" for topic in topics for name in pages))
    file = folder / "pages.toml"
    file.write_text(
        f"""
[experiment]
name = "pages"
[collection]
path = "pages"
[topics]
path = "topics.tsv"
[qrels]
path = "qrels.txt"
[pages]
language = "{language}"
[index]
language = "{language}"
[[sweep]]
scorer = "words"
cutoffs = [1, 4, 8]
[cleaners]
names = ["links@0.3", "content@0.3", "none|dcp@0.5", "words@4|2n2p@1.5"]
[retrieval]
models = ["qld", "qld(exact)", "bm25"]
[measure]
seconds = 0
[run]
workers = 1
"""
    )
    return file


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_run_and_explore_give_equal_tables_in_other_languages(tmp_path: Path, language: str) -> None:
    experiment = load_experiment(write(tmp_path, language))
    measured = run_experiment(experiment, tmp_path / "run", tmp_path / "indexes")
    explored = explore_experiment(experiment, tmp_path / "explored")
    assert compared(measured, explored) == 8
    baseline = measured.tables[0].rows[0]
    assert baseline.index.documents == 4
    said = " ".join(line for method in methods(measured) for line in method.lines)
    assert f"language {language}" in said
    assert "porter" not in said


@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_index_and_search_in_other_languages(tmp_path: Path, language: str, pruned: bool) -> None:
    pages, topics, page = LANGUAGES[language]
    lines = [json.dumps({"id": name, "contents": text}, ensure_ascii=False) for name, text in pages.items()]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "topics.tsv").write_text(f"1\t{topics['1']}\n", encoding="utf-8")
    prune = ("--prune", "dcp@1") if pruned else ()
    done = thresher("index", "pages.jsonl", "-o", "index", "--language", language, *prune, cwd=tmp_path)
    assert done.code == 0
    assert thresher("search", "index", "topics.tsv", "-o", "run.txt", cwd=tmp_path).code == 0
    hits = [line.split()[2] for line in (tmp_path / "run.txt").read_text().splitlines()]
    # The word is inflected there, or inside of a sentence without spaces.
    assert page in hits
    assert len(hits) == 2


@pytest.mark.parametrize(
    ("index", "facts"),
    [
        ('language = "xx"', INDEX_LANGUAGES),
        ('language = "de"\nstemmer = "krovetz"', ("'de'", "stemmer")),
        ('language = "ja"', ("'ja'", "cjk")),
    ],
)
def test_languages_are_checked_first(tmp_path: Path, index: str, facts: tuple[str, ...]) -> None:
    file = write(tmp_path, "de")
    file.write_text(file.read_text().replace('[index]\nlanguage = "de"', f"[index]\n{index}"))
    number = 1 + file.read_text().split("[index]")[0].count("\n") + 1
    done = thresher("run", "pages.toml", cwd=tmp_path)
    assert done.code == 2
    assert f"pages.toml:{number}" in done.err
    assert all(fact in done.err for fact in facts)


@pytest.mark.parametrize(
    ("language", "index", "cleaners"),
    [("de", "de", {"justext(lang=German)"}), ("zh", "zh", {"bte"}), ("ja", "cjk", {"bte"}), ("th", "en", {"bte"})],
)
def test_init_follows_the_language_of_the_pages(tmp_path: Path, language: str, index: str, cleaners: set[str]) -> None:
    write(tmp_path, language)
    judged = ("--topics", "topics.tsv", "--qrels", "qrels.txt")
    done = thresher("init", "pages", *judged, "-o", "first.toml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    experiment = load_experiment(tmp_path / "first.toml")
    assert (experiment.pages.language, experiment.index.language) == (language, index)
    names = {variant.name for variant in experiment.variants}
    assert cleaners < names
    assert not {name for name in names if name.startswith("justext") and language != "de"}
    assert not {name for name in names if name.startswith("words") and language != "de"}
    assert ("analysed as English" in done.out) == (language == "th")


@pytest.mark.parametrize("language", WITH_LIMITS)
def test_analysers_that_look_at_neighbouring_words_are_not_explored(tmp_path: Path, language: str) -> None:
    write(tmp_path, language)
    done = thresher("explore", "pages.toml", cwd=tmp_path)
    assert done.code == 2
    assert_names(done.err, f"terms of {language!r}", "neighbouring words", "no exploring, no pruning")


def test_the_analyser_of_japanese_searches(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, "contents": text}, ensure_ascii=False) for name, text in JAPANESE.items()]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("1\t富士山\n2\tお茶\n", encoding="utf-8")
    assert thresher("index", "pages.jsonl", "-o", "index", "--language", "ja", cwd=tmp_path).code == 0
    assert thresher("search", "index", "topics.tsv", "-o", "run.txt", cwd=tmp_path).code == 0
    hits = [line.split()[:3:2] for line in (tmp_path / "run.txt").read_text(encoding="utf-8").splitlines()]
    assert hits == [["1", "fuji"], ["2", "cha"]]
