"""Errors shown to users, and text from elsewhere on its way to a terminal or log.

    ThresherError              exit code
    ├── ConfigError            2   experiment file, command line, a name that does not parse
    ├── InputError             3   collections, topics, qrels, runs that are missing, unreadable or contradict each other
    ├── MissingDependencyError 4   Java, a jar, a package of an extra is missing
    ├── StateError             5   files on disk: locked by another run, made with another config
    └── ResourceError          6   no disk space, no memory

Every message is one line: where, what, and the fix. `ConfigErrors` carries several.
"""

from __future__ import annotations

import errno
import json
import re
import resource
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from shlex import quote
from urllib.parse import unquote, urlsplit

MOST = 1500
"""Characters of a message."""
# Controls (C0, DEL, C1), separators of lines and paragraphs, bidirectional marks, overrides and isolates, lone surrogates.
_STEERING = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Messages of Arrow, of codecs, of the system's loader, and of Python if it could not even make an error.
_NO_MEMORY = re.compile(
    "malloc of size|not enough memory|cannot allocate memory|failed to map segment|can't start new thread"
    "|returned NULL without setting an exception",
    re.IGNORECASE,
)


def escape_controls(text: str, most: int | None = MOST) -> str:
    r"""Return `text` on one line, with characters that steer a terminal as `\u` and four digits, its middle left out if long.

    JSON keeps its meaning, if it is not clipped. At most `most` characters stay (None for all): two thirds of them from the
    beginning, the others from the end.

    >>> escape_controls("a\x1b[2J\nb")
    'a\\u001b[2J\\u000ab'
    """
    seen = _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    if most is None or len(seen) <= most:
        return seen
    tail = most // 3
    return f"{seen[: most - tail]} … ({len(seen):,} characters) … {seen[-tail:]}"


class ThresherError(Exception):
    """An error shown to the user as one line; each class has its exit code.

    Args:
        what: the problem, in terms of the field.
        fix: what to do, as an imperative.
        where: the file (`name:line`), option or document concerned.
    """

    exit_code = 1

    def __init__(self, what: str, fix: str, where: str | None = None) -> None:
        self.what = what
        self.fix = fix
        self.where = where
        message = f"{what}. Fix: {fix}."
        if where:
            message = f"{where}: {message}"
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        # Unpickling (errors from workers) would otherwise call the class with the formatted message.
        return type(self), (self.what, self.fix, self.where)

    def lines(self) -> list[str]:
        """Return one line for each problem."""
        return [escape_controls(str(self))]


class ConfigError(ThresherError):
    """An experiment file, an option or a name that cannot be used. Exit code 2."""

    exit_code = 2


class ConfigErrors(ConfigError):
    """All the problems of one config at once. Exit code 2, or 3 if each is of the input."""

    def __init__(self, problems: Sequence[ConfigError | InputError]) -> None:
        self.problems = tuple(problems)
        self.exit_code = min((problem.exit_code for problem in problems), default=self.exit_code)
        Exception.__init__(self, "\n".join(str(problem) for problem in problems))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)

    def lines(self) -> list[str]:
        """Return one line for each problem."""
        lines: list[str] = []
        for problem in self.problems:
            lines += problem.lines()
        return lines


class InputError(ThresherError):
    """Input that is missing, unreadable or contradicts itself. Exit code 3."""

    exit_code = 3


class MissingDependencyError(ThresherError):
    """Java, a jar or the package of an extra is missing. Exit code 4."""

    exit_code = 4


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error, of any class, says that no memory or address space is left."""
    of_system = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return of_system or isinstance(error, MemoryError) or bool(_NO_MEMORY.search(str(error)))


def memory_error(where: str = "") -> ResourceError:
    """Return the error shown to users if no memory is left, or no address space if this has a limit."""
    fix = "use fewer workers or a machine with more memory"
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        fix = "raise the limit of address space (`ulimit -v`), or use fewer workers"
    return ResourceError("no memory left", fix, where)


@contextmanager
def needs_extra(extra: str, what: str, where: str | None = None) -> Iterator[None]:
    """Raise a `MissingDependencyError` instead of an `ImportError` in the block, which imports packages of an extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingDependencyError(what, f"install the extra: {install_command(extra)}", where) from error
    except ImportError as error:
        # It is installed, and the system cannot load it.
        if is_out_of_memory(error):
            raise memory_error(where or "") from error
        what = f"a package of the extra {extra} cannot be loaded ({error})"
        raise MissingDependencyError(what, f"install it again: {install_command(extra)}", where) from error


def install_command(extra: str) -> str:
    """Return the command that installs an extra, from the folder or file of this installation if it is still there."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow, and only errors ask

    with suppress(PackageNotFoundError):
        origin = json.loads(distribution("thresher").read_text("direct_url.json") or "{}")  # PEP 610
        path = unquote(urlsplit(origin.get("url", "")).path)
        if origin.get("url", "").startswith("file:") and Path(path).exists():
            return f"pip install {'-e ' * origin.get('dir_info', {}).get('editable', False)}{quote(f'{path}[{extra}]')}"
    return f"pip install 'thresher[{extra}]'"


@cache
def requirements(extra: str) -> Mapping[str, str]:
    """Return the requirements of an extra, such as `pyserini==1.6.0`, by package, as this installation declares them."""
    from importlib.metadata import PackageNotFoundError, requires  # slow, and only errors ask

    try:
        declared = requires("thresher") or []
    except PackageNotFoundError:
        return {}
    requirement_of: dict[str, str] = {}
    for line in declared:
        if re.search(rf"""extra == ['"]{extra}['"]""", line):
            requirement = line.partition(";")[0]
            package = re.split(r"[^\w.-]", requirement)[0]
            requirement_of[package] = requirement.strip()
    return requirement_of


def retrieval_requirement(package: str) -> str:
    """Return the requirement of the extra `retrieval` for a package, as an argument of `pip install`."""
    requirement = requirements("retrieval").get(package, package)
    return f"'{requirement}'" if re.search("[<>]", requirement) else requirement


def missing_retrieval(what: str) -> MissingDependencyError:
    """Return the error for a part of the extra `retrieval` that cannot be used, with both ways to install it."""
    fix = f"run `{install_command('retrieval')}`"
    needed = [retrieval_requirement(name) for name in requirements("retrieval") if name not in ("pyserini", "torch")]
    if needed:
        jar = retrieval_requirement("pyserini")
        fix += f", or without torch `pip install --no-deps {jar}` and `pip install {' '.join(needed)}`"
    return MissingDependencyError(what, fix)


class OutputClosed(Exception):
    """Nobody reads standard output any more, as after `| head`. Exit code 141, as of programs that the system ends for it."""

    exit_code = 141


class StateError(ThresherError):
    """A state on disk that does not allow the command: a lock, results of another config. Exit code 5."""

    exit_code = 5


class ResourceError(ThresherError):
    """Disk or memory is exhausted. Exit code 6."""

    exit_code = 6
