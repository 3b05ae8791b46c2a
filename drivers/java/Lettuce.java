package drivers;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import javax.net.ssl.KeyManagerFactory;

/**
 * One connection for all. {@code defaults} calls its blocking commands. {@code best} sends SET and WAIT together, repeats
 * nothing, rejects commands while it is not connected, and gives up after a second.
 */
class Lettuce implements Library {
  Task task;
  private StatefulRedisConnection<String, String> connection;

  StatefulRedisConnection<String, String> open(RedisClient client, RedisURI uri) {
    return client.connect(uri);
  }

  @Override
  public void connect(Task task) throws Exception {
    this.task = task;
    RedisClient client = RedisClient.create();
    client.setOptions(options(task));
    RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(task.masterName());
    for (Task.Address each : task.sentinels()) {
      uri.withSentinel(secured(task, RedisURI.builder().withHost(each.host()).withPort(each.port()), task.sentinelUsername(), task.sentinelPassword()));
    }
    connection = open(client, secured(task, uri, task.username(), task.password()));
    connection.sync().ping();
  }

  /** Passwords and TLS of a node or of a Sentinel. */
  static RedisURI secured(Task task, RedisURI.Builder uri, String username, String password) {
    // A certificate for another name than the address can only be checked without the name.
    if (task.tls() != null) uri.withSsl(true).withVerifyPeer(task.tls().serverName() == null ? SslVerifyMode.FULL : SslVerifyMode.CA);
    if (username != null) uri.withAuthentication(username, password);
    else if (password != null) uri.withPassword(password.toCharArray());
    return uri.build();
  }

  static ClientOptions options(Task task) throws IOException, GeneralSecurityException {
    ClientOptions.Builder options = ClientOptions.builder();
    if (task.tls() != null) {
      SslOptions.Builder tls = SslOptions.builder().jdkSslProvider().trustManager(Tls.trust(task.tls()));
      KeyManagerFactory keys = Tls.keys(task.tls());
      options.sslOptions((keys == null ? tls : tls.keyManager(keys)).build());
    }
    if (task.best()) {
      options
          .replayFilter(command -> true)
          .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
          .socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
          .timeoutOptions(TimeoutOptions.enabled(task.patience()));
    }
    return options.build();
  }

  @Override
  public boolean waitsOnSameConnection() {
    return true;
  }

  @Override
  public Waited write(String key, String value, Runnable written) throws Exception {
    if (task.best() && task.waitFor() != null) {
      Future<?> write = task.append() ? connection.async().append(key, value) : connection.async().set(key, value);
      Future<Long> wait = connection.async().waitForReplication(task.waitFor().replicas(), task.waitFor().timeoutMs());
      write.get(); // throws its error
      written.run();
      return Waited.on(wait::get);
    }
    if (task.append()) connection.sync().append(key, value);
    else connection.sync().set(key, value);
    if (task.waitFor() == null) return Waited.NOT_ASKED;
    written.run();
    return Waited.on(() -> connection.sync().waitForReplication(task.waitFor().replicas(), task.waitFor().timeoutMs()));
  }

  @Override
  public Kind kindOf(Throwable error) {
    Throwable cause = error instanceof ExecutionException || error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof RedisCommandExecutionException) return Kind.reply(cause.getMessage());
    if (cause instanceof RedisCommandTimeoutException) return Kind.TIMEOUT;
    String text = String.valueOf(cause.getMessage());
    if (text.startsWith("Master is currently unknown")) return Kind.NO_PRIMARY;
    boolean isClosed = cause instanceof IOException || Library.isCausedBy(cause, IOException.class) || text.contains("onnect");
    return cause instanceof RedisException && !isClosed ? Kind.OTHER : Kind.CLOSED;
  }
}
