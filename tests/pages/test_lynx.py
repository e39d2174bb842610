"""Lynx: the markup it is given, its dump where it is installed, one line where it is not."""

import shutil

import pytest

from thresher.errors import MissingDependencyError
from thresher.language_models.characters.pages import lynx_dump, prepared
from thresher.pages.marked_text import read_marked_text

PAGE = (
    "<h1 class=x>Head é</h1><!-- <p>not\nme --><IMG src=a alt='nor me'><script>var x = '<li>'</script><p>One<BR/>two"
    "<ul><li><p>item<li>next<ul><li>deep</ul></ul><ol><li>first</ol>"
)


def test_markup_for_lynx():
    assert prepared(PAGE) == (
        "<h1 class=x>&lt;h&gt; Head é</h1><p>One<p>two"
        "<ul><li>&lt;l&gt; <p>item<li>&lt;l&gt; next<ul><li>&lt;l&gt; deep</ul></ul><ol><li>&lt;l&gt; first</ol>"
    )
    assert prepared("a<style>x") == "a"
    assert prepared("<header><html><link><hr>") == "<header><html><link><hr>"


def test_the_dump_has_the_marks(monkeypatch, tmp_path):
    if not shutil.which("lynx"):
        with pytest.raises(MissingDependencyError) as caught:
            lynx_dump(PAGE.encode())
        assert str(caught.value).startswith("lynx: Lynx is not installed. Fix: install it (apt install lynx, ")
        return
    for encoding in ("utf-8", "cp1252"):
        result = [(segment.label, segment.text) for segment in read_marked_text(lynx_dump(PAGE.encode(encoding)))]
        assert result == [
            ("h", "Head é"),
            ("p", "One"),
            ("p", "two"),
            ("l", "item"),
            ("l", "next"),
            ("l", "deep"),
            ("l", "first"),
        ]


def test_without_lynx(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError) as caught:
        lynx_dump(b"<p>x")
    assert caught.value.exit_code == 4
    assert str(caught.value) == (
        "lynx: Lynx is not installed. Fix: install it (apt install lynx, brew install lynx) or leave out --lynx: pages "
        "are then converted without it."
    )
