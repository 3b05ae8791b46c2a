/**
 * How fast each server writes without a durability setting, against the first one.
 * @import { Case, CaseOptions, LoadBenchmark } from '../../src/run/types.js'
 */

import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';
import { MODES } from '../modes.js';
import { onServer, serversOf, serverTitle } from '../servers.js';
import { COST_PACE, DEPTHS } from './cost.js';

export const SPEED = 'versions-speed';
/** The first server once more: what it seems to differ from itself is noise. */
export const AGAIN = 'again';

/** @type {LoadBenchmark} */
export default {
  name: SPEED,
  ...readYaml(new URL('texts.yaml', import.meta.url))['versions-speed'],
  needs: ['configure'],
  servers: true,
  stacks: { interleaved: true },
  kind: 'load',
  pace: (profile) => (profile.name === 'quick' ? COST_PACE : profile),
  cases: (options) => DEPTHS.flatMap((pipeline) => casesOf(options, pipeline)),
  table: [
    {
      title: 'server',
      align: 'left',
      cell: ({ params }) => `${serverTitle(params.server ?? '')}${params.setting === AGAIN ? ', again' : ''}`,
    },
    column.batch,
    ...column.MEASURED.slice(0, -1),
    column.limitedBy,
  ],
  checks: () => [],
};

/** @param {CaseOptions} options @param {number} pipeline depth @returns {Case[]} all relative to the first */
function casesOf(options, pipeline) {
  const [first, ...others] = serversOf(options);
  const { wait, settings } = MODES.async;
  const plain = makeCase({ client: options.client ?? 'native', pipeline, mode: 'async', wait, settings });
  const base = onServer(plain, first);
  const again = { id: `${base.id}-${AGAIN}`, params: { ...base.params, setting: AGAIN } };
  return [
    base,
    ...[again, ...others.map((server) => onServer(plain, server))].map((one) => ({ ...one, baseline: base.id })),
  ];
}
