/** @template T @param {() => T} work @returns {() => T} does the work when it is first called, and returns its outcome each time */
export function once(work) {
  /** @type {{outcome: T} | undefined} */
  let done;
  return () => {
    done ??= { outcome: work() };
    return done.outcome;
  };
}

/** @template K, T @param {(key?: K) => T} work @returns {(key?: K) => T} does the work once for each key */
export function onceFor(work) {
  const done = /** @type {Map<K | undefined, () => T>} */ (new Map());
  return (key) => {
    const each = done.get(key) ?? once(() => work(key));
    done.set(key, each);
    return each();
  };
}
