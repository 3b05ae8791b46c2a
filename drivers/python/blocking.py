"""What redis-py and valkey-py have in common: valkey-py began as a copy of redis-py, and has the same calls."""

from protocol import confirming, login, ready_line
from runners import run_threads

# By default both wait 5 s for an answer, and a client from `master_for` never sends a command again.
VARIANTS = {
    "defaults": {},
    # The time-out of the documentation's own example. It is shorter than most WAITs.
    "docs-example": {"socket_timeout": 0.1},
    "best": {"socket_timeout": 2, "socket_connect_timeout": 1},
}


def run(package, title, sentinel_class):
    def ready(task):
        wait = "same-connection" if task.variant == "best" else "other-connection"
        return ready_line(package, title, wait, pipeline=task.variant == "best")

    run_threads(VARIANTS, ready, lambda task: connect(task, sentinel_class))


def master_of(task, sentinel_class):
    node, sentinel = login(task)
    options = VARIANTS[task.variant]
    addresses = [(each["host"], each["port"]) for each in task.sentinels]
    sentinels = sentinel_class(addresses, sentinel_kwargs=sentinel | options, **node, **options)
    return sentinels.master_for(task.masterName)


def pipeline_of(master, task, key, value):
    """A pipeline uses one connection, and sends both commands at once."""
    pipeline = master.pipeline(transaction=False)
    pipeline.execute_command(task.command, key, value)
    if task.wait is not None:
        pipeline.wait(task.wait["replicas"], task.wait["timeoutMs"])
    return pipeline


def count_of(answer, *count):
    """The count of WAIT from the answers to a pipeline; -1: it has no WAIT."""
    if isinstance(answer, Exception):
        raise answer
    with confirming():
        if count and isinstance(count[0], Exception):
            raise count[0]
    return count[0] if count else -1


def connect(task, sentinel_class):
    master = master_of(task, sentinel_class)
    master.ping()
    put = {"SET": master.set, "APPEND": master.append}[task.command]

    def write(key, value):
        put(key, value)
        if task.wait is None:
            return -1
        # The pool gives WAIT any of its connections.
        with confirming():
            return master.wait(task.wait["replicas"], task.wait["timeoutMs"])

    def write_pipelined(key, value):
        return count_of(*pipeline_of(master, task, key, value).execute(raise_on_error=False))

    return write_pipelined if task.variant == "best" else write
