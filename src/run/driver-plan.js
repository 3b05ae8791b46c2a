/** The driver of a round, by the name of its client: `driver.redis-py`, `driver.redis-py.best`. */
import { findDriver } from '../drivers/manifest.js';
import { driverOf } from '../drivers/writer-name.js';
import { UserError } from '../errors.js';

/**
 * @import { DriverEntry } from '../drivers/manifest.js'
 * @import { RoundPlan } from '../load/types.js'
 * @import { Stack } from '../stacks/types.js'
 */

/**
 * @param {Stack} stack
 * @param {string} client
 * @returns {Pick<RoundPlan, 'driver'>} empty: it is another kind of client
 * @throws {UserError} there is no such driver, or it cannot run here
 */
export function driverPlan(stack, client) {
  const named = driverOf(client);
  return named === null ? {} : planOfDriver(stack, findDriver(named.driver), named.variant);
}

/**
 * @param {Pick<Stack, 'nodes' | 'access'>} stack
 * @param {DriverEntry} driver
 * @param {string} variant
 * @returns {Required<Pick<RoundPlan, 'driver'>>}
 * @throws {UserError} it cannot run here
 */
export function planOfDriver({ nodes, access: { masterName, credentials } }, { name, command, missing }, variant) {
  if (missing !== null) throw new UserError(`The driver ${name} cannot run here.`, missing);
  const placesOf = (/** @type {boolean} */ sentinels) =>
    nodes
      .filter(({ kind }) => (kind === 'sentinel') === sentinels)
      .map(({ address, announced }) => ({ address, announced }));
  const deployment = { sentinels: placesOf(true), nodes: placesOf(false), masterName, credentials };
  return { driver: { command, variant, deployment } };
}
