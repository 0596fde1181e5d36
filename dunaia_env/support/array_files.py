"""Files of named arrays and a JSON header, such as models and checkpoints.

The files are in the safetensors format: the arrays by name, and the header as JSON in the metadata. Nothing in them is
ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, numpy as safetensors

from dunaia_env.support import atomic, messages, reading

MOST_BYTES = 2**30
HEADER_KEY = "header"
CHECKSUM = "checksum"
_LENGTH_BYTES = 8

Arrays = dict[str, NDArray[Any]]


class ArrayFileError(ValueError):
    """A file of arrays that cannot be used; the message names the file, the field and what was expected."""


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Write arrays and a JSON header atomically as one safetensors file."""
    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    atomic.write_bytes(path, safetensors.save(contiguous, metadata={HEADER_KEY: json.dumps(header)}))


def read_arrays(
    path: str | os.PathLike[str], *, kind: str, schema: int, oldest: int = 1, most_bytes: int = MOST_BYTES
) -> tuple[Arrays, dict[str, Any]]:
    """Read the arrays and the header of a file that `write_arrays` wrote.

    Args:
        path: the file.
        kind: the required ``format`` of the header.
        schema: the newest schema that the caller understands.
        oldest: the oldest schema that the caller understands.
        most_bytes: size of the largest file that is read.

    Raises `ArrayFileError` for a file that is missing or damaged, or has another format or schema.
    """
    try:
        with reading.open_file(path, most_bytes) as file:
            content = file.read()
        arrays = safetensors.load(content)
        length = int.from_bytes(content[:_LENGTH_BYTES], "little")
        metadata = json.loads(content[_LENGTH_BYTES : _LENGTH_BYTES + length])["__metadata__"]
        header = json.loads(metadata[HEADER_KEY])
        file_format, file_schema = header["format"], header["schema"]
        if type(file_schema) is not int:
            raise TypeError(f"schema {messages.shorten(file_schema)}")
    except reading.ReadingError as error:
        raise ArrayFileError(f"{path}: {error}") from error
    except OSError as error:
        raise ArrayFileError(f"{path}: cannot be read: {messages.reason(error)}") from error
    except (SafetensorError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        what = f"{type(error).__name__}: {messages.reason(error)}"
        raise ArrayFileError(f"{path}: damaged, or not a file of this project ({what})") from error
    if file_format != kind:
        raise ArrayFileError(f"{path}: expected format {kind!r}, got {messages.shorten(file_format)}")
    if not oldest <= file_schema <= schema:
        other = "a newer one" if file_schema > schema else "an older one"
        readable = f"this version reads {oldest}..{schema}, expected {other}"
        raise ArrayFileError(f"{path}: schema {messages.shorten(file_schema)}; {readable}")
    return arrays, header


def checksum_of(arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> str:
    """A hash of all that a file holds, except the checksum in its header; for data in which no change would show."""
    kept = {name: value for name, value in header.items() if name != CHECKSUM}
    # In the form in which the header is read again: with lists in place of tuples.
    content = hashlib.sha256(json.dumps(json.loads(json.dumps(kept)), sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        content.update(json.dumps([name, array.dtype.str, arrays[name].shape]).encode())
        content.update(array.data if array.size else b"")
    return content.hexdigest()


def check_checksum(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Raise `ArrayFileError` unless a file holds what its checksum says."""
    if header.get(CHECKSUM) != checksum_of(arrays, header):
        raise ArrayFileError(f"{path}: damaged: what it holds and its checksum differ")


def check_hashes(path: str | os.PathLike[str], header: Mapping[str, Any], expected: Mapping[str, str]) -> None:
    """Raise `ArrayFileError` naming every hash in which a header differs from what is expected."""
    wrong = [
        f"{name} {messages.shorten(header.get(name))} (here {value!r})"
        for name, value in expected.items()
        if header.get(name) != value
    ]
    if wrong:
        message = f"{path}: made for another game, or another version of the game: {', '.join(wrong)}"
        if header.get("observation_hash") != expected.get("observation_hash", header.get("observation_hash")):
            message += "; what a network sees in this version is not what these weights were trained with"
        raise ArrayFileError(message)
