/** What each durability mode costs on each server, and how fast each writes without one, against the first server. */
/** @import { CaseOptions, CaseParams, LoadBenchmark } from '../types.js' */
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';
import { isPossible, MODES, modeTitle } from '../modes.js';
import { onServer, serversOf, serverTitle } from '../servers.js';

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));
const COSTED = ['async', 'wait1', 'wait1-min1-aof', 'aof-always', 'waitaof'];
const DEPTHS = [1, 100];
/** The pace of the quick profile. */
const PACE = { rounds: 12, seconds: 0.15, warmUpSeconds: 0.03 };
export const COST = 'versions-cost';
export const SPEED = 'versions-speed';
/** The first server once more: what it seems to differ from itself is noise. */
export const AGAIN = 'again';

/** @satisfies {Partial<LoadBenchmark>} */
const COMMON = {
  kind: /** @type {const} */ ('load'),
  needs: /** @type {LoadBenchmark['needs']} */ (['configure']),
  servers: /** @type {const} */ (true),
  stacks: { interleaved: /** @type {const} */ (true) },
  pace: (/** @type {Parameters<NonNullable<LoadBenchmark['pace']>>[0]} */ profile) =>
    profile.name === 'quick' ? PACE : profile,
  checks: () => [],
};

/** @param {CaseOptions} options @param {string} mode @param {number} pipeline depth @param {Partial<CaseParams>} [baseline] */
function caseIn({ client = 'native' }, mode, pipeline, baseline) {
  const { wait, waitLocal, settings } = MODES[mode];
  return makeCase({ client, pipeline, mode, wait, waitLocal, settings }, baseline);
}

/** @type {LoadBenchmark} */
export const cost = {
  ...COMMON,
  name: COST,
  ...TEXTS[COST],
  cases: (options) =>
    serversOf(options).flatMap((server) =>
      COSTED.filter((mode) => isPossible(mode, server)).flatMap((mode) =>
        DEPTHS.map((pipeline) => {
          const baseline = { mode: 'async', wait: 0, waitLocal: undefined, settings: MODES.async.settings };
          return onServer(caseIn(options, mode, pipeline, baseline), server);
        }),
      ),
    ),
  table: [
    column.left('server', ({ params }) => serverTitle(params.server ?? '')),
    column.left('mode', ({ params }) => modeTitle(params)),
    column.batch,
    ...column.MEASURED.slice(0, -1),
    column.notAcked,
    column.limitedBy,
  ],
};

/** @type {LoadBenchmark} */
export const speed = {
  ...COMMON,
  name: SPEED,
  ...TEXTS[SPEED],
  cases: (options) =>
    DEPTHS.flatMap((pipeline) => {
      const [base, ...others] = serversOf(options).map((server) =>
        onServer(caseIn(options, 'async', pipeline), server),
      );
      const again = { id: `${base.id}-${AGAIN}`, params: { ...base.params, setting: AGAIN } };
      return [base, ...[again, ...others].map((one) => ({ ...one, baseline: base.id }))];
    }),
  table: [
    column.left('server', ({ params: { server = '', setting } }) =>
      [serverTitle(server), ...(setting === AGAIN ? [AGAIN] : [])].join(', '),
    ),
    column.batch,
    ...column.MEASURED,
  ],
};
