package drivers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.bootstrap.Bootstrap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.DefaultNettyHook;
import org.redisson.config.Config;
import org.redisson.config.SentinelServersConfig;
import sun.misc.Signal;

/**
 * Redisson's lock as a workload: docs/drivers.md describes the protocol. A watchdog of the library renews each lock as long as its
 * holder lives, and does not tell the holder when the lock is lost.
 */
public final class RedissonLock {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final CountDownLatch STOPPED = new CountDownLatch(1);
  private static final Set<Map<String, Object>> OPEN = ConcurrentHashMap.newKeySet();

  private RedissonLock() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    JsonNode task = parse(input.readLine());
    String name = task.path("name").asText();
    Signal.handle(new Signal("TERM"), signal -> end(0));
    daemon(() -> {
      while (true) {
        print(Map.of("process", name, "op", "alive"));
        Thread.sleep(1000);
      }
    });
    Thread deadline = daemon(() -> {
      Thread.sleep(15_000);
      System.err.println("No connection to the primary within 15 s.");
      Runtime.getRuntime().halt(4);
      return null;
    });
    // Each holder is a client of its own, as in programs on several machines.
    List<RedissonClient> clients = IntStream.range(0, task.path("roles").path("holder").asInt()).mapToObj(number -> connect(task)).toList();
    deadline.interrupt();
    Map<String, Object> ready = new LinkedHashMap<>(Map.of("op", "ready", "library", "Redisson", "language", "Java " + Runtime.version().feature()));
    ready.put("version", Main.versionOf("org.redisson/redisson"));
    ready.put("visibilityMs", null);
    print(ready);
    List<Thread> holders = new ArrayList<>();
    for (String line = input.readLine(); line != null && !line.equals("end"); line = input.readLine()) {
      if (line.equals("start")) {
        for (RedissonClient client : clients) {
          String process = name + ".holder-" + (holders.size() + 1);
          holders.add(daemon(() -> hold(task, client, process)));
        }
      } else if (line.equals("stop")) {
        STOPPED.countDown();
      } else if (line.startsWith("drain ")) {
        long until = System.nanoTime() + Long.parseLong(line.substring(6)) * 1_000_000;
        for (Thread each : holders) each.join(Math.max(1, (until - System.nanoTime()) / 1_000_000));
        print(Map.of("process", name, "op", "drained"));
      }
    }
    end(0);
  }

  private static JsonNode parse(String line) {
    try {
      JsonNode task = MAPPER.readTree(line == null ? "" : line);
      if (!task.path("protocol").asText().equals("sentinel-bench/workload@1")) end(2, "The task is of another protocol than sentinel-bench/workload@1.");
      if (!List.of("defaults", "best").contains(task.path("variant").asText())) end(2, "The variants are defaults and best.");
      if (!task.path("workload").asText().equals("lock")) end(3, "The library has the workload lock only.");
      return task;
    } catch (IOException error) {
      end(2, "The task is not JSON.");
      return null;
    }
  }

  private static RedissonClient connect(JsonNode task) {
    Config config = new Config();
    SentinelServersConfig sentinels = config.useSentinelServers().setMasterName(task.path("masterName").asText());
    for (JsonNode each : task.path("sentinels")) sentinels.addSentinelAddress("redis://" + each.path("host").asText() + ":" + each.path("port").asInt());
    config.setLockWatchdogTimeout(task.path("leaseMs").asLong());
    if (task.path("variant").asText().equals("best")) sentinels.setRetryAttempts(0).setTimeout(2000).setConnectTimeout(1000);
    if (!task.path("localAddress").isNull()) {
      InetSocketAddress from = new InetSocketAddress(task.path("localAddress").asText(), 0);
      config.setNettyHook(new DefaultNettyHook() {
        @Override
        public void afterBoostrapInitialization(Bootstrap bootstrap) {
          bootstrap.localAddress(from);
        }
      });
    }
    return Redisson.create(config);
  }

  /** Takes locks one after the other until no new work is wanted. */
  private static Void hold(JsonNode task, RedissonClient client, String process) throws InterruptedException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int turn = 0; STOPPED.getCount() > 0; turn++) {
      String key = task.path("keyPrefix").asText() + "lock:" + random.nextInt(task.path("keys").asInt());
      RLock lock = client.getLock(key);
      Map<String, Object> line = new LinkedHashMap<>(Map.of("process", process, "role", "holder", "key", key, "value", process + ":" + turn));
      boolean acquired = record(line, "acquire", () -> lock.tryLock(0, TimeUnit.SECONDS));
      long milliseconds = acquired ? random.nextLong(task.path("workMs").get(0).asLong(), task.path("workMs").get(1).asLong()) : random.nextLong(10, 100);
      STOPPED.await(milliseconds, TimeUnit.MILLISECONDS);
      if (!acquired) continue;
      record(line, "release", () -> {
        try {
          lock.unlock();
          return true;
        } catch (IllegalMonitorStateException lost) {
          return false;
        }
      });
    }
    return null;
  }

  private static boolean record(Map<String, Object> common, String op, Callable<Boolean> call) {
    Map<String, Object> line = new LinkedHashMap<>(common);
    line.put("op", op);
    if (op.equals("acquire")) line.put("leaseMs", null);
    line.put("begin", System.nanoTime() / 1000);
    line.put("end", null);
    line.put("outcome", "unknown");
    OPEN.add(line);
    Map<String, Object> answer = new LinkedHashMap<>(line);
    try {
      answer.put("outcome", call.call() ? "ok" : "no");
    } catch (Exception error) {
      String text = String.valueOf(error.getMessage());
      if (Library.NOTHING_WRITTEN.contains(text.split("[ .]")[0])) answer.put("outcome", "refused");
      answer.put("error", text.substring(0, Math.min(200, text.length())));
    }
    answer.put("end", System.nanoTime() / 1000);
    if (OPEN.remove(line)) print(answer);
    return answer.get("outcome").equals("ok");
  }

  private static synchronized void print(Object line) {
    try {
      System.out.println(MAPPER.writeValueAsString(line));
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  private static Thread daemon(Callable<Void> work) {
    Thread thread = new Thread(() -> {
      try {
        work.call();
      } catch (Exception error) {
        // It was told to end.
      }
    });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void end(int status, String... reason) {
    for (String each : reason) System.err.println(each);
    for (Map<String, Object> open : OPEN) print(open);
    System.out.flush();
    Runtime.getRuntime().halt(status); // Without closing the library, which may hang.
  }
}
