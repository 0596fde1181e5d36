"""Compile many small functions that call each other in a quarter of the time that numba takes for it.

Numba optimises each function together with everything that it calls and makes machine code of it, then does so again in
each of its callers, and so on up to the function that Python calls. Here a function that compiled code calls is only
translated; linking, optimising and making machine code happen once, in the functions that are called from outside:
from Python, or by their address. What they compute is the same.

The classes below replace parts of numba that its documentation does not describe; `tests/test_linking.py` holds what
they rely on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import compiler, sigutils
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher

OPTIONS = {"nopython": True, "nogil": True}


class _LinkedLibrary(JITCodeLibrary):
    """Code that is only linked into what calls it, which saves optimising it and making machine code of it here too."""

    def add_linking_library(self, library: Any) -> None:
        """Add code that this code calls, and what that calls in turn."""
        super().add_linking_library(library)
        if isinstance(library, _LinkedLibrary):
            self._linking_libraries.extend(library._linking_libraries)

    def finalize(self) -> None:
        """Nothing can be added any more."""
        self._finalized = True


class _EntryLibrary(_LinkedLibrary):
    """Machine code that can be called from outside, with all that it calls."""

    def finalize(self) -> None:
        """Link, optimise and make machine code."""
        JITCodeLibrary.finalize(self)


class _Compiler(_FunctionCompiler):
    """Compiles a function for callers in compiled code (linked), or for others."""

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


class _Inner(CPUDispatcher):
    """A function as compiled code calls it."""

    def add_overload(self, cres: Any) -> None:
        """Keep what was compiled; Python cannot call it."""
        self.overloads[tuple(cres.signature.args)] = cres


class Kernel(CPUDispatcher):
    """A function that Python and compiled code call, without holding the lock of the interpreter."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=OPTIONS)
        self._compiler = _Compiler(function, self.targetdescr, OPTIONS, {}, compiler.Compiler)
        self._inner = _Inner(function, targetoptions=OPTIONS)
        self._inner._compiler = _LinkedCompiler(function, self.targetdescr, OPTIONS, {}, compiler.Compiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What a call in compiled code refers to."""
        return self._inner.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """The key of the function for compiled code."""
        return self._inner.get_overload(sig)


class CFunction:
    """A function with C's calling convention and an address in memory.

    Args:
        function: to compile.
        signature: as numba writes it.
        cache_of: the cache of a function's machine code, or None.
    """

    def __init__(self, function: Callable[..., Any], signature: str, cache_of: Callable[..., Any]) -> None:
        self._function, self._signature, self._cache_of = function, signature, cache_of
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """Where the machine code begins; compiles the function, or loads what was compiled before."""
        if self._compiled is None:
            compiled: Any = CFunc(self._function, sigutils.normalize_signature(self._signature), {}, OPTIONS)
            compiled._compiler = _EntryCompiler(self._function, compiled._targetdescr, OPTIONS, {}, compiler.Compiler)
            compiled._cache = self._cache_of(self._function) or compiled._cache
            compiled.compile()
            self._compiled = compiled
        return int(self._compiled.address)
