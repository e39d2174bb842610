"""Records as JSON files: frozen dataclasses, written exactly and checked against their annotations when they are read.

pydantic does the work where records hold arrays and enumerations, or are wrong. It is imported when it is first needed: other
records are read in each worker and by each command, which would wait for it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from thresher.base.errors import InputError, ThresherError
from thresher.base.files import read_text, write_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationError
    from pydantic_core import CoreSchema, ErrorDetails

Record = TypeVar("Record")

EXPECTED: Mapping[str, str] = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "dataclass_type": "a mapping",
    "dataclass_exact_type": "a mapping",
    "named_tuple_type": "a list",
}
"""The expected value, by the type of pydantic's error."""


@dataclass(frozen=True)
class NestedLists:
    """Annotates a field that is an array of floats of `depth` dimensions in Python and lists within lists in the file."""

    depth: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Tell pydantic how to check the lists and make the array."""
        from pydantic_core import core_schema

        schema: CoreSchema = core_schema.float_schema()
        for _ in range(self.depth):
            schema = core_schema.list_schema(schema)
        return core_schema.no_info_after_validator_function(self._array, schema)

    def _array(self, lists: Any) -> npt.NDArray[np.float64]:
        import numpy as np

        try:
            array = np.array(lists, dtype=np.float64)
        except ValueError as error:
            raise ValueError("its lists differ in length") from error
        # An empty list has fewer dimensions.
        return array if array.ndim == self.depth else array.reshape(array.shape + (0,) * (self.depth - array.ndim))


@dataclass(frozen=True)
class RecordFile(Generic[Record]):
    """The file format of records of one class.

    Numbers that JSON does not know are the strings "NaN", "Infinity" and "-Infinity". A field with a default may be missing in
    a file, and an unknown one is ignored.

    Attributes:
        kind: a dataclass of numbers, texts, enumerations, other dataclasses, tuples and mappings of these, and arrays
            annotated with `NestedLists`.
        what: what such a file is, for errors.
        fix: what to do about a file that cannot be read.
        format, version: what the file names itself; files without a name have neither.
        error: raised for any other file.
        most: bytes of a file at most; None for any number.
        indent: spaces by which the members of a file are indented, each on its line; None for one line.
    """

    kind: type[Record]
    what: str
    fix: str
    format: str = ""
    version: int = 1
    error: type[ThresherError] = InputError
    indent: int | None = None
    most: int | None = None

    def write(self, path: Path, record: Record) -> None:
        """Write a record, whole or not at all."""
        write_text(path, self.text(record) + "\n")

    def read(self, path: Path) -> Record:
        """Read what `write` wrote."""
        return self.parse(read_text(path, self.most), str(path))

    def find(self, path: Path) -> Record | None:
        """Read what `write` wrote; None if the file is missing or damaged."""
        try:
            return self.read(path)
        except ThresherError:
            return None

    def text(self, record: Record) -> str:
        """Return a record as JSON."""
        from pydantic_core import to_json

        head = {"format": self.format, "version": self.version} if self.format else {}
        values = {field.name: getattr(record, field.name) for field in fields(record)}  # type: ignore[arg-type]
        return to_json({**head, **values}, indent=self.indent, inf_nan_mode="strings", fallback=_plain).decode()

    def parse(self, text: str | bytes, where: str) -> Record:
        """Return the record that `text` wrote; `where` is the file, for errors."""
        from pydantic_core import from_json

        try:
            data = from_json(text)
        except ValueError as error:
            raise self.error(f"the file is damaged ({error})", self.fix, where) from error
        if self.format and (not isinstance(data, dict) or data.get("format") != self.format):
            raise self.error(f"this is not {self.what}", f"name a file of the format {self.format}", where)
        if self.format and data.get("version") != self.version:
            raise self.error(f"version {data.get('version')!r} is not known, only {self.version}", self.fix, where)
        kind: Any = self.kind
        simple: Any = _simple(kind, data)
        return self._checked(kind, text, data, where) if simple is _NOT_SIMPLE else simple

    def _checked(self, kind: Any, text: str | bytes, data: Any, where: str) -> Record:
        from pydantic import ValidationError
        from pydantic_core import to_json

        adapter: TypeAdapter[Record] = adapter_of(kind)
        try:
            return adapter.validate_json(text, strict=True)
        except ValidationError as error:
            if not _put_numbers(data, error.errors(include_url=False)):
                raise self._wrong(error, where) from error
        try:
            return adapter.validate_json(to_json(data, inf_nan_mode="constants"), strict=True)
        except ValidationError as error:
            raise self._wrong(error, where) from error

    def _wrong(self, error: ValidationError, where: str) -> ThresherError:
        first = error.errors(include_url=False)[0]
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        return self.error(_complaint(first), self.fix, f"{where}: {path.removeprefix('.')}" if path else where)


def _complaint(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "it is missing"
    if error["type"] in ("enum", "literal_error"):
        return f"it should be one of {error['ctx']['expected'].replace(' or ', ', ').replace(chr(39), '')}"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"it should be {EXPECTED[error['type']]}" if error["type"] in EXPECTED else error["msg"]


def _put_numbers(data: Any, errors: Sequence[ErrorDetails]) -> bool:
    """Replace the names of NaN and infinities where numbers belong; return whether there were any."""
    special = [error for error in errors if error["type"] == "float_type" and error["input"] in _SPECIAL]
    for error in special:
        *above, last = error["loc"]
        holder = functools.reduce(lambda value, step: value[step], above, data)
        holder[last] = float(holder[last])
    return bool(special)


_SPECIAL = ("NaN", "Infinity", "-Infinity")


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value.tolist()


_NOT_SIMPLE = object()


def _simple(hint: Any, value: Any) -> Any:
    """Return a value of JSON as its annotation has it, or `_NOT_SIMPLE` where pydantic has to look.

    Simple are texts, numbers, truth values, None, and tuples, mappings and records of such values.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (UnionType, Union):
        every = (_simple(part, value) for part in inner)
        return next((found for found in every if found is not _NOT_SIMPLE), _NOT_SIMPLE)
    if origin is tuple and inner[1:] == (Ellipsis,) and type(value) is list:
        items = tuple(_simple(inner[0], item) for item in value)
        return _NOT_SIMPLE if _NOT_SIMPLE in items else items
    if type(value) is dict and origin is Mapping:
        members = {name: _simple(inner[1], item) for name, item in value.items()}
        return members if inner[0] is str and _NOT_SIMPLE not in members.values() else _NOT_SIMPLE
    if type(value) is dict and isinstance(hint, type) and is_dataclass(hint):
        known = {name: _simple(kind, value.get(name, _NOT_SIMPLE)) for name, kind in _hints(hint).items()}
        with suppress(ValueError):
            return hint(**known) if _NOT_SIMPLE not in known.values() else _NOT_SIMPLE
    return value if type(value) is hint else _NOT_SIMPLE


_hints = functools.cache(get_type_hints)


@functools.cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Return what reads and writes a type by pydantic."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
