package drivers;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** JedisSentinelPool: a write takes a connection from the pool, for SET and WAIT. {@code best} sends both in one pipeline. */
final class JedisPool implements Library {
  private Task task;
  private JedisSentinelPool pool;

  @Override
  public void connect(Task task) throws Exception {
    this.task = task;
    GenericObjectPoolConfig<Jedis> config = new GenericObjectPoolConfig<>();
    if (task.best()) JedisSettings.pool(task, config);
    pool = new JedisSentinelPool(
        task.masterName(), JedisSettings.sentinels(task), config, JedisSettings.nodes(task), JedisSettings.forSentinels(task));
    try (Jedis jedis = pool.getResource()) {
      jedis.ping();
    }
  }

  @Override
  public boolean waitsOnSameConnection() {
    return true;
  }

  @Override
  public Waited write(String key, String value, Runnable written) {
    try (Jedis jedis = pool.getResource()) {
      if (task.best() && task.waitFor() != null) {
        Pipeline pipeline = jedis.pipelined();
        Response<?> write = task.append() ? pipeline.append(key, value) : pipeline.set(key, value);
        Response<Long> wait = pipeline.waitReplicas(task.waitFor().replicas(), task.waitFor().timeoutMs());
        pipeline.sync();
        write.get(); // throws its error
        return Waited.on(wait::get);
      }
      if (task.append()) jedis.append(key, value);
      else jedis.set(key, value);
      if (task.waitFor() == null) return Waited.NOT_ASKED;
      written.run();
      return Waited.on(() -> jedis.waitReplicas(task.waitFor().replicas(), task.waitFor().timeoutMs()));
    }
  }

  @Override
  public Kind kindOf(Throwable error) {
    return JedisSettings.kindOf(error);
  }
}
