package drivers;

import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.builders.SentinelClientBuilder;

/**
 * RedisSentinelClient, which took the place of JedisSentineled. {@code defaults} sends SET and WAIT as two commands, each on some
 * connection of the pool. {@code best} sends both in one pipeline, which has one connection.
 */
final class JedisSentinel implements Library {
  private Task task;
  private RedisSentinelClient client;

  @Override
  public void connect(Task task) throws Exception {
    this.task = task;
    SentinelClientBuilder<RedisSentinelClient> builder = RedisSentinelClient.builder()
        .masterName(task.masterName())
        .sentinels(JedisSettings.sentinels(task))
        .sentinelClientConfig(JedisSettings.forSentinels(task))
        .clientConfig(JedisSettings.nodes(task));
    if (task.best()) builder.poolConfig(JedisSettings.pool(task, new ConnectionPoolConfig()));
    client = builder.build();
    client.ping();
  }

  @Override
  public boolean waitsOnSameConnection() {
    return task.best();
  }

  @Override
  public Waited write(String key, String value, Runnable written) {
    if (task.best() && task.waitFor() != null) {
      try (Pipeline pipeline = client.pipelined()) {
        Response<?> write = task.append() ? pipeline.append(key, value) : pipeline.set(key, value);
        Response<Long> wait = pipeline.waitReplicas(task.waitFor().replicas(), task.waitFor().timeoutMs());
        pipeline.sync();
        write.get(); // throws its error
        return Waited.on(wait::get);
      }
    }
    if (task.append()) client.append(key, value);
    else client.set(key, value);
    if (task.waitFor() == null) return Waited.NOT_ASKED;
    written.run();
    return Waited.on(() -> client.waitReplicas(key, task.waitFor().replicas(), task.waitFor().timeoutMs()));
  }

  @Override
  public Kind kindOf(Throwable error) {
    return JedisSettings.kindOf(error);
  }
}
