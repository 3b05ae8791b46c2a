/** How far a run is and how long the rest will take: the rest takes as much longer than planned as what has ended did. */
import { sum } from '../stats/statistics.js';

/** @typedef {{of: string, seconds: number}} Piece of a benchmark. seconds: planned, > 0; of pieces side by side, the share of each */
/** @typedef {ReturnType<typeof createEstimate>} Estimate */

const SECONDS_IN_WORDS = 100;
const MINUTES_IN_WORDS = 100;

/** @param {() => number} [now] milliseconds */
export function createEstimate(now = () => performance.now()) {
  const startedAt = now();
  let lastEndAt = startedAt;
  let done = 0;
  /** Benchmark → seconds planned for what has not ended. @type {Map<string, number>} */
  const waiting = new Map();

  const secondsSince = (/** @type {number} */ at) => (now() - at) / 1000;

  /** @param {Piece} piece @param {number} [times] how often */
  function plan({ of, seconds }, times = 1) {
    waiting.set(of, Math.max(0, (waiting.get(of) ?? 0) + seconds * times));
  }

  function secondsLeft() {
    const factor = done > 0 ? (lastEndAt - startedAt) / 1000 / done : 1;
    return Math.max(0, sum([...waiting.values()]) * factor - secondsSince(lastEndAt));
  }

  return {
    plan,
    secondsLeft,

    /** @param {Piece} piece as it was planned */
    ended(piece) {
      plan(piece, -1);
      done += piece.seconds;
      lastEndAt = now();
    },

    /** @param {string} of a benchmark that is not measured any further, whatever was planned */
    drop: (of) => void waiting.delete(of),

    /** @returns {number} the share of the run's time that has passed, 0 … 1. It falls when the rest turns out to be longer. */
    share() {
      const passed = secondsSince(startedAt);
      const whole = passed + secondsLeft();
      return whole > 0 ? passed / whole : 0;
    },

    /** @returns {string} such as `about 40 s left`, `nearly done` */
    left() {
      const seconds = secondsLeft();
      return seconds === 0 ? 'nearly done' : `about ${roughly(seconds)} left`;
    },
  };
}

/** @param {number} seconds */
function roughly(seconds) {
  if (seconds < SECONDS_IN_WORDS) return `${Math.ceil(seconds)} s`;
  if (seconds < MINUTES_IN_WORDS * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
