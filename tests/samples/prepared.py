"""A process that has imported all of Thresher and forks whenever it is asked to: each fork is a `thresher` that starts in
milliseconds. `commands` asks it, by lines of JSON. The modules that its arguments name it takes for not installed."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import re
import signal
import sys
import threading
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any, NoReturn

from forks import forked_workers
from quick import NO_PLOTS, bundle_charts_once, no_plots, quick_files, quick_java, warm_up

import thresher
from thresher.cli.main import main

_WRITING = os.O_WRONLY | os.O_RDWR


def serve() -> dict[str, Any] | None:
    """Answer requests until there are no more; in a fork, return what the fork is to do."""
    for line in sys.stdin:
        request = json.loads(line)
        if "pid" in request:
            pid, status = os.waitpid(request["pid"], 0 if request["wait"] else os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            ready, begun = os.pipe()
            answer = os.fork()
            if not answer:
                os.setsid()
                os.close(ready)
                os.close(begun)
                return dict(request)
            os.close(begun)
            os.read(ready, 1)
            os.close(ready)
        print(json.dumps(answer), flush=True)
    return None


def become(request: dict[str, Any]) -> None:
    """Be what the request asks for: folder, environment, arguments, where output goes, and when to be killed."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for descriptor, name in enumerate((os.devnull, request["out"], request["err"])):
        handle = os.open(name, os.O_RDONLY if not descriptor else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, descriptor)
        os.close(handle)
    sys.argv = request["arguments"]
    if request["steps"] or request["kill_at"]:
        watch(request["steps"], request["kill_at"])


def watch(steps: str | None, kill_at: str | None) -> None:
    """Write what this process is about to do to files below its folder to the file `steps`, one line each; or kill it and all
    that it started when it is about to do `kill_at`, one of these or any of its kind, such as `os.rename`."""
    here, process = Path.cwd(), os.getpid()
    log = os.open(steps, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if steps else None

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if os.getpid() != process:
            return
        if event == "open":
            if isinstance(arguments[0], int) or not (arguments[2] or 0) & _WRITING:
                return
        elif event not in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
            return
        path = Path(os.fsdecode(arguments[1 if event == "os.rename" else 0])).absolute()
        if not path.is_relative_to(here):
            return
        # Temporary names have the number of the process in them.
        name = re.sub(r"\.[0-9]+\.(old\.)?tmp", ".tmp", str(path.relative_to(here)))
        step = f"{event} {name}"
        if log is not None:
            os.write(log, f"{step}\n".encode())
        if kill_at in (step, event):
            os.killpg(0, signal.SIGKILL)

    sys.addaudithook(hook)


def end(code: int) -> NoReturn:
    """End as an interpreter does, but leave its objects as they are: taking them apart copies all memory that is shared."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        # What reads it may have ended.
        with suppress(OSError):
            stream.flush()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        os._exit(code)
    # Python's own end waits for the processes that it started.
    sys.exit(code)


if __name__ == "__main__":
    sys.modules.update(dict.fromkeys(sys.argv[1:]))  # type: ignore[arg-type]
    for module in pkgutil.walk_packages(thresher.__path__, "thresher."):
        if not module.name.endswith("__main__"):
            # Some are of no use without a package.
            with suppress(ModuleNotFoundError) if sys.argv[1:] else nullcontext():
                importlib.import_module(module.name)
    # SciPy takes a blocked torch for one that is there.
    if not sys.argv[1:]:
        warm_up()
    quick_java()
    quick_files()
    bundle_charts_once()
    # What is here already is not looked through in the forks.
    gc.collect()
    gc.freeze()
    if (asked := serve()) is not None:
        become(asked)
        with ExitStack() as stack:
            stack.enter_context(forked_workers())
            if NO_PLOTS in os.environ:
                stack.enter_context(no_plots())
            try:
                main()
            except SystemExit as ending:
                end(int(ending.code or 0))
            except BaseException as error:
                sys.excepthook(type(error), error, error.__traceback__)
                end(1)
            end(0)
