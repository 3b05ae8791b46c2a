/**
 * What each durability mode costs on each server, while all is well.
 *
 * @import { BenchmarkResult, CaseResult, Finding } from '../../src/result/schema.js'
 * @import { LoadBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 */

import { interval, percent } from '../../src/format.js';
import * as column from '../../src/report/columns.js';
import { costOf } from '../../src/report/columns.js';
import { finding, oneFinding } from '../../src/report/findings.js';
import { makeCase } from '../../src/run/case.js';
import { isPossible, MODES, modeTitle } from '../modes.js';
import { onServer, serversOf, serverTitle } from '../servers.js';

/** @type {readonly ModeName[]} */
const COSTED = ['async', 'wait1', 'wait1-min1-aof', 'aof-always', 'waitaof'];
export const DEPTHS = [1, 100];
const BASELINE = 'async';
/** The pace of the quick profile. */
export const COST_PACE = { rounds: 12, seconds: 0.15, warmUpSeconds: 0.03 };
export const COST = 'versions-cost';

/** @type {LoadBenchmark} */
export default {
  name: COST,
  title: 'cost',
  question: 'Does a durability mode cost more on one server than on another?',
  method:
    'One connection writes 64 B values at pipeline depths 1 and 100. Each server has a stack of its own. All are up at the same time, and the rounds of all are in one ' +
    'random order. Costs are relative to async on the same server.',
  needs: ['configure'],
  servers: true,
  stacks: { interleaved: true },
  kind: 'load',
  pace: (profile) => (profile.name === 'quick' ? COST_PACE : profile),
  cases: (options) =>
    serversOf(options).flatMap((server) =>
      COSTED.filter((mode) => isPossible(mode, server)).flatMap((mode) =>
        DEPTHS.map((pipeline) => {
          const { wait, waitLocal, settings } = MODES[mode];
          const params = {
            client: options.client ?? /** @type {const} */ ('native'),
            pipeline,
            mode,
            wait,
            waitLocal,
            settings,
          };
          const baseline = { mode: BASELINE, wait: 0, waitLocal: undefined, settings: MODES[BASELINE].settings };
          return onServer(makeCase(params, baseline), server);
        }),
      ),
    ),
  table: [
    { title: 'server', align: 'left', cell: ({ params }) => serverTitle(params.server ?? '') },
    { title: 'mode', align: 'left', cell: ({ params }) => modeTitle(params) },
    column.batch,
    ...column.MEASURED.slice(0, -1),
    column.notAcked,
    column.limitedBy,
  ],
  findings: costFindings,
  checks: () => [],
};

/**
 * @param {CaseResult} one
 * @returns {ReturnType<typeof costOf> | null} relative to async on the same server
 */
export function costOfCase({ rounds, summary }) {
  const ratio = summary.relativeToBaseline?.throughput;
  return ratio && rounds.length > 1 ? costOf(ratio) : null;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} one: WAIT 1 at depth 1 on each server
 */
function costFindings({ cases }) {
  const texts = cases.flatMap((one) => {
    const cost = costOfCase(one);
    return one.params.mode === 'wait1' && one.params.pipeline === 1 && cost !== null
      ? [{ id: one.id, text: `${serverTitle(one.params.server ?? '')} ${interval(cost, percent)}` }]
      : [];
  });
  if (texts.length === 0) return [];
  const sentence = oneFinding(
    'Throughput cost of WAIT 1 at pipeline depth 1: ',
    texts.map(({ text }) => text),
  );
  return [
    finding(
      'cost-of-wait',
      sentence,
      texts.map(({ id }) => id),
    ),
  ];
}
