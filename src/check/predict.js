/**
 * What a fault takes from a deployment, by its settings, its placement and its offsets now. Pure.
 *
 * The rules are those of Redis and its Sentinels, with times as trials measured them: a replaced primary takes writes for about ten seconds
 * more after Sentinels see it again (results/sample/failure).
 * @import { Deployment, PredictedFault, PredictedLoss, CheckedNode, Prediction, Sentinel } from './types.js'
 */
import { downAfterSeconds, primaryOf } from './machines.js';
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
/** @param {number} value @returns {PredictedLoss} */
const seconds = (value) => (value > 0 ? { kind: 'seconds', seconds: value } : NOTHING);
/** @param {Unknown} why @param {number | 'all'} most @returns {PredictedLoss} */
const unknown = (why, most) => ({ kind: 'unknown', why, most });

/**
 * @typedef {{d: Deployment, primary: CheckedNode, replicas: readonly CheckedNode[], wait: number}} PredictionScene what every rule needs.
 *   replicas: that copy the primary itself; only those confirm
 * @typedef {{promotes: true, chosen: string, afterSeconds: number, because: string} | {promotes: false, because: string}} Promotion
 * @typedef {Omit<Prediction, 'fault' | 'loss' | 'promotes'> & Partial<Prediction>} Predicted default: nothing is lost, and no replica promoted
 */

/**
 * @param {Deployment} d with a primary that was read @param {readonly PredictedFault[]} faults
 * @param {{wait: number}} asks wait: replicas that the writers WAIT for, which no server tells
 */
export function predictAll(d, faults, { wait }) {
  const primary = primaryOf(d);
  if (!primary || primary.why !== null) return [];
  const scene = { d, primary, replicas: directReplicas(d, primary), wait };
  return faults.map((fault) => ({ fault, loss: NOTHING, promotes: false, ...RULES[fault.kind](scene, fault) }));
}

/** @param {Prediction} prediction @returns {number} of confirmed writes; Infinity: all; 0: none, or unknown */
export function lostSeconds({ loss }) {
  if (loss.kind === 'seconds') return loss.seconds;
  return loss.kind === 'all' ? Number.POSITIVE_INFINITY : 0;
}

/** @param {Deployment} d @param {CheckedNode} primary @returns {CheckedNode[]} that it sends its stream to */
export const directReplicas = (d, primary) => d.nodes.filter(({ id }) => primary.followers.includes(id));

/** @type {Readonly<Record<PredictedFault['kind'], (scene: PredictionScene, fault: PredictedFault) => Predicted>>} */
const RULES = Object.freeze({
  cut,
  'machine-lost': lostForGood,
  'node-lost': lostForGood,
  restart: ({ primary }) => ({ loss: afterRestart(primary), stops: 1, because: reasonOfRestart(primary) }),
  frozen,
  planned,
  power: ({ primary }) => ({ loss: afterPower(primary), stops: 'until-back', because: 'power' }),
});

/** @param {PredictionScene} scene @param {PredictedFault} fault @returns {Predicted} */
function cut({ d, primary, replicas, wait }, { machines, seconds: lasts }) {
  const isNear = (/** @type {{machine: string}} */ { machine }) => machines.includes(machine);
  const near = replicas.filter(isNear).length;
  const outcome = promotion(d, (one) => !isNear(one));
  if (!outcome.promotes || outcome.afterSeconds > lasts)
    return { stops: cannotWrite(primary, wait, near) ? 'until-back' : 'no', because: outcome.because };
  const { chosen, afterSeconds: stops } = outcome;
  if (wait > near) return { promotes: true, stops, because: 'wait-stops-the-old', chosen };
  const loss = boundedByLag(primary, near, lasts + DEMOTED_AFTER);
  return { loss, promotes: true, stops, because: 'two-primaries', chosen, confirming: near };
}

/**
 * A primary that hears no replica stops after `min-replicas-max-lag`.
 * @param {CheckedNode} primary @param {number} near replicas that it still hears @param {number} end s: when it is made a replica
 */
function boundedByLag({ minReplicas, settings }, near, end) {
  const lag = settings['min-replicas-max-lag'];
  if (minReplicas instanceof Unknown) return unknown(minReplicas, end);
  if (minReplicas <= near) return seconds(end);
  return lag instanceof Unknown ? unknown(lag, end) : seconds(Math.min(end, Number(lag) + LAG_ROUNDING));
}

/** @param {PredictionScene} scene @param {PredictedFault} fault @returns {Predicted} */
function lostForGood({ d, primary, replicas, wait }, fault) {
  const isLost = (/** @type {CheckedNode | Sentinel} */ { id, machine }) =>
    id === fault.node || fault.machines.includes(machine);
  const alive = replicas.filter((node) => !isLost(node));
  const lost = replicas.length - alive.length;
  if (!isLost(primary)) {
    const stalls = lost > 0 && cannotWrite(primary, wait, alive.length);
    return stalls ? { stops: 'until-back', because: 'too-few-replicas' } : { stops: 'no', because: 'replica-lost' };
  }
  const outcome = promotion(d, (one) => !isLost(one));
  if (!outcome.promotes) return { loss: afterRestart(primary), stops: 'until-back', because: outcome.because };
  const chosen = /** @type {CheckedNode} */ (d.nodes.find(({ id }) => id === outcome.chosen));
  return {
    loss: behind(chosen, alive, { primary, wait, lost }),
    promotes: true,
    stops: cannotWrite(chosen, wait, alive.length - 1) ? 'until-back' : outcome.afterSeconds,
    because: 'primary-lost',
    chosen: chosen.id,
  };
}

/**
 * What the chosen replica lacks. lost: replicas that died with the primary; they may be those that confirmed.
 * @param {CheckedNode} chosen @param {readonly CheckedNode[]} alive @param {{primary: CheckedNode, wait: number, lost: number}} more
 */
function behind(chosen, alive, { primary, wait, lost }) {
  const late = secondsBehind(chosen, alive, primary);
  if (late > IN_FLIGHT && wait < alive.length + lost) return seconds(late);
  return wait > lost ? NOTHING : seconds(IN_FLIGHT);
}

/**
 * Seconds of writes that the node lacks, and another replica has. The rate now says little where the primary refuses writes now, or the
 * replica has not been heard for a while.
 * @param {CheckedNode} node @param {readonly CheckedNode[]} replicas @param {CheckedNode} primary
 */
function secondsBehind(node, replicas, { bytesPerSecond, minReplicas, settings }) {
  const lacks = Math.max(...replicas.map(({ offset }) => offset)) - node.offset;
  if (lacks <= 0) return 0;
  const byRate = isKnown(bytesPerSecond) && bytesPerSecond > 0 ? lacks / bytesPerSecond : Number.POSITIVE_INFINITY;
  const { ackSeconds } = node;
  if (ackSeconds === null || ackSeconds <= 1) return byRate;
  const lag = settings['min-replicas-max-lag'];
  const isRefused = isKnown(minReplicas) && minReplicas >= replicas.length && isKnown(lag);
  return Math.min(byRate, ackSeconds, isRefused ? Number(lag) + LAG_ROUNDING : Number.POSITIVE_INFINITY);
}

/** @param {CheckedNode} primary @param {number} wait @param {number} replicas that it hears @returns {boolean} it confirms no write */
function cannotWrite({ minReplicas }, wait, replicas) {
  return wait > replicas || (isKnown(minReplicas) && minReplicas > replicas);
}

/** The worst length of a stall: until a replica was promoted. @param {PredictionScene} scene @param {PredictedFault} fault @returns {Predicted} */
function frozen(scene, fault) {
  const outcome = promotion(scene.d, ({ id }) => id !== scene.primary.id);
  return outcome.promotes ? replaced(scene, outcome, JUST_AFTER) : { stops: fault.seconds, because: outcome.because };
}

/** @param {PredictionScene} scene @returns {Predicted} SENTINEL FAILOVER asks no other Sentinel */
function planned(scene) {
  const outcome = election(scene.d, ({ id }) => id !== scene.primary.id, FOLLOWS_AFTER);
  return outcome.promotes ? replaced(scene, outcome, 0) : { stops: 'no', because: outcome.because };
}

/**
 * The old primary is alive, and its clients stay with it until it is made a replica. With WAIT or min-replicas it stops when enough of the
 * other replicas have left it. more: s in which no replica leaves it.
 * @type {(scene: PredictionScene, outcome: Extract<Promotion, {promotes: true}>, more: number) => Predicted}
 */
function replaced({ d, primary: { minReplicas }, replicas, wait }, { chosen, afterSeconds }, more) {
  const atOnce = Math.max(1, ...d.sentinels.map(({ view }) => view?.parallelSyncs ?? 1));
  const least = isKnown(minReplicas) ? Math.max(wait, minReplicas) : wait;
  const leaving = Math.ceil((replicas.length - least) / atOnce) * FOLLOWS_AFTER + more;
  const loses = least >= replicas.length ? 0 : least === 0 ? DEMOTED_AFTER : Math.min(DEMOTED_AFTER, leaving);
  const loss = minReplicas instanceof Unknown && loses > 0 ? unknown(minReplicas, loses) : seconds(loses);
  return { loss, promotes: true, stops: afterSeconds, because: 'replaced', chosen };
}

/** Before the Sentinels miss it; the replicas then copy what it has. @param {CheckedNode} primary @returns {PredictedLoss} */
function afterRestart({ aof, settings: { save }, saved }) {
  if (aof) return NOTHING;
  if (save instanceof Unknown) return unknown(save, 'all');
  if (save.trim() === '') return { kind: 'all' };
  return saved.changes > 0 ? { kind: 'changes', count: saved.changes } : NOTHING;
}

/** @param {CheckedNode} primary */
function reasonOfRestart({ aof, settings }) {
  if (aof) return 'append-only-file';
  return settings.save === '' ? 'no-file' : 'snapshots-only';
}

/** Every machine loses what the kernel has not written yet. @param {CheckedNode} primary */
function afterPower(primary) {
  if (!primary.aof) return afterRestart(primary);
  const { appendfsync } = primary.settings;
  if (appendfsync instanceof Unknown) return unknown(appendfsync, WRITEBACK);
  return seconds({ always: 0, everysec: EVERYSEC, no: WRITEBACK }[appendfsync] ?? EVERYSEC);
}

/**
 * Whether Sentinels there promote a replica there. isThere: can reach the others, and not the primary.
 * @type {(d: Deployment, isThere: (one: CheckedNode | Sentinel) => boolean) => Promotion}
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

/** @type {(d: Deployment, isThere: (node: CheckedNode) => boolean, afterSeconds: number) => Promotion} of Sentinels that may promote */
function election(d, isThere, afterSeconds) {
  const chosen = choose(d, isThere);
  if (!chosen) return { promotes: false, because: 'no-replica' };
  if (cannotBePromoted(chosen)) return { promotes: false, because: 'chosen-cannot' };
  return { promotes: true, chosen: chosen.id, because: 'promoted', afterSeconds };
}

/** @param {Deployment} d @param {Sentinel} sentinel @returns {boolean} it watches the primary that most name */
export function follows(d, { view }) {
  const primary = primaryOf(d);
  return view !== null && primary !== undefined && [primary.id, ...primary.aliases].includes(view.primary);
}

/** Sentinels that count for the majority, also those that are gone: a Sentinel forgets none. @param {Pick<Deployment, 'sentinels'>} d */
export const votersOf = ({ sentinels }) =>
  Math.max(0, ...sentinels.map(({ view }) => (view === null ? 0 : view.peers.length + 1)));

/** @param {number} voters */
export const majorityOf = (voters) => Math.floor(voters / 2) + 1;

/** By priority, then the most data, then the run id. @param {Deployment} d @param {(node: CheckedNode) => boolean} isThere */
function choose(d, isThere) {
  const known = new Set(d.sentinels.flatMap(({ view }) => view?.replicas.map(({ id }) => id) ?? []));
  return d.nodes
    .filter(({ id, role, heard, priority }) => id !== d.primary && (role === 'replica' || heard) && priority > 0)
    .filter((node) => isThere(node) && [node.id, ...node.aliases].some((name) => known.has(name)))
    .sort((a, b) => a.priority - b.priority || b.offset - a.offset || (a.runId < b.runId ? -1 : 1))
    .at(0);
}

/** @param {CheckedNode} node @returns {boolean} a Sentinel's MULTI … EXEC fails there */
export function cannotBePromoted({ hidden, deniedToSentinel }) {
  return (isKnown(hidden) && hidden.length > 0) || (isKnown(deniedToSentinel) && deniedToSentinel.length > 0);
}
