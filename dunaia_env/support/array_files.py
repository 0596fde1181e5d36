"""Files of named arrays and a JSON header: weights, checkpoints.

A file is in the safetensors format: the arrays by name, and the header as JSON in the metadata. Nothing in it is ever
executed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from dunaia_env.support import atomic
from dunaia_env.support.messages import reason, shorten
from dunaia_env.support.reading import ReadingError, open_file

MOST_BYTES = 2**30
HEADER_KEY = "header"
_LENGTH_BYTES = 8

Arrays = dict[str, NDArray[Any]]


class ArrayFileError(ValueError):
    """A file of arrays that cannot be used: the message names the file, the field and what was expected."""


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Write arrays and a JSON header as one safetensors file, whole or not at all."""
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    atomic.write_bytes(path, safetensors.save(whole, metadata={HEADER_KEY: json.dumps(header)}))


def read_arrays(
    path: str | os.PathLike[str], *, kind: str, schema: int, oldest: int = 1, most_bytes: int = MOST_BYTES
) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the header of a file that `write_arrays` wrote.

    Args:
        path: the file.
        kind: what its header's ``format`` must be.
        schema: the newest layout that the caller understands.
        oldest: the oldest one.
        most_bytes: size of the largest file that is read.

    Raises `ArrayFileError` for a file that is missing, damaged, of another kind or of another layout.
    """
    try:
        with open_file(path, most_bytes) as file:
            content = file.read()
        arrays = safetensors.load(content)
        length = int.from_bytes(content[:_LENGTH_BYTES], "little")
        metadata = json.loads(content[_LENGTH_BYTES : _LENGTH_BYTES + length])["__metadata__"]
        header = json.loads(metadata[HEADER_KEY])
        found, number = header["format"], header["schema"]
        if type(number) is not int:
            raise TypeError(f"schema {shorten(number)}")
    except ReadingError as error:
        raise ArrayFileError(f"{path}: {error}") from error
    except OSError as error:
        raise ArrayFileError(f"{path}: cannot be read: {reason(error)}") from error
    except (SafetensorError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        what = f"{type(error).__name__}: {reason(error)}"
        raise ArrayFileError(f"{path}: damaged, or not a file of this project ({what})") from error
    if found != kind:
        raise ArrayFileError(f"{path}: format {shorten(found)}; {kind!r} is needed")
    if not oldest <= number <= schema:
        other = "a newer one" if number > schema else "an older one"
        here = f"this version reads {oldest}..{schema}, {other} is needed"
        raise ArrayFileError(f"{path}: schema {shorten(number)}; {here}")
    return arrays, header


def check_hashes(path: str | os.PathLike[str], header: Mapping[str, Any], expected: Mapping[str, str]) -> None:
    """Raise `ArrayFileError` naming every hash in which a header differs from what is expected."""
    wrong = [
        f"{name} {shorten(header.get(name))} (here {value!r})"
        for name, value in expected.items()
        if header.get(name) != value
    ]
    if wrong:
        raise ArrayFileError(f"{path}: made for another version of the game: {', '.join(wrong)}")
