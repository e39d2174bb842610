"""Stop lists by language, from the files of the `justext` package."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from thresher.errors import InputError, MissingDependencyError
from thresher.files import user_error


@cache
def languages() -> tuple[str, ...]:
    """Return the languages with stop lists, such as `English`, in alphabetical order."""
    return tuple(sorted(path.stem for path in _folder().glob("*.txt")))


@cache
def stop_list(language: str) -> frozenset[str]:
    """Return the stop words of a language, in lower case."""
    return frozenset(map(str.lower, ranked_words(language)))


@cache
def ranked_words(language: str) -> tuple[str, ...]:
    """Return the stop words of a language, the most frequent first, as the list spells them."""
    text = (_folder() / f"{language}.txt").read_text(encoding="utf-8")
    return tuple(word for line in text.splitlines() if (word := line.strip()))


def own_stop_list(path: Path) -> frozenset[str]:
    """Return the words of a file, one a line, in lower case.

    Raises:
        ThresherError: if it cannot be read, is not UTF-8 or holds no word.
    """
    try:
        words = frozenset(map(str.lower, path.read_text(encoding="utf-8-sig").split()))
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8", "write it as UTF-8, a word a line", str(path)) from error
    except OSError as error:
        raise user_error(error, path) from error
    if not words:
        raise InputError("it holds no words", "write stop words into it, a word a line", str(path))
    return words


def _folder() -> Path:
    # Located without importing the package, which would load its cleaner.
    spec = find_spec("justext")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependencyError("justext, whose stop lists are used, is not installed", "pip install justext")
    return Path(spec.submodule_search_locations[0]) / "stoplists"
