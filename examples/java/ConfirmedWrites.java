package confirmed;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Confirmed writes through Redis Sentinel. Copy this file; it needs Lettuce only. README.md of the folder above says how to use it.
 *
 * <p>It does not let Lettuce reconnect, because Lettuce then repeats commands, and stays with an old primary. It asks all
 * Sentinels itself, listens to all of them, and opens a new connection for each primary.
 */
public final class ConfirmedWrites implements AutoCloseable {
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final Duration ASK_EVERY = Duration.ofMillis(100);

  /** A primary that owes an answer for so long hangs. Its connection is closed. */
  private static final Duration HANGS = Duration.ofSeconds(2);

  public enum Outcome { ACKED, UNDER_ACKED, REJECTED, UNKNOWN }

  /** The error is null if there was none. */
  public record Answer(Outcome outcome, long replicas, Throwable error) {}

  private final List<RedisURI> sentinels;
  private final String name;
  private final Function<InetSocketAddress, RedisURI> node;
  private final RedisClient client = RedisClient.create();
  private final Map<RedisURI, CompletableFuture<StatefulRedisPubSubConnection<String, String>>> listeners = new HashMap<>();
  private final AtomicInteger unanswered = new AtomicInteger();
  private volatile boolean closed;
  private volatile StatefulRedisConnection<String, String> connection; // null: not connected
  private InetSocketAddress current; // that of the connection, or of the one that is being opened
  private InetSocketAddress announced; // by +switch-master

  /**
   * @param sentinels with the passwords and TLS of the Sentinels
   * @param name of the primary, such as mymaster
   * @param node turns an announced address into a RedisURI with the password and TLS of the nodes
   * @param options null, or options such as the certificates of TLS
   * @throws IllegalStateException not connected to a primary within 5 s
   */
  public ConfirmedWrites(
      List<RedisURI> sentinels, String name, Function<InetSocketAddress, RedisURI> node, ClientOptions options) {
    this.sentinels = sentinels;
    this.name = name;
    this.node = node;
    client.setOptions(
        (options == null ? ClientOptions.create() : options)
            .mutate()
            .autoReconnect(false)
            .socketOptions(SocketOptions.builder().connectTimeout(HANGS).build())
            .build());
    Thread thread = new Thread(this::stayConnected, "redis-primary");
    thread.setDaemon(true);
    thread.start();
    for (long end = System.nanoTime() + CONNECT_WITHIN.toNanos(); connection == null; sleep(Duration.ofMillis(10))) {
      if (System.nanoTime() < end) continue;
      close();
      throw new IllegalStateException("not connected to the primary of " + name + " within " + CONNECT_WITHIN.toSeconds() + " s");
    }
  }

  /**
   * Sends a command that writes, and its WAIT, on one connection, once. The future never fails.
   *
   * <p>{@code client.write(redis -> redis.set("key", "value"), 1, Duration.ofSeconds(1))}
   */
  public CompletableFuture<Answer> write(
      Function<RedisAsyncCommands<String, String>, RedisFuture<?>> command, int replicas, Duration timeout) {
    StatefulRedisConnection<String, String> used = connection; // The write and WAIT stay on this one.
    if (used == null || !used.isOpen()) {
      IllegalStateException error = new IllegalStateException("not connected, nothing sent");
      return CompletableFuture.completedFuture(new Answer(Outcome.REJECTED, 0, error));
    }
    // The writes before this one may each take their whole time-out.
    Duration patience = HANGS.plus(timeout.multipliedBy(unanswered.incrementAndGet()));
    CompletableFuture<?> write = command.apply(used.async()).toCompletableFuture();
    CompletableFuture<Long> wait = used.async().waitForReplication(replicas, timeout.toMillis()).toCompletableFuture();
    return CompletableFuture.allOf(write, wait)
        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (none, error) -> {
              unanswered.decrementAndGet();
              if (error instanceof TimeoutException || errorOf(write) instanceof RedisReadOnlyException) used.closeAsync();
              return answerOf(write, wait, replicas);
            });
  }

  private static Answer answerOf(CompletableFuture<?> write, CompletableFuture<Long> wait, int replicas) {
    Throwable error = errorOf(write);
    if (error != null) {
      boolean isReply = error instanceof RedisCommandExecutionException;
      return new Answer(isReply ? Outcome.REJECTED : Outcome.UNKNOWN, 0, error);
    }
    if (errorOf(wait) != null) return new Answer(Outcome.UNKNOWN, 0, errorOf(wait));
    return new Answer(wait.join() >= replicas ? Outcome.ACKED : Outcome.UNDER_ACKED, wait.join(), null);
  }

  /** Null: it was answered without an error. */
  private static Throwable errorOf(CompletableFuture<?> answer) {
    if (!answer.isDone()) return new TimeoutException("no answer");
    try {
      answer.join();
      return null;
    } catch (CompletionException error) {
      return error.getCause();
    } catch (RuntimeException error) {
      return error;
    }
  }

  @Override
  public void close() {
    closed = true;
    client.shutdownAsync(0, 2, TimeUnit.SECONDS);
  }

  private void stayConnected() {
    for (; !closed; sleep(ASK_EVERY)) {
      try {
        for (RedisURI sentinel : sentinels) listen(sentinel);
        StatefulRedisConnection<String, String> used = connection;
        if (used == null || !used.isOpen()) useNewPrimary();
      } catch (RuntimeException error) {
        // Try again.
      }
    }
  }

  /** Opens the connection that hears of +switch-master, again if it was lost. */
  private void listen(RedisURI sentinel) {
    CompletableFuture<StatefulRedisPubSubConnection<String, String>> last = listeners.get(sentinel);
    boolean works = last != null && (!last.isDone() || !last.isCompletedExceptionally() && last.join().isOpen());
    if (works) return;
    var opening = client.connectPubSubAsync(StringCodec.UTF8, sentinel).toCompletableFuture();
    listeners.put(sentinel, opening);
    opening.thenAccept(
        listener -> {
          listener.addListener(
              new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                  onSwitch(message.split(" "));
                }
              });
          listener.async().subscribe("+switch-master");
        });
  }

  /** Leaves the old primary. The words are such as {@code mymaster 10.0.0.1 6379 10.0.0.2 6379}. */
  private synchronized void onSwitch(String[] words) {
    if (!words[0].equals(name)) return;
    InetSocketAddress address = InetSocketAddress.createUnresolved(words[3], Integer.parseInt(words[4]));
    if (address.equals(current)) return;
    announced = address;
    if (connection != null) connection.closeAsync();
  }

  private void useNewPrimary() {
    InetSocketAddress answer = askSentinels();
    synchronized (this) {
      // A Sentinel that answers first may not know the new primary yet.
      current = announced != null ? announced : answer;
      announced = null;
    }
    StatefulRedisConnection<String, String> opened = client.connect(node.apply(current));
    synchronized (this) {
      if (announced == null && !closed) connection = opened;
      else opened.closeAsync();
    }
  }

  /** Returns the first answer. */
  private InetSocketAddress askSentinels() {
    CompletableFuture<InetSocketAddress> first = new CompletableFuture<>();
    var asked = sentinels.stream().map(sentinel -> ask(sentinel).thenAccept(first::complete));
    CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).exceptionally(error -> null).thenRun(() -> first.cancel(false));
    return first.orTimeout(HANGS.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  private CompletableFuture<InetSocketAddress> ask(RedisURI sentinel) {
    return client
        .connectSentinelAsync(StringCodec.UTF8, sentinel)
        .thenCompose(asked -> asked.async().getMasterAddrByName(name).whenComplete((address, error) -> asked.closeAsync()))
        .thenApply(address -> (InetSocketAddress) address)
        .thenApply(address -> InetSocketAddress.createUnresolved(address.getHostString(), address.getPort()));
  }

  private static void sleep(Duration duration) {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException error) {
      throw new IllegalStateException(error);
    }
  }
}
