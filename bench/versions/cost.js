/** What each durability mode costs on each server, while all is well. @import { LoadBenchmark } from '../../src/run/types.js' */

import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';
import { isPossible, MODES, modeTitle } from '../modes.js';
import { onServer, serversOf, serverTitle } from '../servers.js';

const COSTED = ['async', 'wait1', 'wait1-min1-aof', 'aof-always', 'waitaof'];
export const DEPTHS = [1, 100];
const BASELINE = 'async';
/** The pace of the quick profile. */
export const COST_PACE = { rounds: 12, seconds: 0.15, warmUpSeconds: 0.03 };
export const COST = 'versions-cost';

/** @type {LoadBenchmark} */
export default {
  name: COST,
  ...readYaml(new URL('texts.yaml', import.meta.url))['versions-cost'],
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
  checks: () => [],
};
