package drivers;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What both clients of Jedis share. */
final class JedisSettings {
  private JedisSettings() {}

  static Set<HostAndPort> sentinels(Task task) {
    return task.sentinels().stream().map(each -> new HostAndPort(each.host(), each.port())).collect(Collectors.toSet());
  }

  static JedisClientConfig nodes(Task task) throws IOException, GeneralSecurityException {
    return settings(task, task.username(), task.password());
  }

  static JedisClientConfig forSentinels(Task task) throws IOException, GeneralSecurityException {
    return settings(task, task.sentinelUsername(), task.sentinelPassword());
  }

  private static JedisClientConfig settings(Task task, String username, String password) throws IOException, GeneralSecurityException {
    DefaultJedisClientConfig.Builder settings = DefaultJedisClientConfig.builder().user(username).password(password);
    if (task.best()) settings.connectionTimeoutMillis(1000).socketTimeoutMillis((int) task.patience().toMillis());
    if (task.tls() != null) settings.ssl(true).sslSocketFactory(Tls.sockets(task.tls()));
    return settings.build();
  }

  /** A connection for each write under way; a write does not wait for one for ever. */
  static <T> GenericObjectPoolConfig<T> pool(Task task, GenericObjectPoolConfig<T> config) {
    config.setMaxTotal(task.concurrency());
    config.setMaxIdle(task.concurrency());
    config.setMaxWait(Duration.ofSeconds(1));
    return config;
  }

  static Library.Kind kindOf(Throwable error) {
    if (error instanceof JedisDataException && error.getMessage() != null) return Library.Kind.reply(error.getMessage());
    if (Library.isCausedBy(error, SocketTimeoutException.class)) return Library.Kind.TIMEOUT;
    if (Library.isCausedBy(error, JedisConnectionException.class)) return Library.Kind.CLOSED;
    return Library.Kind.OTHER;
  }
}
