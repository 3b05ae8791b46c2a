"""Celery: a queue, and one worker with as many processes as the task wants."""

import ast
import json
import signal

from celery import Celery
from redis.sentinel import Sentinel

from workload import do_work, read_worker_task, run_workload, sentinels_of, write

# By default a worker acknowledges a job before it runs it, and takes four jobs ahead for each of its processes.
VARIANTS = {
    "defaults": ({}, {}),
    "best": ({"visibility_timeout": 60}, {"task_acks_late": True, "worker_prefetch_multiplier": 1}),
}


def make_app(task):
    transport, settings = VARIANTS[task.variant]
    app = Celery(broker=";".join(f"sentinel://{host}:{port}" for host, port in sentinels_of(task)))
    options = {"master_name": task.masterName, "global_keyprefix": task.keyPrefix}
    app.conf.update(broker_transport_options=options | transport, broker_connection_retry_on_startup=True, **settings)
    return app


class Queue:
    signal = signal.SIGQUIT
    most_workers = 1

    def __init__(self, task):
        self.app, self.prefix = make_app(task), task.keyPrefix
        self.redis = Sentinel(sentinels_of(task), socket_timeout=2).master_for(task.masterName, socket_timeout=2)
        self.redis.ping()

    def add(self, value):
        return self.app.send_task("work", (value,)).id

    def held(self):
        """Jobs that wait, and jobs that a worker took and did not acknowledge."""
        waiting = map(json.loads, self.redis.lrange(f"{self.prefix}celery", 0, -1))
        taken = (json.loads(each)[0] for each in self.redis.hvals(f"{self.prefix}unacked"))
        return [ast.literal_eval(each["headers"]["argsrepr"])[0] for each in (*waiting, *taken)]


def work_forever(task):
    app = make_app(task)

    # Celery does not say whether the acknowledgement arrived.
    @app.task(name="work")
    def work(value):
        write(outcome="ok", **do_work(task, value))

    app.worker_main(["worker", "--loglevel=ERROR", f"--concurrency={task.roles['worker']}"])


def main():
    if (task := read_worker_task()) is not None:
        work_forever(task)
    else:
        run_workload("Celery", "celery", "queue", VARIANTS, Queue, lambda task: 60_000 if task.variant == "best" else 3_600_000)


main()
