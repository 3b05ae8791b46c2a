"""valkey-py, blocking."""

from valkey.sentinel import Sentinel

from blocking import run

run("valkey", "valkey-py", Sentinel)
