/** How far a run is and how long the rest will take, from the plan and from how long the finished pieces took. */

/**
 * @typedef {'rounds' | 'trials' | 'stacks'} PieceKind pieces of one kind are late or early by about the same factor
 *
 * @typedef {Object} Piece of a run
 * @property {PieceKind} kind
 * @property {string} of the benchmark
 * @property {number} seconds planned, > 0
 *
 * @typedef {Object} PieceGroup the pieces of one kind of one benchmark, all in seconds
 * @property {PieceKind} kind
 * @property {string} of
 * @property {number} waiting planned, of pieces that have not begun
 * @property {number} done planned, of pieces that have ended
 * @property {number} took really spent on pieces that have ended
 *
 * @typedef {ReturnType<typeof createEstimate>} Estimate
 */

/** The share of a piece that is assumed to be left when it takes longer than the others did. */
const LEAST_LEFT = 0.1;
const SECONDS_IN_WORDS = 100;
const MINUTES_IN_WORDS = 100;

/** @param {() => number} [now] milliseconds */
export function createEstimate(now = () => performance.now()) {
  const startedAt = now();
  /** @type {Map<string, PieceGroup>} */
  const groups = new Map();
  /** @type {Set<Piece & {begunAt: number, lanes: number}>} */
  const underWay = new Set();

  /** @param {Pick<Piece, 'kind' | 'of'>} piece @returns {PieceGroup} */
  function groupOf({ kind, of }) {
    const key = `${kind} ${of}`;
    const group = groups.get(key) ?? { kind, of, waiting: 0, done: 0, took: 0 };
    groups.set(key, group);
    return group;
  }

  /**
   * @param {PieceGroup} group
   * @returns {number} the factor by which it takes longer than planned, from finished pieces of its benchmark, or else of its kind
   */
  function factorOf(group) {
    const alike = group.done > 0 ? [group] : [...groups.values()].filter(({ kind }) => kind === group.kind);
    const done = alike.reduce((sum, each) => sum + each.done, 0);
    return done > 0 ? alike.reduce((sum, each) => sum + each.took, 0) / done : 1;
  }

  function secondsLeft() {
    let seconds = 0;
    for (const group of groups.values()) seconds += group.waiting * factorOf(group);
    for (const piece of underWay) {
      const whole = piece.seconds * factorOf(groupOf(piece));
      const passed = (now() - piece.begunAt) / 1000 / piece.lanes;
      seconds += Math.max(whole * LEAST_LEFT, whole - passed);
    }
    return seconds;
  }

  return {
    /** @param {Piece} piece @param {number} [times] how often */
    plan(piece, times = 1) {
      groupOf(piece).waiting += piece.seconds * times;
    },

    /**
     * @param {Piece} piece as it was planned
     * @param {number} [lanes] pieces under way side by side; each counts for that share of the run
     * @returns {() => void} call it when the piece has ended
     */
    begin(piece, lanes = 1) {
      const group = groupOf(piece);
      group.waiting = Math.max(0, group.waiting - piece.seconds);
      const begun = { ...piece, lanes, begunAt: now() };
      underWay.add(begun);
      return () => {
        if (!underWay.delete(begun)) return;
        group.done += piece.seconds;
        group.took += (now() - begun.begunAt) / 1000 / lanes;
      };
    },

    /** @param {string} of a benchmark that is not measured any further, whatever was planned */
    drop(of) {
      for (const group of groups.values()) if (group.of === of) group.waiting = 0;
      for (const piece of underWay) if (piece.of === of) underWay.delete(piece);
    },

    /** @returns {number} seconds, ≥ 0 */
    secondsLeft,

    /** @returns {number} the share of the run's time that has passed, 0 … 1. It falls when the rest turns out to be longer. */
    share() {
      const passed = (now() - startedAt) / 1000;
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
