"""JSON data as dataclasses: what fields can be, and what is said of those that are something else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pytest

from dunaia_env.support.typed_json import FieldError, Measured, build, convert

pytestmark = pytest.mark.once


@dataclass(frozen=True)
class Inner:
    number: int


@dataclass(frozen=True)
class Outer:
    kind: Literal["on", "off", 1]
    names: dict[str, str]
    inner: dict[str, Inner]
    anything: dict[str, Any]
    words: tuple[str, ...] | None


WHOLE: dict[str, Any] = {
    "kind": "on",
    "names": {"a": "b\x1b"},
    "inner": {"first": {"number": 1}},
    "anything": {"deep": [{"x": 10**40}]},
    "words": None,
}


def test_fields_become_what_they_say() -> None:
    names, inner, anything = {"a": "b\\x1b"}, {"first": Inner(1)}, {"deep": [{"x": 10**40}]}
    assert build(Outer, WHOLE) == Outer("on", names, inner, anything, None)
    assert build(Outer, WHOLE | {"kind": 1, "words": ["a"]}) == Outer(1, names, inner, anything, ("a",))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "perhaps"}, "kind: expected one of 'on', 'off', 1, got 'perhaps'"),
        ({"kind": True}, "kind: expected one of 'on', 'off', 1, got True"),
        ({"kind": []}, r"kind: expected one of .*, got \[\]"),
        ({"names": {"a": 1}}, r"names\.a: expected a text of at most.*, got 1"),
        ({"names": ["a"]}, r"names: expected a table of fields, got \['a'\]"),
        ({"inner": {"first\n": {"number": 0.5}}}, r"inner\.first\\n\.number: expected a 64-bit integer, got 0\.5"),
        ({"anything": 5}, "anything: expected a table of fields, got 5"),
        ({"words": [None]}, r"words\[0\]: expected a text.*, got None"),
    ],
)
def test_what_is_something_else_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FieldError, match=f"^{message}"):
        build(Outer, WHOLE | change)


def test_a_value_alone() -> None:
    assert convert(tuple[int, ...], [1, 2], "players") == (1, 2)
    with pytest.raises(FieldError, match=r"^players\[1\]: expected a 64-bit integer, got 'x'$"):
        convert(tuple[int, ...], [1, "x"], "players")


class Interval(NamedTuple):
    value: float
    low: Measured


def test_only_a_measured_number_may_be_null() -> None:
    assert build(Interval, {"value": 1, "low": 0.5}) == Interval(1.0, 0.5)
    assert math.isnan(build(Interval, {"value": 1, "low": None}).low)
    with pytest.raises(FieldError, match=r"^value: expected a finite number, got None"):
        build(Interval, {"value": None, "low": 0.5})
