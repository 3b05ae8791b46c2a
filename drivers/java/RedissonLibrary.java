package drivers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchResult;
import org.redisson.api.RBatch;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.RedisCommands;
import org.redisson.command.CommandBatchService;
import org.redisson.config.Config;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SslVerificationMode;

/**
 * WAIT is an option of a batch, which has one connection, so both variants send it there. {@code defaults} repeats a failed
 * command up to four times, {@code best} does not.
 */
final class RedissonLibrary implements Library {
  private Task task;
  private RedissonClient client;

  @Override
  public void connect(Task task) throws Exception {
    this.task = task;
    Config config = new Config().setUsername(task.username()).setPassword(task.password());
    SentinelServersConfig sentinels = config.useSentinelServers()
        .setMasterName(task.masterName())
        .setSentinelUsername(task.sentinelUsername())
        .setSentinelPassword(task.sentinelPassword());
    for (Task.Address each : task.sentinels()) {
      sentinels.addSentinelAddress((task.tls() == null ? "redis://" : "rediss://") + each.host() + ":" + each.port());
    }
    if (task.tls() != null) {
      // A certificate for another name than the address can only be checked without the name.
      boolean named = task.tls().serverName() != null;
      config.setSslTrustManagerFactory(Tls.trust(task.tls()))
          .setSslVerificationMode(named ? SslVerificationMode.CA_ONLY : SslVerificationMode.STRICT);
      KeyManagerFactory keys = Tls.keys(task.tls());
      if (keys != null) config.setSslKeyManagerFactory(keys);
    }
    if (task.best()) sentinels.setRetryAttempts(0).setTimeout((int) task.patience().toMillis()).setConnectTimeout(1000);
    client = Redisson.create(config);
    client.getBucket(task.key(0), StringCodec.INSTANCE).isExists();
  }

  @Override
  public boolean waitsOnSameConnection() {
    return true;
  }

  @Override
  public Waited write(String key, String value, Runnable written) throws Exception {
    if (task.waitFor() == null) {
      if (task.append()) client.getBinaryStream(key).getOutputStream().write(value.getBytes(StandardCharsets.UTF_8));
      else client.getBucket(key, StringCodec.INSTANCE).set(value);
      return Waited.NOT_ASKED;
    }
    BatchOptions options = BatchOptions.defaults().sync(task.waitFor().replicas(), Duration.ofMillis(task.waitFor().timeoutMs()));
    if (task.append()) { // A batch has no APPEND. This is what it uses itself.
      CommandBatchService batch = new CommandBatchService(((Redisson) client).getCommandExecutor(), options);
      RFuture<?> write = batch.writeAsync(key, StringCodec.INSTANCE, RedisCommands.APPEND, key, value);
      return execute(write, batch::execute);
    }
    RBatch batch = client.createBatch(options);
    RFuture<?> write = batch.getBucket(key, StringCodec.INSTANCE).setAsync(value);
    return execute(write, batch::execute);
  }

  /** A batch fails as a whole. The future of the write knows whether it was answered. */
  private static Waited execute(RFuture<?> write, Supplier<BatchResult<?>> batch) {
    try {
      return new Waited(batch.get().getSyncedSlaves(), null);
    } catch (RuntimeException error) {
      CompletableFuture<?> written = write.toCompletableFuture();
      if (!written.isDone() || written.isCompletedExceptionally()) throw error;
      return new Waited(-1, error);
    }
  }

  @Override
  public Kind kindOf(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof RedisOutOfMemoryException) return Kind.reply("OOM"); // Its message has lost this word.
      if (each instanceof RedisTimeoutException) return Kind.TIMEOUT;
      if (each instanceof RedisNodeNotFoundException) return Kind.NO_PRIMARY;
      boolean isLost = each instanceof RedisConnectionException || each instanceof WriteRedisConnectionException;
      if (isLost || each instanceof IOException) return Kind.CLOSED;
      // An error reply, with the connection and the command behind it.
      if (each instanceof RedisException && String.valueOf(each.getMessage()).contains(". channel: ")) return Kind.reply(each.getMessage());
    }
    return Kind.OTHER;
  }
}
