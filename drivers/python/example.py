"""examples/python/confirmed.py, the client to copy."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "examples" / "python"))

import confirmed

from protocol import NotConfirmed, NotWritten, login, ready_line
from runners import run_threads

VARIANTS = {"defaults"}


def connect(task):
    node, sentinel = login(task)
    addresses = [(each["host"], each["port"]) for each in task.sentinels]
    client = confirmed.connect(addresses, task.masterName, node_options=node, sentinel_options=sentinel)
    # Without WAIT it asks for 0 replicas, which are there at once.
    replicas, timeout_ms = (task.wait["replicas"], task.wait["timeoutMs"]) if task.wait else (0, 1)

    def write(key, value):
        answer = client.confirmed(task.command, key, value, replicas=replicas, timeout_ms=timeout_ms)
        if answer.outcome == "rejected" and isinstance(answer.error, ConnectionError):
            raise NotWritten
        if answer.outcome == "under-acked" and answer.error is not None:
            raise NotConfirmed from answer.error
        if answer.error is not None:
            raise answer.error
        return answer.replicas if task.wait else -1

    return write


run_threads(VARIANTS, lambda task: ready_line("redis", "redis-py, example", "same-connection", pipeline=True), connect)
