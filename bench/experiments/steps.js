/** The steps of catalogue.yaml: names become faults, events and lengths. */
import * as faults from '../../src/faults/index.js';
import { variationIn } from '../../src/result/variation.js';
import { between, PROMOTED, PROMOTING } from '../../src/run/perform.js';
import { safeFailover } from './failover-script.js';
import { hostsIn, separated } from './groups.js';
import { asLongAsNamed, hasLength } from './lengths.js';
import * as own from './own-faults.js';

/** @import { CaseVariation, ChooseFault, Fault, Step, Varies, Wait } from '../types.js' */
/**
 * @typedef {Omit<Step, 'fault' | 'until' | 'when' | 'lasts'> & {fault: any, until?: any, when?: any, lasts?: any, only?: string}} ListedStep only: in cases
 *   with this variation
 */

/** @type {Readonly<Record<string, Fault | ChooseFault>>} */
const FAULTS = {
  ...{ kill: faults.kill, stop: faults.stop, restart: faults.restart, pause: faults.pause, lose: faults.lose },
  ...{ partition: faults.partition, isolate: faults.isolate, 'power-loss': faults.powerLoss },
  ...{ failover: faults.failover, 'coordinated-failover': faults.coordinatedFailover, 'safe-failover': safeFailover },
  ...{ preferred: own.preferred, 'restart-empty': own.emptied, 'fill-and-start': own.fillAndStart },
  ...{ 'memory-full': own.fullMemory, 'quorum-one': own.quorumOne, 'cut-subscribers': own.cutSubscribers },
  'narrow-link': own.narrowLink,
  'own-host-alone': (scene, params) => {
    const [alone, ...others] = hostsIn(scene, params, 'colocated');
    return { fault: faults.groupPartition({ groups: [alone, others.flat()] }), target: faults.NETWORK };
  },
};

/** @type {Readonly<Record<string, (value: any) => Fault | ChooseFault>>} */
const MADE = {
  between: (groups) => between(...groups),
  'slow-link': faults.slowLink,
  separated: ({ away, ...how }) =>
    away.usual === undefined
      ? separated({ away, ...how })
      : (scene, params) => separated({ away: ofVariation(away, params), ...how })(scene, params),
};

/** @type {Readonly<Record<string, Wait | Varies>>} */
const WAITS = {
  promoted: PROMOTED,
  promoting: PROMOTING,
  'as-long-as-named': asLongAsNamed,
  'its-length': (scene, params) => (hasLength(params) ? asLongAsNamed(scene, params) : PROMOTED),
};

/**
 * @param {readonly ListedStep[]} listed
 * @returns {readonly Step[] | ((scene: unknown, params: CaseVariation) => readonly Step[])} a function if some are for one variation only
 */
export function stepsOf(listed) {
  const steps = listed.map(({ only, fault, until, when, lasts, ...step }) => ({
    only,
    step: {
      ...step,
      fault: faultOf(fault),
      ...(until && { until: waitOf(until) }),
      ...(when && { when: /** @type {Wait} */ (waitOf(when)) }),
      ...(lasts !== undefined && { lasts: lastsOf(lasts) }),
    },
  }));
  const stepsIn = (/** @type {readonly string[]} */ names) =>
    steps.filter(({ only }) => only === undefined || names.includes(only)).map(({ step }) => step);
  if (steps.every(({ only }) => only === undefined)) return stepsIn([]);
  return (_, params) => stepsIn(Object.values(variationIn(params)));
}

/** @param {any} fault a name, one that takes values, or names by variation @returns {Fault | ChooseFault} */
function faultOf(fault) {
  if (typeof fault === 'string') return known(FAULTS, fault, 'fault');
  if (!('usual' in fault)) {
    const [[name, value]] = Object.entries(fault);
    return known(MADE, name, 'fault')(value);
  }
  return (scene, params) => ({
    fault: /** @type {Fault} */ (known(FAULTS, ofVariation(fault, params), 'fault')),
    target: scene.primary.id,
  });
}

/** @param {any} wait @returns {Wait | Varies} */
const waitOf = (wait) => (typeof wait === 'string' ? known(WAITS, wait, 'event') : wait);

/** @param {any} lasts seconds, or seconds by variation @returns {number | Varies} */
const lastsOf = (lasts) => (typeof lasts === 'number' ? lasts : (_, params) => ofVariation(lasts, params));

/** @param {Record<string, any>} values @param {CaseVariation} params @returns {any} the value of the case, else the usual one */
function ofVariation(values, params) {
  const name = Object.values(variationIn(params)).find((each) => each in values);
  return values[name ?? 'usual'];
}

/** @template T @param {Readonly<Record<string, T>>} all @param {string} name @param {string} what @returns {T} */
function known(all, name, what) {
  if (Object.hasOwn(all, name)) return all[name];
  throw new RangeError(
    `catalogue.yaml: there is no ${what} ${name}; it has to be one of ${Object.keys(all).join(', ')}`,
  );
}
