package drivers;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import sun.misc.Signal;

/** A driver of sentinel-bench for the libraries of Java. docs/drivers.md describes the protocol. The argument names the library. */
public final class Main {
  private static final long CONNECT_SECONDS = 15;

  private record Choice(String title, String artifact, Supplier<Library> make) {}

  private static final Map<String, Choice> LIBRARIES = Map.of(
      "jedis", new Choice("Jedis RedisSentinelClient", "redis.clients/jedis", JedisSentinel::new),
      "jedis-pool", new Choice("Jedis JedisSentinelPool", "redis.clients/jedis", JedisPool::new),
      "lettuce", new Choice("Lettuce", "io.lettuce/lettuce-core", Lettuce::new),
      "lettuce-replica", new Choice("Lettuce MasterReplica", "io.lettuce/lettuce-core", LettuceReplica::new),
      "redisson", new Choice("Redisson", "org.redisson/redisson", RedissonLibrary::new),
      "example", new Choice("examples/java", "io.lettuce/lettuce-core", Example::new));

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Choice choice = arguments.length == 1 ? LIBRARIES.get(arguments[0]) : null;
    if (choice == null) fail(2, "Name one library: " + String.join(", ", LIBRARIES.keySet()) + ".");
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Task task = null;
    try {
      task = Task.parse(input.readLine());
    } catch (IllegalArgumentException error) {
      fail(2, "The task is invalid: " + error.getMessage() + ".");
    }
    Library library = choice.make.get();
    connect(library, task);
    Report report = new Report();
    report.line("ready " + ready(choice, library));

    Schedule schedule = new Schedule(library, task, report);
    CompletableFuture<Long> start = new CompletableFuture<>(); // null: stopped before it began
    Runnable stop = () -> {
      start.complete(null);
      schedule.stop();
    };
    Signal.handle(new Signal("TERM"), signal -> stop.run());
    Thread reader = new Thread(() -> readCommands(input, start, stop), "commands");
    reader.setDaemon(true);
    reader.start();
    Long time = start.join();
    report.line("done " + (time == null ? 0 : schedule.run(time)));
    report.close();
    Runtime.getRuntime().halt(0); // Without closing the library, which may hang.
  }

  private static void readCommands(BufferedReader input, CompletableFuture<Long> start, Runnable stop) {
    try {
      for (String line = input.readLine(); line != null && !line.equals("stop"); line = input.readLine()) {
        if (line.startsWith("start ")) start.complete(Long.parseLong(line.substring(6).trim()));
      }
    } catch (IOException | NumberFormatException error) {
      // As the end of the input.
    }
    stop.run();
  }

  /** Ends the process if the primary does not answer. */
  private static void connect(Library library, Task task) {
    Throwable[] last = {null};
    CompletableFuture<Void> connected = CompletableFuture.runAsync(() -> {
      while (true) {
        try {
          library.connect(task);
          return;
        } catch (Exception error) {
          last[0] = error;
          pause();
        }
      }
    }, runnable -> new Thread(runnable, "connect").start());
    try {
      connected.get(CONNECT_SECONDS, TimeUnit.SECONDS);
    } catch (Exception error) {
      String reason = error instanceof TimeoutException ? last[0] == null ? "no answer yet" : last[0].toString() : error.toString();
      for (String secret : new String[] {task.password(), task.sentinelPassword()}) {
        if (secret != null && !secret.isEmpty()) reason = reason.replace(secret, "***");
      }
      fail(4, "The primary of " + task.masterName() + " did not answer within " + CONNECT_SECONDS + " s: " + reason + ".");
    }
  }

  private static void pause() {
    try {
      Thread.sleep(200);
    } catch (InterruptedException error) {
      throw new CompletionException(error);
    }
  }

  private static String ready(Choice choice, Library library) throws JsonProcessingException {
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.put("library", choice.title);
    ready.put("version", versionOf(choice.artifact));
    ready.put("language", "Java " + Runtime.version().feature());
    ready.put("wait", library.waitsOnSameConnection() ? "same-connection" : "other-connection");
    ready.put("pipeline", true);
    return new ObjectMapper().writeValueAsString(ready);
  }

  static String versionOf(String artifact) {
    try (InputStream file = Main.class.getResourceAsStream("/META-INF/maven/" + artifact + "/pom.properties")) {
      Properties properties = new Properties();
      properties.load(file);
      return properties.getProperty("version");
    } catch (IOException | NullPointerException error) {
      return "unknown";
    }
  }

  private static void fail(int status, String sentence) {
    System.err.println(sentence);
    Runtime.getRuntime().halt(status);
  }
}
