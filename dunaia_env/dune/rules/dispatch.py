"""Kernels that call one of many functions by a number.

Compiled code calls only functions that it names, so the source of such a kernel, a chain of comparisons, is put
together from a table when the module is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.rules import (
    battle,
    battle_results,
    bidding,
    counting,
    harvest,
    karama,
    movement,
    nexus,
    plans,
    revival,
    setup,
    shipment,
    spice_blow,
    storm,
    tleilax,
    treachery,
    worms,
)
from dunaia_env.support.compile_cache import kernel

CHAPTERS: tuple[ModuleType, ...] = (
    *(setup, storm, spice_blow, worms, nexus, bidding, revival, shipment, movement, counting, battle, plans),
    *(battle_results, treachery, karama, tleilax, harvest),
)


def chapters_function(name: str) -> Callable[..., Any]:
    """The function of this name in the chapters of the rules."""
    found: list[Callable[..., Any]] = [vars(chapter)[name] for chapter in CHAPTERS if name in vars(chapter)]
    # A chapter that calls a function of another one has it too.
    if not found or any(function is not found[0] for function in found):
        raise NameError(f"expected one function {name} in the chapters of the rules, got {len(found)}")
    return found[0]


def dispatcher(
    name: str,
    arguments: str,
    functions: Mapping[int, Callable[..., Any]],
    number: str = "int(state.decision)",
    passed: str = "",
    otherwise: int | None = None,
) -> Any:
    """A kernel that calls the function of a number and returns its result.

    Args:
        name: the name of the kernel.
        arguments: its arguments.
        functions: the functions by number.
        number: the expression, of these arguments, that says which function is called; by default the decision that a
            state waits for.
        passed: the arguments that are passed to the function; all by default.
        otherwise: what the kernel returns if the number has no function.
    """
    lines = [f"def {name}({arguments}):", f"    number = {number}"]
    for choice in functions:
        lines += [f"    if number == {choice}:", f"        return function_{choice}({passed or arguments})"]
    lines.append(f"    return {otherwise}")
    names: dict[str, Any] = {f"function_{choice}": function for choice, function in functions.items()}
    names["__name__"] = __name__
    # Numba keeps the machine code under the name of a file that exists.
    exec(compile("\n".join(lines), __file__, "exec"), names)
    return kernel(names[name])


def of_decisions(name: str, arguments: str, prefix: str) -> Any:
    """A kernel that calls the function ``prefix_decision`` of the decision that a state waits for."""
    functions = {
        number: chapters_function(f"{prefix}_{decision.lower()}")
        for number, decision in enumerate(DECISIONS)
        if decision != "OVER"
    }
    return dispatcher(name, arguments, functions, otherwise=0)
