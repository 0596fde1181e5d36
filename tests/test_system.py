"""One module knows what differs between operating systems, and no other uses what some of them lack."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dunaia_env.support import machine, system
from tests.clocks import HANGS, until
from tests.other_systems import not_everywhere, systems_of

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("dunaia_env", "agents", "training")
# The one module.
SYSTEM = ROOT / "dunaia_env" / "support" / "system.py"

# What tells systems apart, and what is on all systems but means nothing, or fails, on some.
OF_SYSTEMS = {
    ("sys", "platform"),
    ("os", "name"),
    ("os", "umask"),
    ("os", "chmod"),
    ("stat", "S_IMODE"),
}
METHODS = {"chmod", "lchmod", "add_signal_handler", "st_uid", "st_gid"}
ARGUMENTS = {"start_new_session", "process_group", "preexec_fn", "pass_fds", "creationflags", "startupinfo", "dir_fd"}
# On Windows, only sockets can be waited for with these; what C functions there are differs everywhere.
MODULES = {"select", "selectors", "ctypes"}
PLACES = ("/proc/", "/dev/", "/sys/", "/etc/", "/tmp/", "/var/")


def uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of whatever some systems lack."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name.partition(".")[0]
                modules[alias.asname or name] = name
                if name in MODULES or len(systems_of(name)) < 3:
                    yield node.lineno, name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module in MODULES or len(systems_of(node.module)) < 3:
                yield node.lineno, node.module
            for alias in node.names:
                if alias.name in not_everywhere(node.module) or (node.module, alias.name) in OF_SYSTEMS:
                    yield node.lineno, f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            module = modules.get(node.value.id, "") if isinstance(node.value, ast.Name) else ""
            if node.attr in METHODS or node.attr in not_everywhere(module) or (module, node.attr) in OF_SYSTEMS:
                yield node.lineno, f"{module}.{node.attr}"
        elif isinstance(node, ast.Call):
            yield from ((node.lineno, str(keyword.arg)) for keyword in node.keywords if keyword.arg in ARGUMENTS)
            match node:
                case ast.Call(
                    func=ast.Name(id="getattr" | "hasattr"), args=[ast.Name(id=held), ast.Constant(name), *_]
                ):
                    if name in not_everywhere(modules.get(held, "")):
                        yield node.lineno, f"{modules[held]}.{name}"
                case ast.Call(func=ast.Attribute(attr="mkdir"), args=[_, *_]):
                    yield node.lineno, "mode"
                case ast.Call(func=ast.Attribute(attr="mkdir"), keywords=keywords):
                    yield from ((node.lineno, "mode") for keyword in keywords if keyword.arg == "mode")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(PLACES):
            yield node.lineno, node.value


def test_no_other_module_uses_what_some_systems_lack() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line} uses {name}; dunaia_env.support.system is the place for it"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, name in uses(ast.parse(path.read_text(encoding="utf-8")))
        if path != SYSTEM
    ]
    assert not faults, "\n".join(["", *faults])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import fcntl", "fcntl"),
        ("def f():\n    from resource import getrusage", "resource"),
        ("import readline", "readline"),
        ("from os import killpg", "os.killpg"),
        ("import os\nos.geteuid()", "os.geteuid"),
        ("import os as o\no.set_blocking(0, False)", "os.set_blocking"),
        ("import os\nhasattr(os, 'sched_getaffinity')", "os.sched_getaffinity"),
        ("import os\nflags = getattr(os, 'O_BINARY', 0)", "os.O_BINARY"),
        ("import signal\nsignal.SIGKILL", "signal.SIGKILL"),
        ("import signal\nsignal.CTRL_BREAK_EVENT", "signal.CTRL_BREAK_EVENT"),
        ("import selectors", "selectors"),
        ("import socket\nsocket.AF_UNIX", "socket.AF_UNIX"),
        ("import sys\nsys.platform", "sys.platform"),
        ("import os\nos.name", "os.name"),
        ("import subprocess\nsubprocess.Popen([], start_new_session=True)", "start_new_session"),
        ("path.chmod(0o600)", ".chmod"),
        ("path.mkdir(mode=0o700)", "mode"),
        ("path.mkdir(0o700)", "mode"),
        ("loop.add_signal_handler(2, print)", ".add_signal_handler"),
        ("open('/proc/cpuinfo')", "/proc/cpuinfo"),
    ],
)
def test_the_search_finds(text: str, name: str) -> None:
    assert name in [found for _, found in uses(ast.parse(text))]


@pytest.mark.parametrize(
    "text",
    ["import os\nos.replace(a, b)", "import signal\nsignal.SIGTERM", "path.mkdir()"],
)
def test_the_search_passes_what_every_system_has(text: str) -> None:
    assert not list(uses(ast.parse(text)))


LONG = "import time; time.sleep(900)"


def test_the_cores_that_a_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, 8}, raising=False)
    assert system.available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "process_cpu_count", lambda: 2, raising=False)
    assert system.available_cores() == 2
    monkeypatch.delattr(os, "process_cpu_count")
    for count, expected in ((4, 4), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert system.available_cores() == expected


def test_the_facts_of_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = system.peak_memory()
    assert memory is not None
    assert 2**20 < memory < 2**40
    assert machine.machine()["processor"] == system.processor_name()
    monkeypatch.setitem(sys.modules, "resource", None)
    assert system.peak_memory() is None


@pytest.mark.parametrize(
    ("status", "words"),
    [(0, "exit status 0"), (3, "exit status 3"), (-signal.SIGINT, "signal SIGINT"), (-40, "signal 40")],
)
def test_how_a_process_ended(status: int, words: str) -> None:
    assert system.how_it_ended(status) == words


def test_a_group_is_ended_without_the_means_of_posix_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "taskkill"
    program.write_text(f"#!/bin/sh\necho $* > {tmp_path}/said\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.delattr(os, "killpg", raising=False)
    for path in (f"{tmp_path}{os.pathsep}{os.environ['PATH']}", str(tmp_path / "nowhere")):
        with monkeypatch.context() as patched:
            patched.setenv("PATH", path)
            process = system.start_group([sys.executable, "-c", LONG])
            system.kill_group(process)
            assert process.returncode != 0
        if "nowhere" not in path:
            assert (tmp_path / "said").read_text(encoding="utf-8") == f"/F /T /PID {process.pid}\n"


def test_a_process_in_a_group_of_its_own_is_asked_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (signal.SIGTERM, signal.SIGUSR1):  # commands in the background of a script ignore SIGINT
        process = system.start_group([sys.executable, "-c", LONG], stderr=subprocess.DEVNULL)
        assert os.getpgid(process.pid) != os.getpgid(0)
        system.ask_to_end(process, number)
        assert process.wait(HANGS) == -number
    # Windows can send this alone; here another signal stands for it.
    monkeypatch.setattr(signal, "CTRL_BREAK_EVENT", signal.SIGKILL, raising=False)
    process = system.start_group([sys.executable, "-c", LONG])
    system.ask_to_end(process)
    assert process.wait(HANGS) == -signal.SIGKILL


ORPHAN = """
import os, sys, time
from pathlib import Path
from dunaia_env.support import system
parent, folder = os.getppid(), Path(sys.argv[1])
(folder / "begun").write_text(str(system.is_orphan(parent)))
while not system.is_orphan(parent):
    time.sleep(0.01)
(folder / "alone").touch()
"""
PARENT = f"""
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {ORPHAN!r}, sys.argv[1]])
time.sleep(900)
"""


def test_a_process_sees_that_its_parent_has_ended(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], cwd=ROOT)
    until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text() == "False")
    assert not (tmp_path / "alone").exists()
    parent.kill()
    parent.wait()
    until((tmp_path / "alone").exists)


def test_what_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "above" / "own"
    system.make_private_folder(folder)
    with pytest.raises(FileExistsError):
        system.make_private_folder(folder)
    system.make_private_folder(folder, exist_ok=True)
    with system.open_private(folder / "file", "xb") as file:
        file.write(b"\n")
    assert (folder / "file").read_bytes() == b"\n"
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / "file")] == [0o700, 0o600]
    assert system.is_guarded(folder)
    folder.chmod(0o720)
    assert not system.is_guarded(folder)
    monkeypatch.delattr(os, "geteuid")
    assert system.is_guarded(folder)


def test_a_program_that_is_asked_to_end_closes_what_is_open() -> None:
    script = f"""
import os, signal
from dunaia_env.support import system
system.exit_when_asked()
try:
    os.kill(os.getpid(), signal.SIGTERM)
    {LONG}
finally:
    print("closed")
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "closed\n")


def test_whether_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for platform, expected in (("linux", False), ("darwin", True), ("win32", True)):
        monkeypatch.setattr(sys, "platform", platform)
        assert system.has_screen() == expected
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert system.has_screen()
