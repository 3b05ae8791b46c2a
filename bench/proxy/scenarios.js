/**
 * Clients behind HAProxy, which sends them to any node that says it is a primary; and clients by a virtual IP address, which the
 * `client-reconfig-script` of each Sentinel moves. Failover-aware clients write beside them, in the same modes.
 * @import { TrialBenchmark } from '../types.js'
 */
import { whyNoHaproxy } from '../../src/load/writers/haproxy.js';
import { whyNoVirtualAddress } from '../../src/stacks/redis/hosts/virtual-address.js';
import { readYaml } from '../../src/yaml.js';
import { benchmarkOf } from '../experiments/benchmark.js';
import { CASE_TITLES, failureCases } from '../experiments/cases.js';
import { experimentNamed } from '../experiments/index.js';

export const HAPROXY = 'haproxy';
export const VIRTUAL_IP = 'virtual-address';
export const FOLLOWER = 'failover-aware';
const MODES = ['async', 'min1', 'wait1', 'wait1-min1'];

/** By writer. @type {Readonly<Record<string, NonNullable<TrialBenchmark['whyNotCase']>>>} */
const WHY_NOT = {
  async [HAPROXY](_, { about: { backend } }) {
    return backend === 'local' ? whyNoHaproxy() : 'HAProxy starts before local nodes only. Use --backend local.';
  },
  async [VIRTUAL_IP]() {
    const why = await whyNoVirtualAddress();
    return why === null ? null : `A virtual IP is not possible here: ${why}.`;
  },
};

/** @type {Record<string, {experiment: string, writer: string} & Partial<TrialBenchmark>>} */
const SELECTION = readYaml(new URL('texts.yaml', import.meta.url));

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  Object.entries(SELECTION).map(([name, { experiment, writer, ...own }]) => {
    const writers = [writer, FOLLOWER];
    return benchmarkOf(experimentNamed(experiment), {
      titles: CASE_TITLES,
      writers,
      cases: (options) => failureCases(options, { modes: MODES, writers }),
      own: { name, whyNotCase: WHY_NOT[writer], ...own },
    });
  }),
);
