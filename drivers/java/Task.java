package drivers;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What the harness asks for. docs/drivers.md describes the fields. */
record Task(
    String protocol, String variant, List<Address> sentinels, String masterName,
    String username, String password, String sentinelUsername, String sentinelPassword, TlsFiles tls,
    String command, @JsonProperty("wait") Wait waitFor, double rate, int concurrency,
    String keyPrefix, long valueSeed, String valueFiller, long giveUpMs, long drainMs) {
  static final String PROTOCOL = "sentinel-bench/driver@1";

  record Address(String host, int port) {}

  record TlsFiles(String ca, String cert, String key, String serverName) {}

  record Wait(int replicas, long timeoutMs) {}

  /** @throws IllegalArgumentException says what is wrong, and does not quote the task, because it holds passwords */
  static Task parse(String line) {
    Task task;
    try {
      ObjectMapper mapper = new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
      task = mapper.readValue(line == null ? "" : line, Task.class);
    } catch (IOException error) {
      throw new IllegalArgumentException("it is not a JSON object with the fields of the protocol");
    }
    require(task != null && PROTOCOL.equals(task.protocol), "its protocol is not " + PROTOCOL);
    require(List.of("defaults", "best").contains(task.variant), "its variant is neither defaults nor best");
    require(task.sentinels != null && !task.sentinels.isEmpty() && task.masterName != null, "it names no Sentinel or no master name");
    require(List.of("SET", "APPEND").contains(task.command), "its command is neither SET nor APPEND");
    require(task.rate > 0 && task.concurrency > 0, "rate and concurrency have to be positive");
    return task;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) throw new IllegalArgumentException(otherwise);
  }

  boolean best() {
    return variant.equals("best");
  }

  boolean append() {
    return command.equals("APPEND");
  }

  /** How long the best variant waits for an answer: a second more than WAIT takes. */
  Duration patience() {
    return Duration.ofMillis(1000 + (waitFor == null ? 0 : waitFor.timeoutMs));
  }

  String key(long number) {
    return keyPrefix + "%012d".formatted(number);
  }

  /** The number, its FNV-1a checksum, and a filler. */
  String value(long number) {
    String digits = "%012d".formatted(number);
    int hash = (int) valueSeed;
    for (char digit : digits.toCharArray()) hash = (hash ^ digit) * 16777619;
    return "%s:%08x%s".formatted(digits, hash, valueFiller);
  }
}
