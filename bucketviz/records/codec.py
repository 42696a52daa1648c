"""Records to JSON and back: typed by their own fields, versioned, and safe to load from anyone."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable
from enum import Enum
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import Any

from bucketviz import __version__
from bucketviz.errors import PolicyError, RecordError, type_text
from bucketviz.files import cannot_read, cannot_write, path_of, replace_file
from bucketviz.records.references import check_references

SCHEMA = "bucketviz/1"


@dataclasses.dataclass(frozen=True, slots=True)
class SavedCallable:
    """Stands for a function (a cap, a filter) of a saved policy: it has a name but cannot be called."""

    name: str

    def __call__(self, *_: object) -> typing.NoReturn:
        raise PolicyError(f"the function {self.name} was not saved with the plan; pass it again to plan anew")


def to_json(record: Any) -> str:
    """Gives a record as JSON text, with its type, the schema and the version of bucketviz.

    Raises:
        RecordError: when it is no record.
    """
    if type(record) not in _record_types().values():
        raise RecordError(f"cannot save {type_text(record)}; the records are {', '.join(_record_types())}")
    document = {"schema": SCHEMA, "version": __version__, "type": type(record).__name__, "data": _encode(record)}
    return json.dumps(document)


def from_json(text: str | bytes) -> Any:
    """Gives the record that :func:`to_json` wrote, here or in another version. Nothing in the text is ever executed.

    A field that an older version did not know yet takes its default.

    Raises:
        RecordError: when the text is not JSON, of another schema, does not fit its type, or names what is not there.
    """
    if not isinstance(text, str | bytes):
        raise RecordError(f"expected the text of a record, found {type_text(text)}; read the file first")
    try:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise RecordError(_other_schema(document))
        return _decode_document(document)
    except ValueError as error:
        raise RecordError(
            f"expected a bucketviz record, found text that is not JSON: {error}; "
            "a file that was cut off has to be saved again"
        ) from error
    except RecursionError as error:
        raise RecordError("expected a bucketviz record, found JSON that is nested too deeply") from error


def save(record: Any, path: str | Path) -> Path:
    """Writes a record as JSON and gives its path; a file that is there already is replaced whole or not at all.

    Raises:
        RecordError: when it is no record, or the file cannot be written.
    """
    text = to_json(record)
    try:
        return replace_file(path, text.encode())
    except (OSError, TypeError, ValueError) as error:
        raise RecordError(cannot_write(path, error, f"{type(record).__name__.lower()}.json")) from error


def load(path: str | Path) -> Any:
    """Gives the record that :func:`save` wrote. Nothing in the file is ever executed.

    Raises:
        RecordError: when the file cannot be read, or holds no record; the message names it.
    """
    try:
        text = path_of(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise RecordError(cannot_read(path, error)) from error
    try:
        return from_json(text)
    except RecordError as error:
        raise RecordError(f"{path!s}: {error}") from error


def _decode_document(document: dict[str, Any]) -> Any:
    asked = document.get("type")
    record_type = _record_types().get(asked) if isinstance(asked, str) else None
    if record_type is None:
        raise RecordError(f"unknown record type {asked!r}; known: {', '.join(_record_types())}")
    try:
        record = _decode(document.get("data"), record_type, record_type.__name__)
    except PolicyError as error:
        raise RecordError(f"{record_type.__name__} holds a policy that cannot be: {error}") from error
    except RecordError as error:
        raise RecordError(f"{error}{_other_version(document.get('version'))}") from error
    check_references(record)
    return record


def _other_schema(document: object) -> str:
    found = document.get("schema") if isinstance(document, dict) else type(document).__name__
    return f"expected a record of schema {SCHEMA}, found {found!r}; open it with the bucketviz that wrote it"


def _other_version(version: object) -> str:
    """Says that another version wrote a record, where it is known."""
    if not isinstance(version, str) or version == __version__:
        return ""
    return f"; bucketviz {shorten(version, 40)} wrote it, and this is {__version__}"


@cache
def _record_types() -> dict[str, type]:
    from bucketviz import records

    found = (getattr(records, name) for name in records.__all__)
    return {item.__name__: item for item in found if isinstance(item, type) and _field_names(item)}


@cache
def _field_names(record_type: type) -> tuple[str, ...]:
    """Gives the fields that a dataclass or a named tuple is made from; none of any other type."""
    if dataclasses.is_dataclass(record_type):
        return tuple(field.name for field in dataclasses.fields(record_type) if field.init)
    return getattr(record_type, "_fields", ())


@cache
def _fields_with_default(record_type: type) -> frozenset[str]:
    """Gives the fields that a record may lack: those that came later have a default, so that old files open."""
    if not dataclasses.is_dataclass(record_type):
        return frozenset(getattr(record_type, "_field_defaults", ()))
    absent = dataclasses.MISSING
    fields = (field for field in dataclasses.fields(record_type) if field.init)
    return frozenset(each.name for each in fields if each.default is not absent or each.default_factory is not absent)


def _encode(value: Any) -> Any:
    names = _field_names(value.__class__)
    if names and not isinstance(value, SavedCallable):
        return {name: _encode(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if callable(value):
        return {"callable": value.name if isinstance(value, SavedCallable) else _qualified_name(value)}
    return value


def _qualified_name(function: Callable[..., object]) -> str:
    return getattr(function, "__qualname__", type(function).__qualname__)


def _decode(value: Any, hint: Any, where: str) -> Any:
    if isinstance(hint, type) and _field_names(hint):
        return _decode_record(value, hint, where)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _decode_union(value, typing.get_args(hint), where)
    if origin is tuple:
        item = typing.get_args(hint)[0]
        return tuple(_decode(entry, item, f"{where}[{i}]") for i, entry in enumerate(_checked(value, list, where)))
    if origin is dict:
        item = typing.get_args(hint)[1]
        return {key: _decode(entry, item, f"{where}.{key}") for key, entry in _checked(value, dict, where).items()}
    if origin is Callable:
        return SavedCallable(str(_checked(value, dict, where).get("callable")))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _decode_enum(value, hint, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _checked(value, hint, where)


def _decode_record(value: Any, record_type: type, where: str) -> Any:
    _checked(value, dict, where)
    hints = _hints(record_type)
    missing = [name for name in hints if name not in value and name not in _fields_with_default(record_type)]
    if missing:
        raise RecordError(f"{where} lacks {', '.join(missing)}; save it again with this version")
    unknown = sorted(set(value) - set(hints))
    if unknown:
        raise RecordError(f"{where} holds {', '.join(unknown)}, which this version does not know; upgrade bucketviz")
    fields = {name: _decode(value[name], hint, f"{where}.{name}") for name, hint in hints.items() if name in value}
    return record_type(**fields)


@cache
def _hints(record_type: type) -> dict[str, Any]:
    hints = typing.get_type_hints(record_type)
    return {name: hints[name] for name in _field_names(record_type)}


def _decode_union(value: Any, options: tuple[Any, ...], where: str) -> Any:
    records = [option for option in options if isinstance(option, type) and _field_names(option)]
    if isinstance(value, dict) and len(records) == 1:
        return _decode_record(value, records[0], where)
    for option in options:
        try:
            return _decode(value, option, where)
        except RecordError:
            continue
    raise RecordError(f"{where} holds {value!r}, which fits none of {options}")


def _decode_enum(value: Any, enum_type: type[Enum], where: str) -> Enum:
    try:
        return enum_type(value)
    except ValueError as error:
        choices = ", ".join(str(member.value) for member in enum_type)
        raise RecordError(f"{where} holds {value!r}; expected one of {choices}") from error


def _checked(value: Any, expected: type, where: str) -> Any:
    if isinstance(value, bool) and expected is not bool:
        raise RecordError(f"{where} holds {value!r}; expected {expected.__name__}")
    if not isinstance(value, expected):
        raise RecordError(f"{where} holds {value!r}; expected {expected.__name__}")
    return value
