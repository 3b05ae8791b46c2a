/**
 * Predictions against faults: draws deployments and faults from a seed, predicts, performs the trial, and compares.
 *
 * SENTINEL_BENCH_PREDICTIONS: how many, default 3. SENTINEL_BENCH_SEED: default 1. SENTINEL_BENCH_LANES: trials side by side.
 */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { preferred } from '../../bench/experiments/own-faults.js';
import { suiteTerms } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { factsOf } from '../facts/index.js';
import { failover, groupPartition, kill, NETWORK, pause, restart, stop } from '../faults/index.js';
import { aftermath } from '../run/aftermath.js';
import { DEFAULT_PARAMS } from '../run/case.js';
import { between } from '../run/perform.js';
import { PROFILES } from '../run/profiles.js';
import { runSuite } from '../run/suite.js';
import { formatAddress } from '../stacks/address.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { randomFrom } from '../stats/random.js';
import { placed } from './machines.js';
import { predictAll } from './predict.js';
import { readDeployments } from './read.js';

/**
 * @import { Case, Scene, TrialBenchmark } from '../run/types.js'
 * @import { Deployment, PredictedFault, PredictedLoss, Prediction } from './types.js'
 *
 * @typedef {Object} DrawnFault
 * @property {string} id
 * @property {'restart' | 'cut' | 'machine-lost' | 'frozen' | 'planned' | 'stale'} kind
 * @property {number} replicas
 * @property {number[]} sentinels the machine of each: 0 is the primary's
 * @property {number[]} near cut: machines on the primary's side
 * @property {number} seconds of a cut
 * @property {number} downAfterMs
 * @property {number} wait
 * @property {Record<string, string>} settings
 */

await ownTemporaryFolder();
const skip = await needs('redis-server', 'firewall');
const COUNT = Number(process.env.SENTINEL_BENCH_PREDICTIONS ?? 3);
const SEED = Number(process.env.SENTINEL_BENCH_SEED ?? 1);
const LANES = Number(process.env.SENTINEL_BENCH_LANES ?? 2);
const TOLERANCE_SECONDS = 2;
const STALE_SECONDS = 8;
const NO_PROMOTION_SECONDS = 6;
const WRITERS = ['sticky@minority', 'failover-aware@majority', 'failover-aware@everywhere'];

/** @type {readonly Record<string, string>[]} */
const FILES = [
  { appendonly: 'no', save: '' },
  { appendonly: 'no', save: '3600 1' },
  { appendonly: 'yes', appendfsync: 'everysec', save: '' },
];

/** @param {number} seed @param {number} count @returns {DrawnFault[]} */
function draws(seed, count) {
  const random = randomFrom(seed);
  const below = (/** @type {number} */ most) => Math.floor(random() * most);
  const oneOf = /** @template T @param {readonly T[]} list */ (list) => list[below(list.length)];
  return Array.from({ length: count }, (_, index) => {
    const kind = oneOf(
      /** @type {const} */ (['restart', 'cut', 'cut', 'cut', 'machine-lost', 'frozen', 'planned', 'stale']),
    );
    const replicas = kind === 'stale' ? 2 : oneOf([1, 2, 2, 4]);
    const hosts = Array.from({ length: replicas + 1 }, (_each, host) => host);
    const voters = oneOf([3, 3, 5]);
    const others = hosts.slice(1).filter(() => random() < 0.4);
    const minimum = below(Math.min(replicas, 2) + 1);
    return {
      id: `draw-${index + 1}`,
      kind,
      replicas,
      sentinels: Array.from({ length: voters }, (_each, one) => (random() < 0.5 ? one % hosts.length : oneOf(hosts))),
      near: [0, ...(others.length === replicas ? others.slice(1) : others)],
      seconds: oneOf([15, 20]),
      downAfterMs: oneOf([2000, 3000, 5000]),
      wait: kind === 'restart' ? below(2) : below(replicas + 1),
      settings: {
        ...oneOf(FILES),
        'min-replicas-to-write': String(minimum),
        'min-replicas-max-lag': oneOf(['1', '5', '10']),
      },
    };
  });
}

/** @param {DrawnFault} draw @returns {Case} */
function caseOf({ id, replicas, sentinels, downAfterMs, wait, settings }) {
  return {
    id,
    params: {
      ...DEFAULT_PARAMS,
      client: 'native',
      wait,
      waitMode: 'pipelined',
      connections: 10,
      rate: 1000,
      mode: id,
      writers: WRITERS,
      settings,
      downAfterMs,
      ...(replicas !== 2 && { replicas }),
      ...(sentinels.length !== 3 && { sentinels: sentinels.length }),
    },
  };
}

/** @param {Scene} scene @param {DrawnFault} draw @returns {string[][]} ids on each machine */
function machinesIn({ primary, replicas, sentinels }, draw) {
  const hosts = [primary, ...replicas].map(({ id }) => [id]);
  draw.sentinels.forEach((host, index) => {
    hosts[host].push(sentinels[index].id);
  });
  return hosts;
}

/** @param {Scene} scene @param {DrawnFault} draw @returns {Promise<Deployment>} */
async function read(scene, draw) {
  const nodes = [scene.primary, ...scene.replicas, ...scene.sentinels];
  const zones = machinesIn(scene, draw).map((ids, index) => ({
    name: `m${index}`,
    members: nodes.filter(({ id }) => ids.includes(id)).map(({ announced }) => formatAddress(announced)),
  }));
  const [deployment] = await readDeployments(
    scene.sentinels.map(({ address }) => address),
    { credentials: {} },
  );
  return placed(deployment, zones);
}

/** @param {DrawnFault} draw @returns {PredictedFault} */
function faultOf({ kind, near, seconds, downAfterMs }) {
  const names = near.map((one) => `m${one}`);
  if (kind === 'cut') return { kind, machines: names, seconds };
  if (kind === 'stale') return { kind: 'node-lost', machines: [], node: '', seconds: Infinity };
  return { kind, machines: ['m0'], seconds: kind === 'frozen' ? downAfterMs / 1000 + 1 : Infinity };
}

/** @param {Scene} scene @param {DrawnFault} draw */
async function perform(scene, draw) {
  const { primary, sentinels, write, until, switched, inject } = scene;
  const hosts = machinesIn(scene, draw);
  const promotion = () => until(switched, draw.downAfterMs / 1000 + NO_PROMOTION_SECONDS);
  switch (draw.kind) {
    case 'restart':
      await (await inject(restart, primary.id))();
      return write(4);
    case 'planned':
      await inject(failover, primary.id).catch(() => {});
      break;
    case 'cut': {
      const side = (/** @type {boolean} */ isNear) =>
        hosts.filter((_, index) => draw.near.includes(index) === isNear).flat();
      const undo = await inject(
        groupPartition({
          groups: [
            [...side(true), 'minority'],
            [...side(false), 'majority'],
          ],
        }),
        NETWORK,
      );
      await write(draw.seconds);
      await undo();
      break;
    }
    case 'frozen': {
      const undo = await inject(pause, primary.id);
      await promotion();
      await undo();
      break;
    }
    default: {
      const undo = [];
      if (draw.kind === 'machine-lost')
        for (const { id } of sentinels.filter((one) => hosts[0].includes(one.id))) undo.push(await inject(stop, id));
      undo.push(await inject(kill, primary.id));
      await promotion();
      await write(1.5);
      for (const one of undo) await one();
    }
  }
  await aftermath(scene);
}

/** @type {Map<string, {prediction: Prediction, deployment: Deployment, promoted: boolean}>} */
const predicted = new Map();

/** @param {readonly DrawnFault[]} drawn @returns {TrialBenchmark} */
function benchmarkOf(drawn) {
  return /** @type {TrialBenchmark} */ ({
    kind: 'trial',
    name: 'predictions',
    title: 'predictions',
    question: 'Does what was predicted happen?',
    method: '',
    needs: ['group-partition', 'kill', 'stop', 'pause', 'failover', 'configure'],
    cases: () => drawn.map(caseOf),
    findings: () => [],
    checks: () => [],
    async script(scene, { id }) {
      const draw = /** @type {DrawnFault} */ (drawn.find((each) => each.id === id));
      if (draw.kind === 'stale') await scene.prepare(preferred, scene.replicas[0].id);
      await scene.write(1.5);
      if (draw.kind === 'stale') {
        const fault = between('replica-1', 'primary')(scene, /** @type {any} */ ({}));
        await scene.inject(fault.fault, fault.target);
        await scene.write(STALE_SECONDS);
      }
      const deployment = await read(scene, draw);
      const fault = faultOf(draw);
      const [prediction] = predictAll(
        deployment,
        [fault.node === '' ? { ...fault, node: deployment.primary ?? '' } : fault],
        { wait: draw.wait },
      );
      await perform(scene, draw);
      predicted.set(id, { prediction, deployment, promoted: scene.switched() });
    },
  });
}

/**
 * @param {PredictedLoss} loss
 * @param {{lost: number, everything: boolean, changesPerSecond: number}} seen
 * @returns {boolean} the right word, or within 2 s
 */
function isRight(loss, { lost, everything, changesPerSecond }) {
  if (loss.kind === 'all') return everything;
  if (loss.kind === 'changes') return Math.abs(lost - loss.count / changesPerSecond) <= TOLERANCE_SECONDS;
  return loss.kind !== 'unknown' && Math.abs(lost - (loss.kind === 'seconds' ? loss.seconds : 0)) <= TOLERANCE_SECONDS;
}

test(`${COUNT} predictions of seed ${SEED} against faults`, { skip }, async (t) => {
  const drawn = draws(SEED, COUNT);
  const folder = mkdtempSync(join(tmpdir(), 'predictions-'));
  const { result } = await runSuite({
    suite: 'predictions',
    benchmarks: [benchmarkOf(drawn)],
    profile: { ...PROFILES.quick, trials: 1 },
    seed: SEED,
    lanes: LANES,
    folder: async () => folder,
    command: 'predictions',
    stack: { backend: 'local' },
    progress: { tell() {}, now() {}, stop() {} },
    signal: new AbortController().signal,
  });
  const facts = factsOf(result, suiteTerms).filter(({ writer }) => writer === 'native');
  const figure = (/** @type {string} */ id, /** @type {string} */ metric) =>
    facts.find((fact) => fact.caseId === id && fact.metric === metric)?.median ?? 0;
  const rows = drawn.map((draw) => {
    const one = predicted.get(draw.id);
    const seen = {
      lost: figure(draw.id, 'lost-seconds'),
      everything: figure(draw.id, 'total-loss') === 1,
      changesPerSecond: Number(one?.deployment.nodes.find(({ id }) => id === one.deployment.primary)?.changesPerSecond),
    };
    const right =
      one !== undefined &&
      isRight(one.prediction.loss, seen) &&
      (draw.kind === 'restart' || one.promoted === one.prediction.promotes);
    return { right, draw, prediction: one?.prediction, promoted: one?.promoted, seen };
  });
  const report = rows.map((row) => JSON.stringify(row)).join('\n');
  t.diagnostic(report);
  const right = rows.filter((row) => row.right).length;
  t.diagnostic(`${right} of ${COUNT} right`);
  // 57 of 60.
  assert.ok(right >= Math.floor(COUNT * 0.95), report);
});
