# frozen_string_literal: true

# The protocol of workloads for Ruby, which docs/drivers.md describes. It has queues only. A library gives a queue:
#
# - `add(value)` adds a job with our id, and returns the library's id of it.
# - `held` returns the ids of ours that the library still has in Redis.
#
# Its workers are one process: the same program with the argument `worker` and the task.

require "rbconfig"
require "socket"
require_relative "protocol"

WORKLOAD_PROTOCOL = "sentinel-bench/workload@1"
# Threads that add the backlog side by side. A pool of Sidekiq has five connections.
SIDE_BY_SIDE = 4
LOOK_SECONDS = 0.5
# For the last look, which may wait for an answer.
LATE_SECONDS = 3

# Some libraries print to standard output, which is for the protocol.
OUTPUT = $stdout.dup
$stdout.reopen($stderr)

def microseconds
  now / 1000
end

# One write, because the process of the workers shares this output.
def tell(line)
  OUTPUT.syswrite("#{JSON.generate(line)}\n")
rescue SystemCallError
  exit! 1 # Nobody reads any more.
end

# The task, in the process of the workers; else nil.
def read_worker_task
  return if ARGV.first != "worker"

  JSON.parse(ARGV[1]).tap { |task| dial_from(task["localAddress"]) }
end

# Does the work of a job, and reports its run.
def do_work(task, value)
  began = microseconds
  sleep rand(Range.new(*task["workMs"])) / 1000.0
  tell(
    process: "#{task["name"]}.worker-1", role: "worker", op: "run", value: value, begin: began, end: microseconds, outcome: "ok"
  )
end

# Sends WAIT on the connection of the operation before it. The operation is in doubt if too few replicas confirm it.
def confirm(redis, wait)
  return if wait.nil?

  count = redis.call("WAIT", *wait.values_at("replicas", "timeoutMs"))
  raise "WAIT counted #{count} of #{wait["replicas"]}" if count < wait["replicas"]
end

# Runs a driver. `open.(task)` returns a queue that is connected.
def run_workload(title:, version:, variants:, visibility_ms:, open:)
  input = Input.new("end")
  task = read_workload_task(input.next, variants)
  dial_from(task["localAddress"])
  Thread.new do
    loop do
      sleep 1
      tell(process: task["name"], op: "alive")
    end
  end
  queue = connect_in_time(->(error) { error.class }) { open.call(task) }
  roles = QueueRoles.new(task, queue)
  roles.prepare
  language = "Ruby #{RUBY_VERSION[/\d+\.\d+/]}"
  tell(op: "ready", library: title, version: version, language: language, visibilityMs: visibility_ms)
  follow(roles, task, input)
  roles.close
  exit! 0 # Threads may still wait for an answer.
end

def follow(roles, task, input)
  loop do
    word, argument = input.next.split
    case word
    when "start" then roles.start
    when "stop" then roles.stop
    when "drain"
      roles.drain(argument.to_i / 1000.0)
      tell(process: task["name"], op: "drained")
    when "end" then return
    end
  end
end

def read_workload_task(line, variants)
  task = JSON.parse(line)
  failed(2, "The task is of another protocol than #{WORKLOAD_PROTOCOL}.") if task["protocol"] != WORKLOAD_PROTOCOL
  failed(2, "The variants are #{variants.keys.join(", ")}.") unless variants.key?(task["variant"])
  failed(3, "The library has the workload queue only.") if task["workload"] != "queue"
  task
rescue JSON::ParserError, NoMethodError, TypeError
  failed(2, "The task is not a JSON object.")
end

# All connections come from this address, because no library has an option for those to Sentinels and to nodes.
def dial_from(address)
  return if address.nil?

  from = Addrinfo.tcp(address, 0)
  Socket.prepend(Module.new do
    define_method(:connect_nonblock) do |*to, **options|
      bind(from) if local_address.ip_port.zero?
      super(*to, **options)
    end
  end)
end

# What happened: one line for each operation, when it has ended.
class History
  def initialize
    @open = {}.compare_by_identity
    @lock = Mutex.new
  end

  # The block returns what the line says besides, such as the library's id.
  def record(line)
    line = { **line, begin: microseconds, end: nil, outcome: "unknown" }
    @lock.synchronize { @open[line] = true }
    answer = answer_of { yield }
    @lock.synchronize { tell({ **line, **answer, end: microseconds }) if @open.delete(line) }
  end

  # Reports what has not ended.
  def close
    @lock.synchronize do
      @open.each_key { |line| tell(line) }
      @open.clear
    end
  end

  private

  def answer_of
    { outcome: "ok", **yield }
  rescue StandardError => e
    refused = NOT_WRITTEN.include?(e.message[/\A[A-Z]+/])
    { outcome: refused ? "refused" : "unknown", error: "#{e.class}: #{e.message.scrub}"[0, 200] }
  end
end

# Producers are threads.
class QueueRoles
  def initialize(task, queue)
    @task = task
    @queue = queue
    @history = History.new
    @next = 0
    @lock = Mutex.new
    @producers = []
    @stopped = @closing = false
  end

  # Adds the backlog.
  def prepare
    fillers = Array.new(SIDE_BY_SIDE) do
      Thread.new { add("#{@task["name"]}.producer-1") while @next < @task["backlog"] }
    end
    fillers.each(&:join)
  end

  def start
    command = [RbConfig.ruby, $PROGRAM_NAME, "worker", JSON.generate(@task)]
    @worker = Process.detach(spawn(*command, in: File::NULL, out: OUTPUT))
    Thread.new { tell_of_exit(@worker.value) }
    count = @task["roles"]["producer"]
    @producers = Array.new(count) do |index|
      Thread.new { produce("#{@task["name"]}.producer-#{index + 1}", count / @task["rate"].to_f) }
    end
  end

  def stop
    @stopped = true
  end

  # Reports what the library still has after this time.
  def drain(seconds)
    deadline = now + (seconds * 1e9)
    @held = []
    looks = Thread.new do
      @producers.each(&:join)
      wait_until_empty(deadline)
    end
    looks.join(seconds + LATE_SECONDS)
    @held.each { |value| tell(process: @task["name"], op: "stuck", value: value) }
  end

  def close
    @closing = true
    Process.kill("KILL", @worker.pid) if @worker&.alive?
    @history.close
  end

  private

  def add(process)
    value = @lock.synchronize { "#{@task["name"]}-#{@next += 1}" }
    @history.record({ process: process, role: "producer", op: "add", value: value }) { { libraryId: @queue.add(value) } }
  end

  def produce(process, period)
    due = now + (rand * period * 1e9)
    until @stopped
      sleep [0, (due - now) / 1e9].max
      add(process) unless @stopped
      due = [due + (period * 1e9), now].max
    end
  end

  # A library may count a job as done before it runs. So nothing is left at two looks, with time for a job between them.
  def wait_until_empty(deadline)
    empty = 0
    while empty < 2 && now < deadline
      begin
        @held = @queue.held
        empty = @held.empty? ? empty + 1 : 0
      rescue StandardError
        empty = 0
      end
      sleep LOOK_SECONDS + (@task["workMs"].last / 1000.0)
    end
  end

  def tell_of_exit(status)
    return if @closing

    value = status.signaled? ? "signal #{status.termsig}" : "status #{status.exitstatus}"
    tell(process: "#{@task["name"]}.worker-1", op: "exited", value: value)
  end
end
