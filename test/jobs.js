/**
 * The order in which `test/run.js` runs its jobs, and which of them it runs again.
 *
 * @typedef {Object} Job
 * @property {string} name of a live file: its path
 * @property {string} entry for `node --test`
 * @property {boolean} docker uses containers, where there are any
 * @property {boolean} live may be run again
 *
 * @typedef {Object} Summary of a job
 * @property {number} pass
 * @property {string[]} failed names, with the file
 * @property {{name: string, reason: string}[]} skipped
 * @property {number} seconds that it took
 * @property {boolean} [hung] it was ended because it took too long
 *
 * @typedef {{job: Job, summary: Summary, beside: boolean}} JobOutcome beside: other jobs ran at the same time, at least for a while
 *
 * @typedef {(job: Job, tests?: readonly string[]) => Promise<Summary>} RunJob tests: only those of these names
 *
 * @typedef {{file: string, names: string[]}} Wavering a file whose tests failed beside others and passed alone
 */

/** Whole files that failed run a second time for no longer than this, in seconds, and one file for no longer than the other. */
const REPEATS_LAST = 480;
const REPEAT_LASTS = 180;
/** Of a longer file, so many tests run a second time. */
const REPEATED_TESTS = 5;

/**
 * @param {readonly Job[]} jobs
 * @param {Readonly<Record<string, number>>} seconds that a file took, where it is known. Begun last, a long one would run alone at the end
 * @returns {Job[]} unit tests first, then those with Docker, because they run one after the other; of each kind the long ones first
 */
export function inOrder(jobs, seconds) {
  const kind = (/** @type {Job} */ { live, docker }) => (live ? (docker ? 1 : 2) : 0);
  const length = (/** @type {Job} */ { name }) => seconds[name] ?? 0;
  return [...jobs].sort((a, b) => kind(a) - kind(b) || length(b) - length(a));
}

/**
 * @param {readonly Job[]} jobs begin in this order; one with Docker waits until no other uses it
 * @param {RunJob} run
 * @param {{most: number, mostWithDocker: number}} limits jobs at once; mostWithDocker: while one of them uses Docker
 * @returns {Promise<JobOutcome[]>} in the order of their ends
 */
export async function runTogether(jobs, run, { most, mostWithDocker }) {
  const waiting = [...jobs];
  /** @type {JobOutcome[]} */
  const done = [];
  /** @type {Map<JobOutcome, Promise<void>>} */
  const running = new Map();
  const usesDocker = () => [...running.keys()].some(({ job }) => job.docker);
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex((job) => !(job.docker && usesDocker()));
    const limit = usesDocker() || waiting[next]?.docker ? mostWithDocker : most;
    if (next === -1 || running.size >= limit) {
      await Promise.race(running.values());
      continue;
    }
    const [job] = waiting.splice(next, 1);
    /** @type {JobOutcome} */
    const outcome = { job, summary: { pass: 0, failed: [], skipped: [], seconds: 0 }, beside: running.size > 0 };
    for (const other of running.keys()) other.beside = true;
    const ended = run(job).then((summary) => {
      done.push({ ...outcome, summary });
      running.delete(outcome);
    });
    running.set(outcome, ended);
  }
  return done;
}

/**
 * A live file that failed beside others runs once more, alone: the machine may have been too busy for it. Of a long file, only what failed
 * runs again. A real defect fails again. Unit tests, files that hung, and files that ran alone anyway are not run again.
 * @param {readonly JobOutcome[]} outcomes
 * @param {RunJob} run
 * @returns {Promise<{summaries: Summary[], wavering: Wavering[]}>} the second summary of a file replaces the first
 */
export async function repeatAlone(outcomes, run) {
  const summaries = [];
  /** @type {Wavering[]} */
  const wavering = [];
  let secondsLeft = REPEATS_LAST;
  for (const { job, summary, beside } of outcomes) {
    const takesLong = summary.seconds > Math.min(REPEAT_LASTS, secondsLeft);
    const isFinal = summary.failed.length === 0 || summary.hung || !job.live || !beside;
    if (isFinal || (takesLong && summary.failed.length > REPEATED_TESTS)) {
      summaries.push(summary);
      continue;
    }
    const last = takesLong ? await failedAgain(job, summary, run) : await run(job);
    if (!takesLong) secondsLeft -= last.seconds;
    if (last.failed.length === 0) wavering.push({ file: job.name, names: summary.failed });
    summaries.push(last);
  }
  return { summaries, wavering };
}

/**
 * @param {Job} job @param {Summary} first @param {RunJob} run
 * @returns {Promise<Summary>} of the whole file, with what its failed tests did alone
 */
async function failedAgain(job, first, run) {
  const tests = first.failed.map((failed) => failed.replace(/ \([^(]*\)$/, ''));
  const { pass, failed } = await run(job, tests);
  // What failed was no test, and so could not run again.
  if (pass + failed.length < tests.length) return first;
  return { ...first, pass: first.pass + pass, failed };
}
