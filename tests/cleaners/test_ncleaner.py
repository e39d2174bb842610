"""NCleaner as a scorer: one number a block, the model's; bars are dropped; only known models."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import ConfigError, InputError
from thresher.cleaners.characters.character_counts import Settings
from thresher.cleaners.characters.scoring import load_segment_scorer, write_model
from thresher.cleaners.characters.training import normalise, train
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH
from thresher.cleaners.scorers.ncleaner import NCleaner
from thresher.pages import read_html, read_text_page
from thresher.pages.marked_text import is_bar
from thresher.scores.cutting import clean_page
from thresher.scores.store import PageScores

PROSE = "Return the number of items that were found, or None if there are none of them."
SIGNATURE = "__init__(self, /, *args, **kwargs)"


def test_each_block_has_its_score():
    segments = read_html(
        f"<title>T</title><p>{PROSE}<p>{SIGNATURE}<p>A | B | C<p>\ue000\ufffd<p>中文<br>It’s <b>so</b>.<p>cat a | sort"
    )
    for model in ("standard", "nonlexical"):
        result = NCleaner(model=model).score(segments)
        alone = load_segment_scorer(model)
        assert result.dtype == np.float32
        expected = [float(np.float32(alone.score(block)[0])) for block in segments.blocks]
        assert expected[4] == -math.inf
        assert result.tolist() == [*expected[:3], -math.inf, *expected[4:]]
        assert NCleaner(model=model, bars="score").score(segments).tolist() == expected
        assert result[1] > 0 > result[2]
        assert not np.isnan(result).any()


def test_accents_are_letters_without_words():
    """StupidOS, section 3.4: all letters are a, so that "été" is scored as "ete"."""
    plain, accents = NCleaner(model="nonlexical").score(read_html("<p>ete aaa 42<p>été àáâ ٤٢")).tolist()
    assert plain == accents
    plain, accents = NCleaner().score(read_html("<p>ete<p>été")).tolist()
    assert plain != accents


def test_a_model_that_is_trained_again_under_its_name_is_read_again(tmp_path):
    scores = []
    for number, dirty in enumerate(("xx yy", "aaa ccc")):
        path = tmp_path / "model"
        write_model(path, train([(["aaa bbb"], ["aaa bbb", dirty])], Settings(2, 0.5), "tests"))
        os.utime(path, (number, number))
        scores.append(float(NCleaner(model=str(path)).score(read_text_page("aaa"))[0]))
        assert scores[-1] == pytest.approx(float(load_segment_scorer.__wrapped__(str(path)).score("aaa")[0]))
    assert scores[0] != scores[1]


def test_clamped_probabilities_are_another_scorer(tmp_path):
    path = tmp_path / "xy.ncleaner"
    write_model(path, train([(["xyxyxy"], ["xx", "xx", "yy", "yy"])], Settings(2, 0.5), "here"))
    page = read_html("<p>xyxy")
    names = [f"ncleaner(model={path})@0", f"ncleaner(model={path},clamp=probabilities)@0"]
    assert [parse_cleaner(name).name for name in names] == names
    usual, literal = (float(parse_cleaner(name).scorers[0].score(page)[0]) for name in names)
    clean, x, y = 1 + 2 / 101, 1 / 3 + 1 / 97, 1 / 97
    assert usual == pytest.approx(math.log(clean**4 / (x * y * y * y)) / 4, rel=1e-5)
    assert literal == pytest.approx(math.log(clean**4 / (x * (1 + y) * y * (1 + y))) / 4, rel=1e-5)


@pytest.mark.parametrize("page", ["", "<script>x</script>", "<p> "])
def test_no_blocks(page):
    assert NCleaner().score(read_html(page)).tolist() == []


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_page_is_scored_and_cut(content):
    # As text, since bytes of other formats are refused.
    segments = read_html(content.decode("latin-1"))
    for name in ("ncleaner@0", "ncleaner(model=nonlexical)@-0.2"):
        cleaner = parse_cleaner(name)
        scorer = cleaner.scorers[0]
        scores = scorer.score(segments)
        assert scores.shape == (len(segments.blocks),)
        assert not np.isnan(scores).any()
        assert (scores < math.inf).all()
        for block, score in zip(segments.blocks, scores.tolist(), strict=True):
            assert (score == -math.inf) == (not normalise(block) or is_bar(block))
        page = PageScores("x", "scored", segments=segments, scores={scorer.canonical_name: scores})
        rest = iter(segments.text)
        # What is kept is in the page, in its order; spaces and line feeds part what was kept.
        assert all(character in rest for character in clean_page(page, cleaner).text if not character.isspace())


def test_the_papers_rule_is_the_cutoff_0(tmp_path):
    write_model(tmp_path / "m", train([(["aaa bbb"], ["aaa bbb", "xxx yyy"])], Settings(), "tests"))
    cleaner = parse_cleaner(f"ncleaner(model={tmp_path / 'm'})@0")
    scorer = cleaner.scorers[0]
    segments = read_text_page("aaa\nxxx\nbbb aaa\nyyy xxx")
    scores = scorer.score(segments)
    page = PageScores("x", "scored", segments=segments, scores={scorer.canonical_name: scores})
    assert clean_page(page, cleaner).text == "aaa\nbbb aaa"
    assert ((scores > 0) == [True, False, True, False]).all()


@pytest.mark.slow
def test_real_pages(shared_data):
    for path in sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::30]:
        segments = read_html(path.read_bytes())
        for model in ("standard", "nonlexical"):
            result = NCleaner(model=model).score(segments)
            alone = [load_segment_scorer(model).score(block)[0] for block in segments.blocks]
            bars = [is_bar(block) for block in segments.blocks]
            expected = np.where(bars, -math.inf, alone).astype(np.float32)
            assert result.tolist() == expected.tolist()


@pytest.mark.slow
def test_another_process_gives_the_same(shared_data):
    path = sorted((shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir())[3]
    code = (
        "import json, pathlib, sys\nfrom thresher.pages import read_html\n"
        "from thresher.cleaners.scorers.ncleaner import NCleaner\n"
        "print(json.dumps(NCleaner().score(read_html(pathlib.Path(sys.argv[1]).read_bytes())).tolist()))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == NCleaner().score(read_html(path.read_bytes())).tolist()


def test_declaration(tmp_path):
    assert (NCleaner.name, NCleaner.segment, NCleaner.keep) == ("ncleaner", BLOCK, KEEP_HIGH)
    assert (NCleaner.low, NCleaner.high) == (None, None)
    assert 0 in NCleaner.grid
    assert parse_cleaner("ncleaner@0").name == "ncleaner@0"
    assert parse_cleaner("ncleaner(model=standard,bars=drop)@-0.25").name == "ncleaner@-0.25"
    assert parse_cleaner("ncleaner(bars=score,model=nonlexical)@0").name == "ncleaner(model=nonlexical,bars=score)@0"
    assert parse_cleaner("ncleaner(model=my/own.ncleaner)@1").name == "ncleaner(model=my/own.ncleaner)@1"
    for name in ("standard", "nonlexical"):
        NCleaner(model=name).prepare()


def test_models_that_are_not_there(tmp_path):
    with pytest.raises(ConfigError) as caught:
        NCleaner(model="Standard").prepare()
    assert_names(caught.value, "model=Standard: ", "NCleaner", "'Standard'", "Fix: ", "`thresher ncleaner train`")
    path = tmp_path / "page.txt"
    path.write_text("text")
    with pytest.raises(InputError) as caught:
        NCleaner(model=str(path)).prepare()
    assert_names(caught.value, f"{path}: ", "NCleaner", "Fix: ", "`thresher ncleaner train`")
