/**
 * The command that repeats a fault on a stack of its own, with the size and the settings of a deployment.
 *
 * @import { Deployment, Node } from '../src/check/types.js'
 * @import { Asked } from '../src/run/asked.js'
 * @import { Benchmark } from '../src/run/types.js'
 *
 * @typedef {Object} Wish what a run should have in common with the deployment
 * @property {string} words of the command line
 * @property {Asked} asked
 */
import { isKnown } from '../src/check/unknown.js';
import { whyNotAsAsked } from '../src/run/asked.js';
import { DOWN_AFTER_MS, parametersOf } from '../src/run/parameters.js';
import { PROFILES } from '../src/run/profiles.js';
import { hostsOf, PLACEMENTS } from '../src/stacks/network/hosts.js';
import { REPLICA_COUNTS, SENTINEL_COUNTS } from '../src/stacks/redis/topology.js';
import { allBenchmarks } from './index.js';

const USUAL = { replicas: 2, sentinels: 3 };

const MINIMUM = 'min-replicas-to-write';

/** Settings that `--set` repeats, and their values. A server may name any value, and people paste the command. */
const REPEATABLE = Object.freeze({
  appendonly: /^(?:yes|no)$/,
  appendfsync: /^(?:always|everysec|no)$/,
  save: /^(?:\d{1,9} \d{1,9}(?: \d{1,9} \d{1,9}){0,9})?$/,
  [MINIMUM]: /^\d{1,3}$/,
  'min-replicas-max-lag': /^\d{1,6}$/,
});

/**
 * @param {string} experiment
 * @param {Deployment} d
 * @returns {string} without what no case of the experiment can have: `run` would refuse that
 */
export function reproducing(experiment, d) {
  const benchmark = /** @type {Benchmark} */ (allBenchmarks.get(experiment));
  const [size, ...others] = wishesOf(d).filter(
    ({ asked: { params = {} } }) => !('placement' in params) || parametersOf(benchmark).includes('placement'),
  );
  const cases = benchmark.cases({
    profile: PROFILES.quick,
    server: { name: 'redis', version: null },
    replicas: size.asked.params?.replicas ?? USUAL.replicas,
    storages: [],
  });
  const taken = [size];
  for (const wish of others) {
    const asked = together([...taken, wish]);
    const isNew = JSON.stringify(asked) !== JSON.stringify(together(taken));
    if (isNew && cases.some(({ params }) => whyNotAsAsked(params, asked) === null)) taken.push(wish);
  }
  return [`sentinel-bench run ${experiment}`, ...taken.map(({ words }) => words).filter(Boolean)].join(' ');
}

/** @param {readonly Wish[]} wishes @returns {Asked} */
const together = (wishes) => ({
  params: Object.assign({}, ...wishes.map(({ asked }) => asked.params)),
  settings: Object.assign({}, ...wishes.map(({ asked }) => asked.settings)),
});

/** @param {Deployment} d @returns {Wish[]} the number of replicas, then the most important first */
function wishesOf(d) {
  const primary = d.nodes.find(({ id }) => id === d.primary);
  const [replicas, sentinels] = [d.nodes.length - 1, d.sentinels.length];
  const isOther = (/** @type {keyof typeof USUAL} */ what, /** @type {number} */ count) => count !== USUAL[what];
  const hasReplicas = isOther('replicas', replicas) && REPLICA_COUNTS.includes(replicas);
  const downAfterMs = d.sentinels.find(({ view }) => view !== null)?.view?.downAfterMs ?? 0;
  const placement = primary && placementOf(d, primary);
  return [
    hasReplicas
      ? { words: `--replicas ${replicas}`, asked: { params: { replicas } } }
      : { words: '', asked: { params: {} } },
    ...(isOther('sentinels', sentinels) && SENTINEL_COUNTS.includes(sentinels)
      ? [{ words: `--sentinels ${sentinels}`, asked: { params: { sentinels } } }]
      : []),
    ...(primary ? settingsOf(primary) : []),
    ...(downAfterMs >= DOWN_AFTER_MS.least && downAfterMs <= DOWN_AFTER_MS.most
      ? [{ words: `--down-after ${durationText(downAfterMs)}`, asked: { params: { downAfterMs } } }]
      : []),
    ...(placement ? [{ words: `--placement ${placement}`, asked: { params: { placement } } }] : []),
  ];
}

/** @param {number} ms */
const durationText = (ms) => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

/** @param {Node} primary @returns {Wish[]} */
function settingsOf({ settings, aof }) {
  const wish = (/** @type {(keyof typeof REPEATABLE)[]} */ ...names) => {
    const known = names.flatMap((name) => {
      const value = settings[name];
      return isKnown(value) && REPEATABLE[name].test(value) ? [[name, value]] : [];
    });
    if (known.length < names.length) return [];
    const words = known.map((pair) => `--set ${quoted(pair.join('='))}`).join(' ');
    return [{ words, asked: { settings: Object.fromEntries(known) } }];
  };
  return [
    ...wish('appendonly'),
    ...wish(aof ? 'appendfsync' : 'save'),
    ...(settings[MINIMUM] === '0' ? [] : wish(MINIMUM, 'min-replicas-max-lag')),
    ...wish(MINIMUM),
  ];
}

/** @param {string} word */
const quoted = (word) => (word.includes(' ') ? `'${word}'` : word);

/**
 * @param {Deployment} d
 * @param {Node} primary
 * @returns {(typeof PLACEMENTS)[number] | undefined} undefined: another one
 */
function placementOf({ nodes, sentinels }, primary) {
  const ids = (/** @type {readonly {id: string}[]} */ list) => list.map(({ id }) => id);
  const replicas = nodes.filter((node) => node !== primary);
  const beside = [primary, ...replicas].map(
    ({ machine }) => sentinels.filter((sentinel) => sentinel.machine === machine).length,
  );
  const roles = { primary: primary.id, replicas: ids(replicas), sentinels: ids(sentinels) };
  return PLACEMENTS.find(
    (placement) => shapeOf(hostsOf(placement, roles).map(({ length }) => length - 1)) === shapeOf(beside),
  );
}

/** @param {readonly number[]} beside Sentinels on each node's machine, the primary's first */
const shapeOf = ([own, ...others]) => [own, ...others.sort()].join();
