"""The formats of cleaned collections: which there are, by endings of file names, and what is written in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from thresher.cleaning.destinations import is_stream
from thresher.defaults import OUTPUT_FORMATS
from thresher.errors import ConfigError

JSON_LINES, TEXT, CLEANEVAL, WARC, PARQUET = "jsonl", "txt", "cleaneval", "warc", "parquet"
GZIP, ZSTD = "gz", "zst"
_OTHER_ENDINGS = {"ndjson": JSON_LINES}
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE = re.compile(r"([0-9]{1,15})([kmgt]?)(?:i?b)?", re.IGNORECASE)


@dataclass(frozen=True)
class OutputFormat:
    """A format: `kind` is one of JSON_LINES, TEXT, CLEANEVAL, WARC, PARQUET; `compression` GZIP, ZSTD or empty."""

    kind: str
    compression: str = ""

    @property
    def name(self) -> str:
        """The name, which is also the ending: `jsonl.gz`."""
        return ".".join(filter(None, (self.kind, self.compression)))


@dataclass(frozen=True)
class Output:
    """How a cleaned collection is written.

    Attributes:
        format: one of `thresher.defaults.OUTPUT_FORMATS`; empty for what the file's name ends in.
        shard_size: bytes before compression that a file has at most, unless a single document has more; 0 for one file. The
            files of `cleaned.jsonl.gz` are `cleaned-000000.jsonl.gz` and so on.
        metadata: whether JSON lines and Parquet have the member `metadata`: the file that a page is from, the offset of its
            record, its bytes, its encoding and the words kept.
        valid: whether invalid characters are left out: see `thresher.language_models.characters.alphabet.without_invalid`.
    """

    format: str = ""
    shard_size: int = 0
    metadata: bool = False
    valid: bool = False


ONE_FILE = Output()
"""One file, of the format that its name ends in."""


def output_format(path: Path, wanted: Output) -> OutputFormat:
    """Return the format of a file to write.

    Standard output, pipes and devices get JSON lines unless a format is named.

    Raises:
        ConfigError: if there is no such format, the name ends in none, or what is wanted does not go with the format.
    """
    name = wanted.format or _by_ending(path.name) or _by_ending(path.resolve().name)
    if not name:
        if not is_stream(path):
            what = f"the name ends in no format: {', '.join('.' + each for each in OUTPUT_FORMATS)}"
            raise ConfigError(what, "end it in one of them, or say --output-format", str(path))
        name = JSON_LINES
    if name not in OUTPUT_FORMATS:
        raise ConfigError(f"there is no format {name!r}", f"use one of {', '.join(OUTPUT_FORMATS)}", "--output-format")
    kind, _, compression = name.partition(".")
    if wanted.metadata and kind not in (JSON_LINES, PARQUET):
        raise ConfigError(f"{kind} has no place for metadata", "write JSON lines or Parquet", "--metadata")
    if wanted.shard_size and is_stream(path):
        raise ConfigError("what is written to a pipe or device has no shards", "write to a file", "--shard-size")
    return OutputFormat(kind, compression)


def _by_ending(name: str) -> str:
    lower = name.lower()
    for other, kind in _OTHER_ENDINGS.items():
        lower = re.sub(rf"\.{other}(?=$|\.)", f".{kind}", lower)
    return next((each for each in OUTPUT_FORMATS if lower.endswith(f".{each}")), "")


def shard_name(path: Path, number: int) -> Path:
    """Return the name of a shard of the output `path`.

    Raises:
        ConfigError: if there are a million shards before it.

    >>> shard_name(Path("out/cleaned.jsonl.gz"), 7).as_posix()
    'out/cleaned-000007.jsonl.gz'
    """
    if number >= 10**6:
        raise ConfigError("there would be more than a million shards", "give a larger size", "--shard-size")
    stem, endings = _parted(path)
    return path.with_name(f"{stem}-{number:06}{endings}")


def is_shard(path: Path, name: str) -> bool:
    """Return whether a file's name is that of a shard of the output `path`."""
    stem, endings = _parted(path)
    return re.fullmatch(rf"{re.escape(stem)}-[0-9]{{6}}{re.escape(endings)}", name) is not None


def _parted(path: Path) -> tuple[str, str]:
    """Return a file's name without its endings, and these."""
    name = path.name
    ending = next((f".{each}" for each in _longest_first() if name.lower().endswith(f".{each}")), path.suffix)
    return (name[: -len(ending)], name[-len(ending) :]) if ending else (name, "")


def _longest_first() -> list[str]:
    others = [f"{other}.{each}" for other in _OTHER_ENDINGS for each in (GZIP, ZSTD)]
    return sorted((*OUTPUT_FORMATS, *_OTHER_ENDINGS, *others), key=len, reverse=True)


def parse_size(text: str) -> int:
    """Return a number of bytes written as `512M`, `2GiB` or `100000`: units are powers of 1,024.

    Raises:
        ConfigError: if it is no such number, or none above zero.

    >>> parse_size("2k")
    2048
    """
    match = _SIZE.fullmatch(text.strip())
    size = int(match[1]) * _UNITS[match[2].lower()] if match else 0
    if not size:
        raise ConfigError(f"{text!r} is no size", "write it like 512M or 2G", "--shard-size")
    return size
