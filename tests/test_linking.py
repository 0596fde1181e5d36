"""What `dunaia_env.support.linking` relies on in numba: one version may change what no documentation promises."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import event

from dunaia_env.harness.compiled.entry_points import array_at, call
from dunaia_env.support.compile_cache import COMPILES, LINKS, any_order_kernel, c_function, kernel
from dunaia_env.support.linking import Kernel

pytestmark = pytest.mark.skipif(not COMPILES, reason="compilation is switched off")

PAIR = np.dtype((np.record, np.dtype([("first", np.int64), ("second", np.int64)])))


@kernel
def double(number):
    return 2 * number


@kernel
def fourfold(number):
    return double(double(number))


@kernel
def add_up(numbers, depth):
    total = fourfold(depth)
    for number in numbers:
        total += double(number)
    return total


@kernel
def product_less(one, other, rest):
    return one * other - rest


@any_order_kernel
def product_less_in_any_order(one, other, rest):
    return product_less(one, other, rest)


@kernel
def product_less_in_order(one, other, rest):
    return product_less(one, other, rest)


@kernel
def fail_below_zero(number):
    if number < 0:
        raise ValueError("below zero")
    return number


@kernel
def root_of_sum(numbers):
    return np.sqrt(fail_below_zero(numbers.sum()))


@c_function("voidptr, int64")
def exchange(pair, increase):
    record = array_at(pair, 1, PAIR)[0]
    first = int(record.first)
    record.first = record.second + fourfold(increase)
    record.second = first
    return int(record.first)


@kernel
def exchange_twice(address, pair):
    call(address, (pair, 1))
    return call(address, (pair, 10))


def test_kernels_call_each_other_and_are_called_from_python() -> None:
    assert [double(3), fourfold(3), add_up(np.arange(4), 1)] == [6, 12, 16]
    # Another type, of which compiled code asked before Python did, and the other way round.
    assert add_up(np.arange(4, dtype=np.float32), 0.25) == 13.0
    assert (fourfold(0.5), double(np.float32(0.5))) == (2.0, 1.0)


@pytest.mark.skipif(not LINKS, reason="numba compiles for every type")
@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_a_called_function_is_compiled_once_for_all_integers(kind: type) -> None:
    """Half of Dune's functions would otherwise be compiled again, for literals and for narrow integers."""

    # Kernels without a cache: what another process compiled would not be compiled here.
    def remainder(number: int, divisor: int) -> int:
        return number % divisor

    called = Kernel(remainder)

    def remainders(numbers: Any) -> int:
        return called(numbers[0], 3) + called(numbers[0], numbers[1]) + called(-7, numbers[1])

    assert Kernel(remainders)(np.array([11, 4], kind)) == 2 + 3 + 1
    (signature,) = called._inner.overloads
    assert signature == (numba.int64, numba.int64)


def test_a_function_that_compiled_code_calls_is_no_machine_code_of_its_own() -> None:
    """That is what saves the time; should numba make some after all, compiling takes four times as long."""
    made: list[str] = []

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            made.append(event.data["dispatcher"].py_func.__name__)

    @kernel
    def inner(number):
        return number + 1

    @kernel
    def outer(number):
        return inner(number) * inner(number + 1)

    with event.install_listener("numba:compile", Listener()):
        assert outer(1) == 6
    assert made == ["inner", "outer"]
    inner_code, outer_code = next(iter(inner._inner.overloads.values())), next(iter(outer.overloads.values()))
    engine = inner_code.library.codegen._engine
    assert not engine.is_symbol_defined(inner_code.fndesc.mangled_name)
    assert engine.is_symbol_defined(outer_code.fndesc.mangled_name)
    assert inner.overloads == {}


def test_a_kernel_rounds_alike_whatever_it_was_first_compiled_for() -> None:
    """A processor that multiplies and adds without rounding in between would find 2**-24 instead of 0."""
    numbers = np.float32(1 + 2**-12), np.float32(1 + 2**-12), np.float32(1 + 2**-11)
    product_less_in_any_order(*numbers)
    assert product_less_in_order(*numbers) == 0


def test_errors_come_through() -> None:
    assert root_of_sum(np.array([4, 5])) == 3.0
    with pytest.raises(ValueError, match="below zero"):
        root_of_sum(np.array([-4]))


def test_a_function_is_called_by_its_address() -> None:
    pair = np.array([(1, 2)], PAIR)
    assert exchange_twice(exchange.address, pair.view(np.uint8)) == 41
    assert pair[0].tolist() == (41, 6)
    called = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(exchange.address)
    assert called(pair.ctypes.data, 0) == 6


@c_function("voidptr, int64")
def entry_of_three(numbers, place):
    return int(array_at(numbers, 3, np.int64)[place])


@kernel
def look_up(address, numbers, place):
    return call(address, (numbers, place))


@pytest.mark.skipif(not numba.config.BOUNDSCHECK, reason="`make bounds` checks indices")
def test_an_index_out_of_bounds_in_an_entry_point_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """C has no exceptions: numba hands the error to `sys.unraisablehook`, where pytest makes a failure of it."""
    reported: list[type] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda problem: reported.append(problem.exc_type))
    numbers = np.arange(3)
    assert look_up(entry_of_three.address, numbers, 2) == 2
    assert reported == []
    look_up(entry_of_three.address, numbers, 3)
    assert reported == [IndexError]
