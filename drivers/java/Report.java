package drivers;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/** Reports each write exactly once. A thread writes the lines, so that a slow reader does not hold up the writes. */
final class Report {
  private static final String END = "";

  private record Open(long sent, boolean[] written) {}

  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Thread printer = new Thread(this::print, "printer");
  private final Map<Long, Open> open = new HashMap<>();
  private volatile long start;

  Report() {
    printer.start();
  }

  private void print() {
    StringBuilder waiting = new StringBuilder();
    try {
      for (String line = lines.take(); line != END; line = lines.take()) {
        waiting.append(line).append('\n');
        if (!lines.isEmpty()) continue;
        System.out.print(waiting);
        waiting.setLength(0);
        if (System.out.checkError()) Runtime.getRuntime().halt(1); // Nobody listens any more.
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    System.out.print(waiting);
    System.out.flush();
  }

  void line(String line) {
    lines.add(line);
  }

  void close() throws InterruptedException {
    lines.add(END);
    printer.join();
  }

  /** @param nanos of System.nanoTime(), which is CLOCK_MONOTONIC on Linux */
  void start(long nanos) {
    start = nanos;
  }

  private long micros(long nanos) {
    return (nanos - start) / 1000;
  }

  /** Returns what to run when SET or APPEND was answered, and WAIT was not. */
  synchronized Runnable sent(long number) {
    boolean[] written = {false};
    open.put(number, new Open(System.nanoTime(), written));
    return () -> {
      synchronized (this) {
        written[0] = true;
      }
    };
  }

  synchronized void answered(long number, String outcome, long count, String kind) {
    long answered = System.nanoTime();
    Open write = open.remove(number);
    if (write == null) return; // The drain is over, and the write was reported.
    line("w %d %s %d %d %d %s".formatted(number, outcome, count, micros(write.sent), micros(answered), kind));
  }

  void unsent(long number) {
    line("w %d unsent -1 0 0 -".formatted(number));
  }

  /** Reports the writes that the library still owes an answer. */
  synchronized void giveUp() {
    open.forEach((number, write) ->
        line("w %d %s -1 %d 0 TIMEOUT".formatted(number, write.written[0] ? "under-acked" : "unknown", micros(write.sent))));
    open.clear();
  }
}
