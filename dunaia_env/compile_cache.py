"""Where compiled kernels are kept, so that no stale machine code is ever run.

Numba does not notice an edit in a helper of another file, and old machine code would mean old rules. The cache folder
is therefore named by a hash of every engine source, the versions of numba and NumPy and the Python version. A user's
own ``NUMBA_CACHE_DIR`` is respected; then freshness is the user's business.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np

_PACKAGE = Path(__file__).parent
_TYPICAL_SECONDS = "20 to 60"


def engine_sources() -> list[Path]:
    """The files whose content decides what the kernels compute."""
    single = (_PACKAGE / name for name in ("advantages.py", "chance.py", "lane.py"))
    return sorted([*single, *(_PACKAGE / "dunaia").rglob("*.py")])


def engine_hash() -> str:
    """16 hexadecimal digits that name the engine's sources and the versions that compile them."""
    digest = hashlib.sha256()
    for path in engine_sources():
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(f"{numba.__version__} {np.__version__} {sys.version_info[:3]}".encode())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "dunaia_env"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def cache_folder() -> Path:
    """The folder of the present engine's machine code: the user's own, or one that its sources name."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    name = engine_hash()
    for base in (
        _user_cache(),
        Path(tempfile.gettempdir()) / f"dunaia_env-{os.getuid() if hasattr(os, 'getuid') else 0}",
    ):
        if _writable(base / name):
            return base / name
    return Path(tempfile.mkdtemp(prefix="dunaia_env-"))


@contextmanager
def engine_cache() -> Iterator[None]:
    """Kernels imported inside keep their machine code in `cache_folder`; numba's setting for others is untouched."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(FOLDER)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


FOLDER: Path = cache_folder()


def _marker() -> Path:
    # Numba keeps the machine code of each copy of a source file apart, by its path.
    place = hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:16]
    return FOLDER / f"compiled-{engine_hash()}-{place}"


def is_compiled() -> bool:
    """Whether the present engine was compiled before (or runs without compilation)."""
    settings: Any = numba.config
    return bool(settings.DISABLE_JIT) or _marker().exists()


@contextmanager
def announced_compilation() -> Iterator[None]:
    """Around the first compilation: tells on standard error what happens and how long it took, and marks it as done."""
    print(
        f"dunaia_env: compiling the game once for this machine ({_TYPICAL_SECONDS} s), kept in {FOLDER}",
        file=sys.stderr,
        flush=True,
    )
    begin = time.perf_counter()
    yield
    print(f"dunaia_env: compiled in {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    _marker().touch()
