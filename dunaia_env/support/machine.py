"""The environment of measurements: the machine, the libraries and the commit."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dunaia_env.support import system
from dunaia_env.support.version import __version__

LIBRARIES = ("numpy", "numba", "torch", "safetensors")


def machine() -> dict[str, Any]:
    """The processor's name, the number of cores and the operating system."""
    return {
        "processor": system.processor_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def library_versions(*others: str) -> dict[str, str]:
    """Versions of Python, of the libraries that affect results, and of further libraries if they are installed."""
    versions = {"python": platform.python_version(), "dunaia-env": __version__}
    for name in (*LIBRARIES, *others):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


@cache
def git_commit() -> str | None:
    """The commit of the checkout, with ``+changes`` if files differ from it; None outside a repository.

    It is determined once per process, because the running code is that of the process's start.
    """

    def git(*words: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", Path(__file__).name)  # fails for an installed library
        commit = git("rev-parse", "HEAD")
        return commit + ("+changes" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return None
