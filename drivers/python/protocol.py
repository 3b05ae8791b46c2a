"""The driver protocol for Python, which docs/drivers.md describes: the task, the schedule and the outcomes. runners.py
uses it.
"""

import json
import os
import sys
import threading
import time
from contextlib import contextmanager
from importlib.metadata import version
from types import SimpleNamespace

# Error replies that say that nothing was written.
NOT_WRITTEN = set(
    "NOAUTH NOPERM WRONGPASS DENIED OOM MISCONF NOREPLICAS READONLY MASTERDOWN LOADING BUSY EXECABORT CLUSTERDOWN".split()
)

# redis-py and valkey-py make exceptions of these replies, and take the first word away.
REPLY_OF_EXCEPTION = {
    "ReadOnlyError": "READONLY",
    "BusyLoadingError": "LOADING",
    "MasterDownError": "MASTERDOWN",
    "ClusterDownError": "CLUSTERDOWN",
    "OutOfMemoryError": "OOM",
    "ExecAbortError": "EXECABORT",
    "NoPermissionError": "NOPERM",
    "AuthenticationError": "NOAUTH",
}


class NotConfirmed(Exception):
    """The write is OK, and its WAIT failed."""


class NotWritten(Exception):
    """The client says that it sent nothing, because it knows no primary."""


@contextmanager
def confirming():
    """Around a WAIT: its error does not make the write unknown."""
    try:
        yield
    except Exception as error:
        raise NotConfirmed from error


def kind_of(error):
    """The kind of an error: the first word of the error reply, or what happened to the connection."""
    names = [cls.__name__ for cls in type(error).__mro__]
    for name in names:
        if name in REPLY_OF_EXCEPTION:
            return getattr(error, "status_code", None) or REPLY_OF_EXCEPTION[name]
    if "MasterNotFoundError" in names:
        return "NOPRIMARY"
    if "ResponseError" in names:
        word = str(error).split(" ")[0]
        return word if word.isalpha() and word.isupper() else "ERR"
    if "TimeoutError" in names:
        return "TIMEOUT"
    if "ConnectionError" in names or "OSError" in names:
        # The Sentinel connections turn READONLY into a ConnectionError.
        return "READONLY" if type(error.__context__).__name__ == "ReadOnlyError" else "CLOSED"
    return "OTHER"


class Output:
    """Standard output. One thread writes it, so that a slow reader stops no write."""

    def __init__(self):
        self.lines = []
        self.lock = threading.Lock()
        self.writing = threading.Lock()

    def add(self, line):
        with self.lock:
            self.lines.append(line)

    def flush(self):
        with self.writing:
            with self.lock:
                lines, self.lines = self.lines, []
            try:
                sys.stdout.write("".join(f"{line}\n" for line in lines))
                sys.stdout.flush()
            except OSError:
                os._exit(1)  # Nobody reads any more.

    def write(self, line):
        self.add(line)
        self.flush()


class Trial:
    """The schedule, and the outcome of each write."""

    def __init__(self, task, output):
        self.task = task
        self.output = output
        self.start = None
        self.next = 0  # the next write that nobody has taken
        self.limit = None  # the number of writes that were due, after the stop
        self.taken = set()  # writes that a worker has taken, and neither sent nor reported
        self.sent = {}  # when each open write was sent
        self.reported = 0
        self.closed = False
        self.lock = threading.Lock()

    def due(self, number):
        return self.start + int(number * 1e9 / self.task.rate)

    def take(self):
        """The next write, which may be due later. None: there is no further write."""
        with self.lock:
            if self.limit is not None and self.next >= self.limit:
                return None
            self.next += 1
            self.taken.add(self.next - 1)
            return self.next - 1

    def seconds_until(self, number):
        return (self.due(number) - time.monotonic_ns()) / 1e9

    def begin(self, number):
        """Whether the write is to be sent now. It is not when the trial ended before, or when it is too late."""
        with self.lock:
            if self.closed or (self.limit is not None and number >= self.limit):
                return False
            self.taken.discard(number)
            if self._too_late(number):
                self._report(number, "unsent")
                return False
            self.sent[number] = time.monotonic_ns()
            return True

    def end(self, number, count=-1, error=None):
        now = time.monotonic_ns()
        kind = "-"
        if error is None:
            wait = self.task.wait
            outcome = "acked" if wait is None or count >= wait["replicas"] else "under-acked"
        elif isinstance(error, NotConfirmed):
            outcome, kind = "under-acked", kind_of(error.__cause__)
        elif isinstance(error, NotWritten):
            outcome, kind = "unsent", "NOPRIMARY"
        else:
            kind = kind_of(error)
            outcome = "rejected" if kind in NOT_WRITTEN else "unknown"
        with self.lock:
            if self.closed:
                return
            sent = self.sent.pop(number)
            if outcome == "unsent":
                sent = now = None
            self._report(number, outcome, count, sent, now, kind)

    def stop(self):
        """No write becomes due from now on."""
        with self.lock:
            if self.limit is None:
                elapsed = -1 if self.start is None else time.monotonic_ns() - self.start
                self.limit = 0 if elapsed < 0 else int(elapsed * self.task.rate / 1e9) + 2
                while self.limit > 0 and self.due(self.limit - 1) > time.monotonic_ns():
                    self.limit -= 1

    def expire(self):
        """Reports the writes that nobody could send in time, because all workers wait for answers."""
        with self.lock:
            while (self.limit is None or self.next < self.limit) and self._too_late(self.next):
                self._report(self.next, "unsent")
                self.next += 1

    def is_complete(self):
        """Whether the outcome of each write that was due is known."""
        return self.reported >= self.limit

    def close(self):
        """Reports what is still open, and ends the program."""
        with self.lock:
            self.closed = True
            for number, sent in self.sent.items():
                self._report(number, "unknown", -1, sent, 0, "TIMEOUT")
            unsent = {number for number in self.taken if number < self.limit} | set(range(self.next, self.limit))
            for number in unsent:
                self._report(number, "unsent")
        self.output.write(f"done {self.limit}")
        os._exit(0)  # Threads may still wait for an answer.

    def _too_late(self, number):
        return time.monotonic_ns() > self.due(number) + self.task.giveUpMs * 1_000_000

    def _report(self, number, outcome, count=-1, sent=None, answered=0, kind="-"):
        sent_us, answered_us = ((at - self.start) // 1000 if at else 0 for at in (sent, answered))
        self.output.add(f"w {number} {outcome} {count} {sent_us} {answered_us} {kind}")
        self.reported += 1


def make_pair(task, number):
    """The key and the value of a write."""
    digits = f"{number:012d}"
    checksum = task.valueSeed
    for byte in digits.encode():
        checksum = ((checksum ^ byte) * 16777619) & 0xFFFFFFFF
    return f"{task.keyPrefix}{digits}", f"{digits}:{checksum:08x}{task.valueFiller}"


def fail(status, sentence):
    print(sentence, file=sys.stderr, flush=True)
    os._exit(status)


def read_task(variants):
    try:
        task = SimpleNamespace(**json.loads(sys.stdin.readline()))
        if task.protocol != "sentinel-bench/driver@1":
            fail(2, "The task is of another protocol than sentinel-bench/driver@1.")
        if task.variant not in variants:
            fail(2, f"There is no variant {task.variant}; there is {', '.join(variants)}.")
        for name in "sentinels masterName command wait rate concurrency keyPrefix valueSeed valueFiller giveUpMs drainMs".split():
            getattr(task, name)
        if task.command not in ("SET", "APPEND"):
            fail(2, "The task names a command other than SET and APPEND.")
    except (ValueError, TypeError, AttributeError) as error:
        fail(2, f"The task is invalid ({type(error).__name__}).")
    return task


def ready_line(package, library, wait, pipeline):
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    return "ready " + json.dumps(
        {"library": library, "version": version(package), "language": python, "wait": wait, "pipeline": pipeline}
    )


def login(task):
    """Keyword arguments for the nodes and for the Sentinels: passwords and TLS, as redis-py and valkey-py name them."""
    tls = {}
    if task.tls is not None:
        tls = {"ssl": True, "ssl_ca_certs": task.tls["ca"]}
        tls |= {"ssl_certfile": task.tls["cert"], "ssl_keyfile": task.tls["key"]}
        # These libraries compare the certificate with the address only. They cannot be given another name.
        tls["ssl_check_hostname"] = task.tls["serverName"] is None
    node = {"username": task.username, "password": task.password} | tls
    sentinel = {"username": task.sentinelUsername, "password": task.sentinelPassword} | tls
    return [{name: value for name, value in each.items() if value is not None} for each in (node, sentinel)]
