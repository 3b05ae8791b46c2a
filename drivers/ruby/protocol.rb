# frozen_string_literal: true

# The driver protocol for Ruby, which docs/drivers.md describes. A driver gives a block for each part:
#
# - `connect.(task)` returns a client that is connected. Each thread has its own, as in a pool of connections.
# - `write.(client, task, key, value)` returns what WAIT counted, or -1 without WAIT. It raises the library's error if the
#   write failed, and NotConfirmed if the write is OK and its WAIT failed.
# - `kind.(error)` is the first word of an error reply, or what happened to the connection.

require "json"

# The write is OK, and its WAIT failed.
class NotConfirmed < StandardError
  # Around a WAIT: its error does not make the write unknown.
  def self.around
    yield
  rescue StandardError
    raise NotConfirmed
  end
end

# Error replies that say that nothing was written.
NOT_WRITTEN = %w[
  NOAUTH NOPERM WRONGPASS DENIED OOM MISCONF NOREPLICAS READONLY MASTERDOWN LOADING BUSY EXECABORT CLUSTERDOWN
].freeze
FIELDS = %w[
  sentinels masterName command wait rate concurrency keyPrefix valueSeed valueFiller giveUpMs drainMs
].freeze
CONNECT_SECONDS = 15
FLUSH_SECONDS = 0.02

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

def failed(status, sentence)
  warn sentence
  exit! status
end

# The lines of the harness, one after the other. The end of input and SIGTERM count as `last`.
class Input
  def initialize(last = "stop")
    @lines = Queue.new
    Thread.new do
      while (line = $stdin.gets)
        @lines << line.chomp
      end
      @lines << last
    end
    trap("TERM") { @lines << last }
  end

  def next
    @lines.pop
  end

  def empty?
    @lines.empty?
  end
end

# Standard output. One thread writes it, so that a slow reader stops no write.
class Output
  def initialize
    @lines = Queue.new
    @writing = Mutex.new
  end

  def <<(line)
    @lines << line
  end

  def flush
    @writing.synchronize do
      text = +""
      text << @lines.pop << "\n" until @lines.empty?
      $stdout.write(text)
      $stdout.flush
    end
  rescue SystemCallError
    exit! 1 # Nobody reads any more.
  end
end

# The schedule, and the outcome of each write.
class Trial
  def initialize(task, output, start, kind)
    @task = task
    @output = output
    @start = start
    @kind = kind
    @next = 0 # the next write that nobody has taken
    @limit = nil # the number of writes that were due, after the stop
    @taken = {} # writes that a thread has taken, and neither sent nor reported
    @sent = {} # when each open write was sent
    @closed = false
    @reported = 0
    @lock = Mutex.new
  end

  # The next write, which may be due later. nil: there is no further write.
  def take
    @lock.synchronize do
      next if @limit && @next >= @limit

      @taken[@next] = true
      @next += 1
      @next - 1
    end
  end

  def seconds_until(number)
    (due(number) - now) / 1e9
  end

  # Whether the write is to be sent now. It is not when the trial ended before, or when it is too late.
  def begin?(number)
    @lock.synchronize do
      next false if @closed || (@limit && number >= @limit)

      @taken.delete(number)
      if too_late?(number)
        report(number, "unsent")
        next false
      end
      @sent[number] = now
    end
  end

  def end(number, count: -1, error: nil)
    kind = error && @kind.call(error.is_a?(NotConfirmed) ? error.cause : error)
    outcome = outcome_of(count, error, kind)
    @lock.synchronize do
      sent = @sent.delete(number) and report(number, outcome, count, sent, now, kind || "-")
    end
  end

  # No write becomes due from now on.
  def stop
    @lock.synchronize do
      @limit = [0, ((now - @start) * @task["rate"] / 1e9).to_i + 2].max
      @limit -= 1 while @limit.positive? && due(@limit - 1) > now
    end
  end

  # Reports the writes that nobody could send in time, because all threads wait for answers.
  def expire
    @lock.synchronize do
      while (@limit.nil? || @next < @limit) && too_late?(@next)
        report(@next, "unsent")
        @next += 1
      end
    end
  end

  def complete?
    @reported >= @limit
  end

  # Reports what is still open, and returns how many writes were due.
  def close
    @lock.synchronize do
      @sent.each { |number, sent| report(number, "unknown", -1, sent, nil, "TIMEOUT") }
      @sent = {}
      @closed = true
      [*@taken.keys.select { |number| number < @limit }, *(@next...@limit)].each { |number| report(number, "unsent") }
      @next = [@next, @limit].max
    end
    @limit
  end

  private

  def due(number)
    @start + (number * 1e9 / @task["rate"]).to_i
  end

  def too_late?(number)
    now > due(number) + @task["giveUpMs"] * 1_000_000
  end

  def outcome_of(count, error, kind)
    return "under-acked" if error.is_a?(NotConfirmed)
    return NOT_WRITTEN.include?(kind) ? "rejected" : "unknown" if error

    @task["wait"].nil? || count >= @task["wait"]["replicas"] ? "acked" : "under-acked"
  end

  def report(number, outcome, count = -1, sent = nil, answered = nil, kind = "-")
    sent_us, answered_us = [sent, answered].map { |at| at ? (at - @start) / 1000 : 0 }
    @output << "w #{number} #{outcome} #{count} #{sent_us} #{answered_us} #{kind}"
    @reported += 1
  end
end

# The key and the value of a write.
def pair_of(task, number)
  digits = format("%012d", number)
  checksum = digits.bytes.reduce(task["valueSeed"]) { |sum, byte| ((sum ^ byte) * 16_777_619) & 0xFFFFFFFF }
  [task["keyPrefix"] + digits, format("%s:%08x%s", digits, checksum, task["valueFiller"])]
end

def read_task(line, variants)
  task = JSON.parse(line)
  failed(2, "The task is of another protocol than sentinel-bench/driver@1.") if task["protocol"] != "sentinel-bench/driver@1"
  failed(2, "The variants are #{variants.keys.join(", ")}.") unless variants.key?(task["variant"])
  missing = FIELDS.find { |name| !task.key?(name) }
  failed(2, "The task has no #{missing}.") if missing
  failed(2, "The task names a command other than SET and APPEND.") unless %w[SET APPEND].include?(task["command"])
  task
rescue JSON::ParserError, NoMethodError, TypeError
  failed(2, "The task is not a JSON object.")
end

def connect_in_time(kind)
  deadline = now + CONNECT_SECONDS * 1_000_000_000
  begin
    yield
  rescue StandardError => e
    failed(4, "No connection to the primary within #{CONNECT_SECONDS} s (#{kind.call(e)}).") if now > deadline
    sleep 0.1
    retry
  end
end

def work(trial, task, client, write)
  while (number = trial.take)
    # The end of the trial wakes it up.
    delay = trial.seconds_until(number)
    sleep delay if delay.positive?
    next unless trial.begin?(number)

    begin
      trial.end(number, count: write.call(client, task, *pair_of(task, number)))
    rescue StandardError => e
      trial.end(number, error: e)
    end
  end
end

# Runs a driver. `ready` is what it says of itself: library, version, wait and pipeline.
def run(variants:, ready:, connect:, write:, kind:)
  input = Input.new
  output = Output.new
  task = read_task(input.next, variants)
  connecting = Thread.new { connect_in_time(kind) { connect.call(task) } }
  sleep 0.005 while connecting.alive? && input.empty?
  due = 0
  if input.empty?
    first = connecting.value
    output << "ready #{JSON.generate(ready.call(task).merge(language: "Ruby #{RUBY_VERSION[/\d+\.\d+/]}"))}"
    output.flush
    word, start = input.next.split
    if word == "start"
      clients = [first] + Array.new(task["concurrency"] - 1) { connect.call(task, connected: false) }
      due = run_trial(Trial.new(task, output, start.to_i, kind), task, input, output, clients, write)
    end
  end
  output << "done #{due}"
  output.flush
  exit! 0 # Threads may still wait for an answer.
end

def run_trial(trial, task, input, output, clients, write)
  clients.each { |client| Thread.new { work(trial, task, client, write) } }
  Thread.new do
    loop do
      trial.expire
      output.flush
      sleep FLUSH_SECONDS
    end
  end
  nil until input.next == "stop"
  trial.stop
  deadline = now + task["drainMs"] * 1_000_000
  sleep 0.005 until trial.complete? || now > deadline
  trial.close
end
