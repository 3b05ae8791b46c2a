"""redis-py with asyncio."""

from redis.asyncio.sentinel import Sentinel

from blocking import VARIANTS, count_of, master_of, pipeline_of
from protocol import confirming, ready_line
from runners import run_asyncio


def ready(task):
    wait = "same-connection" if task.variant == "best" else "other-connection"
    return ready_line("redis", "redis-py asyncio", wait, pipeline=task.variant == "best")


async def connect(task):
    master = master_of(task, Sentinel)
    await master.ping()
    put = {"SET": master.set, "APPEND": master.append}[task.command]

    async def write(key, value):
        await put(key, value)
        if task.wait is None:
            return -1
        # The pool gives WAIT any of its connections.
        with confirming():
            return await master.wait(task.wait["replicas"], task.wait["timeoutMs"])

    async def write_pipelined(key, value):
        return count_of(*await pipeline_of(master, task, key, value).execute(raise_on_error=False))

    return write_pipelined if task.variant == "best" else write


run_asyncio(VARIANTS, ready, connect)
