/**
 * The replication links carry less than clients write, then the primary is lost.
 */
import { lose, slowLink } from '../../src/faults/index.js';
import { finding } from '../../src/report/findings.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { failureCases, trialRows } from './cases.js';
import { outcomeFindings } from './findings.js';
import { DECIDING_MODES } from './groups.js';
import { WITH_PROMOTION } from './promotion.js';

/**
 * @import { BenchmarkResult, CaseParams, Finding } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 */

/** The links carry one write in this number. */
const TOO_NARROW = 4;
/** A SET in the replication stream has these bytes around its value: the command, the lengths, and the key. */
const BYTES_BESIDE_VALUE = 80;
const NARROW_SECONDS = 5;

const MAX_LAG = 'min-replicas-max-lag';

/** @type {readonly ModeName[]} */
const QUICK_MODES = ['async', 'min1-lag1'];
/** @type {readonly ModeName[]} */
const MODES = [...QUICK_MODES, 'wait1', ...DECIDING_MODES];

/** @type {TrialBenchmark} */
export default {
  ...WITH_PROMOTION,
  name: 'narrow-link',
  question: 'Does min-replicas bound the loss when the replication link is narrower than the writes?',
  method:
    `The primary’s links with its peers carry one in ${TOO_NARROW} of the writes, for ${NARROW_SECONDS} s. Replicas still acknowledge ` +
    'once a second, but fall behind. Then the primary’s machine is lost with everything that waits to be sent. It starts again after a promotion.',
  needs: ['narrow-link', 'lose'],
  cases: (options) => failureCases(options, { modes: options.profile.name === 'quick' ? QUICK_MODES : MODES }),
  async script(scene, { params }) {
    const { primary, profile, downAfterMs, inject, prepare, write, until, switched } = scene;
    await write(profile.healthySeconds);
    const widen = await prepare(slowLink({ latencyMs: 0, bytesPerSecond: narrowFor(params) }), primary.id);
    await write(NARROW_SECONDS);
    const restart = await inject(lose, primary.id);
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await widen();
    await write(profile.healthySeconds);
    await restart();
    await oldPrimaryReturns(scene);
  },
  findings: (result) => [...lagFindings(result), ...outcomeFindings(result)],
};

/**
 * @param {Pick<CaseParams, 'rate' | 'writers' | 'payloadBytes'>} params
 * @returns {number} bytes a second, too few for the writes
 */
export function narrowFor({ rate = 0, writers = [], payloadBytes }) {
  return Math.round((rate * writers.length * (payloadBytes + BYTES_BESIDE_VALUE)) / TOO_NARROW);
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} one for each mode that lost more than its max-lag
 */
export function lagFindings(result) {
  return trialRows(result).flatMap(({ one, mode, loss }) => {
    const { settings = {}, wait } = one.params;
    const lag = Number(settings[MAX_LAG] ?? 0);
    if (wait > 0 || lag === 0 || loss.seconds === null || loss.seconds <= lag) return [];
    const text = `${mode} lost ${milliseconds(loss.seconds * 1000)} of acknowledged writes: max-lag is the age of the last ACK, not the data behind`;
    return [finding(`lag-${one.id}`, text, [one])];
  });
}
