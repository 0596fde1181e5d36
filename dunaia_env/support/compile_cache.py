"""Where compiled kernels are kept, so that neither stale nor foreign machine code is ever run.

Numba does not notice an edit in a helper of another file, and old machine code would mean old rules. The cache folder
is therefore named by a hash of every engine source, of the versions that compile them and of the settings that change
machine code. Numba unpickles what lies there, so the folder must belong to the user and be writable by nobody else.

The places that are tried in turn: ``DUNAIA_ENV_CACHE_DIR``, the user's cache folder, the virtual environment. Where
none of them will do, a temporary folder serves this process and its children. A user's own ``NUMBA_CACHE_DIR`` is taken
as it is; then freshness and safety are the user's business.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
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
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator

from dunaia_env.support.linking import CFunction, Kernel
from dunaia_env.support.messages import reason

CACHE_VARIABLE = "DUNAIA_ENV_CACHE_DIR"

_PACKAGE = Path(__file__).parents[1]
# Settings of numba that change machine code without changing the name under which numba keeps it.
_SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")
_PRIVATE = 0o700
_WRITABLE_BY_OTHERS = 0o022
# A helper that takes longer is stopped, and what it has not compiled is compiled here.
_MOST_SECONDS_OF_A_HELPER = 300


def engine_sources() -> list[Path]:
    """The files whose content decides what the kernels compute."""
    # The harness's compiled loops and every game have such a file.
    folders = (path.parent for path in _PACKAGE.rglob("entry_points.py"))
    return sorted([_PACKAGE / "support" / "linking.py", *(path for folder in folders for path in folder.rglob("*.py"))])


def engine_hash() -> str:
    """16 hexadecimal digits that name the engine's sources and what they are compiled with and for."""
    digest = hashlib.sha256()
    for path in engine_sources():
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    settings = [str(getattr(numba.config, name, None)) for name in _SETTINGS]
    versions = numba.__version__, np.__version__, sys.version_info[:3]
    digest.update(f"{versions} {settings} {llvmlite.binding.get_host_cpu_name()}".encode())
    return digest.hexdigest()[:16]


def _places() -> Iterator[Path]:
    """Folders that may hold the caches of all versions of the engine, the best first."""
    if os.environ.get(CACHE_VARIABLE):
        yield Path(os.environ[CACHE_VARIABLE]).absolute()
    try:
        user_cache = platformdirs.user_cache_path("dunaia_env", appauthor=False)
    except (OSError, RuntimeError, KeyError):  # neither HOME nor an entry in the table of users
        pass
    else:
        # Without a home folder the path may begin with "~".
        if user_cache.is_absolute():
            yield user_cache
    if sys.prefix != sys.base_prefix:
        yield Path(sys.prefix) / "cache" / "dunaia_env"


def _is_private(folder: Path) -> bool:
    """Whether a folder, made if it is missing, is the user's own and takes files from nobody else."""
    try:
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        if hasattr(os, "geteuid"):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                return False
            if status.st_mode & _WRITABLE_BY_OTHERS:
                return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path:
    """The folder of the present engine's machine code; see the module for how it is chosen."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"]).absolute()
    name = engine_hash()
    for place in _places():
        # Whoever can write into the place could exchange the folder after it was checked.
        if _is_private(place) and _is_private(place / name):
            return place / name
    return _temporary_folder() / name


def _temporary_folder() -> Path:
    """A folder with an unpredictable name for this process and its children, removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="dunaia_env-"))
    os.environ[CACHE_VARIABLE] = str(folder)
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


Step = Callable[[], object]

FOLDER: Path = cache_folder()
COMPILES = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]

# Whether machine code could not be written, so that the next process has to compile again.
_refused: list[str] = []


class _InOurFolder(CompileResultCacheImpl):
    """Numba's cache without its other places: beside the sources it would find machine code of former rules."""

    _locator_classes = [UserProvidedCacheLocator]  # noqa: RUF012  (numba's own type)


class _OptionalCache(FunctionCache):
    """A cache without which play begins later but as well: a full disk or a damaged file costs a compilation."""

    _impl_class = _InOurFolder

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for a signature, None where it must be compiled."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # whatever unpickling half a file raises
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code if the disk allows it."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except Exception as error:  # reading a damaged index comes first
            if not _refused:
                print(
                    f"dunaia_env: compiled code cannot be kept in {FOLDER} ({reason(error)});"
                    " the next process will have to compile it again",
                    file=sys.stderr,
                )
            _refused.append(reason(error))


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call for each combination of argument types, and keep the machine code.

    Kernels let other threads run. With ``NUMBA_DISABLE_JIT=1`` the function itself is returned.
    """
    if not COMPILES:
        return function
    compiled: Any = Kernel(function)
    compiled._cache = _cache_of(function) or compiled._cache
    return compiled


def _cache_of(function: Callable[..., Any]) -> Any:
    """The cache of a function's machine code; None, and numba compiles without one, where there is no place for it."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(FOLDER)
    try:
        return _OptionalCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:
        _refused.append("no place")
        return None
    finally:
        settings.CACHE_DIR = before


def c_function(arguments: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function to one with C's calling convention, which returns an int64, when its address is first asked.

    Args:
        arguments: their types, separated by commas: ``int64``, ``voidptr``.

    With ``NUMBA_DISABLE_JIT=1`` the function itself is returned.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        return CFunction(function, f"int64({arguments})", _cache_of) if COMPILES else function

    return decorate


def _marker(group: str) -> Path:
    # Numba keeps the machine code of each copy of a source file apart, by its path.
    place = hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:16]
    return FOLDER / f"compiled-{group}-{engine_hash()}-{place}"


def is_compiled(group: str) -> bool:
    """Whether a group of functions of the present engine was compiled before (or runs without compilation)."""
    return not COMPILES or _marker(group).exists()


def _processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_now(group: str, what: str, steps: Sequence[Step], others: Sequence[Step], helper: Sequence[str]) -> None:
    """Compile a group of functions, tell on standard error what happens, and note that it is done.

    Args:
        group: its name.
        what: is compiled, for the user to read.
        steps: each compiles one function or several.
        others: as well, meanwhile in a second process, if there is a second processor.
        helper: the command that makes the other steps in a process of its own. If it fails, they are made here.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"dunaia_env: compiling {what}, once for this machine; kept in {FOLDER}", markup=False)
    begin = time.perf_counter()
    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    process = None
    # Of a frozen application, `sys.executable` is the application itself.
    if _processors() > 1 and sys.executable and not getattr(sys, "frozen", False):
        silent: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        with suppress(OSError):
            process = subprocess.Popen(helper, **silent)
    try:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("", total=len(steps) + len(others))
            for step in steps:
                step()
                progress.advance(task)
            if process is not None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_MOST_SECONDS_OF_A_HELPER)
            for step in others:
                step()
                progress.advance(task)
    finally:
        if process is not None:
            process.kill()
            process.wait()
    console.print(f"dunaia_env: compiled in {time.perf_counter() - begin:.0f} s")
    if not _refused:
        _marker(group).touch()
