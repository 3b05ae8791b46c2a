"""A confirmed write through redis-py and Redis Sentinel. Copy this file; it needs `redis` only. ../README.md says how to use it.

    client = connect(sentinels=[("10.0.0.5", 26379)], name="mymaster")
    answer = client.confirmed_set("key", "value", replicas=1, timeout_ms=1000)

It does not use redis.sentinel.Sentinel, whose clients stay with an old primary, and may send WAIT on another connection than
its write. It listens to the Sentinels itself. Threads may share a client; each write under way has a connection of its own.
"""

import threading
import time
from dataclasses import dataclass
from typing import Optional

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

CONNECT_SECONDS = 5
# More than any `timeout_ms`. A primary that is silent for so long hangs; its connections are closed.
SILENCE_SECONDS = 3


@dataclass
class Answer:
    outcome: str  # "acked", "under-acked", "rejected" or "unknown"; README.md says what each one means
    replicas: int = 0  # how many confirmed the write
    error: Optional[Exception] = None


def connect(sentinels, name, node_options=None, sentinel_options=None):
    """Raises ConnectionError if there is no primary within 5 s. The options are those of redis.Redis: passwords, TLS."""
    client = Client(sentinels, name, node_options or {}, sentinel_options or {})
    deadline = time.monotonic() + CONNECT_SECONDS
    while client.primary is None:
        if time.monotonic() > deadline:
            client.close()
            raise ConnectionError(f"not connected to the primary of {name} within {CONNECT_SECONDS} s")
        time.sleep(0.01)
    return client


class Client:
    def __init__(self, sentinels, name, node_options, sentinel_options):
        self.primary = None  # the Redis client of the current primary; None: there is no connection
        self._address = None
        self._changes = 0  # how often the primary was changed or left
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._name = name
        # redis-py may send a command again after an error. Here it must not.
        once = {"retry": Retry(NoBackoff(), 0), "socket_connect_timeout": 1}
        self._node_options = {**node_options, **once, "socket_timeout": SILENCE_SECONDS}
        options = {**sentinel_options, **once, "socket_timeout": 1, "decode_responses": True}
        self._sentinels = [Redis(host, port, **options) for host, port in sentinels]
        for sentinel in self._sentinels:
            threading.Thread(target=self._listen, args=(sentinel,), daemon=True).start()
        threading.Thread(target=self._stay_connected, daemon=True).start()

    def confirmed_set(self, key, value, replicas=1, timeout_ms=1000):
        """Returns an Answer; never raises. `timeout_ms` is that of WAIT: 1 to 2000."""
        return self.confirmed("SET", key, value, replicas=replicas, timeout_ms=timeout_ms)

    def confirmed(self, *command, replicas=1, timeout_ms=1000):
        """The same for any command that writes."""
        primary = self.primary
        if primary is None:
            return Answer("rejected", error=ConnectionError("not connected, nothing was sent"))
        # Both are sent at once, on one connection: WAIT covers the writes of its own connection only.
        pipeline = primary.pipeline(transaction=False)
        pipeline.execute_command(*command)
        pipeline.wait(replicas, timeout_ms)
        try:
            written, count = pipeline.execute(raise_on_error=False)
        except RedisError as error:
            self._leave(primary)
            return Answer("unknown", error=error)
        except Exception as error:  # what redis-py raises when another thread closes the connection
            return Answer("unknown", error=ConnectionError(f"the connection was closed ({error})"))
        if isinstance(written, ResponseError):
            if str(written.status_code) == "READONLY":
                self._leave(primary)
            return Answer("rejected", error=written)
        if isinstance(count, Exception):  # WAIT failed, such as with UNBLOCKED: the primary was demoted
            return Answer("under-acked", error=count)
        if self.primary is not primary:
            # A new connection to an old primary, opened while this client was leaving it, confirms nothing.
            return Answer("unknown", error=ConnectionError("the primary changed before the answer"))
        # WAIT is no error when too few replicas confirm: read the count.
        return Answer("acked" if count >= replicas else "under-acked", count)

    def close(self):
        self._closed.set()
        self._leave(self.primary)
        for sentinel in self._sentinels:
            sentinel.connection_pool.disconnect()

    def _listen(self, sentinel):
        """Leaves the old primary at +switch-master."""
        while not self._closed.is_set():
            try:
                with sentinel.pubsub() as channel:
                    channel.subscribe("+switch-master")
                    while not self._closed.is_set():
                        message = channel.get_message(timeout=0.5)
                        if message is not None and message["type"] == "message":
                            # such as: mymaster 10.0.0.1 6379 10.0.0.2 6379
                            name, _, _, host, port = message["data"].split(" ")
                            if name == self._name:
                                self._use((host, int(port)))
            except Exception:
                self._closed.wait(0.1)  # try again

    def _stay_connected(self):
        while not self._closed.is_set():
            if self.primary is None:
                changes = self._changes
                address = self._ask_sentinels()
                # A Sentinel that answers first may not know the new primary yet: +switch-master goes first.
                if address is not None and self._is_primary(address):
                    self._use(address, changes)
            self._closed.wait(0.1)

    def _ask_sentinels(self):
        for sentinel in self._sentinels:
            try:
                address = sentinel.sentinel_get_master_addr_by_name(self._name)
                if address is not None:
                    return (address[0], int(address[1]))
            except Exception:
                pass  # ask the next one
        return None

    def _is_primary(self, address):
        try:
            with Redis(*address, **{**self._node_options, "socket_timeout": 1}) as node:
                return node.role()[0] in ("master", b"master")
        except Exception:
            return False

    def _use(self, address, changes=None):
        with self._lock:
            is_late = changes is not None and changes != self._changes
            if self._closed.is_set() or is_late or (self.primary is not None and self._address == address):
                return
            old, self.primary = self.primary, Redis(*address, **self._node_options)
            self._address = address
            self._changes += 1
        _disconnect(old)

    def _leave(self, primary):
        with self._lock:
            if primary is None or self.primary is not primary:
                return
            self.primary = None
            self._changes += 1
        _disconnect(primary)


def _disconnect(redis):
    """Closes all its connections. The writes under way on them fail at once."""
    if redis is not None:
        try:
            redis.connection_pool.disconnect()
        except Exception:
            pass  # another thread closes the same connection
