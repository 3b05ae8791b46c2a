"""redis-py's lock."""

from redis.exceptions import LockError
from redis.sentinel import Sentinel

from workload import run_workload, sentinels_of

VARIANTS = {"defaults": {}, "best": {"socket_timeout": 2, "socket_connect_timeout": 1}}


class Holder:
    def __init__(self, task):
        options = VARIANTS[task.variant]
        self.redis = Sentinel(sentinels_of(task), sentinel_kwargs=options, **options).master_for(task.masterName)
        self.redis.ping()
        self.wait = task.wait

    def acquire(self, key, lease_ms):
        self.lock = self.redis.lock(key, timeout=lease_ms / 1000)
        if not self.lock.acquire(blocking=False):
            return None
        self._confirm()
        return self.lock.local.token.decode()

    def renew(self, lease_ms):
        return self._succeeds(lambda: self.lock.extend(lease_ms / 1000, replace_ttl=True))

    def release(self):
        return self._succeeds(self.lock.release)

    def _succeeds(self, call):
        try:
            call()
        except LockError:  # The lock is another's, or nobody's.
            return False
        self._confirm()
        return True

    def _confirm(self):
        """WAIT goes to a connection of the pool, which has only one in a thread."""
        if self.wait and (count := self.redis.wait(self.wait["replicas"], self.wait["timeoutMs"])) < self.wait["replicas"]:
            raise TimeoutError(f"WAIT counted {count} of {self.wait['replicas']}")


run_workload("redis-py Lock", "redis", "lock", VARIANTS, Holder)
