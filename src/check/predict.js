/**
 * What a fault takes from a deployment, by its settings, its placement and its offsets now. Pure.
 *
 * The rules are those of Redis and its Sentinels, with times as trials measured them: a replaced primary takes writes for about ten seconds more after
 * Sentinels see it again (results/sample/failure).
 *
 * @import { Deployment, PredictedFault, PredictedLoss, CheckedNode, Prediction, Sentinel } from './types.js'
 */
import { downAfterSeconds } from './machines.js';
import { isKnown, Unknown } from './unknown.js';

/** From the moment Sentinels see the old primary, or see it again, until they make it a replica: 10 to 13 s. */
const DEMOTED_AFTER = 11;
/** Until one more replica follows the new primary. Sentinels move as many at once as `parallel-syncs` says. */
const FOLLOWS_AFTER = 1;
/** A primary that hung just until a replica was promoted: for so long more the others follow it. */
const JUST_AFTER = 1;
/** `min-replicas-max-lag` counts whole seconds. */
const LAG_ROUNDING = 0.5;
/** From down-after to the first write on the new primary. */
export const FAILOVER_SECONDS = 1.3;
/** What was not sent yet when a machine dies. */
const IN_FLIGHT = 1;
/** fsync once a second, and the second before. */
const EVERYSEC = 2;
/** Linux writes dirty pages back after so long. */
const WRITEBACK = 30;

/** @type {PredictedLoss} */
const NOTHING = Object.freeze({ kind: 'none' });
/** @type {PredictedLoss} */
const EVERYTHING = Object.freeze({ kind: 'all' });
/** @param {number} value @returns {PredictedLoss} */
const seconds = (value) => (value > 0 ? { kind: 'seconds', seconds: value } : NOTHING);

/**
 * @typedef {Object} PredictionScene what every rule needs
 * @property {Deployment} d
 * @property {CheckedNode} primary
 * @property {readonly CheckedNode[]} replicas that copy the primary itself; only those confirm
 * @property {number} wait
 */

/**
 * @param {Deployment} d with a primary that was read
 * @param {readonly PredictedFault[]} faults
 * @param {{wait: number}} asks wait: replicas that the writers WAIT for, which no server tells
 * @returns {Prediction[]}
 */
export function predictAll(d, faults, { wait }) {
  const primary = d.nodes.find(({ id }) => id === d.primary);
  if (!primary || primary.why !== null) return [];
  const replicas = directReplicas(d, primary);
  return faults.map((fault) => RULES[fault.kind]({ d, primary, replicas, wait }, fault));
}

/** @param {Prediction} prediction @returns {number} of confirmed writes; Infinity: all; 0: none, or unknown */
export function lostSeconds({ loss }) {
  if (loss.kind === 'seconds') return loss.seconds;
  return loss.kind === 'all' ? Number.POSITIVE_INFINITY : 0;
}

/** @param {Deployment} d @param {CheckedNode} primary @returns {CheckedNode[]} that it sends its stream to */
export function directReplicas(d, primary) {
  return d.nodes.filter(({ id }) => primary.followers.includes(id));
}

/** @type {Readonly<Record<PredictedFault['kind'], (scene: PredictionScene, fault: PredictedFault) => Prediction>>} */
const RULES = Object.freeze({
  cut,
  'machine-lost': lostForGood,
  'node-lost': lostForGood,
  restart: (scene, fault) => ({
    fault,
    loss: afterRestart(scene.primary),
    promotes: false,
    stops: 1,
    because: reasonOfRestart(scene.primary),
  }),
  frozen,
  planned,
  power: (scene, fault) => ({ fault, loss: afterPower(scene), promotes: false, stops: 'until-back', because: 'power' }),
});

/** @param {PredictionScene} scene @param {PredictedFault} fault @returns {Prediction} */
function cut({ d, primary, replicas, wait }, fault) {
  const isNear = (/** @type {{machine: string}} */ { machine }) => fault.machines.includes(machine);
  const near = replicas.filter(isNear);
  const outcome = promotion(d, (one) => !isNear(one));
  const stalls = cannotWrite({ minReplicas: primary.minReplicas, wait, replicas: near.length });
  if (!outcome.promotes || outcome.afterSeconds > fault.seconds)
    return { fault, loss: NOTHING, promotes: false, stops: stalls ? 'until-back' : 'no', because: outcome.because };
  const stops = outcome.afterSeconds;
  if (wait > near.length)
    return { fault, loss: NOTHING, promotes: true, stops, because: 'wait-stops-the-old', chosen: outcome.chosen };
  const end = fault.seconds + DEMOTED_AFTER;
  return {
    fault,
    loss: boundedByLag(primary, near.length, end),
    promotes: true,
    stops,
    because: 'two-primaries',
    chosen: outcome.chosen,
    confirming: near.length,
  };
}

/**
 * A primary that hears no replica stops after `min-replicas-max-lag`.
 * @param {CheckedNode} primary
 * @param {number} near replicas that it still hears
 * @param {number} end s: when it is made a replica
 * @returns {PredictedLoss}
 */
function boundedByLag({ minReplicas, settings }, near, end) {
  const lag = settings['min-replicas-max-lag'];
  if (minReplicas instanceof Unknown) return { kind: 'unknown', why: minReplicas, most: end };
  if (minReplicas <= near) return seconds(end);
  return lag instanceof Unknown
    ? { kind: 'unknown', why: lag, most: end }
    : seconds(Math.min(end, Number(lag) + LAG_ROUNDING));
}

/** @param {PredictionScene} scene @param {PredictedFault} fault @returns {Prediction} */
function lostForGood({ d, primary, replicas, wait }, fault) {
  const isLost = (/** @type {CheckedNode | Sentinel} */ { id, machine }) =>
    id === fault.node || fault.machines.includes(machine);
  const alive = replicas.filter((node) => !isLost(node));
  if (!isLost(primary)) {
    const stalls =
      alive.length < replicas.length && cannotWrite({ minReplicas: primary.minReplicas, wait, replicas: alive.length });
    const [stops, because] = stalls
      ? /** @type {const} */ (['until-back', 'too-few-replicas'])
      : /** @type {const} */ (['no', 'replica-lost']);
    return { fault, loss: NOTHING, promotes: false, stops, because };
  }
  const outcome = promotion(d, (one) => !isLost(one));
  if (!outcome.promotes)
    return { fault, loss: afterRestart(primary), promotes: false, stops: 'until-back', because: outcome.because };
  const chosen = /** @type {CheckedNode} */ (d.nodes.find(({ id }) => id === outcome.chosen));
  return {
    fault,
    loss: behind(chosen, alive, { primary, wait, lost: replicas.length - alive.length }),
    promotes: true,
    stops: cannotWrite({ minReplicas: chosen.minReplicas, wait, replicas: alive.length - 1 })
      ? 'until-back'
      : outcome.afterSeconds,
    because: 'primary-lost',
    chosen: chosen.id,
  };
}

/**
 * @param {CheckedNode} chosen
 * @param {readonly CheckedNode[]} alive
 * @param {{primary: CheckedNode, wait: number, lost: number}} more lost: replicas that died with the primary; they may be those that confirmed
 * @returns {PredictedLoss} what the chosen replica lacks
 */
function behind(chosen, alive, { primary, wait, lost }) {
  const late = secondsBehind(chosen, alive, primary);
  if (late > IN_FLIGHT && wait < alive.length + lost) return seconds(late);
  return wait > lost ? NOTHING : seconds(IN_FLIGHT);
}

/**
 * The rate now says little where the primary refuses writes now, or the replica has not been heard for a while.
 * @param {CheckedNode} node
 * @param {readonly CheckedNode[]} replicas
 * @param {CheckedNode} primary
 * @returns {number} s of writes that the node lacks, and another replica has
 */
function secondsBehind(node, replicas, { bytesPerSecond, minReplicas, settings }) {
  const lacks = Math.max(...replicas.map(({ offset }) => offset)) - node.offset;
  if (lacks <= 0) return 0;
  const byRate = isKnown(bytesPerSecond) && bytesPerSecond > 0 ? lacks / bytesPerSecond : Number.POSITIVE_INFINITY;
  const { ackSeconds } = node;
  const isSilent = ackSeconds !== null && ackSeconds > 1;
  const lag = settings['min-replicas-max-lag'];
  const isRefused = isSilent && isKnown(minReplicas) && minReplicas >= replicas.length && isKnown(lag);
  return Math.min(
    byRate,
    isSilent ? ackSeconds : byRate,
    isRefused ? Number(lag) + LAG_ROUNDING : Number.POSITIVE_INFINITY,
  );
}

/**
 * @param {{minReplicas: number | Unknown, wait: number, replicas: number}} of a primary
 * @returns {boolean} it confirms no write
 */
function cannotWrite({ minReplicas, wait, replicas }) {
  return wait > replicas || (isKnown(minReplicas) && minReplicas > replicas);
}

/** @param {PredictionScene} scene @param {PredictedFault} fault @returns {Prediction} the worst length of a stall: until a replica was promoted */
function frozen(scene, fault) {
  const outcome = promotion(scene.d, ({ id }) => id !== scene.primary.id);
  if (outcome.promotes) return replaced(scene, fault, outcome, JUST_AFTER);
  return { fault, loss: NOTHING, promotes: false, stops: fault.seconds, because: outcome.because };
}

/** @param {PredictionScene} scene @param {PredictedFault} fault @returns {Prediction} SENTINEL FAILOVER asks no other Sentinel */
function planned(scene, fault) {
  const outcome = election(scene.d, ({ id }) => id !== scene.primary.id);
  if (outcome.promotes) return replaced(scene, fault, { ...outcome, afterSeconds: FOLLOWS_AFTER }, 0);
  return { fault, loss: NOTHING, promotes: false, stops: 'no', because: outcome.because };
}

/**
 * The old primary is alive, and its clients stay with it until it is made a replica. With WAIT or min-replicas it stops when enough of the other replicas
 * have left it.
 * @param {PredictionScene} scene
 * @param {PredictedFault} fault
 * @param {Extract<Promotion, {promotes: true}>} outcome
 * @param {number} more s: how long no replica leaves it
 * @returns {Prediction}
 */
function replaced({ d, primary: { minReplicas }, replicas, wait }, fault, { chosen, afterSeconds }, more) {
  const atOnce = Math.max(1, ...d.sentinels.map(({ view }) => view?.parallelSyncs ?? 1));
  const lost = (/** @type {number} */ least) => {
    if (least >= replicas.length) return 0;
    return least === 0
      ? DEMOTED_AFTER
      : Math.min(DEMOTED_AFTER, Math.ceil((replicas.length - least) / atOnce) * FOLLOWS_AFTER + more);
  };
  const loses = lost(isKnown(minReplicas) ? Math.max(wait, minReplicas) : wait);
  /** @type {PredictedLoss} */
  const loss =
    minReplicas instanceof Unknown && loses > 0 ? { kind: 'unknown', why: minReplicas, most: loses } : seconds(loses);
  return { fault, loss, promotes: true, stops: afterSeconds, because: 'replaced', chosen };
}

/**
 * The process dies, and a supervisor starts it before the Sentinels miss it. The replicas then copy what it has.
 * @param {CheckedNode} primary
 * @returns {PredictedLoss}
 */
function afterRestart({ aof, settings, saved }) {
  if (aof) return NOTHING;
  const { save } = settings;
  if (save instanceof Unknown) return { kind: 'unknown', why: save, most: 'all' };
  if (save.trim() === '') return EVERYTHING;
  return saved.changes > 0 ? { kind: 'changes', count: saved.changes } : NOTHING;
}

/** @param {CheckedNode} primary */
function reasonOfRestart({ aof, settings }) {
  if (aof) return 'append-only-file';
  return settings.save === '' ? 'no-file' : 'snapshots-only';
}

/**
 * Every machine loses what the kernel has not written yet.
 * @param {PredictionScene} scene
 * @returns {PredictedLoss}
 */
function afterPower({ primary }) {
  if (!primary.aof) return afterRestart(primary);
  const { appendfsync } = primary.settings;
  if (appendfsync instanceof Unknown) return { kind: 'unknown', why: appendfsync, most: WRITEBACK };
  return seconds({ always: 0, everysec: EVERYSEC, no: WRITEBACK }[appendfsync] ?? EVERYSEC);
}

/**
 * @typedef {{promotes: true, chosen: string, afterSeconds: number, because: string} | {promotes: false, because: string}} Promotion
 *
 * @param {Deployment} d
 * @param {(one: CheckedNode | Sentinel) => boolean} isThere can reach the others, and not the primary
 * @returns {Promotion} whether Sentinels there promote a replica there
 */
export function promotion(d, isThere) {
  const there = d.sentinels.filter((one) => (one.why === null ? follows(d, one) : one.heard) && isThere(one));
  const views = there.flatMap(({ view }) => view ?? []);
  const least = Math.min(...views.map(({ quorum }) => quorum));
  if (there.length < majorityOf(votersOf(d))) return { promotes: false, because: 'no-majority' };
  if (there.length < least) return { promotes: false, because: 'no-quorum' };
  const waits = views.map(({ downAfterMs }) => downAfterMs / 1000).sort((a, b) => a - b);
  const noticed = waits[least - 1] ?? downAfterSeconds(d);
  return election(d, isThere, noticed + FAILOVER_SECONDS);
}

/**
 * @param {Deployment} d
 * @param {(node: CheckedNode) => boolean} isThere
 * @param {number} [afterSeconds]
 * @returns {Promotion} of Sentinels that may promote
 */
function election(d, isThere, afterSeconds = 0) {
  const chosen = choose(d, isThere);
  if (chosen === null) return { promotes: false, because: 'no-replica' };
  if (cannotBePromoted(chosen)) return { promotes: false, because: 'chosen-cannot' };
  return { promotes: true, chosen: chosen.id, because: 'promoted', afterSeconds };
}

/** @param {Deployment} d @param {Sentinel} sentinel @returns {boolean} it watches the primary that most name */
export function follows(d, { view }) {
  const primary = d.nodes.find(({ id }) => id === d.primary);
  return view !== null && primary !== undefined && [primary.id, ...primary.aliases].includes(view.primary);
}

/**
 * @param {Pick<Deployment, 'sentinels'>} d
 * @returns {number} Sentinels that count for the majority, also those that are gone: a Sentinel forgets none
 */
export function votersOf({ sentinels }) {
  return Math.max(0, ...sentinels.map(({ view }) => (view === null ? 0 : view.peers.length + 1)));
}

/** @param {number} voters */
export const majorityOf = (voters) => Math.floor(voters / 2) + 1;

/**
 * As Sentinels choose: by priority, then the most data, then the run id.
 * @param {Deployment} d
 * @param {(node: CheckedNode) => boolean} isThere
 * @returns {CheckedNode | null}
 */
function choose(d, isThere) {
  const known = new Set(d.sentinels.flatMap(({ view }) => view?.replicas.map(({ id }) => id) ?? []));
  const [best] = d.nodes
    .filter(
      (node) => node.id !== d.primary && (node.role === 'replica' || node.heard) && node.priority > 0 && isThere(node),
    )
    .filter((node) => [node.id, ...node.aliases].some((name) => known.has(name)))
    .sort((a, b) => a.priority - b.priority || b.offset - a.offset || (a.runId < b.runId ? -1 : 1));
  return best ?? null;
}

/** @param {CheckedNode} node @returns {boolean} a Sentinel's MULTI … EXEC fails there */
export function cannotBePromoted({ hidden, deniedToSentinel }) {
  return (isKnown(hidden) && hidden.length > 0) || (isKnown(deniedToSentinel) && deniedToSentinel.length > 0);
}
