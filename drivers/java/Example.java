package drivers;

import confirmed.ConfirmedWrites;
import io.lettuce.core.RedisURI;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Runs the client of examples/java. Both variants are the same. */
final class Example implements Library {
  private final Lettuce lettuce = new Lettuce(); // for its errors
  private Task task;
  private ConfirmedWrites client;

  @Override
  public void connect(Task task) throws Exception {
    this.task = task;
    List<RedisURI> sentinels = task.sentinels().stream()
        .map(each -> uri(each.host(), each.port(), task.sentinelUsername(), task.sentinelPassword()))
        .toList();
    client = new ConfirmedWrites(sentinels, task.masterName(), this::node, Lettuce.options(task));
  }

  private RedisURI node(InetSocketAddress address) {
    return uri(address.getHostString(), address.getPort(), task.username(), task.password());
  }

  private RedisURI uri(String host, int port, String username, String password) {
    return Lettuce.secured(task, RedisURI.builder().withHost(host).withPort(port), username, password);
  }

  @Override
  public boolean waitsOnSameConnection() {
    return true;
  }

  @Override
  public Waited write(String key, String value, Runnable written) throws Exception {
    int replicas = task.waitFor() == null ? 0 : task.waitFor().replicas();
    Duration timeout = Duration.ofMillis(task.waitFor() == null ? 1000 : task.waitFor().timeoutMs());
    ConfirmedWrites.Answer answer =
        client.write(redis -> task.append() ? redis.append(key, value) : redis.set(key, value), replicas, timeout).join();
    if (answer.error() instanceof Exception error) throw error;
    return task.waitFor() == null ? Waited.NOT_ASKED : new Waited(answer.replicas(), null);
  }

  @Override
  public Kind kindOf(Throwable error) {
    if (error instanceof java.util.concurrent.TimeoutException) return Kind.TIMEOUT;
    return error instanceof IllegalStateException ? Kind.NO_PRIMARY : lettuce.kindOf(error);
  }
}
