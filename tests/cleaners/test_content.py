"""The learned scorer: what the shipped model keeps of pages it never saw, in any language, and what it takes and refuses."""

from __future__ import annotations

import numpy as np
import pytest
from content_samples import hand_made_model
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import digest
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.content_model.model import load_content_model, write_content_model
from thresher.cleaners.content_model.page_rules import PAGE_RULES
from thresher.cleaners.scorers.content import Content
from thresher.collections import Page
from thresher.pages import Detail, read_html, read_text_page
from thresher.scores.cutting import clean_page, left_by
from thresher.scores.scoring import score_page

ENGLISH = [
    "Ferries across the strait were cancelled on Monday, and trains ran late, after a storm brought down trees.",
    "The harbour office said that no ship would leave before the wind fell below forty knots, which it expects by noon.",
    "Schools in three villages stayed closed. Their pupils are to return on Tuesday, if the roads have been cleared.",
]
JAPANESE = [
    "月曜日、嵐で木が倒れ、海峡を渡るフェリーは欠航し、列車も大幅に遅れたと、港の事務所が明らかにした。",
    "事務所によると、風が四十ノットを下回るまで船は出港しない見込みで、正午ごろには収まると予想されている。",
    "三つの村の学校は休校となった。道路が片付けば、生徒たちは火曜日に登校する予定だと、町は説明している。",
]
MENU = {"en": ["Home", "News", "Sport", "Weather"], "ja": ["ホーム", "ニュース", "スポーツ", "天気"]}


def page(language: str, paragraphs: list[str]) -> str:
    menu = "".join(f'<li><a href="/{number}">{item}</a></li>' for number, item in enumerate(MENU[language]))
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs * 2)
    return (
        f'<html lang="{language}"><title>{paragraphs[0][:20]}</title><body><nav class="menu"><ul>{menu}</ul></nav>'
        f'<article class="story">{text}</article><footer class="footer"><ul>{menu}</ul>© 2026</footer></body></html>'
    )


@pytest.mark.parametrize(("language", "paragraphs"), [("en", ENGLISH), ("ja", JAPANESE)])
def test_an_article_stays_and_menus_go_in_any_script(language, paragraphs):
    cleaner = parse_cleaner("content@0.5")
    cleaned = clean_page(score_page(Page("x", page(language, paragraphs).encode()), cleaner.scorers), cleaner)
    kept = cleaned.text.split("\n")
    # What stands twice is kept once.
    assert [block for block in kept if block in paragraphs] == paragraphs
    assert not set(kept) & set(MENU[language])


SHORT = {
    "en": (
        "The mill opens at ten, and the last tour of the day begins at four.",
        "Oats Mill Ltd. All rights reserved.",
        "Imprint",
    ),
    "de": (
        "Die Mühle öffnet um zehn, und die letzte Führung beginnt um vier.",
        "Mühle e. V. Alle Rechte vorbehalten.",
        "Impressum",
    ),
    "fr": (
        "Le moulin ouvre à dix heures, la dernière visite part à seize heures.",
        "Moulin. Tous droits réservés.",
        "Contact",
    ),
    "ru": (
        "Мельница открывается в десять, последняя экскурсия начинается в четыре.",
        "Мельница. Все права защищены.",
        "Сайт",
    ),
    "ja": ("水車小屋は十時に開き、最後の見学は四時に始まります。", "水車の会 無断転載を禁じます。", "会社概要"),
}
SHORT_LAYOUTS = (
    "<div class=text><p>{0}</p></div><footer><p>© 2020 {1}</p><a href=/i>{2}</a></footer>",
    "<main><h1>{2}</h1><p>{0}</p></main><footer>Copyright 2020 {1} <a href=/i>{2}</a></footer>",
    "<table><tr><td><p>{0}</p></td></tr></table><footer class=f><div><p>{1}</p><ul><li><a href=/i>{2}</a></ul></div></footer>",
    "<p>{0}</p><div role=contentinfo>{1}</div>",
    "<article><p>{0}</p></article><div id=footer><p>{1}</p></div>",
    "<div><p>{0}</p></div><hr><p>© {1}</p>",
    "<p>{0}</p><p><small>{1} (c) 2019</small></p>",
)


@pytest.mark.parametrize("language", SHORT)
@pytest.mark.parametrize("layout", SHORT_LAYOUTS)
def test_footers_of_short_pages_go(layout, language):
    text, owner, link = SHORT[language]
    html = f"<title>Mill</title><nav><a href=/a>{link}</a></nav>" + layout.format(text, owner, link)
    kept = left_by(parse_cleaner("content@0.5"), read_html(html, detail=Detail.ELEMENTS))
    assert text in kept
    assert owner not in kept


@pytest.mark.parametrize("around", ["article", "blockquote", "section"])
def test_a_footer_of_a_part_of_the_page_may_stay(around):
    text = f"<p>{ENGLISH[0]}<p>{ENGLISH[1]}<footer><p>{ENGLISH[2]}</footer>"
    html = f"<title>Storm</title><main><{around}>{text}</{around}></main>"
    assert ENGLISH[2] in left_by(parse_cleaner("content@0.5"), read_html(html, detail=Detail.ELEMENTS))


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_page_has_probabilities(content):
    # As text, since bytes of other formats are refused.
    segments = read_html(content.decode("latin-1"), detail=Detail.ELEMENTS)
    scores = Content().score(segments)
    assert scores.dtype == np.float32
    assert scores.shape == (len(segments.blocks),)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_texts_are_scored_too():
    assert Content().score(read_text_page("\n".join(ENGLISH))).shape == (3,)
    assert Content().score(read_text_page("")).shape == (0,)


def test_the_headline_stays_by_default():
    # Its block is among links, where it scores low.
    menu = "".join(f"<li><a href=/>{word}</a>" for word in MENU["en"] * 5)
    text = "".join(f"<p>{paragraph}</p>" for paragraph in ENGLISH * 2)
    html = f"<title>Oats - A farm</title><ul>{menu}<li><h1>Oats</h1>{menu}</ul><h2>More</h2>{menu}<article>{text}</article>"
    scored = score_page(Page("x", html.encode()), [Content()])

    def kept(name: str) -> list[str]:
        return clean_page(scored, parse_cleaner(name)).text.split("\n")

    assert kept("content(headings=score)@0.5") == ENGLISH
    assert kept("content@0.5") == ["Oats", *ENGLISH]
    assert kept("content(headings=keep)@0.5") == ["Oats - A farm", "Oats", "More", *ENGLISH]


def test_the_card_of_the_shipped_model():
    card = load_content_model("web").card
    licences = {one.name: one.licence for one in card.sets}
    assert licences == {
        "wcxb-dev": "CC BY 4.0",
        "aeb": "MIT",
        "trafilatura-eval": "Apache-2.0",
        "marked": "Apache-2.0 and BSD-3-Clause and MIT",
    }
    assert all(one.attribution and one.pages for one in card.sets)
    assert 0 < card.cutoff < 1
    assert Content().fingerprint == digest([PAGE_RULES, card.digest])


def test_names():
    # Names say what is done with headings, so that those of before the default keep no headline by mistake.
    assert parse_cleaner("content@0.50").name == "content(headings=headline)@0.5"
    assert parse_cleaner("content(headings=score)@0.5").name == "content(headings=score)@0.5"
    assert parse_cleaner("content(headings=keep,floor=20,model=web)@1").name == "content(headings=keep,floor=20)@1"
    for name in ("content@1.1", "content@-0.1", "content"):
        with pytest.raises(ConfigError):
            parse_cleaner(name)


def test_models_of_ones_own(tmp_path):
    path = tmp_path / "mine.content"
    write_content_model(path, hand_made_model())
    scorer = Content(model=str(path))
    assert scorer.canonical_name == f"content(model={path})"
    scorer.check("here")
    scorer.prepare()
    # One word has the sum 21 of 254. Its page's highest expected F1 is 2 p / (1 + p), whose half and .1 are the cutoff.
    probability = 0.083
    cutoff = probability / (1 + probability) + 0.1
    expected = pytest.approx([0.5 * (21 / 254) / cutoff])
    assert scorer.score(read_html("<p>a", detail=Detail.ELEMENTS)).tolist() == expected


def test_models_that_are_none(tmp_path):
    with pytest.raises(ConfigError, match="no content model 'wep'"):
        Content(model="wep").check("here")
    path = tmp_path / "broken.content"
    path.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(InputError, match="content_train"):
        Content(model=str(path)).prepare()
