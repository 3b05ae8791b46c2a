# frozen_string_literal: true

# redis-rb with Sentinels. A client has one connection, so its WAIT goes where its write went.

require "redis"
require_relative "protocol"

VARIANTS = {
  # 5 s for an answer. When the connection is lost, the library connects again and sends the command again, once.
  "defaults" => {},
  # Without a second attempt, WAIT never goes to another connection than its write.
  "best" => { reconnect_attempts: 0, timeout: 2, connect_timeout: 1 }
}.freeze

def tls_options(tls)
  return {} if tls.nil?

  params = { ca_file: tls["ca"] }
  params[:cert] = OpenSSL::X509::Certificate.new(File.read(tls["cert"])) if tls["cert"]
  params[:key] = OpenSSL::PKey.read(File.read(tls["key"])) if tls["key"]
  # The library compares the certificate with the address only. It cannot be given another name.
  params[:verify_hostname] = false if tls["serverName"]
  { ssl: true, ssl_params: params }
end

connect = lambda do |task, connected: true|
  sentinels = task["sentinels"].map do |each|
    { host: each["host"], port: each["port"], username: task["sentinelUsername"], password: task["sentinelPassword"] }
  end
  redis = Redis.new(
    host: task["masterName"], sentinels: sentinels, role: :master,
    username: task["username"], password: task["password"],
    **tls_options(task["tls"]), **VARIANTS[task["variant"]]
  )
  redis.ping if connected
  redis
end

write = lambda do |redis, task, key, value|
  redis.public_send(task["command"] == "SET" ? :set : :append, key, value)
  return -1 if task["wait"].nil?

  # A pipeline would hide the answer of the write when WAIT fails.
  NotConfirmed.around { redis.call("WAIT", *task["wait"].values_at("replicas", "timeoutMs")) }
end

kind = lambda do |error|
  case error
  when Redis::CommandError then error.message[/\A[A-Z]+(?= )/] || "ERR"
  when Redis::TimeoutError then "TIMEOUT"
  when ->(e) { e.message.match?(/No sentinels available|Unable to fetch|role mismatch/) } then "NOPRIMARY"
  when Redis::BaseConnectionError, SystemCallError, IOError then "CLOSED"
  else "OTHER"
  end
end

ready = ->(_task) { { library: "redis-rb", version: Redis::VERSION, wait: "same-connection", pipeline: false } }

run(variants: VARIANTS, ready: ready, connect: connect, write: write, kind: kind)
