"""Compile many small functions that call each other faster than numba does by itself.

With ``DUNAIA_ENV_PLAIN_NUMBA=1``, numba compiles by itself.

Numba optimises each function together with everything that the function calls, and generates machine code for it. Then
it repeats this work in each caller, up to the function that Python calls. Here a function that is called from compiled
code is only translated to LLVM's intermediate representation. Linking, optimisation and code generation happen once, in
the functions that are called from outside: from Python, or by address. The results are the same.

The classes below replace undocumented parts of numba; `tests/test_linking.py` tests what they rely on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import compiler, sigutils, types
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher

OPTIONS = {"nopython": True, "nogil": True}


def options_of(*, any_order: bool) -> dict[str, Any]:
    """Numba's options for a kernel; with ``any_order``, sums of floating-point numbers may be computed in any order."""
    # Without the option, numba compiles a function as the one for whose sake it is compiled, and keeps the result.
    return OPTIONS | {"fastmath": {"reassoc", "contract"} if any_order else False}


def plain_kernel(function: Callable[..., Any], *, any_order: bool = False) -> CPUDispatcher:
    """A kernel that numba compiles in its own way, without this module."""
    return CPUDispatcher(function, targetoptions=options_of(any_order=any_order))


class _LinkedLibrary(JITCodeLibrary):
    """Code that is linked into its callers and is not optimised or turned into machine code by itself."""

    def add_linking_library(self, library: Any) -> None:
        """Add a library that this code calls, and the libraries that it calls in turn."""
        super().add_linking_library(library)
        if isinstance(library, _LinkedLibrary):
            self._linking_libraries.extend(library._linking_libraries)

    def finalize(self) -> None:
        """Mark the library as complete: nothing can be added to it."""
        self._sort()
        self._finalized = True

    def _sort(self) -> None:
        """Keep each library once, after all that call it: the linker takes only what has been called so far."""
        # Every mention of a library is followed by the libraries that it calls, so the last mentions are in this order.
        self._linking_libraries = list(dict.fromkeys(reversed(self._linking_libraries)))[::-1]


class _EntryLibrary(_LinkedLibrary):
    """Machine code that can be called from outside, with everything that it calls linked in."""

    def finalize(self) -> None:
        """Link, optimise and generate machine code."""
        self._sort()
        JITCodeLibrary.finalize(self)


class _Compiler(_FunctionCompiler):
    """Compiles a function for callers in compiled code if ``linked`` is true, otherwise for callers from outside."""

    linked = False

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cfunc_wrapper = True
        if self.linked:
            flags.no_cpython_wrapper = True
            flags.no_compile = True
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        context = self.targetdescr.target_context
        kind = _LinkedLibrary if self.linked else _EntryLibrary
        library = kind(context.codegen(), self.py_func.__qualname__)
        if not self.linked:
            library.enable_object_caching()
        result = compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=self._customize_flags(flags),
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )
        if self.linked:
            # The key by which callers find the function.
            result = result._replace(entry_point=object())
            context.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


class _LinkedCompiler(_Compiler):
    linked = True


class _EntryCompiler(_Compiler):
    """Compiles a function with C's calling convention."""

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = False
        flags.no_compile = True
        return flags


def _widened(argument: Any) -> Any:
    """The type as which a linked function takes an argument of a type: each function is compiled for int64 only.

    Numba would compile it once for each width of integer and each literal. It computes with int64 anyway.
    """
    argument = types.unliteral(argument)
    return types.int64 if isinstance(argument, types.Integer) and argument.signed else argument


class _Inner(CPUDispatcher):
    """Dispatches the calls of a function that come from compiled code."""

    def add_overload(self, cres: Any) -> None:
        """Keep a compiled overload; Python cannot call it."""
        self.overloads[tuple(cres.signature.args)] = cres


class Kernel(CPUDispatcher):
    """A function that can be called from Python and from compiled code; it runs without the global interpreter lock.

    Args:
        function: the function.
        any_order: whether sums of floating-point numbers may be computed in any order.
    """

    def __init__(self, function: Callable[..., Any], *, any_order: bool = False) -> None:
        options = options_of(any_order=any_order)
        super().__init__(function, targetoptions=options)
        self._compiler = _Compiler(function, self.targetdescr, options, {}, compiler.Compiler)
        self._inner = _Inner(function, targetoptions=options)
        self._inner._compiler = _LinkedCompiler(function, self.targetdescr, options, {}, compiler.Compiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template that numba uses for a call from compiled code."""
        widened = {name: _widened(argument) for name, argument in dict(kws).items()}
        return self._inner.get_call_template(tuple(_widened(argument) for argument in args), widened)

    def get_overload(self, sig: Any) -> Any:
        """The key by which compiled code finds the function."""
        return self._inner.get_overload(sig)


class CFunction:
    """A function with C's calling convention and an address in memory.

    Args:
        function: the function to compile.
        signature: its signature in numba's notation.
        cache_of: returns the cache of a function's machine code, or None.
        linked: whether the kernels that it calls are `Kernel`s; otherwise they are plain numba's.
    """

    def __init__(
        self, function: Callable[..., Any], signature: str, cache_of: Callable[..., Any], *, linked: bool = True
    ) -> None:
        self._function, self._signature, self._cache_of, self._linked = function, signature, cache_of, linked
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """The address of the machine code; the function is compiled, or loaded from the cache, on the first access."""
        if self._compiled is None:
            compiled: Any = CFunc(self._function, sigutils.normalize_signature(self._signature), {}, OPTIONS)
            if self._linked:
                target = compiled._targetdescr
                compiled._compiler = _EntryCompiler(self._function, target, OPTIONS, {}, compiler.Compiler)
            compiled._cache = self._cache_of(self._function) or compiled._cache
            compiled.compile()
            self._compiled = compiled
        return int(self._compiled.address)
