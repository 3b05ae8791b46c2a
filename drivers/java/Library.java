package drivers;

import java.util.Set;

/** One client library, used in one variant. */
interface Library {
  /** Error replies that say that nothing was written. */
  Set<String> NOTHING_WRITTEN = Set.of(
      "NOAUTH", "NOPERM", "WRONGPASS", "DENIED", "OOM", "MISCONF", "NOREPLICAS", "READONLY", "MASTERDOWN", "LOADING", "BUSY",
      "EXECABORT", "CLUSTERDOWN");

  /** Returns when the library has reached the primary. */
  void connect(Task task) throws Exception;

  /** Whether WAIT goes to the connection of the write. */
  boolean waitsOnSameConnection();

  /**
   * Writes, and waits if the task asks for it.
   *
   * @param written to be run as soon as SET or APPEND was answered, if that is known before WAIT is answered
   * @throws Exception the error of SET or APPEND
   */
  Waited write(String key, String value, Runnable written) throws Exception;

  /** What an error is to the protocol. */
  Kind kindOf(Throwable error);

  /** What WAIT returned. The error is null if there was none. */
  record Waited(long count, Throwable error) {
    static final Waited NOT_ASKED = new Waited(-1, null);

    /** Runs WAIT. */
    static Waited on(java.util.concurrent.Callable<Long> wait) {
      try {
        return new Waited(wait.call(), null);
      } catch (Exception error) {
        return new Waited(-1, error);
      }
    }
  }

  /** The word is the first one of an error reply, or one of the protocol. */
  record Kind(String word, boolean isReply) {
    static final Kind CLOSED = new Kind("CLOSED", false);
    static final Kind TIMEOUT = new Kind("TIMEOUT", false);
    static final Kind NO_PRIMARY = new Kind("NOPRIMARY", false);
    static final Kind OTHER = new Kind("OTHER", false);

    /** Libraries may leave out the first word when it is ERR. */
    static Kind reply(String text) {
      String word = text.split("[ .]", 2)[0];
      return new Kind(word.matches("[A-Z][A-Z0-9_]*") ? word : "ERR", true);
    }

    boolean saysNothingWasWritten() {
      return isReply && NOTHING_WRITTEN.contains(word);
    }
  }

  /** Whether an error was caused by one of this class. */
  static boolean isCausedBy(Throwable error, Class<? extends Throwable> type) {
    for (Throwable each = error; each != null; each = each.getCause()) if (type.isInstance(each)) return true;
    return false;
  }
}
