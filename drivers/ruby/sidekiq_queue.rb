# frozen_string_literal: true

# Sidekiq: a queue, and one process with as many threads as the task wants workers.

require "sidekiq"
require "sidekiq/api"
require_relative "workload"

# By default Sidekiq sends a command again when its connection was lost, so a job can be added twice.
VARIANTS = {
  "defaults" => {},
  "best" => { reconnect_attempts: 0, timeout: 2, connect_timeout: 1 }
}.freeze

def queue_name(task)
  "#{task["keyPrefix"]}jobs"
end

def configure(task)
  sentinels = task["sentinels"].map { |each| { host: each["host"], port: each["port"] } }
  Sidekiq.redis = { host: task["masterName"], sentinels: sentinels, role: :master, **VARIANTS[task["variant"]] }
end

# A job. A worker takes it out of Redis before it runs, so nothing is acknowledged.
class Work
  include Sidekiq::Worker

  def perform(value)
    do_work(TASK, value)
  end
end

# What producers use.
class SidekiqQueue
  def initialize(task)
    configure(task)
    @name = queue_name(task)
    @wait = task["wait"]
    Sidekiq.redis(&:ping)
  end

  def add(value)
    # The pool gives this thread the same connection twice, so WAIT goes where the job went.
    Sidekiq.redis_pool.with do |redis|
      id = Work.set(queue: @name).perform_async(value)
      confirm(redis, @wait)
      id
    end
  end

  # Jobs that wait, and jobs that failed and are tried again later.
  def held
    [Sidekiq::Queue.new(@name), Sidekiq::RetrySet.new].flat_map { |jobs| jobs.map { |job| job.args.first } }
  end
end

# As the command `sidekiq` does it.
def work_forever(task)
  require "sidekiq/cli"
  cli = Sidekiq::CLI.instance
  cli.parse(["--require", __FILE__, "--queue", queue_name(task), "--concurrency", task["roles"]["worker"].to_s])
  configure(task)
  cli.run(boot_app: false)
end

TASK = read_worker_task
if TASK
  work_forever(TASK)
else
  run_workload(
    title: "Sidekiq", version: Sidekiq::VERSION, variants: VARIANTS, visibility_ms: nil,
    open: ->(task) { SidekiqQueue.new(task) }
  )
end
