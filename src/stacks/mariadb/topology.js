/** @import { NodeKind } from '../types.js' */

/** The node that a new stack starts with as its primary. */
export const FIRST_PRIMARY = 'mariadb-1';

/** `port`: the usual published port of a container. @type {readonly {id: string, kind: NodeKind, port: number}[]} */
export const MARIADB_NODES = Object.freeze([
  { id: 'mariadb-1', kind: 'mariadb', port: 3306 },
  { id: 'mariadb-2', kind: 'mariadb', port: 3307 },
  { id: 'mariadb-3', kind: 'mariadb', port: 3308 },
]);

/** The harness logs in as this user. It may change settings and roles. */
export const ADMIN = 'bench_admin';

/** Writers and load threads log in as this user. `read_only` stops it, as it stops an application. */
export const APPLICATION = 'bench_app';
