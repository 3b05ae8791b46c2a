"""redis-py, blocking."""

from redis.sentinel import Sentinel

from blocking import run

run("redis", "redis-py", Sentinel)
