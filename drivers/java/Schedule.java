package drivers;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Gives the library write i when it is due: i / rate seconds after the start. */
final class Schedule {
  private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(20);

  private final Library library;
  private final Task task;
  private final Report report;
  private final Semaphore slots;
  private final ExecutorService threads;
  private final Thread scheduler = Thread.currentThread();
  private volatile long stoppedAt = Long.MAX_VALUE;

  Schedule(Library library, Task task, Report report) {
    this.library = library;
    this.task = task;
    this.report = report;
    slots = new Semaphore(task.concurrency(), true);
    threads = Executors.newFixedThreadPool(task.concurrency());
  }

  /** No write becomes due from now on. Idempotent. */
  synchronized void stop() {
    if (stoppedAt == Long.MAX_VALUE) stoppedAt = System.nanoTime();
    LockSupport.unpark(scheduler);
  }

  boolean isStopped() {
    return stoppedAt != Long.MAX_VALUE;
  }

  /** Returns how many writes became due. */
  long run(long start) throws InterruptedException {
    report.start(start);
    long number = 0;
    for (; ; number++) {
      long due = start + (long) (number * 1e9 / task.rate());
      while (System.nanoTime() < due && !isStopped()) LockSupport.parkNanos(due - System.nanoTime());
      if (due > System.nanoTime() || due > stoppedAt) break;
      if (takeSlot(due + TimeUnit.MILLISECONDS.toNanos(task.giveUpMs()))) {
        long current = number;
        Runnable written = report.sent(current); // Before the thread runs, because the drain may end first.
        threads.execute(() -> write(current, written));
      } else {
        report.unsent(number);
      }
    }
    for (int each = 0; each < task.concurrency(); each++) { // All slots are free when no write is under way.
      if (!takeSlot(Long.MAX_VALUE)) break;
    }
    report.giveUp();
    return number;
  }

  /** False: there was none until then, or until the drain was over. */
  private boolean takeSlot(long until) throws InterruptedException {
    while (true) {
      long drained = isStopped() ? stoppedAt + TimeUnit.MILLISECONDS.toNanos(task.drainMs()) : Long.MAX_VALUE;
      if (System.nanoTime() > drained) return false; // Nothing is sent any more, even if a slot is free.
      if (slots.tryAcquire()) return true;
      long left = Math.min(until, drained) - System.nanoTime();
      if (left <= 0) return false;
      if (slots.tryAcquire(Math.min(left, SLICE), TimeUnit.NANOSECONDS)) return true;
    }
  }

  private void write(long number, Runnable written) {
    String key = task.key(number);
    String value = task.value(number);
    try {
      Library.Waited waited = library.write(key, value, written);
      boolean acked = task.waitFor() == null || waited.error() == null && waited.count() >= task.waitFor().replicas();
      String kind = waited.error() == null ? "-" : library.kindOf(waited.error()).word();
      report.answered(number, acked ? "acked" : "under-acked", waited.count(), kind);
    } catch (Exception error) {
      Library.Kind kind = library.kindOf(error);
      report.answered(number, kind.saysNothingWasWritten() ? "rejected" : "unknown", -1, kind.word());
    } finally {
      slots.release();
    }
  }
}
