/** The command that repeats a fault on a stack of its own, with the size and the settings of a deployment. */
/** @import { Benchmark, Case } from './types.js' */
/** @import { CheckedNode, Deployment } from '../src/check/types.js' */
/** @import { Asked } from '../src/run/asked.js' */
/** @typedef {{words: string, asked: Asked}} RunWish what a run should have in common with the deployment, and the words that ask for it */
import { isKnown } from '../src/check/unknown.js';
import { whyNotAsAsked } from '../src/run/asked.js';
import { DOWN_AFTER_MS, parametersOf } from '../src/run/parameters.js';
import { PROFILES } from '../src/run/profiles.js';
import { hostsOf, PLACEMENTS } from '../src/stacks/network/placement.js';
import { REPLICA_COUNTS, SENTINEL_COUNTS } from '../src/stacks/redis/topology.js';
import { allBenchmarks } from './index.js';

const USUAL = { replicas: 2, sentinels: 3 };

/** Its partition lasts 15 s. With a longer down-after no replica would be promoted. @type {Readonly<Record<string, number>>} */
const MOST_DOWN_AFTER_MS = Object.freeze({ 'partition-with-replica': 10_000 });

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
 * @param {string} experiment @param {Deployment} d @param {number} wait replicas that writers WAIT for; no option asks for that
 * @returns {string} without what no case of the experiment with this WAIT can have: `run` would refuse that, or show another loss
 */
export function reproducing(experiment, d, wait) {
  const benchmark = /** @type {Benchmark} */ (allBenchmarks.get(experiment));
  const mostMs = MOST_DOWN_AFTER_MS[experiment] ?? DOWN_AFTER_MS.most;
  const [size, ...others] = wishesOf(d).filter(
    ({ asked: { params: { placement, downAfterMs = 0 } = {} } }) =>
      (placement === undefined || parametersOf(benchmark).includes('placement')) && downAfterMs <= mostMs,
  );
  const { cases, words } = casesOf(benchmark, { wait, replicas: size.asked.params?.replicas });
  const taken = [size];
  for (const wish of others) {
    const asked = together([...taken, wish]);
    const isNew = JSON.stringify(asked) !== JSON.stringify(together(taken));
    if (isNew && cases.some(({ params }) => whyNotAsAsked(params, asked) === null)) taken.push(wish);
  }
  return [`sentinel-bench run ${experiment}`, words, ...taken.map((each) => each.words)].filter(Boolean).join(' ');
}

/**
 * Cases with this WAIT, of the shortest profile that has one; words: its option.
 * @param {Benchmark} benchmark @param {{wait: number, replicas?: number}} how
 */
function casesOf(benchmark, { wait, replicas = USUAL.replicas }) {
  const of = (/** @type {keyof typeof PROFILES} */ name) =>
    benchmark.cases({ profile: PROFILES[name], server: { name: 'redis', version: null }, replicas, storages: [] });
  const withWait = (/** @type {Case[]} */ cases) => cases.filter(({ params }) => params.wait === wait);
  const [quick, standard] = [of('quick'), of('standard')];
  if (withWait(quick).length > 0) return { cases: withWait(quick), words: '' };
  if (withWait(standard).length > 0) return { cases: withWait(standard), words: '--profile standard' };
  return { cases: quick, words: '' };
}

/** @param {readonly RunWish[]} wishes @returns {Asked} */
const together = (wishes) => ({
  params: Object.assign({}, ...wishes.map(({ asked }) => asked.params)),
  settings: Object.assign({}, ...wishes.map(({ asked }) => asked.settings)),
});

/** @param {Deployment} d @returns {RunWish[]} the number of replicas, then the most important first */
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

/** @param {CheckedNode} primary @returns {RunWish[]} */
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

/** @param {Deployment} d @param {CheckedNode} primary @returns {(typeof PLACEMENTS)[number] | undefined} undefined: another one */
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
