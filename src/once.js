/** @template T @param {() => T} work @returns {() => T} does the work when it is first called, and returns its outcome each time */
export function once(work) {
  /** @type {{outcome: T} | undefined} */
  let done;
  return () => {
    done ??= { outcome: work() };
    return done.outcome;
  };
}
