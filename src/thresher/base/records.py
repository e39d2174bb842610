"""Records as JSON files: frozen dataclasses, written exactly and checked against their annotations when they are read.

pydantic reads records with arrays or enumerations, and words the errors of wrong records. It is imported at its first use:
each worker and each command reads records, and would wait for the import.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, cast, get_args, get_origin, get_type_hints

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
_SPECIAL = ("NaN", "Infinity", "-Infinity")
_NOT_SIMPLE = object()
_hints = functools.cache(get_type_hints)


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
        missing = self.depth - array.ndim
        return array.reshape(array.shape + (0,) * missing)


@dataclass(frozen=True)
class RecordFile(Generic[Record]):
    """The file format of records of one class.

    Numbers that JSON does not know are the strings "NaN", "Infinity" and "-Infinity". A field with a default may be missing in
    a file, and an unknown field is ignored.

    Attributes:
        kind: a dataclass of numbers, texts, enumerations, other dataclasses, tuples and mappings of these, and arrays
            annotated with `NestedLists`.
        what: the content of the file, for errors.
        fix: for errors: the fix for a file that cannot be read.
        format, version: the members of the file that identify it; a file without a format has neither.
        error: raised for any other file.
        most: the largest size of a file in bytes; None for any size.
        indent: the spaces before each member of a file, which has its own line; None for a file of one line.
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
        """Read a file of `write`."""
        return self.parse(read_text(path, self.most), str(path))

    def find(self, path: Path) -> Record | None:
        """Read a file of `write`; None if the file is missing or damaged."""
        try:
            return self.read(path)
        except ThresherError:
            return None

    def text(self, record: Record) -> str:
        """Return a record as JSON."""
        from pydantic_core import to_json

        members: dict[str, Any] = {}
        if self.format:
            members["format"] = self.format
            members["version"] = self.version
        for field in fields(record):  # type: ignore[arg-type]
            members[field.name] = getattr(record, field.name)
        return to_json(members, indent=self.indent, inf_nan_mode="strings", fallback=_plain).decode()

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
        record: Any = _simple(kind, data)
        if record is _NOT_SIMPLE:
            return self._checked(kind, text, data, where)
        return cast("Record", record)

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
        path = ""
        for step in first["loc"]:
            path += f"[{step}]" if isinstance(step, int) else f".{step}"
        if path:
            where = f"{where}: {path.removeprefix('.')}"
        return self.error(_complaint(first), self.fix, where)


def _complaint(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "it is missing"
    if error["type"] in ("enum", "literal_error"):
        expected = error["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
        return f"it should be one of {expected}"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] in EXPECTED:
        return f"it should be {EXPECTED[error['type']]}"
    return error["msg"]


def _put_numbers(data: Any, errors: Sequence[ErrorDetails]) -> bool:
    """Replace the names of NaN and infinities where numbers belong; return whether there were any."""
    replaced = False
    for error in errors:
        if error["type"] == "float_type" and error["input"] in _SPECIAL:
            container = data
            for step in error["loc"][:-1]:
                container = container[step]
            last = error["loc"][-1]
            container[last] = float(container[last])
            replaced = True
    return replaced


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist()


def _simple(hint: Any, value: Any) -> Any:
    """Return a value of JSON converted to its annotation, or `_NOT_SIMPLE` if pydantic must check it.

    Simple are texts, numbers, truth values, None, and tuples, mappings and records of simple values.
    """
    origin = get_origin(hint)
    inner = get_args(hint)
    if origin in (UnionType, Union):
        return _simple_alternative(inner, value)
    if origin is tuple and inner[1:] == (Ellipsis,) and type(value) is list:
        return _simple_items(inner[0], value)
    if origin is Mapping and inner[0] is str and type(value) is dict:
        return _simple_members(inner[1], value)
    if isinstance(hint, type) and is_dataclass(hint) and type(value) is dict:
        return _simple_record(hint, value)
    if type(value) is hint:
        return value
    return _NOT_SIMPLE


def _simple_alternative(hints: Sequence[Any], value: Any) -> Any:
    for hint in hints:
        converted = _simple(hint, value)
        if converted is not _NOT_SIMPLE:
            return converted
    return _NOT_SIMPLE


def _simple_items(hint: Any, values: Sequence[Any]) -> Any:
    items: list[Any] = []
    for value in values:
        item = _simple(hint, value)
        if item is _NOT_SIMPLE:
            return _NOT_SIMPLE
        items.append(item)
    return tuple(items)


def _simple_members(hint: Any, values: Mapping[str, Any]) -> Any:
    members: dict[str, Any] = {}
    for name, value in values.items():
        member = _simple(hint, value)
        if member is _NOT_SIMPLE:
            return _NOT_SIMPLE
        members[name] = member
    return members


def _simple_record(kind: Any, values: Mapping[str, Any]) -> Any:
    members: dict[str, Any] = {}
    for name, hint in _hints(kind).items():
        member = _simple(hint, values.get(name, _NOT_SIMPLE))
        if member is _NOT_SIMPLE:
            return _NOT_SIMPLE
        members[name] = member
    try:
        return kind(**members)
    except ValueError:
        # The record refuses its values; pydantic words the error.
        return _NOT_SIMPLE


@functools.cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Return pydantic's reader and writer of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
