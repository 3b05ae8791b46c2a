/**
 * What a user may ask of a benchmark of each kind; suites define more. A parameter has the name of its option: `linkLatency`, `--link-latency`.
 * @import { SuiteParameters, Benchmark } from './types.js'
 */
import { z } from 'zod';
import { clientNames } from '../registry/clients.js';
import { ALLOWABLE } from '../stacks/actions.js';
import { PLACEMENTS } from '../stacks/network/placement.js';
import { REPLICA_COUNTS, SENTINEL_COUNTS } from '../stacks/redis/topology.js';

export const DOWN_AFTER_MS = Object.freeze({ least: 100, most: 600_000, shown: '100ms and 10min' });

const milliseconds = z.number().nonnegative();

const client = z.enum(clientNames);

const agents = z.array(z.string()).min(1);

/** Further parameters of benchmarks that take a stack of any size. */
export const SizeParameters = z
  .strictObject({ replicas: z.literal(REPLICA_COUNTS), sentinels: z.literal(SENTINEL_COUNTS) })
  .partial();

export const LoadParameters = z.strictObject({ client, agents }).partial();

export const TrialParameters = z
  .strictObject({
    client,
    trials: z.int().min(1).max(10_000),
    lanes: z.int().min(1).max(16),
    linkLatency: milliseconds,
    downAfter: milliseconds,
    act: z.record(z.string(), z.string()),
    allow: z.array(z.enum(ALLOWABLE)),
    agents,
    ...SizeParameters.shape,
  })
  .partial();

/** Further parameters of trials whose faults hit hosts. */
export const PlacementParameters = z.strictObject({ placement: z.enum(PLACEMENTS) }).partial();

export const CustomParameters = z.strictObject({});

/**
 * @typedef {z.infer<typeof LoadParameters> & z.infer<typeof TrialParameters> & z.infer<typeof PlacementParameters> & SuiteParameters}
 *   Parameters all that was asked for; suites have more than those above
 */

const OF_KIND = { load: LoadParameters, trial: TrialParameters, custom: CustomParameters };

/** @param {Pick<Benchmark, 'kind' | 'parameters'>} benchmark @returns {readonly string[]} names of the parameters that it takes */
export function parametersOf({ kind, parameters = OF_KIND[kind] }) {
  return Object.keys(parameters.shape);
}

/**
 * @param {readonly Pick<Benchmark, 'kind' | 'parameters'>[]} benchmarks of a run @param {Record<string, unknown>} values
 * @returns {{parameters: Parameters, unused: string[]}} `parameters` are those that at least one benchmark takes; `unused` are the names of
 *   the others
 * @throws {z.ZodError} a value that is out of range, which the command line has checked before
 */
export function readParameters(benchmarks, values) {
  const schemas = benchmarks.map(({ kind, parameters = OF_KIND[kind] }) => parameters);
  const taken = z.object(Object.assign({}, ...schemas.map(({ shape }) => shape)));
  const unused = Object.keys(values).filter((name) => !(name in taken.shape));
  return { parameters: /** @type {Parameters} */ (taken.parse(values)), unused };
}
