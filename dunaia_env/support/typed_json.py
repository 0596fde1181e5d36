"""Conversion of JSON data to dataclasses, with checks for missing and unknown fields and for wrong types."""

from __future__ import annotations

import functools
import json
import math
import os
import types
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from dunaia_env.support import messages, reading

T = TypeVar("T")
# A number that a file holds as null where it is not known; it is then NaN.
Measured = Annotated[float, "null is NaN"]
LARGEST_INTEGER = 2**63 - 1
MOST_CHARACTERS = 100_000


class FieldError(ValueError):
    """Invalid JSON data; the message names the field, its value and what is allowed."""


def parse(text: str | bytes) -> object:
    """Parse a JSON text, which may begin with a byte order mark.

    Raises `FieldError` for invalid JSON, for data that are nested too deeply, and for bytes that are not UTF-8.
    """
    try:
        content: object = json.loads(
            reading.decode(text) if isinstance(text, bytes) else text.removeprefix(reading.MARK)
        )
    except reading.ReadingError as error:
        raise FieldError(str(error)) from None
    except RecursionError:
        raise FieldError("not JSON: lists and objects are nested too deeply") from None
    except ValueError as error:
        raise FieldError(f"not JSON ({messages.reason(error)})") from None
    return content


def read_versioned(
    path: str | os.PathLike[str], file_format: str, *versions: int, most: int
) -> tuple[dict[str, Any], int]:
    """Read a JSON file whose object names its format and its version.

    Args:
        path: the file.
        file_format: the format.
        versions: the versions that can be read, the present one last.
        most: largest size of the file in bytes.

    Returns:
        The other fields of the object, and the version.

    Raises `dunaia_env.support.reading.ReadingError` for a file that cannot be read, and `FieldError` for one that is
    not JSON, has another format or another version; the caller adds the file's name.
    """
    content = parse(reading.read_bytes(path, most))
    if not isinstance(content, dict):
        raise FieldError(f"expected a table of fields, got {messages.shorten(content)}")
    found = content.pop("format", None), content.pop("version", None)
    if found not in [(file_format, version) for version in versions]:
        expected = (file_format, versions[-1])
        raise FieldError(f"expected format and version {expected}, got {messages.shorten(found)}")
    return content, int(str(found[1]))


def build(kind: type[T], content: object) -> T:
    """Convert JSON data to an instance of a dataclass or named tuple.

    Fields may be 64-bit integers, finite numbers, `Measured` ones, texts, booleans, literals, other dataclasses and
    named tuples, tuples and dictionaries of these, None, and any JSON data (``Any``). Texts and keys of dictionaries
    are made `dunaia_env.support.messages.printable`, except inside ``Any``.

    Raises `FieldError` for anything else.
    """
    instance: T = convert(kind, content, "")
    return instance


def convert(kind: Any, value: object, where: str) -> Any:
    """Convert a JSON value to a type that a field can have, see `build`.

    Args:
        kind: the type.
        value: the JSON value.
        where: the path of the value in the data, for messages; empty for none.

    Raises `FieldError` for a value of another type.
    """
    return _converter(kind)(value, where)


def _wrong(value: object, where: str, needed: str) -> FieldError:
    return FieldError(f"{where + ': ' if where else ''}expected {needed}, got {messages.shorten(value)}")


@functools.cache
def _converter(kind: Any) -> Callable[[object, str], Any]:
    """The function that converts a JSON value with its path to a type."""
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return functools.partial(_record, kind, get_type_hints(kind, include_extras=True))
    if kind == Measured:
        return lambda value, where: math.nan if value is None else _number(value, where)
    if get_origin(kind) is Annotated:
        return _converter(get_args(kind)[0])
    if kind is Any:
        return lambda value, where: value
    if get_origin(kind) is Literal:
        return functools.partial(_literal, get_args(kind))
    if get_origin(kind) is dict:
        return functools.partial(_dictionary, get_args(kind)[1])
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        if inner[-1] is Ellipsis:
            return _integers if inner[0] is int else functools.partial(_items, inner[0])
        return functools.partial(_fixed, inner)
    if get_origin(kind) in (Union, types.UnionType):
        (inner_kind,) = (argument for argument in get_args(kind) if argument is not type(None))
        return lambda value, where: None if value is None else convert(inner_kind, value, where)
    return {int: _integer, float: _number, str: _text, bool: _boolean}[kind]


def _record(kind: Any, hints: dict[str, Any], value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(value, where, "a table of fields")
    inside = f"{where}." if where else ""
    for name in hints:
        if name not in value:
            raise FieldError(f"{inside}{name}: missing")
    for name in value:
        if name not in hints:
            raise FieldError(f"{inside}{messages.printable(name, 60)}: unknown; the fields are {', '.join(hints)}")
    return kind(**{name: convert(hint, value[name], f"{inside}{name}") for name, hint in hints.items()})


def _dictionary(kind: Any, value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(value, where, "a table of fields")
    inside = f"{where}." if where else ""
    found = {
        messages.printable(name): convert(kind, one, f"{inside}{messages.printable(name, 60)}")
        for name, one in value.items()
    }
    if len(found) < len(value):
        raise _wrong(list(value), where, "a table whose names differ in more than the way they are written")
    return found


def _literal(allowed: tuple[Any, ...], value: object, where: str) -> Any:
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        raise _wrong(value, where, f"one of {', '.join(map(repr, allowed))}")
    return value


def _items(kind: Any, value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(value, where, "a list")
    return tuple(convert(kind, one, f"{where}[{index}]") for index, one in enumerate(value))


def _integers(value: object, where: str) -> tuple[int, ...]:
    """A list of integers, checked quickly, because a game has hundreds of them."""
    if isinstance(value, list) and all(type(element) is int and abs(element) <= LARGEST_INTEGER for element in value):
        return tuple(value)
    return _items(int, value, where)


def _fixed(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) != len(kinds):
        raise _wrong(value, where, f"a list of {len(kinds)}")
    return tuple(
        convert(kind, one, f"{where}[{index}]") for index, (kind, one) in enumerate(zip(kinds, value, strict=True))
    )


def _integer(value: object, where: str) -> int:
    if type(value) is not int or abs(value) > LARGEST_INTEGER:
        raise _wrong(value, where, "a 64-bit integer")
    return value


def _number(value: object, where: str) -> float:
    if type(value) is int:
        return float(_integer(value, where))
    if type(value) is not float or not math.isfinite(value):
        raise _wrong(value, where, "a finite number")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        raise _wrong(value, where, f"a text of at most {MOST_CHARACTERS} characters")
    return messages.printable(value)


def _boolean(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, where, "true or false")
    return value
