"""What differs between operating systems: each function means the same on all of them.

Linux and macOS are POSIX systems and give every function all that it promises. What Windows lacks is said at the
function. No other module of the packages asks which system it runs on, or uses a name that not every system has.
"""

from __future__ import annotations

import importlib
import os
import platform
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, cast

import platformdirs

# The signals that ask a program to end: Ctrl-C, SIGTERM, and on Windows Ctrl-Break, the only one that a program there
# can send to a process of another group.
STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name))

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_WRITABLE_BY_OTHERS = 0o022
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def available_cores() -> int:
    """Number of processor cores that this process may use, at least 1; on some systems, all that the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    # From Python 3.13 on, the first one heeds limits on this process.
    count: int | None = getattr(os, "process_cpu_count", os.cpu_count)()
    return count or 1


def processor_name() -> str:
    """The name of the processor; in words for people, and empty where it is unknown."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def peak_memory() -> int | None:
    """The largest memory that this process has had so far, in bytes; None on Windows."""
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return cast(int, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def start_group(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: int | None = None,
    stdout: int | IO[Any] | None = None,
    stderr: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own, so that Ctrl-C at the terminal does not reach it.

    Args:
        command: program and arguments.
        env: the environment; None for that of this process.
        stdin: as for `subprocess.Popen`.
        stdout: as for `subprocess.Popen`.
        stderr: as for `subprocess.Popen`.
    """
    # Each system ignores what is meant for another one.
    return subprocess.Popen(
        command,
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process of `start_group` and all processes that it has started, and wait for its end.

    On Windows, processes whose parent has already ended stay alive.
    """
    if hasattr(os, "killpg"):
        # What it started stays in its group even after it has ended.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        with suppress(OSError):
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
        process.kill()
    process.wait()


def ask_to_end(process: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> None:
    """Send one of `STOP_SIGNALS` to a process of `start_group`; on Windows it gets Ctrl-Break, whatever the number."""
    process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", number))


def how_it_ended(status: int) -> str:
    """The exit status of a child process in words: ``exit status 3`` or ``signal SIGKILL``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:  # signals for programs' own purposes have no names
        return f"signal {-status}"


def exit_when_asked() -> None:
    """Let SIGTERM end this program as Ctrl-C does: with an exception, so that everything is closed."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)


def is_orphan(parent: int) -> bool:
    """Whether the process with this number, which started the present one, has ended; False on Windows."""
    return os.getppid() != parent


def end_with(parent: int) -> None:
    """End this process when its parent dies, whatever it does then, and let it be killed before the parent.

    This holds on Linux. Elsewhere nothing happens, and the process has to notice the end of its pipes by itself.

    Args:
        parent: the number of the process that started this one.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # If memory runs out, the kernel kills this process first.
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        if is_orphan(parent):
            raise SystemExit(1)


def user_folder(kind: Literal["cache", "data"]) -> Path | None:
    """The user's folder for what the project keeps; None if the user has no home folder.

    Args:
        kind: ``cache`` for what can be made again, ``data`` for all else.
    """
    find = platformdirs.user_cache_path if kind == "cache" else platformdirs.user_data_path
    try:
        path = find("dunaia_env", appauthor=False)
    except (OSError, RuntimeError, KeyError):  # there is neither HOME nor an entry in the list of users
        return None
    # Older versions of platformdirs then answer with a path that begins with "~".
    return path if path.is_absolute() else None


def make_private_folder(path: Path, *, exist_ok: bool = False) -> None:
    """Make a folder that only the user can enter, and the folders above it that are missing.

    On Windows, Python 3.12 gives it the rights of the folder above. Raises `OSError`, among others `FileExistsError` if
    the folder exists and that is not allowed.
    """
    path.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=exist_ok)


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file for bytes; if it is made, only the user can read and write it.

    On Windows the file has the rights of its folder.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, _PRIVATE_FILE)

    return cast(BinaryIO, open(path, mode, opener=opener))


def is_guarded(folder: Path) -> bool:
    """Whether a folder, and no link to one, belongs to the user and nobody else can write into it.

    True on Windows, where folders of users are closed to others unless somebody opens them. Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return True
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return is_own and not status.st_mode & _WRITABLE_BY_OTHERS


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable; does nothing on Windows, which cannot be told to. Raises `OSError`."""
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def has_no_reader(streams: Iterable[IO[str]]) -> bool:
    """Whether nobody reads one of these pipes any more; True on Windows, where that cannot be told."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    for stream in streams:
        with suppress(OSError, ValueError):
            poll.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def has_screen() -> bool:
    """Whether windows can be shown to the user."""
    return not sys.platform.startswith("linux") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def edit_lines() -> None:
    """Let the user edit lines of input at the terminal and recall earlier ones; the terminals of Windows always do."""
    with suppress(ImportError):
        importlib.import_module("readline")
