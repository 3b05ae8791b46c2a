"""redis-py with asyncio."""

from redis.asyncio.sentinel import Sentinel

from blocking import VARIANTS
from protocol import confirming, login, ready_line
from runners import run_asyncio


def ready(task):
    wait = "same-connection" if task.variant == "best" else "other-connection"
    return ready_line("redis", "redis-py asyncio", wait, pipeline=task.variant == "best")


async def connect(task):
    node, sentinel = login(task)
    options = VARIANTS[task.variant]
    addresses = [(each["host"], each["port"]) for each in task.sentinels]
    sentinels = Sentinel(addresses, sentinel_kwargs=sentinel | options, **node, **options)
    master = sentinels.master_for(task.masterName)
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
        # A pipeline uses one connection, and sends both commands at once.
        pipeline = master.pipeline(transaction=False)
        pipeline.execute_command(task.command, key, value)
        if task.wait is not None:
            pipeline.wait(task.wait["replicas"], task.wait["timeoutMs"])
        answer, *count = await pipeline.execute(raise_on_error=False)
        if isinstance(answer, Exception):
            raise answer
        with confirming():
            if count and isinstance(count[0], Exception):
                raise count[0]
        return count[0] if count else -1

    return write_pipelined if task.variant == "best" else write


run_asyncio(VARIANTS, ready, connect)
