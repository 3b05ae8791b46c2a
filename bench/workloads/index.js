/** The workloads, in the order of tables. A new one is a file here and its place in this list. */
/** @import { Workload } from './types.js' */
import { counter } from './counter.js';
import { limiter } from './limiter.js';
import { briefLock, lock, longLock } from './lock.js';
import { pubsub } from './pubsub.js';
import { queue, queueWithBacklog } from './queue.js';
import { request } from './request.js';
import { stream } from './stream.js';

/** @type {readonly Workload[]} */
export const WORKLOADS = Object.freeze([
  lock,
  longLock,
  briefLock,
  counter,
  request,
  limiter,
  queue,
  queueWithBacklog,
  stream,
  pubsub,
]);

/** @param {string} name @returns {Workload} @throws {RangeError} nothing has this name */
export function workloadNamed(name) {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (!found) throw new RangeError(`there is no workload ${name}`);
  return found;
}
