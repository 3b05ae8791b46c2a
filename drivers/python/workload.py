"""The protocol of workloads for Python, which docs/drivers.md describes.

A library gives one function, which makes a holder or a queue: see `run_workload`. The workers of a queue are processes: the same
program with the argument `worker` and the task. There `read_worker_task()` returns the task, and `do_work(task, value)` does a job and
returns its line, which `write` reports with its outcome.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from types import SimpleNamespace

from protocol import NOT_WRITTEN, fail, kind_of

PROTOCOL = "sentinel-bench/workload@1"
CONNECT_SECONDS = 15
# Threads that add the backlog side by side.
SIDE_BY_SIDE = 8
LOOK_SECONDS = 0.5

_output = 1


def now():
    """Microseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() // 1000


def write(**line):
    """One write, because the processes of workers share this output."""
    os.write(_output, json.dumps(line).encode() + b"\n")


def sentinels_of(task):
    return [(each["host"], each["port"]) for each in task.sentinels]


def read_worker_task():
    """The task, in a process that is a worker; else None."""
    if sys.argv[1:2] != ["worker"]:
        return None
    task = SimpleNamespace(**json.loads(sys.argv[2]))
    _dial_from(task.localAddress)
    # Some libraries print to standard output, which is for the protocol.
    global _output
    if _output == 1:
        _output = os.dup(1)
        os.dup2(2, 1)
    return task


def do_work(task, value):
    """Does the work of a job. Returns its line."""
    begin = now()
    time.sleep(random.uniform(*task.workMs) / 1000)
    return {"process": task.process, "role": "worker", "op": "run", "value": value, "begin": begin, "end": now()}


def run_workload(title, package, workload, variants, open_library, visibility_ms=lambda task: None):
    """`open_library(task)` makes a holder (acquire, renew, release), or a queue (add, held, `signal` which ends a worker, `most_workers`).

    A queue is made once, a holder for each process of the role.
    """
    task = _read_task(workload, variants)
    _dial_from(task.localAddress)
    signal.signal(signal.SIGTERM, lambda *_: os.close(0))
    threading.Thread(target=_tell_alive, args=(task,), daemon=True).start()
    threading.Timer(CONNECT_SECONDS, _too_late, [connected := threading.Event()]).start()
    roles = ROLES[workload](task, History(), open_library)
    connected.set()
    roles.prepare()
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    write(op="ready", library=title, version=version(package), language=python, visibilityMs=visibility_ms(task))
    for word, *rest in map(str.split, _lines()):
        if word == "start":
            roles.start()
        elif word == "stop":
            roles.history.stopped.set()
        elif word == "drain":
            deadline = time.monotonic() + int(rest[0]) / 1000
            for thread in roles.threads:
                thread.join(max(0, deadline - time.monotonic()))
            roles.drain(deadline)
            write(process=task.name, op="drained")
        elif word == "end":
            break
    roles.close()
    roles.history.close()
    os._exit(0)  # Without closing the library, which may hang.


def _lines():
    """Standard input. SIGTERM closes it."""
    try:
        while line := sys.stdin.readline():
            yield line
    except (OSError, ValueError):
        pass


def _read_task(workload, variants):
    try:
        task = SimpleNamespace(**json.loads(sys.stdin.readline()))
        if task.protocol != PROTOCOL:
            fail(2, f"The task is of another protocol than {PROTOCOL}.")
        if task.variant not in variants:
            fail(2, f"The variants are {', '.join(variants)}.")
        if task.workload != workload:
            fail(3, f"The library has the workload {workload} only.")
    except (ValueError, TypeError, AttributeError) as error:
        fail(2, f"The task is invalid ({type(error).__name__}).")
    return task


def _dial_from(address):
    """All connections come from this address, because no library has an option for those to Sentinels and to nodes."""
    if address is None:
        return
    connect = socket.socket.connect

    def connect_from(self, to):
        if self.family == socket.AF_INET:
            self.bind((address, 0))
        return connect(self, to)

    socket.socket.connect = connect_from


def _tell_alive(task):
    while True:
        time.sleep(1)
        write(process=task.name, op="alive")


def _too_late(connected):
    if not connected.is_set():
        fail(4, f"No connection to the primary within {CONNECT_SECONDS} s.")


class History:
    """What happened: one line for each operation, when it has ended."""

    def __init__(self):
        self.stopped = threading.Event()
        self._open = {}
        self._lock = threading.Lock()

    def record(self, call, **line):
        """Returns the line. `call(begin)` returns what the line says besides, such as its outcome and its value."""
        line |= {"begin": now(), "end": None, "outcome": "unknown"}
        self._open[id(line)] = line
        try:
            answer = {"outcome": "ok"} | call(line["begin"])
        except Exception as error:
            outcome = "refused" if kind_of(error) in NOT_WRITTEN else "unknown"
            answer = {"outcome": outcome, "error": f"{type(error).__name__}: {error}"[:200]}
        with self._lock:
            if self._open.pop(id(line), None) is not None:
                line |= answer | {"end": now()}
                write(**line)
        return line

    def close(self):
        with self._lock:
            for line in self._open.values():
                write(**line)


class Roles:
    def __init__(self, task, history, open_library):
        self.task, self.history, self.threads = task, history, []
        self.open(open_library)

    def names(self, role):
        return [f"{self.task.name}.{role}-{number + 1}" for number in range(self.task.roles[role])]

    def spawn(self, target, *args):
        self.threads.append(threading.Thread(target=target, args=args, daemon=True))
        self.threads[-1].start()

    def prepare(self):
        pass

    def drain(self, deadline):
        pass

    def close(self):
        pass


class Holders(Roles):
    def open(self, open_library):
        self.holders = [(name, open_library(self.task)) for name in self.names("holder")]

    def start(self):
        for name, holder in self.holders:
            self.spawn(self._hold, name, holder)

    def _hold(self, name, holder):
        while not self.history.stopped.is_set():
            self._hold_once(name, holder)

    def _hold_once(self, name, holder):
        """Takes a lock, renews it at each third of its lease, and releases it."""
        task, history = self.task, self.history
        lease = task.leaseMs
        line = {"process": name, "role": "holder", "key": f"{task.keyPrefix}lock:{random.randrange(task.keys)}"}

        def acquire(begin):
            token = holder.acquire(line["key"], lease)
            # The lease began after the waiting for the lock, whose length the library does not tell.
            return {"outcome": "no"} if token is None else {"value": token}

        held = history.record(acquire, op="acquire", leaseMs=lease, **line)
        if held["outcome"] != "ok":
            history.stopped.wait(random.uniform(0.01, 0.1))
            return
        line["value"] = held["value"]
        until = time.monotonic() + random.uniform(*task.workMs) / 1000
        while True:
            history.stopped.wait(max(0, min(until - time.monotonic(), lease / 3000)))
            if history.stopped.is_set() or time.monotonic() >= until or now() >= held["begin"] + lease * 1000:
                break
            renewed = history.record(lambda _: {} if holder.renew(lease) else {"outcome": "no"}, op="renew", leaseMs=lease, **line)
            if renewed["outcome"] == "ok":
                held = renewed
            elif renewed["outcome"] == "no":
                write(op="lost", begin=now(), end=now(), outcome="ok", **line)
                return
        history.record(lambda _: {} if holder.release() else {"outcome": "no"}, op="release", **line)


class Queue(Roles):
    def open(self, open_library):
        self.queue, self.workers, self.closing = open_library(self.task), [], False
        self._next, self._lock = 0, threading.Lock()

    def prepare(self):
        fillers = [threading.Thread(target=self._fill) for _ in range(SIDE_BY_SIDE)]
        for each in fillers:
            each.start()
        for each in fillers:
            each.join()

    def _fill(self):
        while self._next < self.task.backlog:
            self._add(f"{self.task.name}.producer-1")

    def _add(self, process):
        with self._lock:
            value = f"{self.task.name}-{self._next}"
            self._next += 1
        self.history.record(lambda _: {"libraryId": self.queue.add(value)}, process=process, role="producer", op="add", value=value)

    def start(self):
        for name in self.names("worker")[: self.queue.most_workers]:
            task = json.dumps(vars(self.task) | {"process": name})
            worker = subprocess.Popen([sys.executable, sys.argv[0], "worker", task], stdin=subprocess.DEVNULL)
            self.workers.append(worker)
            threading.Thread(target=self._watch, args=(name, worker), daemon=True).start()
        for name in self.names("producer"):
            self.spawn(self._produce, name)

    def _watch(self, name, worker):
        status = worker.wait()
        if not self.closing:
            write(process=name, op="exited", value=f"status {status}")

    def _produce(self, name):
        period = self.task.roles["producer"] / self.task.rate
        due = time.monotonic() + random.random() * period
        while not self.history.stopped.wait(max(0, due - time.monotonic())):
            self._add(name)
            due = max(due + period, time.monotonic())

    def drain(self, deadline):
        held, looks = [], 0
        # A library may count a job as done before it runs. So nothing is left at two looks, with time for a job between them.
        while looks < 2 and time.monotonic() < deadline:
            try:
                held = self.queue.held()
            except Exception:
                looks = 0
            else:
                looks = 0 if held else looks + 1
            time.sleep(LOOK_SECONDS + self.task.workMs[1] / 1000)
        for value in held:
            write(process=self.task.name, op="stuck", value=value)

    def close(self):
        self.closing = True
        for worker in self.workers:
            worker.send_signal(self.queue.signal)
        for worker in self.workers:
            try:
                worker.wait(1)
            except subprocess.TimeoutExpired:
                worker.kill()


ROLES = {"lock": Holders, "queue": Queue}
