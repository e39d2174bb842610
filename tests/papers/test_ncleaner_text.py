"""Pages as text to clean by hand: by Lynx, where it is installed, and without it."""

import shutil

import pytest
from click.testing import CliRunner
from messages import assert_names

from ncleaner_text import lynx_dump, main, marked_text, prepared
from thresher.base.errors import MissingDependencyError
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
        assert_names(caught.value, "lynx: Lynx is not installed", "Fix: ", "apt install lynx")
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
    page = tmp_path / "page.html"
    page.write_text("<title>Storms</title><p>Rain | wind<ul><li>one<li>two</ul>")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="Lynx is not installed"):
        lynx_dump(b"<p>x")
    done = CliRunner().invoke(main, [str(page)])
    assert (done.exit_code, done.stdout) == (0, "# Storms\n\nRain | wind\n\n* one\n* two\n")
    assert marked_text(read_marked_text(done.stdout)) == done.stdout
    assert marked_text([]) == ""
