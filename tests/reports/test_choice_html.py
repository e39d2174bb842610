"""The sections on a choice: what they say without a script, and what the slider reads in a real browser."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from choice_samples import BYTES, DOCUMENTS, NDCG, SECONDS, TERMS, WORDS, choice_of, explored, measured, saved_by
from lxml import html as lxml_html
from playwright.sync_api import Browser as Chromium
from report_pages import body_rows, check_nothing_is_loaded, check_policy, open_report, page_figures
from report_samples import small

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Decision, JudgedVariant, SizeKind
from thresher.exploring.exploration import Exploration
from thresher.reports.chart_rows import Facts, facts_by_name
from thresher.reports.choice_html import choice_sentences, of_model, reading_table
from thresher.reports.choice_tables import decision_table, margin_text, picks_table, savings_table
from thresher.reports.formatting import fixed, signed
from thresher.reports.html import first_screens, render_report
from thresher.reports.html_parts import viewed
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
    open_report(browser, page)
    return browser


def cells(table: Table) -> list[list[str]]:
    return [[" ".join((cell.text + cell.mark).split()) for cell in row] for row in viewed(table).table.rows]


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
    sections = [section.get("id") for section in tree.xpath("//section | //details[@class='answer']")]
    assert sections == ["summary", "choice", "reading", "variants", "methods"]
    assert tree.findtext(".//h1") == "Pages & more"
    blocks = tree.xpath("//details[@id='choice']/div")
    assert [block.findtext("h3") for block in blocks] == ["qld", "bm25"]
    for number, (block, one) in enumerate(zip(blocks, choice.models, strict=True)):
        alone = of_model(choice, one.main.retrieval)
        assert [item.text for item in block.xpath("./ul/li")] == [*answer(alone), *choice_sentences(alone)]
        saved = savings_table(alone)
        expected = [*([saved] if saved else []), picks_table(one.main), decision_table(one.main)]
        assert [body_rows(table) for table in block.xpath("./div//table")] == list(map(cells, expected))
        others = [body_rows(table) for table in block.xpath("./details//table")]
        assert others == [cells(decision_table(one.others[0]))]
        plain = tree.xpath("//details[@id='reading']/div")[number].xpath(".//table")
        facts = facts_by_name(one.main.retrieval, exploration, None)
        assert [body_rows(table) for table in plain] == [cells(reading_table(one, facts))]
    assert [term.text for term in tree.xpath("//details[@id='methods']//dt")] == [
        "Non-inferiority",
        "Guards",
        "Sizes",
        "Knee",
        "Savings of any cutoff",
    ]


def test_the_first_screen_says_the_recommendation(page: Path, choice: Choice, exploration: Exploration) -> None:
    tree = lxml_html.document_fromstring(page.read_text(encoding="utf-8"))
    screens = tree.xpath("//section[@id='summary']/div")
    for screen, found in zip(screens, choice.recommendations, strict=True):
        assert screen.findtext(".//p[@class='sentence']/code") == found.variant
        assert "5 %" in screen.xpath("string(.//p[@class='sentence'])")
        size, effect, work = (item.text_content().split() for item in screen.xpath(".//dl/div/dd"))
        assert size[:2] == [f"−{100 * (1 - found.share):.1f}", "%"]
        assert exploration.size_errors is not None
        assert f"{100 * exploration.size_errors.largest:.1f}" in size
        assert found.held_out is not None
        bounds = [signed(value, 4) for value in (found.held_out.low, found.held_out.high)]
        assert effect == [signed(found.held_out.difference, 4), bounds[0], "to", bounds[1]]
        assert found.work is not None
        assert work[:2] == [f"−{100 * (1 - found.work.share.value):.1f}", "%"]


def test_a_figure_has_one_value_wherever_it_stands(page: Path, choice: Choice) -> None:
    tree = lxml_html.document_fromstring(page.read_text(encoding="utf-8"))
    for number, found in enumerate(choice.recommendations):
        screen = tree.xpath("//section[@id='summary']/div")[number].text_content()
        (picks,) = tree.xpath("//details[@id='choice']/div")[number].xpath(".//table[.//th[text()='rule']]")
        heads = [head.text for head in picks.xpath(".//thead//th")]
        row = next(row for row in body_rows(picks) if row[1] == found.variant)
        size, difference = (row[heads.index(name)] for name in ("size", "difference"))
        assert f"−{100 - float(size):.1f} %" in screen
        assert difference in screen
        assert row[heads.index("interval")] in screen
        said = tree.xpath("//details[@id='choice']/div")[number].xpath("string(./ul)")
        assert f"{size} %" in said
        assert row[heads.index("interval")].split(" to ")[0] in said


def test_warnings_that_matter_are_on_the_first_screen(choice: Choice) -> None:
    (first, *_) = first_screens(None, choice, None)
    found = choice.recommendations[0]
    assert found.nearest is not None
    assert any(f"{found.nearest.topics:,} topics" in warning for warning in first.warnings)
    emptied = replace(found, emptied=1234, nearest=None, held_out=None)
    (screen,) = first_screens(None, replace(choice, recommendations=(emptied,)), None)
    assert any(f"1,234 of {found.documents:,} pages" in warning for warning in screen.warnings)
    assert any("held-out" in warning for warning in screen.warnings)
    (few,) = first_screens(None, replace(choice, recommendations=(replace(found, variant=None, topics=20),)), None)
    assert (few.variant, few.figures) == (None, ())
    assert "20 topics" in few.sentence
    assert "25" in few.sentence


def test_the_policy_allows_its_scripts_and_nothing_is_loaded(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    check_policy(text)
    check_nothing_is_loaded(text)
    tree = lxml_html.document_fromstring(text)
    counted = Counter(tree.xpath("//@id"))
    assert [name for name, count in counted.items() if count > 1] == []
    assert all(label.xpath(".//select | .//input") for label in tree.xpath("//form//label"))


def test_results_without_a_choice_have_nothing_of_it() -> None:
    text = render_report(small())
    assert 'id="reading"' not in text
    assert 'id="choice"' not in text
    with pytest.raises(ValueError, match="there is nothing to report"):
        render_report(None)


def test_a_choice_stands_behind_the_summary_of_results() -> None:
    _, choice = measured()
    page = render_report(small(), choice)
    tree = lxml_html.document_fromstring(page)
    sections = [section.get("id") for section in tree.xpath("//section | //details[@class='answer']")]
    assert sections[:4] == ["summary", "choice", "reading", "variants"]
    assert sections[-1] == "methods"
    headings = [term.text for term in tree.xpath("//details[@id='methods']//dt")]
    assert headings[:2] == ["Time", "Non-inferiority"]
    # What the runs tell of words@11; of other cutoffs these runs know nothing.
    rows = [row for row in page_figures(page)["models"][0]["rows"] if row["sweep"] == "words"]
    assert {row["name"]: row["words"] for row in rows if row["words"] is not None} == {"words@11": 50.0}
    counts = {variant.name: variant.documents for variant in main_of(choice).variants}
    assert [row["documents"] for row in rows] == [counts[row["name"]] for row in rows]
    assert {one for row in rows for one in row["held"]} == {None}


def test_facts_of_runs_have_held_out_topics_where_they_were_run() -> None:
    results = small()
    tested = replace(results, rows=tuple(replace(row, measures={"P@10": 0.25}) for row in results.rows))
    rows = {row.variant: row for row in results.rows}
    both = replace(results, held_out=tested)
    facts = facts_by_name("qld", None, both)
    assert facts["justext"] == Facts(0.3, {"P@10": 0.25}, rows["justext"].work.postings)
    assert set(facts) == {"none", "words@11", "justext"}
    assert facts_by_name("bm25", None, results) == facts_by_name("qld", None, None) == {}
    # The chart of held-out topics reads the same.
    for shown, value in ((both, 0.25), (results, None)):
        (model,) = page_figures(render_report(shown))["models"]
        place = model["measures"].index("P@10")
        held = [*(row["held"] for row in model["rows"]), model["base"]["held"]]
        assert [one[place] for one in held] == [value] * 3


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
    data = page_figures(page.read_text(encoding="utf-8"))
    for number, model in enumerate(data["models"]):
        main = main_of(choice, number)
        assert sorted(row["name"] for row in model["rows"]) == sorted(main.by_name)
        for row in model["rows"]:
            variant = main.by_name[row["name"]]
            test = variant.test
            assert row["means"][0] == round(variant.mean, 10)
            assert row["front"] is variant.on_front
            assert (row["low"], row["high"]) == (round(test.low, 4), round(test.high, 4))
            assert row["verdict"] == test.verdict
            assert row["size"] == variant.size
            saved = saved_by(variant.size) if number == 0 else None
            assert row["saved"] == (saved and [saved.value, saved.low, saved.high])


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
    (model,) = page_figures(render_report(None, choice, small_one))["models"]
    assert (model["seconds"], model["kind"], model["size"]) == (None, "postings", WORDS // 2)
    assert {row["saved"] for row in model["rows"]} == {None}
    assert {one for row in model["rows"] for one in row["held"]} == {None}


def test_keys_move_the_slider_through_the_records(opened: Browser, choice: Choice, exploration: Exploration) -> None:
    main = main_of(choice)
    recommended = recommended_of(choice)
    sweep = next(sweep for sweep in main.ordered_sweeps if sweep.name == recommended.sweep)
    names = [variant.name for variant in sweep.laxest_first]
    here = names.index(recommended.name)
    assert reading(opened) == expected(choice, exploration, 0, recommended.name)
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
        assert reading(opened) == expected(choice, exploration, 0, names[step])
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


def marked(browser: Browser) -> list[str]:
    """Return what the slider's marks say of themselves, one for each panel."""
    script = "document.querySelectorAll('#reading-plot [class*=here_] path')"
    browser.wait(f"{script}.length === 2")
    found: list[str] = browser.evaluate(f"Array.from({script}, (mark) => mark.getAttribute('aria-label'))")
    return found


def test_the_marker_is_at_the_cutoff(opened: Browser, choice: Choice) -> None:
    main = main_of(choice)
    sweep = main.ordered_sweeps[0]
    for variant in (recommended_of(choice), sweep.variants[-1], sweep.variants[0]):
        opened.evaluate(f"location.hash = {json.dumps('#reading:' + variant.name)}")
        opened.wait(f"document.getElementById('reading-name').textContent === {json.dumps(variant.name)}")
        share = round(100 * main.size_share(variant.size), 1)
        opened.wait(
            "document.querySelectorAll('#reading-plot [class*=here_] path')[1]?.getAttribute('aria-label')"
            f".endsWith({json.dumps(f': {share:g}')})"
        )
        above, below = (
            [float(part.rpartition(": ")[2].replace("−", "-")) for part in mark.split("; ")] for mark in marked(opened)
        )
        assert above == [variant.cutoff, pytest.approx(variant.test.difference, abs=1e-8)]
        assert below == [variant.cutoff, share]
    assert opened.problems == []


def choose(browser: Browser, name: str, key: str) -> None:
    browser.evaluate(f"document.getElementById('reading-{name}').focus()")
    browser.press(key)


def test_another_scorer_is_read_at_the_nearest_size(opened: Browser, choice: Choice, exploration: Exploration) -> None:
    main = main_of(choice)
    choose(opened, "sweep", "ArrowDown")
    other = main.ordered_sweeps[1]
    size = recommended_of(choice).size
    name = min(other.laxest_first, key=lambda variant: abs(variant.size - size)).name
    assert reading(opened) == expected(choice, exploration, 0, name)
    assert (
        opened.evaluate("document.getElementById('reading-ends').textContent")
        == "From the laxest cutoff to the strictest"
    )
    choose(opened, "sweep", "ArrowDown")
    assert reading(opened) == expected(choice, exploration, 0, "justext")
    assert (
        opened.evaluate("document.getElementById('reading-ends').textContent")
        == "From the largest index to the smallest"
    )
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
    opened.evaluate("document.querySelector('#models input').focus()")
    opened.press("ArrowRight")
    assert reading(opened) == expected(choice, exploration, 1, name)
    assert opened.evaluate("document.getElementById('reading-costs').hidden") is True
    opened.wait(f"location.hash === {json.dumps('#reading:' + name + ':bm25')}")
    links = opened.evaluate("Array.from(document.querySelectorAll('#reading-picks a'), (link) => link.textContent)")
    other = main_of(choice, 1)
    assert links == [f"{pick.rule}: {pick.variant.name}" for pick in other.picks if pick.variant]


def test_a_linked_cutoff_is_opened(browser: Browser, page: Path, choice: Choice, exploration: Exploration) -> None:
    browser.problems.clear()
    open_report(browser, page, "#reading:perplexity(lm%3Dbooks)@900000:bm25")
    assert reading(browser) == expected(choice, exploration, 1, "perplexity(lm=books)@900000")
    assert abs(browser.evaluate("document.getElementById('reading').getBoundingClientRect().top")) < 2
    browser.evaluate("document.querySelector('#reading-picks a').click()")
    picked = recommended_of(choice, 1).name
    browser.wait(f"document.getElementById('reading-name').textContent === {json.dumps(picked)}")
    assert reading(browser) == expected(choice, exploration, 1, picked)
    open_report(browser, page, "#reading:perplexity(lm%3Dbooks)@900000")
    found = reading(browser)
    assert found == expected(choice, exploration, 0, "perplexity(lm=books)@900000")
    assert found["saved"] == "not measurable here"
    open_report(browser, page, f"#reading:{picked}:bm25")
    # A link that leads nowhere leaves what is shown.
    for strange in (
        "#reading:nothing@1",
        "#reading:%E0%A4%A",
        "#reading:justext:bm26",
        "#reading:__proto__",
        "#nothing",
    ):
        browser.evaluate(f"location.hash = {json.dumps(strange)}")
        assert reading(browser) == expected(choice, exploration, 1, picked)
    assert browser.problems == []


def test_without_scripts_the_tables_are_there_and_the_form_is_not(system_browser: Chromium, page: Path) -> None:
    browser = Browser(system_browser, scripts=False)
    browser.open(page)
    seen = browser.page.inner_text("body")
    assert "Scripts are off" in seen
    assert "What does another cutoff lose?" in seen
    browser.page.click("#reading > summary")
    seen = browser.page.inner_text("#reading")
    assert "Selected cutoffs as a table" in seen
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
    assert text.count("</script>") == 3
    tree = lxml_html.document_fromstring(text)
    assert not tree.xpath("//img")
    assert tree.findtext(".//h1") == HOSTILE
    browser.problems.clear()
    open_report(browser, path)
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
    open_report(browser, path, address)
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
    open_report(browser, path)
    first = next(pick.variant for pick in main.picks if pick.variant)
    found = reading(browser)
    assert found["name"] == first.name
    assert found["verdict"].startswith("Inconclusive: 20 topics are too few for a verdict, at least 25 are needed.")
    assert found["colour"] == "verdict "
    stay = tuple(replace(pick, variant=None) for pick in main.picks)
    without = replace(choice, decisions=tuple(replace(decision, picks=stay) for decision in choice.decisions))
    path.write_text(render_report(None, without, sample), encoding="utf-8")
    open_report(browser, path)
    assert reading(browser)["name"] == main.ordered_sweeps[0].laxest_first[0].name
    assert browser.evaluate("document.getElementById('models')") is None
    assert browser.evaluate("document.getElementById('reading-picks').textContent") == ""
    assert browser.problems == []


def test_a_choice_of_runs_is_read_through_its_variants(browser: Browser, tmp_path: Path) -> None:
    _, choice = measured()
    path = tmp_path / "report.html"
    path.write_text(render_report(None, choice), encoding="utf-8")
    browser.problems.clear()
    open_report(browser, path, "#reading:bte")
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
