"""Runs a driver: with threads for a library that blocks, or with asyncio.

A driver gives `connect(task)`. It returns a function `write(key, value)`, which returns what WAIT counted, or -1 without
WAIT. That function raises the library's exception if the write failed, and `NotConfirmed` if the write is OK and its WAIT
failed. For asyncio both are coroutines.
"""

import asyncio
import signal
import sys
import threading
import time

from protocol import Output, Trial, fail, kind_of, make_pair, read_task

CONNECT_SECONDS = 15
FLUSH_SECONDS = 0.02


class _Terminated(BaseException):
    """SIGTERM. No library catches it."""


def run_threads(variants, ready, connect):
    """As many threads as writes may be under way. `ready(task)` returns the line `ready`."""
    signal.signal(signal.SIGTERM, _terminate)
    trial = stopped = None
    try:
        task = read_task(variants)
        trial = Trial(task, Output())
        stopped = threading.Event()
        write = _connect(connect, task)
        trial.output.write(ready(task))
        words = sys.stdin.readline().split()
        if words[:1] == ["start"]:
            trial.start = int(words[1])
            for _ in range(task.concurrency):
                threading.Thread(target=_work, args=(trial, write, stopped), daemon=True).start()
            threading.Thread(target=_keep_flushing, args=(trial,), daemon=True).start()
            while sys.stdin.readline() not in ("stop\n", ""):
                pass
    except _Terminated:
        pass
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if trial is None:
        fail(2, "The driver was ended before it got its task.")
    trial.stop()
    stopped.set()
    deadline = time.monotonic() + trial.task.drainMs / 1000
    while not trial.is_complete() and time.monotonic() < deadline:
        time.sleep(0.005)
    trial.close()


def _terminate(*_):
    raise _Terminated


def _connect(connect, task):
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            return connect(task)
        except Exception as error:
            _try_again(error, deadline)
            time.sleep(0.1)


def _try_again(error, deadline):
    if time.monotonic() > deadline:
        fail(4, f"No connection to the primary within {CONNECT_SECONDS} s ({kind_of(error)}).")


def _work(trial, write, stopped):
    while (number := trial.take()) is not None:
        if (delay := trial.seconds_until(number)) > 0:
            stopped.wait(delay)
        if trial.begin(number):
            try:
                trial.end(number, count=write(*make_pair(trial.task, number)))
            except Exception as error:
                trial.end(number, error=error)


def _keep_flushing(trial):
    while True:
        trial.expire()
        trial.output.flush()
        time.sleep(FLUSH_SECONDS)


def run_asyncio(variants, ready, connect):
    """As many tasks of asyncio as writes may be under way."""
    task = read_task(variants)
    asyncio.run(_run_asyncio(Trial(task, Output()), ready, connect))


async def _run_asyncio(trial, ready, connect):
    loop = asyncio.get_running_loop()
    lines = asyncio.Queue()
    loop.add_signal_handler(signal.SIGTERM, lines.put_nowait, "stop\n")
    threading.Thread(target=_read_lines, args=(loop, lines), daemon=True).start()
    first = asyncio.create_task(lines.get())
    connecting = asyncio.create_task(_connect_asyncio(connect, trial.task))
    await asyncio.wait((first, connecting), return_when=asyncio.FIRST_COMPLETED)
    stopped = asyncio.Event()
    if connecting.done():
        trial.output.write(ready(trial.task))
        words = (await first).split()
        if words[:1] == ["start"]:
            trial.start = int(words[1])
            workers = [asyncio.create_task(_work_asyncio(trial, connecting.result(), stopped)) for _ in range(trial.task.concurrency)]
            threading.Thread(target=_keep_flushing, args=(trial,), daemon=True).start()
            while await lines.get() not in ("stop\n", ""):
                pass
            trial.stop()
            stopped.set()
            await asyncio.wait(workers, timeout=trial.task.drainMs / 1000)
    trial.stop()
    trial.close()


def _read_lines(loop, lines):
    line = "-"
    while line:
        line = sys.stdin.readline()
        loop.call_soon_threadsafe(lines.put_nowait, line)


async def _connect_asyncio(connect, task):
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            return await connect(task)
        except Exception as error:
            _try_again(error, deadline)
            await asyncio.sleep(0.1)


async def _work_asyncio(trial, write, stopped):
    while (number := trial.take()) is not None:
        if (delay := trial.seconds_until(number)) > 0:
            try:
                await asyncio.wait_for(stopped.wait(), delay)
            except asyncio.TimeoutError:
                pass
        if trial.begin(number):
            try:
                trial.end(number, count=await write(*make_pair(trial.task, number)))
            except Exception as error:
                trial.end(number, error=error)
