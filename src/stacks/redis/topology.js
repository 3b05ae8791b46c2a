/**
 * The nodes of every stack: names, default ports, identities. The same for all backends.
 */

/** @import { NodeKind } from '../types.js' */

/** What the Sentinels call the primary. */
export const MASTER_NAME = 'mymaster';

/** The Redis node that a new stack starts with as its primary. */
export const FIRST_PRIMARY = 'redis-1';

/**
 * The six nodes of a stack and the ports they take when those are free.
 * `myid` is a Sentinel's identity: 40 hexadecimal digits, fixed, so that each can be configured with the other two.
 *
 * @type {readonly {id: string, kind: NodeKind, port: number, myid?: string}[]}
 */
export const NODES = Object.freeze([
  { id: 'redis-1', kind: 'redis', port: 6379 },
  { id: 'redis-2', kind: 'redis', port: 6380 },
  { id: 'redis-3', kind: 'redis', port: 6381 },
  { id: 'sentinel-1', kind: 'sentinel', port: 26379, myid: '5e17b1e1'.repeat(5) },
  { id: 'sentinel-2', kind: 'sentinel', port: 26380, myid: '5e17b1e2'.repeat(5) },
  { id: 'sentinel-3', kind: 'sentinel', port: 26381, myid: '5e17b1e3'.repeat(5) },
]);
