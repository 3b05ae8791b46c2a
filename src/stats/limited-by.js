/**
 * What kept a case from being faster, decided from measured CPU and event-loop utilisation by one rule.
 */

/** Busy: nine tenths of the time. The rest is what waking up and the sampling's own error take. */
const BUSY = 0.9;
/** An event loop has to be busier than a CPU for the same verdict: it also counts the time a thread waits to be run. */
const LOOP_BUSY = 0.95;

/**
 * An open loop whose schedule was kept was limited by `nothing`: it was asked for no more, and its thread looks at the clock
 * all the while, which is no sign of being busy. Else the rule, first match wins:
 *
 * 1. `client`: the load thread is busy and at least as busy as the primary's command thread. Busy is at least 90% on a
 *    CPU, or, while the machine has CPU to spare, an event loop that is used at least 95%: it then blocks in something
 *    that costs it no CPU time, and is the limit all the same.
 * 2. `primary`: its command thread is at least 90% on a CPU, and busier than the load thread.
 * 3. `machine`: all cores together are at least 90% busy. Threads wait for a CPU rather than for each other, and
 *    neither's utilisation tells what it could do on a machine with more cores.
 * 4. `nothing`: everybody waits: for round trips, or for replicas' acknowledgements.
 *
 * A busy thread wins over a busy machine, because a thread that was on a CPU nine tenths of the time did not wait for one:
 * more cores would not have helped it. The client wins a tie with the primary, because a figure that may be the client's
 * must not be shown as Redis's.
 *
 * @param {Object} use shares of one CPU unless said otherwise
 * @param {number | null} use.loadCpu of the load thread; null when not known, then its event loop decides
 * @param {number} use.eventLoopUtilization of the load thread, 0 … 1
 * @param {number | null} use.primaryMainThreadCpu of the thread that executes the primary's commands; null when not known,
 *   then the primary is never named
 * @param {number} use.machineCpu share of all cores, 0 … 1
 * @param {boolean} [use.sustained] the load left on a schedule, and the schedule was kept
 * @returns {'client' | 'primary' | 'machine' | 'nothing'}
 */
export function limitedBy({ loadCpu, eventLoopUtilization, primaryMainThreadCpu, machineCpu, sustained = false }) {
  if (sustained) return 'nothing';
  const machineBusy = machineCpu >= BUSY;
  const primary = primaryMainThreadCpu ?? 0;
  const onCpu = loadCpu ?? 0;
  const load = machineBusy ? onCpu : Math.max(onCpu, eventLoopUtilization);
  const loadBusy = onCpu >= BUSY || (!machineBusy && eventLoopUtilization >= LOOP_BUSY);

  if (loadBusy && load >= primary) return 'client';
  if (primary >= BUSY) return 'primary';
  return machineBusy ? 'machine' : 'nothing';
}
