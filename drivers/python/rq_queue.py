"""RQ: a queue, and workers. Each worker is a process, which makes a process for each job."""

import signal

from redis.sentinel import Sentinel
from rq import Queue as RqQueue
from rq import Retry, Worker
from rq.job import Job
from rq.registry import FailedJobRegistry, StartedJobRegistry

from workload import do_work, read_worker_task, run_workload, sentinels_of, write

VARIANTS = {"defaults": {}, "best": {"retry": Retry(max=3)}}

task = read_worker_task()
line = {}


def connect(task):
    # As the command `rq worker` does it with the setting SENTINEL.
    return Sentinel(sentinels_of(task), socket_timeout=None).master_for(task.masterName)


def work(value):
    line.update(do_work(task, value), outcome="unknown")


class RecordingWorker(Worker):
    """Tells of each run, after the job was acknowledged."""

    def perform_job(self, *job):
        try:
            if super().perform_job(*job):
                line["outcome"] = "ok"
        finally:
            if line:
                write(**line)


class Queue:
    signal = signal.SIGKILL
    most_workers = None

    def __init__(self, task):
        self.options = VARIANTS[task.variant]
        self.queue = RqQueue(f"{task.keyPrefix}jobs", connection=connect(task))
        self.queue.connection.ping()

    def add(self, value):
        return self.queue.enqueue("rq_queue.work", value, **self.options).id

    def held(self):
        """Jobs that wait, that a worker began, and that RQ gave up because their worker is gone."""
        registries = [StartedJobRegistry(queue=self.queue), FailedJobRegistry(queue=self.queue)]
        ids = [*self.queue.job_ids, *(id for each in registries for id in each.get_job_ids(cleanup=False))]
        # One round trip for all of them.
        return [job.args[0] for job in Job.fetch_many(ids, self.queue.connection) if job is not None]


def work_forever():
    connection = connect(task)
    queue = RqQueue(f"{task.keyPrefix}jobs", connection=connection)
    RecordingWorker([queue], connection=connection).work(logging_level="ERROR")


if __name__ == "__main__" and task is None:
    run_workload("RQ", "rq", "queue", VARIANTS, Queue)
elif __name__ == "__main__":
    # Jobs name their function in this module. The variables of the program itself are others.
    from rq_queue import work_forever

    work_forever()
