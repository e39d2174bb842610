"""The generated pages of the standard library: what is on them, and above all what is not."""

from __future__ import annotations

import getpass
import html
import json
import os
import platform
import pydoc as standard
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from messages import assert_names

import pydoc_pages as pydoc
import pydoc_renderer
from thresher.base.errors import InputError, MissingDependencyError, StateError

pytestmark = pytest.mark.slow

SECRET = "correct-horse-battery-staple"
FEW = (
    "os",
    "posix",
    "sys",
    "configparser",
    "tempfile",
    "site",
    "ctypes",
    "multiprocessing.process",
    "os.path",
)


def pages(folder: Path) -> dict[str, str]:
    return {path.name.removesuffix(".html"): path.read_text(encoding="utf-8") for path in folder.iterdir()}


def text(page: str) -> str:
    return html.unescape(re.sub("<[^>]*>", "", page)).replace("\xa0", " ")


@pytest.fixture(scope="module")
def everything(generated_pydoc: Path) -> tuple[pydoc.GenerationReport, dict[str, str]]:
    report = json.loads((generated_pydoc / "report.json").read_text(encoding="utf-8"))
    skipped = tuple((module, reason) for module, reason in report["skipped"])
    return pydoc.GenerationReport(report["modules"], skipped), pages(generated_pydoc / "pages")


@pytest.fixture(scope="module")
def texts(everything) -> dict[str, str]:
    return {name: text(page) for name, page in everything[1].items()}


def test_every_module_has_a_page_or_a_reason(everything):
    report, written = everything
    names = set(pydoc.module_names())
    assert len(names) > 450
    assert report.modules == len(written) > len(names) // 3
    known = [*written, *(name for name, _ in report.skipped)]
    assert sorted(known) == sorted({*known, *sorted(names)[::3]})
    assert names >= {*known}
    assert all(reason.split(":")[0].endswith("Error") for _, reason in report.skipped)
    assert not {"asyncio", "email.message", "json", "os", "re", "unittest.mock", "zoneinfo"} - names


def test_modules_of_another_system_are_reported(everything):
    report, written = everything
    other = {"posix": "winreg", "nt": "termios"}[os.name]
    assert dict(report.skipped)[other] == f"ModuleNotFoundError: No module named '{other}'"
    assert other not in written


def test_a_page_is_what_pydoc_renders(everything):
    rendered = standard.html.page("Python: module textwrap", standard.html.document(textwrap, "textwrap"))
    expected = rendered.replace(Path(textwrap.__file__).as_posix(), "Lib/textwrap.py")
    # the rest of the head differs between Python's releases
    assert everything[1]["textwrap"].partition("</head>")[2] == expected.partition("</head>")[2]


def test_no_page_holds_a_place_of_this_machine(everything, texts):
    report, written = everything
    private = {
        sys.prefix,
        sys.base_prefix,
        sys.executable,
        os.path.realpath(sys.executable),
        str(Path.home()),
    }
    private |= {str(Path.cwd()), f"{tempfile.gettempdir()}/pytest", str(Path(pydoc.__file__).parent)}
    private -= {"/", "/usr", "/usr/local"}
    shown = [*written.items(), *texts.items(), *report.skipped]
    assert [(name, value) for name, page in shown for value in private if value in page] == []


def test_no_page_of_constants_names_the_user_or_the_machine(texts):
    constants = "\n".join(texts[name] for name in ("os", "site", "sys", "multiprocessing.process"))
    for name in (getpass.getuser(), platform.node()):
        assert re.findall(rf"[/@]{re.escape(name)}\b", constants) == []


def test_no_value_of_the_environment_is_on_a_page(everything, texts):
    _, written = everything
    assert [name for name, page in written.items() if SECRET in page or "SECRET_TOKEN" in page] == []
    fixed = "{'HOME': '/home/user', 'LANG': 'C.UTF-8', 'PATH': '/usr/bin:/bin', 'TZ': 'UTC'}"
    assert f"environ = environ({fixed})" in texts["os"]


@pytest.mark.skipif(os.name != "posix", reason="the module posix exists on POSIX systems only")
def test_nor_is_the_environment_that_python_started_with(texts):
    fixed = "{b'HOME': b'/home/user', b'LANG': b'C.UTF-8', b'PATH': b'/usr/bin:/bin', b'TZ': b'UTC'}"
    assert f"environ = {fixed}" in texts["posix"]


def test_no_page_holds_an_address(texts):
    assert [name for name, page in texts.items() if re.search("at 0x[0-9a-fA-F]", page)] == []
    assert [name for name, page in texts.items() if re.search(r"handle\s[0-9a-f]{6,}", page)] == []
    assert "0x10ffff" in texts["builtins"]  # a number that prose names stays


def test_files_are_named_below_lib(everything):
    _, written = everything
    assert '<a href="file:Lib/asyncio/queues.py">Lib/asyncio/queues.py</a>' in written["asyncio.queues"]


def test_what_acts_on_import_is_left_out():
    names = set(pydoc.module_names())
    unwanted = {"antigravity", "this", "idlelib", "turtledemo", "test", "distutils", "lib2to3", "__hello__"}
    assert not names & unwanted
    parts = [part for name in names - {"__future__"} for part in name.split(".")]
    assert [part for part in parts if part.startswith("_") or part in ("test", "tests")] == []
    assert [name for name in names if name.startswith("xx")] == []
    assert "__future__" in names
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_listing_imports_nothing():
    code = (
        "import sys; import pydoc_pages as pydoc; before = set(sys.modules); pydoc.module_names();"
        "print(sorted(name for name in set(sys.modules) - before if name in pydoc.module_names()))"
    )
    source = os.pathsep.join((str(Path(pydoc.__file__).parent), *sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": source}, check=True
    )
    assert done.stdout == "[]\n"


def test_generating_twice_gives_the_same_bytes(tmp_path, monkeypatch):
    first = pydoc.generate_modules(tmp_path / "first", FEW)
    monkeypatch.setenv("SECRET_TOKEN", SECRET)
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    monkeypatch.chdir(tmp_path)
    second = pydoc.generate_modules(Path("second/pages"), FEW)
    assert first == second == pydoc.GenerationReport(modules=len(FEW), skipped=())
    assert {path.name: path.read_bytes() for path in (tmp_path / "first").iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "second/pages").iterdir()
    }


def test_only_the_standard_library_can_be_imported(tmp_path):
    report = pydoc.generate_modules(tmp_path / "pages", ["lxml", "textwrap", "thresher"])
    assert report == pydoc.GenerationReport(
        modules=1,
        skipped=(
            ("lxml", "ModuleNotFoundError: No module named 'lxml'"),
            ("thresher", "ModuleNotFoundError: No module named 'thresher'"),
        ),
    )
    assert sorted(pages(tmp_path / "pages")) == ["textwrap"]


def test_a_new_generation_replaces_the_old_one(tmp_path):
    pydoc.generate_modules(tmp_path / "pages", ["textwrap", "struct"])
    pydoc.generate_modules(tmp_path / "pages", ["shlex"])
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]
    assert sorted(pages(tmp_path / "pages")) == ["shlex"]


@pytest.mark.parametrize("name", ["notes.txt", "index.html"])
def test_a_folder_with_other_files_is_not_touched(tmp_path, name):
    (tmp_path / name).write_text("<title>My notes</title>")
    with pytest.raises(StateError) as caught:
        pydoc.generate_modules(tmp_path, ["textwrap"])
    assert_names(caught.value, f"{tmp_path}: ", name, "Fix: ", "an empty folder")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "pages").write_text("")
    with pytest.raises(InputError) as caught:
        pydoc.generate_modules(tmp_path / "pages", ["textwrap"])
    assert_names(caught.value, f"{tmp_path / 'pages'}: ", "(Not a directory)", "Fix: ", "and the disk")


def test_a_renderer_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    broken = tmp_path / "broken.py"
    broken.write_text("raise ImportError('No module named pydoc')\n")
    monkeypatch.setattr(pydoc, "_RENDERER", broken)
    with pytest.raises(MissingDependencyError) as caught:
        pydoc.generate_modules(tmp_path / "pages", ["textwrap"])
    assert_names(caught.value, f"{sys.executable}: ", "ImportError", "Fix: ", "complete standard library")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.py"]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (
            '<a href="file:/opt/my%20py/lib/os.py">/opt/my py/lib/os.py</a>',
            '<a href="file:Lib/os.py">Lib/os.py</a>',
        ),
        ("'/opt/my&nbsp;py/bin/x'", "'Prefix/bin/x'"),
        ("/opt/my python", "/opt/my python"),
        ("&lt;function&nbsp;f&nbsp;at&nbsp;0x7f00aa&gt;", "&lt;function&nbsp;f&gt;"),
        ("[<lock at 0x00007FFB>, <lock at 0x7f>]", "[<lock>, <lock>]"),
        ("<PyDLL 'None', handle 7f2f31>", "<PyDLL 'None'>"),
        ("look at 10, up to 0xffffffff", "look at 10, up to 0xffffffff"),
        ("a handle 12 of", "a handle 12 of"),
    ],
)
def test_places_and_addresses(shown, expected):
    replace = pydoc_renderer.machine_independent([("/opt/my py/lib", "Lib"), ("/opt/my py", "Prefix")])
    assert replace(shown) == expected


def test_a_long_path_is_named_before_pydoc_shortens_it(tmp_path):
    # pydoc cuts the middle out of values over 100 characters: half a private path must not be what is left
    deep = tmp_path / ("deep" * 10) / ("er" * 20)
    (deep / "lib").mkdir(parents=True)
    task = (
        "import runpy, sys; sys.argv = ['x']; "
        f"sys.executable = {str(deep / 'lib' / 'python' / ('x' * 60))!r}; "
        f"sys.prefix = {str(deep)!r}; "
        f"runpy.run_path({str(pydoc._RENDERER)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", task],
        input=f'{{"folder": "{tmp_path.as_posix()}", "modules": ["sys"]}}',
        capture_output=True,
        text=True,
        env={},
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = text((tmp_path / "sys.html").read_text(encoding="utf-8"))
    assert "prefix = 'Prefix'" in shown
    assert str(tmp_path)[:20] not in shown
