"""The cache of compiled kernels, which never runs stale or untrusted machine code.

Numba does not notice edits in functions that a kernel calls in other files, and stale machine code would play by old
rules. The name of the cache folder is therefore a hash of all engine sources, of the versions of the compiler and its
libraries, and of the settings that affect machine code. Numba unpickles the cached files, so the folder must belong to
the user and be writable by nobody else.

The cache is in the first usable one of ``DUNAIA_ENV_CACHE_DIR``, the user's cache folder and the virtual environment.
If none is usable, a temporary folder serves this process and its children. If the user sets ``NUMBA_CACHE_DIR``, that
folder is used as it is if it can be written, and the user is responsible for its freshness and safety. A compilation
says where its result is kept and for how long, and which folder of these variables could not be used.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator

from dunaia_env.support import linking, messages, system

CACHE_VARIABLE = "DUNAIA_ENV_CACHE_DIR"
NUMBA_VARIABLE = "NUMBA_CACHE_DIR"
# With the value 1, numba compiles every kernel in its own way (see `linking`): slower, without undocumented parts.
PLAIN_VARIABLE = "DUNAIA_ENV_PLAIN_NUMBA"
LINKS = os.environ.get(PLAIN_VARIABLE) != "1"

# The folder of a game on which no kernel depends: pictures and wordings, which can change without a new compilation.
PRESENTATION = "presentation"

_PACKAGE = Path(__file__).parents[1]
# Numba's settings that affect machine code but not the name under which numba caches it.
_SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")
# Marks a folder that is removed at the end of the process that made it.
_TEMPORARY = "temporary"


def engine_sources() -> list[Path]:
    """The source files that determine what the kernels compute."""
    # The folder of the harness's kernels and the folder of every game have a file of this name.
    folders = [path.parent for path in _PACKAGE.rglob("entry_points.py")]
    shown = {path for folder in folders for path in (folder / PRESENTATION).rglob("*.py")}
    sources = {path for folder in folders for path in folder.rglob("*.py")} - shown
    return sorted([_PACKAGE / "support" / "linking.py", *sources])


def engine_hash() -> str:
    """16 hexadecimal digits that identify the engine's sources, the compiler and the processor."""
    digest = hashlib.sha256()
    for path in engine_sources():
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    settings = [str(getattr(numba.config, name, None)) for name in _SETTINGS] + ["linked" if LINKS else "plain"]
    versions = numba.__version__, np.__version__, sys.version_info[:3]
    digest.update(f"{versions} {settings} {llvmlite.binding.get_host_cpu_name()}".encode())
    return digest.hexdigest()[:16]


def _candidate_folders() -> Iterator[Path]:
    """Folders that may hold the caches of all versions of the engine, in order of preference."""
    if os.environ.get(CACHE_VARIABLE):
        yield Path(os.environ[CACHE_VARIABLE]).absolute()
    if user_cache := system.user_folder("cache"):
        yield user_cache
    if sys.prefix != sys.base_prefix:
        yield Path(sys.prefix) / "cache" / "dunaia_env"


def _refusal(folder: Path) -> str | None:
    """Why a folder, created if it is missing, cannot be written; None if it can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or messages.reason(error)


def unusable_folders() -> list[str]:
    """A sentence for each folder that the user's variables name but that is not the cache's."""
    found = []
    for variable, named in _NAMED.items():
        folder = Path(named).absolute()
        if FOLDER in (folder, folder / engine_hash()):
            break  # the first folder that can be used is the cache's
        why = _refusal(folder) or "it must belong to you, and nobody else may write into it"
        found.append(f"{variable}: {messages.printable(str(folder))} cannot be used ({why})")
    return found


def is_kept() -> bool:
    """Whether the folder of the machine code can be written and outlives this process."""
    return not (FOLDER.parent / _TEMPORARY).exists() and _refusal(FOLDER) is None


def _is_private(folder: Path) -> bool:
    """Whether a folder, created if it is missing, belongs to the user and only the user can write into it."""
    try:
        system.make_private_folder(folder, exist_ok=True)
        if not system.is_guarded(folder):
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path:
    """The folder of the present engine's machine code; the module's docstring says how it is chosen."""
    if (own := os.environ.get(NUMBA_VARIABLE)) and _refusal(Path(own)) is None:
        return Path(own).absolute()
    name = engine_hash()
    for parent in _candidate_folders():
        # The parent is checked too, because anybody who can write into it could replace the folder after the check.
        if _is_private(parent) and _is_private(parent / name):
            return parent / name
    return _temporary_folder() / name


def _temporary_folder() -> Path:
    """A folder with an unpredictable name for this process and its children, removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="dunaia_env-"))
    (folder / _TEMPORARY).touch()
    os.environ[CACHE_VARIABLE] = str(folder)
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


Step = Callable[[], object]

# The folders that the user's variables name, in order of preference.
_NAMED = {name: os.environ[name] for name in (NUMBA_VARIABLE, CACHE_VARIABLE) if os.environ.get(name)}
FOLDER: Path = cache_folder()
COMPILES = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]

# Why machine code could not be cached; empty if all of it was.
_failures: list[str] = []


class _OwnFolderOnly(CompileResultCacheImpl):
    """Numba's cache in the project's folder only: beside the sources, numba would find machine code of old rules."""

    _locator_classes = [UserProvidedCacheLocator]  # noqa: RUF012  (numba's own type)


class _OptionalCache(FunctionCache):
    """A cache whose failures are not errors: a full disk or a damaged file only costs another compilation."""

    _impl_class = _OwnFolderOnly

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for a signature; None if it must be compiled."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # unpickling a damaged file can raise anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache machine code if it can be written."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except Exception as error:  # numba first reads the index, and unpickling a damaged one can raise anything
            if not _failures:
                print(
                    f"dunaia_env: compiled code cannot be cached in {FOLDER} ({messages.reason(error)});"
                    " the next process will compile it again",
                    file=sys.stderr,
                )
            _failures.append(messages.reason(error))


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call for each combination of argument types, and cache the machine code.

    Kernels release the global interpreter lock. With ``NUMBA_DISABLE_JIT=1`` the function itself is returned.
    """
    return _compiled(function, any_order=False)


def any_order_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, for functions whose sums of floating-point numbers may be computed in any order.

    They are several times as fast, and round differently on different processors: not for anything that has to be the
    same on every machine.
    """
    return _compiled(function, any_order=True)


def _compiled(function: Callable[..., Any], *, any_order: bool) -> Any:
    if not COMPILES:
        return function
    compiled: Any = (linking.Kernel if LINKS else linking.plain_kernel)(function, any_order=any_order)
    compiled._cache = _cache_of(function) or compiled._cache
    return compiled


def _cache_of(function: Callable[..., Any]) -> Any:
    """The cache of a function's machine code; None if no folder can hold it."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(FOLDER)
    try:
        return _OptionalCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        _failures.append("no folder")
        return None
    finally:
        settings.CACHE_DIR = before


def c_function(arguments: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with C's calling convention, which returns an int64, on the first access to its address.

    Args:
        arguments: the types of its arguments, separated by commas: ``int64``, ``voidptr``.

    With ``NUMBA_DISABLE_JIT=1`` the function itself is returned.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        return linking.CFunction(function, f"int64({arguments})", _cache_of, linked=LINKS) if COMPILES else function

    return decorate


def _marker(group: str) -> Path:
    """The file that marks a group of functions as compiled."""
    # Numba's cache depends on the path of the source files.
    path_hash = hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:16]
    return FOLDER / f"compiled-{group}-{engine_hash()}-{path_hash}"


def is_compiled(group: str) -> bool:
    """Whether a group of functions of the present engine is compiled, or compilation is disabled."""
    return not COMPILES or _marker(group).exists()


def compile_now(group: str, what: str, steps: Sequence[Step], helper: Sequence[str]) -> None:
    """Compile a group of functions, report the progress on standard error, and mark the group as compiled.

    If there is a second core, a second process runs the same steps from the last to the first. From where the two
    meet, each finds in the cache what the other has compiled, however long the steps take.

    Args:
        group: the group's name.
        what: what is compiled, for the message to the user.
        steps: functions that each compile one or several functions.
        helper: the command that runs the steps in a second process, the last one first.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for sentence in unusable_folders():
        console.print(f"dunaia_env: {sentence}", markup=False)
    if is_kept():
        place = f"once for this machine; cached in {FOLDER}"
    else:
        place = (
            f"for this process and its children only, because no folder can keep the result; set {CACHE_VARIABLE} to a"
            " folder of your own"
        )
    console.print(f"dunaia_env: compiling {what}, {place}", markup=False)
    begin = time.perf_counter()
    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    process = None
    # In a frozen application, `sys.executable` is the application itself.
    if system.available_cores() > 1 and sys.executable and not getattr(sys, "frozen", False):
        silent: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        with suppress(OSError):
            process = subprocess.Popen(helper, **silent)
    try:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("", total=len(steps))
            for step in steps:
                step()
                progress.advance(task)
    finally:
        if process is not None:
            process.kill()
            process.wait()
    console.print(f"dunaia_env: compiled in {time.perf_counter() - begin:.0f} s")
    if not _failures:
        _marker(group).touch()
