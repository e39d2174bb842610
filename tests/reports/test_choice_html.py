"""The sections on a choice: what they say without a script, and what the slider reads in a real browser."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from choice_samples import BYTES, DOCUMENTS, NDCG, SECONDS, TERMS, WORDS, choice_of, explored, measured, saved_by
from lxml import html as lxml_html
from playwright.sync_api import Browser as Chromium
from report_pages import body_rows, check_policy
from report_samples import small

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision, JudgedVariant, SizeKind
from thresher.exploring.exploration import Exploration
from thresher.reports.choice_reading import Facts, facts_by_name, reading_table
from thresher.reports.choice_sentences import choice_sentences
from thresher.reports.choice_tables import decision_table, margin_text, picks_table
from thresher.reports.formatting import fixed, signed
from thresher.reports.html import render_report
from thresher.reports.recommendation import answer
from thresher.reports.table import Table

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def exploration() -> Exploration:
    return explored()


@pytest.fixture(scope="module")
def choice(exploration: Exploration) -> Choice:
    return choice_of(exploration)


@pytest.fixture
def opened(browser: Browser, page: Path) -> Browser:
    browser.problems.clear()
    browser.open(page)
    return browser


def cells(table: Table) -> list[list[str]]:
    return [[" ".join((cell.text + cell.mark).split()) for cell in row] for row in table.rows]


def data_of(page: str) -> dict[str, Any]:
    (element,) = lxml_html.document_fromstring(page).xpath("//script[@id='reading-data']")
    found: dict[str, Any] = json.loads(element.text)
    return found


def reading(browser: Browser) -> dict[str, Any]:
    """Return what the page shows of a cutoff, word by word."""
    found: dict[str, Any] = browser.evaluate(
        """(() => {
          const text = (name) => document.getElementById(`reading-${name}`).textContent;
          const shown = {};
          for (const name of ["name", "verdict", "cutoff", "band", "words", "documents", "size", "saved"])
            shown[name] = text(name);
          shown.colour = document.getElementById("reading-verdict").className;
          shown.said = document.getElementById("reading-step").getAttribute("aria-valuetext");
          shown.measures = Array.from(document.querySelectorAll("#reading-measures tr"),
            (row) => Array.from(row.cells, (cell) => cell.textContent));
          shown.dots = Array.from(document.querySelectorAll("#reading-plot .dot:not([hidden])"),
            (dot) => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]);
          return shown;
        })()"""
    )
    return found


def expected(choice: Choice, exploration: Exploration, model: int, name: str, queries: int | None = 1_000_000) -> dict:
    """Work out the same from the records."""
    one = choice.models[model]
    main = one.main
    variant = main.by_name[name]
    test = variant.test
    sweep = exploration.sweep(variant.sweep)
    point = sweep.variants.index(name)
    base = exploration.sweep("none")
    words = {
        "non-inferior": f"Non-inferior: the loss is shown to be less than {margin_text(main)}.",
        "inferior": f"Inferior: the loss is shown to be more than {margin_text(main)}.",
        "inconclusive": "Inconclusive: neither a loss below nor one above the margin is shown.",
    }[test.verdict]
    if test.topics_needed is not None:
        needed = f"{test.topics_needed:,}"
        words += f" About {needed} topics would show this if the difference and its spread stay the same."
    measures = []
    for number, measure in enumerate(exploration.measures):
        mean, before = sweep.values[model, number, point].mean(), base.values[model, number, 0].mean()
        row = [measure, fixed(mean, 4), signed(mean - before, 4)]
        if sweep.held_out is not None and base.held_out is not None:
            there, then = sweep.held_out[model, number, point].mean(), base.held_out[model, number, 0].mean()
            row += [fixed(there, 4), signed(there - then, 4)]
        measures.append(row)
    return {
        "name": name,
        "said": name,
        "cutoff": "–" if variant.cutoff is None else name.rpartition("@")[2],
        "verdict": words,
        "colour": {"non-inferior": "verdict better", "inferior": "verdict worse"}.get(test.verdict, "verdict "),
        "measures": measures,
        "band": f"{signed(test.low, 4)} and {signed(test.high, 4)} ({NDCG}, each with 95 % for all variants at once)",
        "words": f"{100 * sweep.words[point] / WORDS:.1f} %",
        "documents": f"{sweep.sizes[point].documents:,} of {DOCUMENTS:,}",
        "size": f"{variant.size:,.0f} bytes, estimated ({100 * variant.size / BYTES:.1f} % of the baseline's)",
        "saved": saved(variant.size, queries) if model == 0 else "not known: run the experiment first",
    }


def saved(size: float, queries: int | None) -> str:
    less = saved_by(size)
    if less is None:
        return "not measurable here"
    if queries is None:
        return "–"
    units = (("h", 3600.0), ("min", 60.0), ("s", 1.0))
    value, low, high, all_ = (
        amount(queries * abs(seconds), *units) for seconds in (less.value, less.low, less.high, SECONDS)
    )
    return f"{value} {'saved' if less.value > 0 else 'lost'} ({low} to {high}) of {all_}"


def amount(value: float, *units: tuple[str, float]) -> str:
    name, size = next((unit for unit in units if value >= 2 * unit[1]), units[-1])
    return f"{float(f'{value / size:.3g}'):,.10g} {name}"


def shown(browser: Browser) -> dict[str, Any]:
    found = reading(browser)
    del found["dots"]
    return found


def main_of(choice: Choice, model: int = 0) -> Decision:
    return choice.models[model].main


def recommended_of(choice: Choice, model: int = 0) -> JudgedVariant:
    variant = main_of(choice, model).recommended
    assert variant is not None
    return variant


def test_the_sections_say_what_was_chosen_without_a_script(
    page: Path, choice: Choice, exploration: Exploration
) -> None:
    tree = lxml_html.document_fromstring(page.read_text(encoding="utf-8"))
    assert [section.get("id") for section in tree.xpath("//section")] == ["choice", "reading", "methods"]
    assert [link.get("href") for link in tree.xpath("//nav//a")] == ["#choice", "#reading", "#methods"]
    assert tree.findtext(".//h1") == "Pages & more"
    said = tuple(item.text for item in tree.xpath("//section[@id='choice']/ul/li"))
    assert said == (*answer(choice), *choice_sentences(choice))
    assert [heading.text for heading in tree.xpath("//section[@id='choice']/h3")] == [
        "Beside the recommendation",
        "qld",
        "bm25",
    ]
    tables = [body_rows(table) for table in tree.xpath("//section[@id='choice']/div//table")]
    assert tables == [cells(make(main_of(choice, model))) for model in (0, 1) for make in (picks_table, decision_table)]
    others = [body_rows(table) for table in tree.xpath("//section[@id='choice']/details//table")]
    assert others == [cells(decision_table(one.others[0])) for one in choice.models]
    assert len(tree.xpath("//section[@id='choice']//figure/svg")) == 6
    plain = [body_rows(table) for table in tree.xpath("//section[@id='reading']/details//table")]
    assert plain == [
        cells(reading_table(one, facts_by_name(one.main.retrieval, exploration, None))) for one in choice.models
    ]
    assert tree.xpath("//form")[0].get("hidden") is not None
    assert [term.text for term in tree.xpath("//section[@id='methods']//dt")] == [
        "Non-inferiority",
        "Guards",
        "Sizes",
        "Knee",
        "Savings of any cutoff",
    ]


def test_the_policy_allows_the_one_script_and_nothing_is_loaded(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    tree = lxml_html.document_fromstring(text)
    data, _ = tree.xpath("//script")
    assert data.get("type") == "application/json"
    check_policy(text)
    assert set(re.findall(r"https?://[^\s\"'<>]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    counted = Counter(tree.xpath("//@id"))
    assert [name for name, count in counted.items() if count > 1] == []
    assert all(label.xpath(".//select | .//input") for label in tree.xpath("//form//label"))


def test_results_without_a_choice_have_nothing_of_it() -> None:
    text = render_report(small())
    assert "reading" not in text
    assert 'id="choice"' not in text
    with pytest.raises(ValueError, match="there is nothing to report"):
        render_report(None)


def test_a_choice_stands_behind_the_summary_of_results() -> None:
    _, choice = measured()
    page = render_report(small(), choice)
    tree = lxml_html.document_fromstring(page)
    sections = [section.get("id") for section in tree.xpath("//section")]
    assert sections[:4] == ["summary", "choice", "reading", "table"]
    assert sections[-1] == "methods"
    headings = [term.text for term in tree.xpath("//section[@id='methods']//dt")]
    assert headings[:2] == ["Time", "Non-inferiority"]
    assert [link.get("href") for link in tree.xpath("//nav//a")][:3] == ["#choice", "#reading", "#table"]
    # What the runs tell of words@11; of other cutoffs these runs know nothing.
    words = data_of(page)["models"][0]["sweeps"][0]
    known = {
        name: words["words"][place] for place, name in enumerate(words["names"]) if words["words"][place] is not None
    }
    assert known == {"words@11": 50.0}
    counts = {variant.name: variant.documents for variant in main_of(choice).variants}
    assert words["documents"] == [counts[name] for name in words["names"]]
    assert words["measures"][0]["held"] is None


def test_facts_of_runs_have_held_out_topics_where_they_were_run() -> None:
    results = small()
    tested = replace(results, rows=tuple(replace(row, measures={"P@10": 0.25}) for row in results.rows))
    facts = facts_by_name("qld", None, replace(results, held_out=tested))
    assert facts["justext"] == Facts(0.3, {"P@10": 0.25})
    assert set(facts) == {"none", "words@11", "justext"}
    assert facts_by_name("bm25", None, results) == facts_by_name("qld", None, None) == {}


def test_some_cutoffs_are_in_the_plain_table(choice: Choice, exploration: Exploration) -> None:
    one = choice.models[0]
    main = one.main
    table = reading_table(one, facts_by_name("qld", exploration, None))
    names = [row[0].text for row in table.rows]
    assert len(names) == len(set(names)) <= 30
    assert {pick.variant.name for pick in main.picks if pick.variant} <= set(names)
    assert names[-1] == "justext"
    sizes = {row[0].text: row[-1].value for row in table.rows}
    for sweep in main.ordered_sweeps:
        ordered = [variant.name for variant in sweep.laxest_first]
        own = [name for name in names if name.startswith(f"{sweep.name}@")]
        assert own == [name for name in ordered if name in own]
        assert {ordered[0], ordered[-1]} <= set(own)
        assert [sizes[name] for name in own] == sorted((sizes[name] for name in own), reverse=True)


def test_numbers_in_the_data_are_those_of_all_variants(page: Path, choice: Choice) -> None:
    data = data_of(page.read_text(encoding="utf-8"))
    for number, model in enumerate(data["models"]):
        main = main_of(choice, number)
        assert sorted(name for sweep in model["sweeps"] for name in sweep["names"]) == sorted(main.by_name)
        for sweep in model["sweeps"]:
            for step, name in enumerate(sweep["names"]):
                variant = main.by_name[name]
                test = variant.test
                assert sweep["measures"][0]["means"][step] == round(variant.mean, 4)
                assert (sweep["lows"][step], sweep["highs"][step]) == (round(test.low, 4), round(test.high, 4))
                assert sweep["verdicts"][step] == test.verdict
                assert sweep["sizes"][step] == variant.size
                saved = saved_by(variant.size) if number == 0 else None
                assert sweep["saved"][step] == (saved and [saved.value, saved.low, saved.high])


def test_postings_have_no_price_for_prices_are_by_byte(exploration: Exploration) -> None:
    unknown = replace(
        exploration,
        sweeps=tuple(replace(sweep, bytes=None, held_out=None) for sweep in exploration.sweeps),
        held_out=(),
    )
    small_one = replace(
        unknown,
        retrieval=("qld",),
        sweeps=tuple(replace(sweep, values=sweep.values[:1], held_out=None) for sweep in unknown.sweeps),
    )
    choice = choice_of(small_one, replace(TERMS, resamples=50, folds=2, repeats=1))
    assert main_of(choice).size_kind is SizeKind.POSTINGS
    (model,) = data_of(render_report(None, choice, small_one))["models"]
    assert (model["seconds"], model["kind"], model["size"]) == (None, "postings", WORDS // 2)
    assert {one for sweep in model["sweeps"] for one in sweep["saved"]} == {None}
    assert model["sweeps"][0]["measures"][0]["held"] is None


def test_keys_move_the_slider_through_the_records(opened: Browser, choice: Choice, exploration: Exploration) -> None:
    main = main_of(choice)
    recommended = recommended_of(choice)
    sweep = next(sweep for sweep in main.ordered_sweeps if sweep.name == recommended.sweep)
    names = [variant.name for variant in sweep.laxest_first]
    here = names.index(recommended.name)
    assert shown(opened) == expected(choice, exploration, 0, recommended.name)
    opened.evaluate("document.getElementById('reading-step').focus()")
    steps = {
        "ArrowRight": here + 1,
        "ArrowUp": here + 2,
        "ArrowLeft": here + 1,
        "ArrowDown": here,
        "Home": 0,
        "End": len(names) - 1,
    }
    for key, step in steps.items():
        opened.press(key)
        opened.wait(f"document.getElementById('reading-name').textContent === {json.dumps(names[step])}")
        assert shown(opened) == expected(choice, exploration, 0, names[step])
    opened.wait(f"decodeURIComponent(location.hash) === {json.dumps('#reading:' + names[-1])}")
    assert sweep.laxest_first[-1].test.verdict == "inferior"
    assert opened.problems == []


def test_a_held_key_takes_no_more_than_one_address(opened: Browser) -> None:
    opened.evaluate(
        "window.count = 0; history.replaceState = new Proxy(history.replaceState, {apply(to, self, all) "
        "{ window.count += 1; return Reflect.apply(to, self, all); }}); document.getElementById('reading-step').focus()"
    )
    for _ in range(12):
        opened.press("ArrowRight")
    name = opened.evaluate("document.getElementById('reading-name').textContent")
    opened.wait(f"decodeURIComponent(location.hash) === {json.dumps('#reading:' + name)}")
    assert 1 <= opened.evaluate("window.count") < 12


def test_the_marker_is_on_the_line(opened: Browser, choice: Choice) -> None:
    main = main_of(choice)
    sweep = main.ordered_sweeps[0]
    corners = opened.evaluate(
        """Array.from(document.querySelectorAll("#sweep-0-0-figure_1 path"), (path) => [path.getAttribute("style") ?? "",
          Array.from((path.getAttribute("d") ?? "").matchAll(/[ML] (\\S+) (\\S+)/g), ([, x, y]) => [Number(x), Number(y)])])"""
    )
    lines = [points for style, points in corners if "fill: none" in style and len(points) == len(sweep.variants)]
    difference, ratio, size = lines
    assert len(ratio) == 120
    for variant in (recommended_of(choice), sweep.variants[-1], sweep.variants[0]):
        name = variant.name
        opened.evaluate(f"location.hash = {json.dumps('#reading:' + name)}")
        opened.wait(f"document.getElementById('reading-name').textContent === {json.dumps(name)}")
        index = sweep.variants.index(variant)
        upper, lower = reading(opened)["dots"]
        assert lower == pytest.approx(size[index], abs=0.06)
        assert upper[0] == pytest.approx(difference[index][0], abs=0.06)
        # The panel ends above the deepest losses, and the marker with it.
        frame = data_of_page(opened)["models"][0]["sweeps"][0]["plot"]["frame"]
        assert upper[1] == pytest.approx(difference[index][1], abs=0.06) or difference[index][1] > upper[1] > frame[1]
        line = opened.evaluate(
            "['x1', 'x2', 'y1', 'y2'].map((name) => Number(document.getElementById('reading-line').getAttribute(name)))"
        )
        assert line == [upper[0], upper[0], frame[1], frame[3]]
    drawn = opened.evaluate(
        "(({width, height}) => [width, height])(document.getElementById('reading-drawing').getBoundingClientRect())"
    )
    assert min(drawn) > 200


def data_of_page(browser: Browser) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(browser.evaluate("document.getElementById('reading-data').textContent"))
    return found


def choose(browser: Browser, name: str, key: str) -> None:
    browser.evaluate(f"document.getElementById('reading-{name}').focus()")
    browser.press(key)


def test_another_scorer_is_read_at_the_nearest_size(opened: Browser, choice: Choice, exploration: Exploration) -> None:
    main = main_of(choice)
    choose(opened, "sweep", "ArrowDown")
    other = main.ordered_sweeps[1]
    size = recommended_of(choice).size
    name = min(other.laxest_first, key=lambda variant: abs(variant.size - size)).name
    assert shown(opened) == expected(choice, exploration, 0, name)
    assert opened.evaluate("document.getElementById('reading-drawing').getAttribute('href')") == "#sweep-0-1-figure_1"
    assert (
        opened.evaluate("document.getElementById('reading-ends').textContent")
        == "From the laxest cutoff to the strictest"
    )
    choose(opened, "sweep", "ArrowDown")
    assert shown(opened) == expected(choice, exploration, 0, "justext")
    assert (
        opened.evaluate("document.getElementById('reading-ends').textContent")
        == "From the largest index to the smallest"
    )
    assert len(reading(opened)["dots"]) == 1
    assert [variant.name for variant in main.singles] == ["justext"]
    opened.wait("location.hash === '#reading:justext'")
    assert opened.problems == []


def test_savings_follow_the_number_of_queries(opened: Browser, choice: Choice) -> None:
    size = recommended_of(choice).size
    for queries in (1, 30_000, 1_000_000, 250_000_000, 40_000_000_000):
        opened.evaluate(
            "(() => { const field = document.getElementById('reading-queries'); field.focus(); field.select(); })()"
        )
        for digit in str(queries):
            opened.press(digit)
        assert reading(opened)["saved"] == saved(size, queries)
    opened.evaluate(
        "(() => { const field = document.getElementById('reading-queries'); field.focus(); field.select(); })()"
    )
    opened.press("-")
    assert reading(opened)["saved"] == "–"


def test_another_retrieval_model_has_its_own_numbers(opened: Browser, choice: Choice, exploration: Exploration) -> None:
    name = recommended_of(choice).name
    assert opened.evaluate("document.getElementById('reading-models').hidden") is False
    choose(opened, "model", "ArrowDown")
    assert shown(opened) == expected(choice, exploration, 1, name)
    assert opened.evaluate("document.getElementById('reading-costs').hidden") is True
    opened.wait(f"location.hash === {json.dumps('#reading:' + name + ':bm25')}")
    links = opened.evaluate("Array.from(document.querySelectorAll('#reading-picks a'), (link) => link.textContent)")
    other = main_of(choice, 1)
    assert links == [f"{pick.rule}: {pick.variant.name}" for pick in other.picks if pick.variant]


def test_a_linked_cutoff_is_opened(browser: Browser, page: Path, choice: Choice, exploration: Exploration) -> None:
    browser.problems.clear()
    browser.open(page, "#reading:perplexity(lm%3Dbooks)@900000:bm25")
    assert shown(browser) == expected(choice, exploration, 1, "perplexity(lm=books)@900000")
    assert abs(browser.evaluate("document.getElementById('reading').getBoundingClientRect().top")) < 2
    browser.evaluate("document.querySelector('#reading-picks a').click()")
    picked = recommended_of(choice, 1).name
    browser.wait(f"document.getElementById('reading-name').textContent === {json.dumps(picked)}")
    assert shown(browser) == expected(choice, exploration, 1, picked)
    browser.open(page, "#reading:perplexity(lm%3Dbooks)@900000")
    found = shown(browser)
    assert found == expected(choice, exploration, 0, "perplexity(lm=books)@900000")
    assert found["saved"] == "not measurable here"
    browser.open(page, f"#reading:{picked}:bm25")
    # A link that leads nowhere leaves what is shown.
    for strange in ("#reading:nothing@1", "#reading:%E0%A4%A", "#reading:justext:bm26", "#reading:__proto__", "#table"):
        browser.evaluate(f"location.hash = {json.dumps(strange)}")
        assert shown(browser) == expected(choice, exploration, 1, picked)
    assert browser.problems == []


def test_without_scripts_the_tables_are_there_and_the_form_is_not(system_browser: Chromium, page: Path) -> None:
    browser = Browser(system_browser, scripts=False)
    browser.open(page)
    seen = browser.page.inner_text("body")
    assert "Scripts are off" in seen
    assert "Selected cutoffs as a table: qld" in seen
    assert "Searching saved" not in seen
    assert browser.problems == []


def test_hostile_names_are_only_text(browser: Browser, tmp_path: Path) -> None:
    names = (HOSTILE + "a<!--", HOSTILE + ":&'\"b", HOSTILE)
    sample = explored(topics=26, held_out=26, retrieval=(HOSTILE + "r",), names=names, points=6)
    sample = replace(sample, measures=(HOSTILE + "m", HOSTILE + "n"), topics=(HOSTILE,) * 26)
    choice = replace(choice_of(sample, replace(TERMS, resamples=50)), co2_method=HOSTILE, key=HOSTILE)
    path = tmp_path / "report.html"
    path.write_text(
        render_report(replace(small(), title=HOSTILE, experiment=HOSTILE), choice, sample), encoding="utf-8"
    )
    text = path.read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    tree = lxml_html.document_fromstring(text)
    assert not tree.xpath("//img")
    assert tree.findtext(".//h1") == HOSTILE
    browser.problems.clear()
    browser.open(path)
    assert browser.evaluate("document.images.length") == 0
    main = main_of(choice)
    for sweep in main.ordered_sweeps:
        name = sweep.variants[0].name
        browser.evaluate(f"location.hash = '#reading:' + encodeURIComponent({json.dumps(name)})")
        browser.wait(f"document.getElementById('reading-name').textContent === {json.dumps(name)}")
        assert [row[0] for row in reading(browser)["measures"]] == [HOSTILE + "m", HOSTILE + "n"]
    # The address that the page itself makes of such a name leads back to it.
    browser.evaluate("document.getElementById('reading-step').focus()")
    browser.press("Home")
    browser.press("End")
    name = browser.evaluate("document.getElementById('reading-name').textContent")
    browser.wait(f"decodeURIComponent(location.hash) === {json.dumps('#reading:' + name)}")
    address = browser.evaluate("location.hash")
    browser.open(path, address)
    assert reading(browser)["name"] == name
    assert browser.evaluate("document.images.length") == 0
    assert browser.problems == []


def test_an_inconclusive_choice_starts_at_what_else_is_picked(browser: Browser, tmp_path: Path) -> None:
    sample = explored(topics=20, held_out=20, retrieval=("qld",), points=8)
    choice = choice_of(sample, replace(TERMS, resamples=50))
    main = main_of(choice)
    assert main.recommended is None
    path = tmp_path / "report.html"
    path.write_text(render_report(None, choice, sample), encoding="utf-8")
    browser.problems.clear()
    browser.open(path)
    first = next(pick.variant for pick in main.picks if pick.variant)
    found = reading(browser)
    assert found["name"] == first.name
    assert found["verdict"].startswith("Inconclusive: 20 topics are too few for a verdict, at least 25 are needed.")
    assert found["colour"] == "verdict "
    stay = tuple(replace(pick, variant=None) for pick in main.picks)
    without = replace(choice, decisions=tuple(replace(decision, picks=stay) for decision in choice.decisions))
    path.write_text(render_report(None, without, sample), encoding="utf-8")
    browser.open(path)
    assert reading(browser)["name"] == main.ordered_sweeps[0].laxest_first[0].name
    assert browser.evaluate("document.getElementById('reading-models').hidden") is True
    assert browser.evaluate("document.getElementById('reading-picks').textContent") == ""
    assert browser.problems == []


def test_a_choice_of_runs_is_read_through_its_variants(browser: Browser, tmp_path: Path) -> None:
    _, choice = measured()
    path = tmp_path / "report.html"
    path.write_text(render_report(None, choice), encoding="utf-8")
    browser.problems.clear()
    browser.open(path, "#reading:bte")
    main = main_of(choice)
    variant = main.by_name["bte"]
    found = reading(browser)
    assert (found["name"], found["words"]) == ("bte", "–")
    assert found["documents"] == f"{variant.documents:,} of {main.documents:,}"
    share = 100 * variant.size / main.baseline_size
    assert found["size"] == f"{variant.size:,.0f} bytes ({share:.1f} % of the baseline's)"
    assert found["measures"][0] == [
        main.measure,
        fixed(variant.mean, 4),
        signed(variant.test.difference, 4),
    ]
    assert browser.evaluate("document.querySelector('th.held').hidden") is True
    names = browser.evaluate("Array.from(document.getElementById('reading-sweep').options, (option) => option.text)")
    assert names == [*(sweep.name for sweep in main.ordered_sweeps), "cleaners without a sweep"]
    browser.evaluate("document.getElementById('reading-step').focus()")
    browser.press("Home")
    assert reading(browser)["name"] == main.singles[0].name
    assert browser.problems == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_and_is_readable(opened: Browser, width: int, dark: bool) -> None:
    opened.resize(width, 800, dark=dark)
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    form = opened.evaluate("document.getElementById('reading-form').getBoundingClientRect().right")
    assert form <= width
    ground = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(21, 24, 27)" if dark else "rgb(255, 255, 255)")
    opened.evaluate("document.getElementById('reading-step').focus()")
    opened.press("ArrowRight")
    assert opened.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_on_paper_the_controls_are_left_out(opened: Browser) -> None:
    opened.resize(800, 1000, print=True)
    try:
        assert opened.evaluate("getComputedStyle(document.querySelector('.controls')).display") == "none"
        assert opened.evaluate("document.getElementById('reading-name').offsetHeight") > 0
    finally:
        opened.resize(1280, 900)


def test_the_same_choice_makes_the_same_bytes(page: Path, choice: Choice, exploration: Exploration) -> None:
    assert render_report(None, choice, exploration) == page.read_text(encoding="utf-8")
